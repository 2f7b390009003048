"""The wire between a page and its figures on the server: two texts in a Bokeh document.

The browser writes ``up``; the figures change, and the answer goes back as ``down``. Nothing else is in the document:
pictures are the same for all readers (figures/drawing.py), and the columns that change come with the answer.
"""

from __future__ import annotations

import json

from bokeh.core.properties import String
from bokeh.document import Document
from bokeh.model import DataModel

from .live import Live


class Wire(DataModel):
    """What browser and server say to each other, as JSON (figures/live.py)."""

    up = String(default="")
    down = String(default="")


def tie(live: Live, doc: Document) -> Wire:
    """Put a wire into the document that answers for these figures."""
    wire = Wire(name="wire")

    def hear(_attr: str, _old: str, text: str) -> None:
        wire.down = json.dumps(live.hear(text), allow_nan=False)

    wire.on_change("up", hear)
    doc.add_root(wire)
    return wire

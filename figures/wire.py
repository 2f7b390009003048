"""The wire between a page and its figures on the server: two texts in a Bokeh document.

The browser writes ``up``; the figures change, and in one message the changed columns of their sources and the answer,
``down``, go back.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from bokeh.core.properties import String
from bokeh.document import Document
from bokeh.model import DataModel

from .base import Figure
from .live import Live


class Wire(DataModel):
    """What browser and server say to each other, as JSON (figures/live.py)."""

    up = String(default="")
    down = String(default="")


def tie(live: Live, doc: Document, together: Callable[[], AbstractContextManager] = nullcontext) -> Wire:
    """Put the plots of these figures into the document, and a wire that answers for them.

    ``together`` is a context in which all changes of the document leave as one message (``pn.io.hold`` on the server).
    """
    wire = Wire(name="wire")

    def hear(_attr: str, _old: str, text: str) -> None:
        with together():
            wire.down = json.dumps(live.hear(text))

    with doc.models.freeze():  # one look at all models instead of one a root
        for figure in live.figures.values():
            show(figure, doc)
        doc.add_root(wire)
    wire.on_change("up", hear)
    return wire


def show(figure: Figure, doc: Document) -> None:
    """Add the plots of a figure; scripts of the page find plots and sources by these names."""
    figure.ensure_built()
    for name, source in figure.sources.items():
        source.name = f"{figure.slug}.{name}"
    for name, plot in figure.plots.items():
        plot.name = f"{figure.slug}/{name}"
        doc.add_root(plot)

"""What runs inside the reader's browser, where there is neither a server nor Bokeh for Python.

The page draws with the same BokehJS as on the server; this module answers the same messages as `figures.wire`.
"""

from __future__ import annotations

import json

from figures import BY_SLUG
from figures.live import Live

live = Live([])


def open(slug: str) -> None:
    """Make a figure in its first state: the one in which the page was exported."""
    live.add(BY_SLUG[slug]())


def schedule(text: str) -> str:
    """When recall cards come back: a message of the review page and its answer, both JSON."""
    from lesson import deck  # a page without cards does not pay for it

    return json.dumps(deck.hear(text))


def hear(text: str) -> str:
    """Answer one message of the page; both are JSON."""
    return json.dumps(live.hear(text), allow_nan=False)

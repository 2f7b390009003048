"""What runs inside the reader's browser, where there is neither a server nor Bokeh for Python.

The page draws with the same BokehJS as on the server; this module answers the same messages as `figures.wire`, and adds
the columns that changed, which the page puts into its sources itself.
"""

from __future__ import annotations

import json
from typing import Any

from figures import BY_SLUG
from figures.live import Live

live = Live([])


def open(slug: str) -> None:
    """Make a figure in its first state: the one in which the page was exported."""
    figure = live.add(BY_SLUG[slug]())
    figure.changed.clear()


def schedule(text: str) -> str:
    """When recall cards come back: a message of the review page and its answer, both JSON."""
    from lesson import deck  # a page without cards does not pay for it

    return json.dumps(deck.hear(text))


def hear(text: str) -> dict[str, Any]:
    """Answer one message of the page."""
    answer = live.hear(text)
    answer["columns"] = {
        f"{slug}.{source}": columns
        for slug in answer["figures"]
        for source, columns in live.figures[slug].take_changes().items()
    }
    return answer

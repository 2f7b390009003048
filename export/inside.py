"""What runs inside the reader's browser, where there is neither a server nor Bokeh for Python.

The page draws with the same BokehJS as on the server; this module answers the same messages as `figures.wire`, and adds
the columns that changed, which the page puts into its sources itself.
"""

from __future__ import annotations

from typing import Any

from figures import BY_SLUG
from figures.live import Live

live: Live | None = None


def start(slugs: list[str]) -> None:
    """Make the figures of this page, in the state of their defaults: the one in which the page was exported."""
    global live
    live = Live(BY_SLUG[slug]() for slug in slugs)
    for figure in live.figures.values():
        figure.changed.clear()


def hear(text: str) -> dict[str, Any]:
    """Answer one message of the page."""
    if live is None:
        raise RuntimeError("start: expected to be called before hear")
    answer = live.hear(text)
    answer["columns"] = {
        f"{slug}.{source}": columns
        for slug, figure in live.figures.items()
        for source, columns in figure.take_changes().items()
    }
    return answer

"""Whole pages: the frame, and the figures alive in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from bokeh.document import Document

from figures import FIGURES, Figure, state
from figures.live import Live
from figures.page import environment, figure_html
from figures.wire import tie


def fill(doc: Document, figures: Iterable[type[Figure]], query: Iterable[tuple[str, str]],
         together: Callable[[], AbstractContextManager] = nullcontext) -> Live:  # fmt: skip
    """Put the page of these figures, in the state of the query, into an empty document.

    Every reader gets figures of their own: nothing here outlives the document.
    """
    query = list(query)
    made, problems = [], {}
    for kind in figures:
        knobs, refused = state.read(kind, query)
        made.append(kind(**knobs))
        problems[kind.slug] = [f"{problem}. That value of the address was left out." for problem in refused]
    live = Live(made)
    tie(live, doc, together)
    doc.config.notify_connection_status = False  # the page has a notice of its own
    doc.title = f"{made[0].title} · Attention Lab"
    doc.template = environment.get_template("figure_page.html")
    doc.template_variables.update(
        figures=made, problems=problems, figure_html=figure_html, home="./",
        crumb=f"Figure {made[0].number}", summary=made[0].summary,
    )  # fmt: skip
    return live


def not_found(path: str, home: str) -> str:
    """The page for an address that leads nowhere."""
    return message(
        "This page does not exist", f"Nothing lives at {path}. These pages do:", home,
        [("Lesson", home)] + [(f"Figure {f.number}: {f.title}", f"{home}{f.slug}") for f in FIGURES],
    )  # fmt: skip


def message(heading: str, text: str, home: str, links: Iterable[tuple[str, str]] = ()) -> str:
    words: dict[str, Any] = {
        "heading": heading,
        "text": text,
        "crumb": "",
        "summary": heading,
        "home": home,
        "pages": "%",
    }
    words["links"] = [{"text": name, "href": href} for name, href in links]
    return environment.get_template("message.html").render(title=f"{heading} · Attention Lab", **words)

"""Whole pages: the frame, and the figures alive in them."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from bokeh.document import Document
from markupsafe import Markup

from figures import PAGES, Figure, state
from figures.drawing import drawing
from figures.live import Live
from figures.page import environment, figure_html
from figures.wire import tie

from . import blocks, markdown, search
from .cards import cards


def fill(doc: Document, kind: type[Figure], query: Iterable[tuple[str, str]]) -> Live:
    """Put the page of a figure, in the state of the query, into an empty document.

    Every reader gets a figure of their own: nothing here outlives the document.
    """
    knobs, refused = state.read(kind, list(query))
    figure = kind(**knobs)
    live = Live([figure])
    tie(live, doc)
    doc.config.notify_connection_status = False  # the page has a notice of its own
    words = page_words(figure, state.left_out(refused))
    doc.title = words["title"]
    doc.template = environment.get_template(TEMPLATE)
    doc.template_variables.update(words)
    return live


TEMPLATE = "figure_page.html"


def page_words(figure: Figure, problems: list[str], boot: dict[str, Any] | None = None) -> dict[str, Any]:
    """What the template of the page of a figure needs to know of it.

    ``boot`` is what a page needs to start Python in the browser, where no server answers.
    """
    drawn = drawing(type(figure))  # type: ignore[arg-type]  # mypy takes the hash of its instances for that of the class
    session = {"drawing": drawn.document, "columns": drawn.behind(figure), "boot": boot}
    return {
        "figure": figure_html(figure, problems), "summary": figure.summary,
        "title": f"{figure.title} · Attention Lab", "crumb": figure.kicker(), "boot": boot,
        "session": lambda docs: session | {"wire": docs[0].to_json() if docs else None},  # Bokeh gives its token last
    }  # fmt: skip


NOTEBOOK = Path(__file__).parents[1] / "notebooks" / "attention.ipynb"


@lru_cache(maxsize=16)  # names under which a server is known; whoever invents more gets theirs made anew
def lesson(site: str = "", *, report: str = "", colab: str = "") -> str:
    """The lesson as the server shows it: plain HTML, the same for every reader, so it is made once a process."""
    return lesson_html(site, report, colab)


def lesson_html(site: str = "", report: str = "", colab: str = "", **where: Any) -> str:
    """The page of the lesson.

    ``site`` is its own address as readers know it (previews of links need one), ``report`` the address where mistakes
    are reported, ``{place}`` standing for the place of the mistake, ``colab`` the address of the notebook on Colab;
    ``where`` says where the page finds things, if not where they are on the server.
    """
    summary = (
        "An interactive lesson on attention: what queries, keys and values are, why scores are divided by the root of "
        "the head size, what masks hide, and how several heads work side by side."
    )
    words: dict[str, Any] = {"title": f"{LESSON} · Attention Lab", "summary": summary, "crumb": "Lesson 9"}
    html = environment.get_template("lesson.html").render(
        **words, **where, heading=LESSON, sections=markdown.sections(), safe=Markup, index=search.table(),
        site=site, report=report, colab=colab,
    )  # fmt: skip
    return blocks.with_colab(html, colab)


@lru_cache(maxsize=16)
def review(site: str = "") -> str:
    """The review as the server shows it; its text says nothing of the address."""
    return review_html()


def review_html(**where: Any) -> str:
    """The review of the recall cards: the reader's deck is not in it, that stays in the browser."""
    return environment.get_template("review.html").render(
        title="Review · Attention Lab", summary="The recall cards of the lesson, each when it is due.", crumb="Review",
        cards=cards(), safe=Markup, **where,
    )  # fmt: skip


@lru_cache(maxsize=32)
def packed(made: Callable[[str], str], site: str) -> bytes:
    return gzip.compress(made(site).encode(), mtime=0)


LESSON = "Attention: queries, keys, values and masks"


def not_found(path: str, home: str) -> str:
    """The page for an address that leads nowhere."""
    return message(
        "This page does not exist", f"Nothing lives at {path}. These pages do:", home,
        [("Lesson", home), *((f"{f.kicker()}: {f.title}", f"{home}{f.slug}") for f in PAGES),
         ("Review", f"{home}review")],
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

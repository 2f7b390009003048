"""A figure meets a reader: what the browser sends, what it gets back.

One `Wire` a page carries all of it as text. The browser writes ``up``: ``{"seq": 7, "figures": {"lookup": {"knobs":
{"tau": "0.2"}}}}``; the server changes the figure, and with the changed columns of its sources, in one message, goes
``down``: the same ``seq`` and what the page must show now. The browser waits for that answer before it sends the next
input (see assets/js/gate.js).
"""

from __future__ import annotations

import csv
import io
import json
import logging
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from html import escape
from typing import Any

from bokeh.core.properties import String
from bokeh.document import Document
from bokeh.model import DataModel

from . import state
from .base import Figure
from .parts import num, sentence

log = logging.getLogger(__name__)


class Wire(DataModel):
    """What browser and server say to each other, as JSON."""

    up = String(default="")
    down = String(default="")


def snapshot(figure: Figure) -> dict[str, Any]:
    """What the page shows of a figure beside its pictures."""
    description = figure.describe(figure.result)
    return {
        "knobs": figure.texts(),
        "parts": figure.parts(figure.result),
        "description": description,
        "sentence": sentence(description),
        "preset": figure.preset(),
        "query": state.write(figure),
    }


def as_csv(figure: Figure) -> str:
    """The numbers of the picture at full precision, as a spreadsheet reads them."""
    text = io.StringIO()
    csv.writer(text).writerows(figure.table(figure.result))
    return text.getvalue()


def as_html(figure: Figure) -> str:
    """The numbers of the picture as a table that a screen reader can walk through."""
    header, *rows = figure.table(figure.result)

    def cell(value: Any) -> str:
        return escape(value) if isinstance(value, str) else num(value)

    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = "".join(
        f'<tr><th scope="row">{cell(first)}</th>{"".join(f"<td>{cell(v)}</td>" for v in rest)}</tr>'
        for first, *rest in rows
    )
    return f'<table class="numbers"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


# What an answer brings only when it is asked for.
EXTRAS: dict[str, Callable[[Figure], Any]] = {
    "csv": as_csv,
    "numbers": as_html,
    "code": lambda figure: {flavour: figure.code(flavour) for flavour in ("numpy", "torch")},
}


class Live:
    """The figures of one page, alive in one document.

    Parameters
    ----------
    figures
        Each figure belongs to this document alone.
    doc
        Gets the plots as roots, and the wire.
    together
        Context in which all changes of the document leave as one message (``pn.io.hold`` on the server).
    """

    def __init__(self, figures: Iterable[Figure], doc: Document,
                 together: Callable[[], AbstractContextManager] = nullcontext):  # fmt: skip
        self.figures = {figure.slug: figure for figure in figures}
        self.together = together
        self.sent: dict[str, dict[str, str]] = {slug: {} for slug in self.figures}
        self.wire = Wire(name="wire")
        with doc.models.freeze():  # one look at all models instead of one a root
            for figure in self.figures.values():
                self._show(figure, doc)
            doc.add_root(self.wire)
        self.wire.on_change("up", lambda _attr, _old, text: self.hear(text))

    @staticmethod
    def _show(figure: Figure, doc: Document) -> None:
        figure.ensure_built()
        for name, source in figure.sources.items():
            source.name = f"{figure.slug}.{name}"
        for name, plot in figure.plots.items():
            plot.name = f"{figure.slug}/{name}"
            doc.add_root(plot)

    def hear(self, text: str) -> None:
        """Answer one message of the browser. Whatever goes wrong, it gets an answer, or it would wait."""
        with self.together():
            seq, answers, problem = None, {}, ""
            try:
                message = json.loads(text)
                seq = message["seq"]
                for slug, wish in message["figures"].items():
                    answers[slug] = self._answer(slug, wish)
            except Exception:
                log.exception("no answer to %.200s", text)
                problem = "Something went wrong inside the figure. Your last change did not count."
            self.wire.down = json.dumps({"seq": seq, "figures": answers, "problem": problem})

    def _answer(self, slug: str, wish: dict[str, Any]) -> dict[str, Any]:
        figure = self.figures[slug]
        problems: list[str] | None = None  # nothing was set, so whatever the page says about earlier values stands
        if wish.get("reset"):
            figure.reset()
            problems = []
        if preset := wish.get("preset"):
            figure.apply(preset)
            problems = []
        if texts := wish.get("knobs"):
            problems = state.problem_of(texts, figure.knobs())
            good, bad = figure.read({name: text for name, text in texts.items() if name in figure.knobs()})
            problems += bad
            figure.param.update(**good)
        if wish.get("everything"):
            self.sent[slug] = {}
        answer = snapshot(figure) | {"problems": problems}
        known, parts = self.sent[slug], answer["parts"]
        answer["parts"] = {name: html for name, html in parts.items() if known.get(name) != html}
        self.sent[slug] = parts
        answer |= {name: make(figure) for name, make in EXTRAS.items() if wish.get(name)}
        return answer

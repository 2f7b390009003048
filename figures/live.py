"""A figure meets a reader: what the browser sends, what it gets back, as JSON.

The browser sends ``{"seq": 7, "figures": {"lookup": {"knobs": {"tau": "0.2"}}}}`` and gets the same ``seq`` with what
the page must show now. It waits for that answer before it sends the next input (assets/js/gate.js). How the texts
travel is another matter: through a Bokeh document (figures/wire.py), or to a worker of the same browser
(export/inside.py).
"""

from __future__ import annotations

import csv
import io
import json
import logging
from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from . import state
from .base import Columns, Figure, written
from .parts import num, sentence

log = logging.getLogger(__name__)


def snapshot(figure: Figure) -> dict[str, Any]:
    """What the page shows of a figure beside its pictures."""
    description = figure.describe(figure.result)
    return {
        "knobs": figure.texts(),
        "names": figure.names(),
        "places": {name: figure.knobs()[name].write(points) for name, points in figure.places().items()},
        "parts": figure.parts(figure.result),
        "idle": figure.idle(),
        "description": description,
        "sentence": sentence(description),
        "preset": figure.preset(),
        "query": state.write(figure),
        "goals": [goal.check(figure) for goal in figure.goals],
    }


def as_csv(figure: Figure) -> str:
    """The numbers of the picture at full precision, as a spreadsheet reads them."""
    text = io.StringIO()
    csv.writer(text).writerows(figure.table(figure.result))
    return text.getvalue()


def as_html(figure: Figure) -> str:
    """The numbers of the picture as a table that a screen reader can walk through."""
    header, *rows = figure.short_table(figure.result)

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
    "sheet": as_html,  # for the page that is saved with them
    "field": lambda figure: figure.field(figure.result),
    "code": lambda figure: {flavour: figure.code(flavour) for flavour in ("numpy", "torch")},
}


class Live:
    """The figures of one reader.

    >>> from figures.lookup import Lookup
    >>> Live([Lookup()]).hear('{"seq": 7, "figures": {"lookup": {"preset": "uniform"}}}')["seq"]
    7
    """

    def __init__(self, figures: Iterable[Figure]):
        self.figures: dict[str, Figure] = {}
        self.sent: dict[str, dict[str, str]] = {}
        for figure in figures:
            self.add(figure)

    def add(self, figure: Figure) -> Figure:
        self.figures[figure.slug] = figure
        self.sent[figure.slug] = {}
        return figure

    def hear(self, text: str) -> dict[str, Any]:
        """Answer one message of the browser. Whatever goes wrong, it gets an answer, or it would wait."""
        seq, answers, problem = None, {}, ""
        try:
            message = json.loads(text)
            seq = int(message["seq"])
            for slug, wish in message["figures"].items():
                answers[slug] = self._answer(slug, wish)
        except Exception:
            log.exception("no answer to %.200s", text)
            problem = "Something went wrong inside the figure. Your last change did not count."
        return {"seq": seq, "figures": answers, "problem": problem, "columns": self._columns()}

    def _columns(self) -> dict[str, Columns]:
        """What changed in the pictures since the last answer, by the names that their sources have in the browser."""
        return {
            f"{slug}.{source}": written(columns)
            for slug, figure in self.figures.items()
            for source, columns in figure.take_changes().items()
        }

    @staticmethod
    def _target(figure: Figure, wish: dict[str, Any]) -> tuple[dict[str, Any], list[str] | None]:
        """The state that a wish asks for, and what cannot be had of it; None where nothing was set.

        ``state`` is a whole state (of an address, or of a page that comes back), ``reset`` and ``preset`` start anew,
        ``knobs`` come on top, one after the other as the reader set them: the later one counts where they hang on one
        another.
        """
        settings = figure.settings()
        problems: list[str] | None = None
        if texts := wish.get("state"):
            good, refused = figure.read({name: text for name, text in texts.items() if name in figure.knobs()})
            settings = figure.fit(figure.defaults() | good, ())[0]
            problems = state.left_out(state.problem_of(texts, figure.knobs()) + refused) or None
        if wish.get("reset"):
            settings, problems = figure.defaults(), []
        if preset := wish.get("preset"):
            settings, problems = figure.preset_settings(preset), []
        if texts := wish.get("knobs"):
            problems = state.problem_of(texts, figure.knobs())
            for name in (name for name in texts if name in figure.knobs()):
                good, refused = figure.read({name: texts[name]}, around=settings)
                settings, problems = settings | good, problems + refused
        return settings, problems

    def _answer(self, slug: str, wish: dict[str, Any]) -> dict[str, Any]:
        figure = self.figures[slug]
        settings, problems = self._target(figure, wish)
        news, refused = figure.receive(wish)
        problems = refused if refused is not None else problems
        before = figure.result
        figure.param.update(**settings)  # once: two refreshes in one message would send a source half of each
        if news and figure.result is before:
            figure._refresh()
        if wish.get("everything"):
            self.sent[slug] = {}
        if wish.get("picture"):
            figure.changed = dict(figure.shown)
        answer = snapshot(figure) | {"problems": problems}
        known, parts = self.sent[slug], answer["parts"]
        answer["parts"] = {name: html for name, html in parts.items() if known.get(name) != html}
        self.sent[slug] = parts
        answer |= {name: make(figure) for name, make in EXTRAS.items() if wish.get(name)}
        return answer

"""The text of the lesson, from Markdown to HTML. `python -m lesson.markdown` renders the formulas of all sections.

What our Markdown can do beyond the usual: ``$formula$``; ``::: block`` (lesson/blocks.py); links that set a figure
(lesson/links.py); ``«0.401 = free.weights[0, 0]»``, a number with its source (lesson/numbers.py); ``{query}``, a word
that wears its mark; ``## Heading {#its-id}``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin

from figures import formulas, parts

from . import links
from .blocks import BLOCKS

TEXT = Path(__file__).with_name("text")
RENDERED = Path(__file__).with_name("formulas.json")

NUMBER = re.compile(r"«(?P<written>[^«»]*?) (?P<how>[=≈]) (?P<source>[^«»]*)»")
RELATION = re.compile(r"[=<>]|\\(in|le|ge|ne|approx|to)\b")  # where a formula may break
MEANING = re.compile(r"\{(query|key|value|output)\}")


@dataclass(frozen=True)
class Heading:
    id: str
    html: str


@dataclass(frozen=True)
class Section:
    number: int
    heading: Heading
    parts: tuple[Heading, ...]
    html: str


class Formulas:
    """Formulas by their source; one that was not rendered ahead is an error, or, while collecting, noted."""

    def __init__(self, rendered: dict[str, str] | None):
        self.rendered = rendered
        self.used: dict[str, bool] = {}  # source → stands on a line of its own

    def __call__(self, tex: str, options: dict[str, Any]) -> str:
        tex = re.sub(r"(?<=\d),(?=\d{3}\b)", "{,}", tex)  # the comma of 60,000 is no list
        key = ("$$" if options["display_mode"] else "$") + tex.strip()
        self.used[key] = options["display_mode"]
        if self.rendered is None:
            return ""
        if key not in self.rendered:
            raise KeyError(f"formula {key}: not in lesson/formulas.json; run `make formulas`")
        return self.rendered[key]


def prepared(text: str) -> str:
    """Numbers without their sources, marks drawn, formulas on lines of their own apart from the text."""
    text = NUMBER.sub(lambda found: found["written"], text)
    text = MEANING.sub(lambda m: f'<span class="nowrap">{parts.mark(m[1])}{m[1]}</span>', text)
    return re.sub(r"^( *)(\$\$.*\$\$)$", r"\n\1\2\n", text, flags=re.MULTILINE)


def slug(title: str) -> str:
    """
    >>> slug("Self-attention: every token is a query")
    'self-attention-every-token-is-a-query'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def name_headings(state: StateCore) -> None:
    """Each heading gets an id, made of its words or given as {#id}."""
    for token, inline in pairwise(state.tokens):
        if token.type == "heading_open":
            words, _, given = inline.content.partition(" {#")
            inline.content = words
            token.attrSet("id", given.rstrip("}") or slug(words))


def keep_together(state: StateCore) -> None:
    """A short formula and the mark that follows it stay on one line; formulas in a row form one block."""
    for token in state.tokens:
        children = token.children or []
        for math, text in pairwise(children):
            ends = re.match(r"[.,;:)?]+", text.content) if text.type == "text" else None
            if math.type == "math_inline" and ends and len(math.content) < 40:
                math.meta["ends"] = ends[0]
                text.content = text.content[ends.end() :]
    rows = [token.type == "math_block" for token in state.tokens]
    for i, token in enumerate(state.tokens):
        token.meta["opens"] = rows[i] and not (i and rows[i - 1])
        token.meta["closes"] = rows[i] and not (i + 1 < len(rows) and rows[i + 1])


def reader(formula: Formulas) -> MarkdownIt:
    md = MarkdownIt("commonmark", {"html": True, "typographer": True}).enable(["table", "smartquotes"])
    dollarmath_plugin(md, allow_labels=False, allow_blank_lines=False)
    md.core.ruler.before("inline", "name_headings", name_headings)
    md.core.ruler.push("keep_together", keep_together)
    for name in BLOCKS:
        container_plugin(md, name, render=_block(md, name))

    def inline_math(self: Any, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        html = formula(tokens[i].content, {"display_mode": False})
        ends, whole = (
            tokens[i].meta.get("ends", ""),
            len(tokens[i].content) < 40 and not RELATION.search(tokens[i].content),
        )
        return f'<span class="nowrap">{html}{ends}</span>' if ends or whole else html

    def block_math(self: Any, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        html, meta = formula(tokens[i].content, {"display_mode": True}), tokens[i].meta
        if re.match(r"\s*(\{\}|=|\\to)", tokens[i].content):  # goes on from the formula before it
            html = f'<span class="on">{html}</span>'
        before, after = '<div class="eq">' if meta["opens"] else "", "</div>" if meta["closes"] else ""
        return f"{before}{html}{after}\n"

    def link(self: Any, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        href = str(tokens[i].attrGet("href"))
        if not href.startswith("figure:"):
            return self.renderToken(tokens, i, options, env)
        return links.show(href.removeprefix("figure:"), "").removesuffix("</a>")

    def heading(self: Any, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        id_ = tokens[i - 2].attrGet("id")
        anchor = f'<a class="anchor" href="#{id_}" aria-hidden="true" tabindex="-1">#</a>'
        return f"{anchor}</{tokens[i].tag}>\n"

    def fence(self: Any, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        kind = "output" if tokens[i].info == "output" else "program"
        label = '<p class="from">prints</p>' if kind == "output" else ""
        return f'<div class="{kind}">{label}<pre><code>{escape(tokens[i].content.rstrip())}</code></pre></div>\n'

    rules = {
        "math_inline": inline_math, "math_block": block_math, "link_open": link, "heading_close": heading,
        "fence": fence, "table_open": lambda *_: '<div class="scroll"><table>\n',
        "table_close": lambda *_: "</table></div>\n",
    }  # fmt: skip
    for name, rule in rules.items():
        md.add_render_rule(name, rule)
    return md


def _block(md: MarkdownIt, name: str) -> Any:
    def render(self: Any, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        if tokens[i].nesting > 0:
            before, after = BLOCKS[name](tokens[i].info.strip().removeprefix(name).strip(), md.renderInline)
            env.setdefault("after", []).append(after)
            return before
        return env["after"].pop()

    return render


def section(path: Path, formula: Formulas) -> Section:
    """One file of the text; its first heading is the section's."""
    md = reader(formula)
    env: dict[str, Any] = {}
    tokens = md.parse(prepared(path.read_text()), env)
    number = int(path.name.split("-")[0])
    if number:
        tokens[0].attrSet("data-number", str(number))
    opens = [(t, tokens[i + 1]) for i, t in enumerate(tokens) if t.type == "heading_open"]
    headings = [
        Heading(str(t.attrGet("id")), md.renderer.render(words.children or [], md.options, env)) for t, words in opens
    ]
    return Section(number, headings[0], tuple(headings[1:]), md.renderer.render(tokens, md.options, env))


def paths() -> list[Path]:
    return sorted(TEXT.glob("*.md"))


@cache
def sections() -> tuple[Section, ...]:
    """All sections, in order."""
    formula = Formulas(json.loads(RENDERED.read_text()))
    return tuple(section(path, formula) for path in paths())


def render_formulas() -> dict[str, str]:
    """Every formula of the text, rendered by KaTeX."""
    formula = Formulas(None)
    for path in paths():
        section(path, formula)
    wanted: dict[bool, dict[str, str]] = {True: {}, False: {}}
    for key, display in formula.used.items():
        wanted[display][key] = key.strip("$")
    return formulas.render(wanted[False]) | formulas.render(wanted[True], display=True)


if __name__ == "__main__":
    found = render_formulas()
    RENDERED.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n")
    print(f"{len(found)} formulas written to {RENDERED.name}")

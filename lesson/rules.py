"""How Markdown becomes HTML here: rules for formulas, headings, links, code and tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin

from . import links
from .blocks import BLOCKS, slug

RELATION = re.compile(r"[=<>]|\\(in|le|ge|ne|approx|to)\b")  # where a formula may break


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


def name_headings(state: StateCore) -> None:
    """Each heading gets an id, made of its words or given as {#id}."""
    for token, inline in pairwise(state.tokens):
        if token.type == "heading_open":
            words, _, given = inline.content.partition(" {#")
            inline.content = words
            token.attrSet("id", given.rstrip("}") or slug(words))


def name_choices(state: StateCore) -> None:
    """A choice learns which question it belongs to; each mistake of the list gets an id."""
    group, mistakes, count = "", False, 0
    for token in state.tokens:
        kind, _, words = token.info.strip().partition(" ")
        if token.type in ("container_predict_open", "container_check_open"):
            group = f"{'prediction' if kind == 'predict' else kind}-{words.split()[0]}"
        elif token.type in ("container_choice_open", "container_right_open", "container_wrong_open"):
            token.info = f"{kind} {group} {words}"
        elif token.type.startswith("container_mistakes"):
            mistakes = token.nesting > 0
        elif mistakes and token.type == "list_item_open":
            count += 1
            token.attrSet("id", f"mistake-{count}")


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
    md.core.ruler.before("inline", "name_choices", name_choices)
    md.core.ruler.push("keep_together", keep_together)
    for name in BLOCKS:
        container_plugin(md, name, render=_block(md, name))

    def inline_math(self: Any, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        html = formula(tokens[i].content, {"display_mode": False})
        tex, ends = tokens[i].content, tokens[i].meta.get("ends", "")
        whole = len(tex) < 18 or (len(tex) < 40 and not RELATION.search(tex))
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

    def code(self: Any, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        return f"<code>{escape(tokens[i].content).replace('_', '_<wbr>')}</code>"  # long names may break on a phone

    rules = {
        "code_inline": code,
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

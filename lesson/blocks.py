"""Blocks of the text that are more than Markdown, ``::: name words`` … ``:::``: HTML before and after their body."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from html import escape
from importlib import import_module

from . import links
from .turns import TURNS, Block, Inline, numbered


def slug(title: str) -> str:
    """
    >>> slug("Self-attention: every token is a query")
    'self-attention-every-token-is-a-query'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def folded(kind: str) -> Block:
    """A question of a list, its answer folded away."""

    def block(words: str, inline: Inline) -> tuple[str, str]:
        n, question = numbered(words)
        summary = f'<summary><span class="n">{n}</span><span>{inline(question)}</span></summary>'
        return f'<details class="self {kind}" id="{kind}-{n}">{summary}<div>', "</div></details>"

    return block


def more(words: str, inline: Inline) -> tuple[str, str]:
    return (
        f'<details class="more" id="more-{slug(words)}"><summary><span>{inline(words)}</span></summary><div>',
        "</div></details>",
    )


def statement(kind: str) -> Block:
    def block(words: str, inline: Inline) -> tuple[str, str]:
        name = f'<span class="kind">{kind}</span> {inline(words)}' if words else f'<span class="kind">{kind}</span>'
        id_ = f' id="{kind.lower()}-{slug(words)}"' if words else ""
        return f'<div class="statement {kind.lower()}"{id_}><p class="name">{name}</p>', "</div>"

    return block


def figure(words: str, inline: Inline) -> tuple[str, str]:
    """Where a figure stands: what it is, what to do first, and the way to it."""
    place = links.place(words)
    title = inline(place.title.replace("sqrt(d_k)", r"$\sqrt{d_k}$"))
    return (
        f'<section class="place" id="figure-{place.slug}" aria-labelledby="figure-{place.slug}-title">'
        f'<header><h4 id="figure-{place.slug}-title"><span class="fig-no">Figure {place.number}</span> {title}</h4>'
        f'<p class="fig-do">{escape(place.first)}</p></header>'
        '<div class="notice"><p class="notice-head">What to notice</p>',
        f'</div><p class="open"><a class="btn" href="{place.slug}">Open figure {place.number}</a></p></section>',
    )


def listing(words: str, inline: Inline) -> tuple[str, str]:
    code = "\n\n".join(source(name) for name in words.split())
    names = ", ".join(f"<code>{name}</code>" for name in words.split())
    return f'<div class="listing"><p class="from">{names}</p><pre><code>{escape(code)}</code></pre>', "</div>"


def source(name: str) -> str:
    """A function of `core` as it stands, its documentation cut out.

    >>> print(source("core.softmax.softmax_jacobian").splitlines()[0])
    def softmax_jacobian(p: ArrayLike) -> Floats:
    """
    module, _, function = name.rpartition(".")
    code = textwrap.dedent(inspect.getsource(getattr(import_module(module), function)))
    (tree,) = ast.parse(code).body
    assert isinstance(tree, ast.FunctionDef)
    lines = code.rstrip().splitlines()
    if ast.get_docstring(tree):
        first = tree.body[0]
        del lines[first.lineno - 1 : first.end_lineno]
    return "\n".join(lines)


def plain(html: str, tag: str = "div") -> Block:
    return lambda words, inline: (f'<{tag} class="{html}">', f"</{tag}>")


BLOCKS: dict[str, Block] = {
    **TURNS, "card": folded("card"),
    "more": more, "theorem": statement("Theorem"), "definition": statement("Definition"), "proof": statement("Proof"),
    "figure": figure, "listing": listing, "note": plain("note", "aside"), "mistakes": plain("mistakes"),
}  # fmt: skip

"""Blocks of the text that are more than Markdown, ``::: name words`` … ``:::``: HTML before and after their body."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from html import escape
from importlib import import_module

from figures.page import figure_html

from . import links
from .turns import TURNS, Block, Inline, numbered


def slug(title: str) -> str:
    """
    >>> slug("Self-attention: every token is a query")
    'self-attention-every-token-is-a-query'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def folded(kind: str) -> Block:
    """A question of a list, its answer folded away. The id of a card is its name in the decks of readers."""

    def block(words: str, inline: Inline) -> tuple[str, str]:
        n, question = numbered(words)
        summary = f'<summary><span class="n">{n}</span><span>{inline(question)}</span></summary>'
        return f'<details class="self {kind}" id="{kind}-{n}">{summary}<div>', "</div></details>"

    return block


def deck(words: str, inline: Inline) -> tuple[str, str]:
    """Under the cards: the way to the review. What adds cards, cards.js puts before it."""
    return '<div class="deck"><a class="btn" href="review" data-review>Open the review</a>', "</div>"


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
    """Where a figure stands, in its first state: the same HTML as on its own page. A script brings it to life."""
    made = links.kind(words)()
    return (
        f'<div class="place">{figure_html(made, [], heading="h4")}'
        '<div class="notice"><p class="notice-head">What to notice</p>',
        "<noscript><p>Without scripts it stands still, in its first state.</p></noscript></div></div>",
    )


def listing(words: str, inline: Inline) -> tuple[str, str]:
    code = "\n\n".join(source(name) for name in words.split())
    names = ", ".join(f"<code>{name}</code>" for name in words.split())
    return f'<div class="listing"><p class="from">{names}</p><pre><code>{escape(code)}</code></pre>', "</div>"


def notebook(words: str, inline: Inline) -> tuple[str, str]:
    """The notebook to download; the body says how to open it in Colab by hand."""
    link = '<a class="btn" href="notebook" download="attention.ipynb">Download the notebook</a>'
    return f'<div class="notebook">{link}<!--colab-->', "<!--/colab--></div>"


def with_colab(html: str, address: str) -> str:
    """Where the notebook has an address on Colab, a link to it takes the place of the way by hand."""
    link = f'<a class="btn" href="{escape(address)}">Open in Colab</a>'
    return re.sub("<!--colab-->(.*?)<!--/colab-->", lambda m: link if address else m[1], html, flags=re.DOTALL)


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
    **TURNS, "card": folded("card"), "deck": deck,
    "more": more, "theorem": statement("Theorem"), "definition": statement("Definition"), "proof": statement("Proof"),
    "figure": figure, "listing": listing, "note": plain("aside", "aside"), "mistakes": plain("mistakes"),
    "notebook": notebook,
}  # fmt: skip

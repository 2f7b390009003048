"""The recall cards, from the blocks ``::: card n Question`` of the text.

The number is the card's name for ever: decks of readers keep it. A card that goes leaves its number unused, a new one
takes the next.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache

from . import markdown
from .rules import Formulas, reader

BLOCK = re.compile(r"^::: card (\d+) (.+)\n((?:.*\n)*?):::$", re.MULTILINE)
FORMULA = re.compile(r"\$([^$]+)\$")


@dataclass(frozen=True)
class Card:
    id: str
    question_html: str
    answer_html: str
    question: str  # text, formulas as \( … \)
    answer: str


def tex(text: str) -> str:
    r"""
    >>> tex("Why divide by $\\sqrt{d_k}$?")
    'Why divide by \\(\\sqrt{d_k}\\)?'
    """
    return FORMULA.sub(r"\\(\1\\)", text.strip())


@cache
def cards() -> tuple[Card, ...]:
    """All cards, in the order of the text."""
    md = reader(Formulas(json.loads(markdown.RENDERED.read_text())))
    text = markdown.prepared("".join(path.read_text() for path in markdown.paths()))
    return tuple(
        Card(f"card-{n}", md.renderInline(question), md.render(answer), tex(question), tex(answer))
        for n, question, answer in BLOCK.findall(text)
    )

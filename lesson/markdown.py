"""The text of the lesson, from Markdown to HTML. `python -m lesson.markdown` renders the formulas of all sections.

What our Markdown can do beyond the usual: ``$formula$``; ``::: block`` (lesson/blocks.py); links that set a figure
(lesson/links.py); ``«0.401 = free.weights[0, 0]»``, a number with its source (lesson/numbers.py); ``{query}``, a word
that wears its mark; ``## Heading {#its-id}``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from figures import formulas, parts

from .rules import Formulas, reader

TEXT = Path(__file__).with_name("text")
RENDERED = Path(__file__).with_name("formulas.json")

NUMBER = re.compile(r"«(?P<written>[^«»]*?) (?P<how>[=≈]) (?P<source>[^«»]*)»")
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


def prepared(text: str) -> str:
    """Numbers without their sources, marks drawn, formulas on lines of their own apart from the text."""
    text = NUMBER.sub(lambda found: found["written"], text)
    text = MEANING.sub(lambda m: f'<span class="nowrap">{parts.mark(m[1])}{m[1]}</span>', text)
    return re.sub(r"^( *)(\$\$.*\$\$)$", r"\n\1\2\n", text, flags=re.MULTILINE)


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

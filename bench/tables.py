"""Tables in Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Numbers to the right, the first column to the left.

    >>> print(table(("a", "b"), [("x", "1")]))
    | a | b |
    |---|--:|
    | x | 1 |
    """
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join("|" + "|".join(c if c.startswith("--") else f" {c} " for c in line) + "|" for line in lines)


def num(value: float | None, digits: int = 0) -> str:
    """A dash where there is no number, the word where there never was a picture.

    >>> num(12.34, 1), num(None), num(float("inf"))
    ('12.3', '–', 'never')
    """
    if value is None or math.isnan(value):
        return "–"
    return "never" if math.isinf(value) else f"{value:,.{digits}f}"

"""A goal: a small challenge that a figure checks by itself, and what the page shows of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from . import parts

if TYPE_CHECKING:
    from .base import Figure

ROUNDING = 1e-9  # what arithmetic alone may take from a reader who has hit the mark
NO_SCORE = "does not count yet"


@dataclass(frozen=True)
class Goal:
    """What to reach, and a score that says how near a state comes.

    Examples
    --------
    >>> goal = Goal("Cool", "Let tau be at most 0.5.", lambda figure, found: figure.tau, 0.5, words="tau = {}")
    >>> goal.says(0.25), goal.reached(0.25), goal.says(None)
    ('tau = 0.250', True, 'does not count yet')
    """

    name: str  # short; the browser keeps the best attempt under it
    text: str  # what to do, one sentence with the number that is wanted
    score: Callable[[Any, Any], float | None]  # of a figure and its result; None: this state does not count
    wanted: float
    better: Literal["less", "more"] = "less"
    needs: str = ""  # what must hold for a state to count, where the sentence does not say it
    words: str = "{}"  # round the number of a score
    places: int = 3

    def reached(self, value: float | None) -> bool:
        if value is None:
            return False
        return value <= self.wanted + ROUNDING if self.better == "less" else value >= self.wanted - ROUNDING

    def says(self, value: float | None) -> str:
        return NO_SCORE if value is None else self.words.format(parts.num(value, self.places))

    def check(self, figure: Figure) -> dict[str, Any]:
        """How near the figure is now, for the page; a score that is no number is none."""
        score = self.score(figure, figure.result)
        value = None if score is None or not math.isfinite(score) else float(score)
        return {"name": self.name, "value": value, "score": self.says(value), "reached": self.reached(value)}

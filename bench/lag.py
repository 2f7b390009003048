"""From the notes of `probe.js` to lags."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from figures.lookup import Lookup

TOLERANCE = 1e-9


@cache
def expected(left: float, bottom: float, slide: float) -> tuple[float, float]:
    """The output that `core` gives for a handle at these percents of the plane and a slider at this place."""
    q_x, q_y = (round((percent / 50 - 1) * Lookup.radius, 3) for percent in (left, bottom))
    x, y = Lookup(q_x=q_x, q_y=q_y, tau=float(f"{10**slide:.3g}")).result.output
    return float(x), float(y)


@dataclass
class Block:
    """What one block of inputs came to; times in ms."""

    lags: list[float]  # of each input; infinite where no picture ever showed it
    wrong: int  # pictures whose output belongs to no input
    rate: float  # inputs a second, as they reached the browser

    @property
    def staleness(self) -> float:
        return self.lags[-1]


def shown(drawn: tuple[float, float], outputs: np.ndarray) -> int | None:
    """The newest input whose output is the drawn one.

    >>> shown((0.5, 1.0), np.array([[0.5, 1.0], [0.5, 2.0], [0.5, 1.0], [3.0, 1.0]]))
    2
    """
    same = np.flatnonzero((np.abs(outputs - drawn) < TOLERANCE).all(axis=1))
    return int(same[-1]) if same.size else None


def block(notes: dict[str, Any]) -> Block:
    """Lags of the inputs of one block.

    >>> notes = {"inputs": [{"time": 0.0, "asked": [60, 50, 0]}, {"time": 5.0, "asked": [70, 50, 0]},
    ...                     {"time": 30.0, "asked": [80, 50, 0]}],
    ...          "paints": [{"time": 20.0, "drawn": expected(70, 50, 0)}]}
    >>> block(notes).lags
    [20.0, 15.0, inf]
    """
    times = np.array([note["time"] for note in notes["inputs"]])
    outputs = np.array([expected(*note["asked"]) for note in notes["inputs"]])
    first = [math.inf] * len(times)  # when the first picture that shows input i or a newer one was painted
    wrong, newest = 0, -1
    for paint in notes["paints"]:
        index = shown(paint["drawn"], outputs[times < paint["time"]])
        if index is None:
            wrong += newest >= 0  # before that, it is the state in which the hand took hold
            continue
        for i in range(newest + 1, index + 1):
            first[i] = paint["time"]
        newest = max(newest, index)
    seconds = float(times[-1] - times[0]) / 1000
    lags = [then - float(time) for then, time in zip(first, times, strict=True)]
    return Block(lags, wrong, rate=(len(times) - 1) / seconds if seconds else 0.0)


@dataclass
class Series:
    """All blocks of one kind on one side."""

    blocks: list[Block] = field(default_factory=list)

    def lag(self, percent: float) -> float:
        return percentile([lag for b in self.blocks for lag in b.lags], percent)

    def summary(self) -> dict[str, Any]:
        return {
            "inputs": sum(len(b.lags) for b in self.blocks),
            "p50": self.lag(50), "p95": self.lag(95),
            "p50_of_blocks": [percentile(b.lags, 50) for b in self.blocks],
            "staleness": [b.staleness for b in self.blocks],
            "last_painted": all(math.isfinite(b.staleness) for b in self.blocks),
            "wrong_pictures": sum(b.wrong for b in self.blocks),
            "inputs_a_second": float(np.median([b.rate for b in self.blocks])),
        }  # fmt: skip


def percentile(values: list[float], percent: float) -> float:
    """One of the values: infinity must not be averaged away."""
    return float(np.percentile(values, percent, method="higher"))

"""From the notes of `probe.js` to lags, and from lags to what the report says of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np


@dataclass
class Block:
    """What one block of inputs came to; times in ms."""

    lags: list[float]  # of each input; infinite where no picture ever showed it
    rate: float  # inputs a second, as they reached the browser

    @property
    def staleness(self) -> float:
        return self.lags[-1]


def block(notes: dict[str, Any]) -> Block | None:
    """Lags of the inputs of one block; None where no input came.

    A frame shows the newest of the inputs with its key, and with it all before.

    >>> notes = {"inputs": [{"time": 0.0, "key": 1}, {"time": 5.0, "key": 1}, {"time": 30.0, "key": 2}],
    ...          "paints": [{"time": 20.0, "key": 1}]}
    >>> block(notes).lags
    [20.0, 15.0, inf]
    """
    inputs = notes["inputs"]
    if not inputs:
        return None
    first = [math.inf] * len(inputs)  # when the first frame that shows input i or a newer one was painted
    newest = -1
    for paint in notes["paints"]:
        shown = [i for i, note in enumerate(inputs) if note["key"] == paint["key"] and note["time"] < paint["time"]]
        for i in range(newest + 1, max(shown, default=-1) + 1):
            first[i] = paint["time"]
        newest = max(newest, *shown, -1)
    seconds = (inputs[-1]["time"] - inputs[0]["time"]) / 1000
    lags = [then - note["time"] for then, note in zip(first, inputs, strict=True)]
    return Block(lags, rate=(len(inputs) - 1) / seconds if seconds else 0.0)


@dataclass
class Series:
    """All blocks of one kind on one side."""

    blocks: list[Block] = field(default_factory=list)
    forgotten: int = 0  # answers of the floor that were not recorded yet

    def add(self, notes: dict[str, Any]) -> None:
        self.forgotten += notes.get("forgotten", 0)
        if found := block(notes):
            self.blocks.append(found)

    def summary(self) -> dict[str, Any]:
        """Medians over the blocks, so that one block beside which the machine was busy with others does not count."""
        if not self.blocks:
            return {"inputs": 0, "p50": math.inf, "p95": math.inf, "staleness": math.inf, "rate": 0.0}
        return {
            "inputs": sum(len(b.lags) for b in self.blocks),
            "p50": median(percentile(b.lags, 50) for b in self.blocks),
            "p95": median(percentile(b.lags, 95) for b in self.blocks),
            "staleness": median(b.staleness for b in self.blocks),
            "rate": median(b.rate for b in self.blocks),
            "p50_of_blocks": [percentile(b.lags, 50) for b in self.blocks],
            "never_painted": sum(math.isinf(lag) for b in self.blocks for lag in b.lags),
            "forgotten": self.forgotten,
        }


def percentile(values: list[float], percent: float) -> float:
    """One of the values: infinity must not be averaged away.

    >>> percentile([1.0, 2.0, 3.0, math.inf], 50)
    3.0
    """
    return float(np.percentile(values, percent, method="higher"))


def ratio(ours: float, theirs: float) -> float:
    """How many times as long; infinite or not a number where there is nothing to divide."""
    if math.isinf(ours) and math.isinf(theirs):
        return math.nan
    return ours / theirs if theirs else math.inf

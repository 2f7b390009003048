"""What the numbers are judged by: each aim, its number, and whether it is met."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from .lag import ratio

MOST_MB = 1.5


@dataclass
class Aim:
    """``value`` is to be at most (or, ``least``, at least) ``bound``; None where it could not be measured."""

    says: str
    value: float | None
    bound: float
    unit: str = ""
    least: bool = False

    @property
    def met(self) -> bool | None:
        if self.value is None or math.isnan(self.value):
            return None
        return self.value >= self.bound if self.least else self.value <= self.bound

    def record(self) -> dict[str, Any]:
        return asdict(self) | {"met": self.met}


def aims(parts: dict[str, Any]) -> list[Aim]:
    """The aims of all parts that were run."""
    makers = {"latency": _latency, "rivals": _rivals, "opening": _opening, "sessions": _sessions,
              "arithmetic": _arithmetic}  # fmt: skip
    return [aim for part, make in makers.items() if "rows" in parts.get(part, {}) or "cpu" in parts.get(part, {})
            for aim in make(parts[part])]  # fmt: skip


def _latency(part: dict[str, Any]) -> Iterator[Aim]:
    """The worst of all inputs of all figures, for each pace."""
    for pace, words in (("isolated", "one by one"), ("stream", "60 a second")):
        rows = [row for row in part["rows"] if row["pace"] == pace]
        for percent, bound in (("p50", 1.5), ("p95", 2.0)):
            times, row = max(((ratio(r["served"][percent], r["floor"][percent]), r) for r in rows), key=_largest)
            name = f"{row['figure']} {row['kind']} {row['input']}"
            yield Aim(f"inputs {words}, {percent}, beside the floor; the worst is {name}", times, bound, " ×")
    stale = [r for r in part["rows"] if r["pace"] == "stream" and r["kind"] in ("slider", "drag")]
    if stale:
        row = max(stale, key=lambda r: r["served"]["staleness"])
        name = f"{row['figure']} {row['kind']} {row['input']}"
        yield Aim(f"staleness at the end of a drag; the worst is {name}", row["served"]["staleness"], 100, " ms")


def _largest(pair: tuple[float, Any]) -> float:
    return -math.inf if math.isnan(pair[0]) else pair[0]


def _rivals(part: dict[str, Any]) -> Iterator[Aim]:
    for row in part["rows"]:
        if row["kind"] == "slider":
            drag = row["pace"] == "stream"
            words = "a slider dragged for two seconds" if drag else "one input of a slider"
            ahead = ratio(row["dash"]["p50"], row["served"]["p50"]) if "dash" in row else None
            yield Aim(f"{words}, p50, ahead of Dash", ahead, 2 if drag else 3, " ×", least=True)


def _opening(part: dict[str, Any]) -> Iterator[Aim]:
    cold = next(row for row in part["rows"] if row["cache"] == "cold")
    yield Aim("text of the lesson visible, cold cache", cold["first_text"] / 1000, 0.5, " s")
    yield Aim("first figure ready, cold cache", cold["first_figure"] / 1000, 1.5, " s")
    yield Aim("moved until all figures are ready, cold cache", sum(cold["bytes"].values()) / 1e6, MOST_MB, " MB")


def _sessions(part: dict[str, Any]) -> Iterator[Aim]:
    worst = max(part["cpu"], key=lambda row: row["session"])
    yield Aim(f"CPU of a session until its figure is ready; the most is {worst['figure']}", worst["session"], 0.1, " s")
    memory = part["memory"]
    grown = ratio(memory["after"], memory["before"])
    yield Aim(f"memory after {memory['closed']} sessions that were closed, beside that before", grown, 1.2, " ×")


def _arithmetic(part: dict[str, Any]) -> Iterator[Aim]:
    for row in part["rows"]:
        if row["task"] == "attention" and row["T"] == 2048:
            times = ratio(row["core"], row["torch"]) if "torch" in row else None
            yield Aim(f"core.attention, T = 2048, d = 64, {row['precision']}, beside PyTorch", times, 1.5, " ×")
    # q, k, v and the output are a few hundredths of a T × T array each.
    yield Aim("arrays of T × T alive in core.attention, T = 2048", part["peak"], 2.5)

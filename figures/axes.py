"""Values on a linear or a logarithmic axis, as heights from 0 to 1: places, ticks, labels that keep apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from . import parts

LEAST = 1e-300  # what is smaller than this is drawn at the bottom edge: floats end soon after
TOP = 1.14  # upper edge of the picture: over the end of the axis, at 1, stands its name
SPANS = (4, 8, 16, 32, 64, 128, 300)  # decades of a logarithmic axis; few sizes, so that it seldom changes


@dataclass(frozen=True)
class Axis:
    """From ``low`` to ``high``, which are powers of ten where ``log`` is true."""

    low: float
    high: float
    log: bool
    steps: int  # how many equal steps the ticks divide it into

    def place(self, value: float) -> float:
        """Height of a value; what is smaller than the axis shows stands at its bottom.

        >>> Axis(0, 0.5, False, 5).place(0.25), Axis(-4, 0, True, 4).place(0.01), Axis(-4, 0, True, 4).place(0.0)
        (0.5, 0.5, 0.0)
        """
        if self.log:
            value = math.log10(value) if value > 0 else self.low
        return max(0.0, (float(value) - self.low) / (self.high - self.low))

    def ticks(self) -> tuple[list[float], list[str]]:
        """Heights of the ticks and what stands beside them."""
        values = [self.low + (self.high - self.low) * i / self.steps for i in range(self.steps + 1)]
        if self.log:
            texts = ["1" if v == 0 else f"1e{v:.0f}".replace("-", parts.MINUS) for v in values]
        else:
            texts = [f"{v:.6g}" for v in values]
        return [i / self.steps for i in range(self.steps + 1)], texts


def linear(values: Iterable[float]) -> Axis:
    """From 0 to the next of 1, 2, 5 times a power of ten.

    >>> linear([0.3, 3.2]).ticks()[1]
    ['0', '1', '2', '3', '4', '5']
    """
    largest = max(values)
    largest = largest if largest > LEAST else 1.0
    unit = 10.0 ** math.floor(math.log10(largest))
    leading = next(n for n in (1, 2, 5, 10) if largest <= n * unit * (1 + 1e-9))
    return Axis(0.0, leading * unit, False, 4 if leading == 2 else 5)


def logarithmic(values: Sequence[float], top: float | None = None) -> Axis:
    """From ``top`` (the next power of ten, if none is given) down to where the smallest positive value has a place.

    >>> logarithmic([0.3, 1e-5, 0.0]).ticks()[1]
    ['1e−8', '1e−6', '1e−4', '1e−2', '1']
    """
    positive = [v for v in values if v > 0] or [1.0]
    high = math.ceil(math.log10(max(positive)) - 1e-9) if top is None else math.log10(top)
    depth = high - math.log10(min(positive))
    span = next((s for s in SPANS if depth <= s), SPANS[-1])
    return Axis(high - span, high, True, 4)


def apart(heights: Sequence[float], gap: float) -> list[float]:
    """Heights of labels, moved up where one would lie on the one below it, and back down where that leaves the axis.

    >>> apart([0.5, 0.52, 0.0], 0.1)
    [0.5, 0.6, 0.0]
    """
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    moved = list(heights)
    for below, i in pairwise(order):
        moved[i] = max(moved[i], moved[below] + gap)
    limit = 1.0
    for i in reversed(order):
        moved[i] = min(moved[i], limit)
        limit = moved[i] - gap
    return moved


def from_log(log: float) -> str:
    """The number with this natural logarithm, also where no float is as small.

    >>> from_log(math.log(0.112)), from_log(-16384.0)
    ('0.112', '3.3e−7116')
    """
    if log > math.log(LEAST):
        return parts.num(math.exp(log))
    exponent = math.floor(log / math.log(10))
    mantissa = f"{10 ** (log / math.log(10) - exponent):.1f}"
    if mantissa == "10.0":
        mantissa, exponent = "1.0", exponent + 1
    return f"{mantissa}e{exponent}".replace("-", parts.MINUS)


def small(value: float) -> str:
    """As `parts.num`, and honest where a positive number has become too small for a float.

    >>> small(0.25), small(0.0)
    ('0.250', 'below 1e−300')
    """
    return parts.num(value) if value >= LEAST else f"below 1e{parts.MINUS}300"


def about(value: float) -> str:
    """A number that comes from a sample: two digits, and the word that says so.

    >>> about(0.1136), about(0.00656), about(4.39), about(1.6e-5), about(0.0)
    ('about 0.11', 'about 0.0066', 'about 4.4', 'about 1.6e−5', 'below 1e−300')
    """
    if value < LEAST:
        return small(value)
    if value < parts.FIXED_FROM or value >= 100:
        return f"about {parts.num(value, 0) if value >= 100 else parts.num(value)}"
    return f"about {value:.{max(1 - math.floor(math.log10(value)), 0)}f}"

"""Values of any width on the plane of figure 2: as they are up to two numbers, else by two principal components."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .knobs import MINUS

REACH = 4.5  # units of the plane, which goes to 5, that the largest coordinate may take


@dataclass(frozen=True)
class Plane:
    """A map (…, d_v) → (…, 2). It is affine, so the output stays inside of the hull of the values."""

    centre: np.ndarray  # (d_v,)
    axes: np.ndarray  # (d_v, 2), orthonormal columns
    share: float | None  # of the variance that the two components explain; None where the values are shown as they are
    unit: float  # what one unit of the plane stands for, a short number

    @classmethod
    def of(cls, values: np.ndarray) -> Plane:
        """The plane for these values (T, d_v).

        >>> plane = Plane.of(np.array([[0.0, 0.0, 3.0], [0.0, 0.0, -3.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]))
        >>> plane.share, plane.axes.T.round(12).tolist()
        (1.0, [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
        """
        width = values.shape[1]
        centre, axes, share = np.zeros(width), np.eye(width, 2), None
        if width > 2:
            centre = values.mean(axis=0)
            axes, share = _components(values - centre)
        largest = float(np.abs((values - centre) @ axes).max())
        return cls(centre, axes, share, _unit(largest / REACH))

    def place(self, values: np.ndarray) -> np.ndarray:
        """Where values stand, in units of the plane."""
        return (values - self.centre) @ self.axes / self.unit

    def tick(self) -> str:
        """What the tick at 2 units says."""
        return f"{2 * self.unit:g}".replace("-", MINUS)

    def says(self) -> str:
        if self.share is None:
            return "The plane shows the values as they are."
        percent = f"{100 * self.share:.1f}"
        return f"The plane shows the two leading principal components of the values: {percent} % of their variance."


def _components(centred: np.ndarray) -> tuple[np.ndarray, float]:
    """The two directions of largest variance, with the largest entry of each positive, and their share of it."""
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    axes = np.zeros((centred.shape[1], 2))
    for n, direction in enumerate(directions[:2]):
        axes[:, n] = direction * math.copysign(1.0, direction[np.abs(direction).argmax()])
    total = float((sizes**2).sum())
    return axes + 0.0, float((sizes[:2] ** 2).sum()) / total if total else 1.0


def _unit(least: float) -> float:
    """The next short number: 1, 1.5, 2, 3, 4, 5 or 7.5 times a power of ten."""
    if least < 1e-12:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(n * power for n in (1, 1.5, 2, 3, 4, 5, 7.5, 10) if least <= n * power * (1 + 1e-9))

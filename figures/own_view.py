"""A head of the reader's own in figure 2: what `Matrix` shows in place of the sentence while one is loaded.

Small heatmaps are cells with numbers. A large one is a picture with one level of colour a cell, and the numbers for
reading follow when the figure rests (`field`), so that a drag does not carry them along.
"""

from __future__ import annotations

import math
from base64 import b64encode
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from core.attention import attention
from core.masks import causal, combine, empty_rows

from . import heat, own, own_code, own_words, parts, ramp
from .own_plane import Plane

if TYPE_CHECKING:
    from .matrix import Matrix

HIDDEN, EMPTY = 255, 254  # levels of a masked cell, and of the weights of a query that sees no key
NAMED = 4  # names in the plane: those of the largest weights


@dataclass(frozen=True)
class Shown:
    """What all queries find, in the order shown. T tokens."""

    order: np.ndarray  # (T,) place in the file of each token shown
    tokens: tuple[str, ...]
    q: np.ndarray  # (T, d_k)
    k: np.ndarray  # (T, d_k)
    v: np.ndarray  # (T, d_v)
    allowed: np.ndarray  # (T, T), True: may read
    empty: np.ndarray  # (T,), True: no key to read from
    scores: np.ndarray  # (T, T), scaled, before the mask
    weights: np.ndarray  # (T, T)
    output: np.ndarray  # (T, d_v)
    weights_gap: float  # largest |A' - P A P^T|; 0 where nothing is shuffled
    output_gap: float


@dataclass(frozen=True)
class OwnHead:
    """A loaded head and the row picked in it (from 1). Its methods stand in for those of `Matrix`."""

    head: own.Head
    plane: Plane
    id: int | None = None  # by which the page knows which of its files this is
    row: int = 1

    @classmethod
    def load(cls, name: str, content: bytes, id: int | None = None) -> OwnHead:
        head = own.read(name, content)
        return cls(head, Plane.of(head.v), id)

    def compute(self, figure: Matrix) -> Shown:
        head, T = self.head, len(self.head.tokens)
        order = permutation(figure.shuffle, T)
        file_mask = np.ones((T, T), dtype=bool) if head.allowed is None else head.allowed
        place = causal(T) if figure.causal else np.ones((T, T), dtype=bool)
        scale = figure.beta / math.sqrt(head.q.shape[1])
        allowed = combine(file_mask[np.ix_(order, order)], place)  # the mask of the file moves with its tokens
        here = attention(head.q[order], head.k[order], head.v[order], allowed, scale=scale)
        home = attention(head.q, head.k, head.v, combine(file_mask, place), scale=scale) if figure.shuffle else here
        return Shown(
            order, tuple(head.tokens[i] for i in order), head.q[order], head.k[order], head.v[order], allowed,
            empty_rows(allowed), here.scores, here.weights, here.output,
            weights_gap=_gap(here.weights, home.weights[np.ix_(order, order)]),
            output_gap=_gap(here.output, home.output[order]),
        )  # fmt: skip

    def describe(self, figure: Matrix, result: Shown) -> str:
        return own_words.describe(figure, self, result)

    def numpy_code(self, figure: Matrix) -> str:
        return own_code.numpy_code(figure, self.head, figure.result)

    def torch_code(self, figure: Matrix) -> str:
        return own_code.torch_code(figure, self.head, figure.result)

    # -- pictures ------------------------------------------------------------------------------------------------------

    def columns(self, figure: Matrix, result: Shown) -> dict[str, dict[str, list]]:
        """The cells are empty, the browser draws them from `cells`; the plane shows the values."""
        nothing: tuple[np.ndarray, list, np.ndarray] = np.ones((0, 0)), [], np.ones((0, 0), dtype=bool)
        i = self.row - 1
        weights = np.zeros(len(result.tokens)) if result.empty[i] else result.weights[i]
        named = set(np.argsort(-weights, kind="stable")[:NAMED].tolist())
        names = [token if j in named and weights[j] else "" for j, token in enumerate(result.tokens)]
        place = self.plane.place
        return {
            **heat.heat_columns("scores", *nothing), **heat.heat_columns("weights", *nothing),
            "ticks": parts.tick_columns(self.plane.tick()),
            **parts.mix_columns(place(result.v), weights, place(result.output[i : i + 1])[0], names, figure.radius),
        }  # fmt: skip

    def parts(self, figure: Matrix, result: Shown) -> dict[str, str]:
        i = self.row - 1
        levels = {
            "scores": _levels((figure.shade(result.scores) + 1) / 2, ~result.allowed),
            "weights": _levels(np.sqrt(result.weights), ~result.allowed),
        }
        levels["weights"][result.empty] = EMPTY
        content = heat.cells(
            result.tokens, [], {},
            own={"id": self.id, "name": own.cut(self.head.name, 40), "sizes": own.sizes(self.head), "row": self.row,
                 "named": "tokens" in self.head.keys},
            levels={name: b64encode(array.tobytes()).decode() for name, array in levels.items()},
            at={"scores": _plain(result.scores[i]), "weights": _plain(result.weights[i])},
        )  # fmt: skip
        says = escape(f"{self.plane.says()} Figure 1 takes rows of the sentence only.")
        return {"cells": content, "sum": own_words.written(self, result), "as query": f'<p class="go">{says}</p>'}

    def field(self, _figure: Matrix, result: Shown) -> dict[str, str]:
        """All scores and weights, as bytes of float64 in base64."""
        both = {"scores": result.scores, "weights": result.weights}
        return {name: b64encode(array.astype("<f8").tobytes()).decode() for name, array in both.items()}

    def table(self, _figure: Matrix, result: Shown) -> list[tuple]:
        return self._rows(result, range(len(result.tokens)))

    def short_table(self, _figure: Matrix, result: Shown) -> list[tuple]:
        """A row is as much as a reader looks through; the file with the numbers has all."""
        return self._rows(result, range(self.row - 1, self.row))

    def _rows(self, result: Shown, rows: range) -> list[tuple]:
        header = ("row", "column", "query", "key", "score", "visible", "weight")
        return [header, *(
            (i + 1, j + 1, result.tokens[i], result.tokens[j], result.scores[i, j], bool(result.allowed[i, j]),
             result.weights[i, j])
            for i in rows for j in range(len(result.tokens))
        )]  # fmt: skip


def permutation(seed: int, T: int) -> np.ndarray:
    """The order that a seed gives to T tokens; 0 leaves them as they are."""
    return np.random.default_rng(seed).permutation(T) if seed else np.arange(T)


def _gap(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(np.nan_to_num(a) - np.nan_to_num(b)).max())


def _levels(shades: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """Shades from 0 to 1 as steps of the ramp of colours."""
    steps = np.nan_to_num(shades) * (ramp.STEPS - 1) + 0.5
    return np.where(hidden, HIDDEN, steps).astype(np.uint8)


def _plain(row: np.ndarray) -> list[Any]:
    """Numbers for JSON, which has no NaN."""
    return [None if math.isnan(x) else x for x in row.tolist()]

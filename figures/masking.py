"""Laying a mask on logits, in every right and wrong way, and what comes of it: the numbers of figure 4.

Nothing here knows the screen. `lay` turns one `Setup` into one frozen `Laid`; all weights come from `core`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from core.attention import attention
from core.check import quiet
from core.masks import causal, combine, empty_rows, masked_logits, masked_softmax, padding

T = 5
WORDS, PAD = ("she", "saw", "a", "big", "cat"), "pad"
SEED = 197
ROUNDING = 8  # units in the last place, of the largest value, that a sum of five terms may be off by rounding alone


def _draw(rng: np.random.Generator, rows: int, size: int) -> np.ndarray:
    """Numbers of order 1 in steps of a half. With d_k = 4 the logits are exact even in float16, so whatever differs
    between precisions is the doing of mask and softmax."""
    drawn = (rng.standard_normal((rows, size)) * 2).round().clip(-4, 4) / 2 + 0.0  # + 0.0: no −0
    drawn.flags.writeable = False  # all readers of one process share it
    return drawn


_rng = np.random.default_rng(SEED)
Q, K, V = (_draw(_rng, T + 1, size) for size in (4, 4, 2))  # five words, then the padding token
K_AGAIN, V_AGAIN = (_draw(_rng, T, size) for size in (4, 2))  # what the leak meter puts in the place of hidden tokens


@dataclass(frozen=True)
class Setup:
    """How a mask is built and laid on: the knobs of the figure, in its words."""

    mask: str = "both"  # none, causal, padding, both
    side: str = "right"
    padded: int = 2
    where: str = "before"  # before, after, after-renormalised
    blocked: str = "-inf"  # -inf, -1e9, -1e4, min
    how: str = "fill"  # fill, add
    precision: str = "float64"
    says: str = "may"  # what True means to who wrote the array: may, hidden
    reads: str = "may"  # what True means to who reads it
    axis: str = "rows"

    @property
    def pads(self) -> int:
        """Tokens that are only filler; without a padding mask the sequence has its full length."""
        return self.padded if self.mask in ("padding", "both") else 0

    @property
    def before(self) -> bool:
        return self.where == "before"

    @property
    def flipped(self) -> bool:
        return self.says != self.reads

    @property
    def number(self) -> float | Literal["min"]:
        """The blocked value as `core` takes it."""
        return "min" if self.blocked == "min" else float(self.blocked)

    def order(self) -> list[int]:
        """Which row of Q, K, V each of the five tokens takes."""
        words, pads = list(range(T - self.pads)), [T] * self.pads
        return words + pads if self.side == "right" else pads + words

    def masks(self) -> tuple[np.ndarray, ...]:
        """The masks as they are meant, True: may read. Two of them stay two: they are laid on one after the other."""
        pad = padding(T - self.padded, T, side=self.side)
        each = {"none": (np.ones((T, T), dtype=bool),), "causal": (causal(T),), "padding": (pad,),
                "both": (causal(T), pad)}  # fmt: skip
        return each[self.mask]


@dataclass(frozen=True)
class Laid:
    """What comes of one setup. Rows are queries, columns keys."""

    setup: Setup
    tokens: tuple[str, ...]
    q: np.ndarray  # (T, d_k)
    k: np.ndarray  # (T, d_k)
    v: np.ndarray  # (T, d_v)
    meant: np.ndarray  # (T, T) bool: what the chosen mask means to let through
    visible: np.ndarray  # (T, T) bool: what the reader of the array lets through
    scores: np.ndarray  # (T, T), before the mask
    logits: np.ndarray  # (T, T), what goes into the softmax
    weights: np.ndarray  # (T, T)
    output: np.ndarray  # (T, d_v)
    swapped: np.ndarray  # (T, d_v), each row's output with the tokens meant to be hidden from it replaced

    @cached_property
    def eps(self) -> float:
        return float(np.finfo(self.setup.precision).eps)

    @cached_property
    def sums(self) -> np.ndarray:
        """Row sums of the weights, (T,)."""
        return self.weights.sum(axis=1, dtype=np.float64)

    @cached_property
    def broken(self) -> np.ndarray:
        """Rows that do not sum to 1, beyond rounding; NaN is not 1."""
        return ~(np.abs(self.sums - 1) <= ROUNDING * self.eps)

    @cached_property
    def empty(self) -> np.ndarray:
        """Rows without a visible key."""
        return empty_rows(self.visible)

    @cached_property
    def nan(self) -> np.ndarray:
        """Rows whose output is not a number."""
        return np.isnan(self.output).any(axis=1)

    @cached_property
    def leak(self) -> np.ndarray:
        """How far each row's output moves, NaN where there is no output, (T,)."""
        return np.abs(self.swapped.astype(np.float64) - self.output).max(axis=1)

    @cached_property
    def leaks(self) -> np.ndarray:
        """Rows that move farther than rounding can explain."""
        return self.leak > ROUNDING * self.eps * np.abs(self.v).max()

    @cached_property
    def astray(self) -> float:
        """How far a weight is from that of the right way with the mask that was meant; NaN counts as far, as inf."""
        right = masked_softmax(self.scores, self.meant).astype(np.float64)
        return float(np.nan_to_num(np.abs(self.weights - right), nan=np.inf).max())

    @cached_property
    def hides(self) -> bool:
        """Is any key hidden from any query, as the array is read?"""
        return not self.visible.all()


def lay(setup: Setup) -> Laid:
    """Compute everything in the precision of the setup.

    The leak meter runs along: a batch of T + 1 sequences, first the sequence itself, then for each query one in which
    the keys and values of the tokens meant to be hidden from it are others. All go through the same code.
    """
    dtype, order = np.dtype(setup.precision), setup.order()
    q, k, v = (table[order].astype(dtype) for table in (Q, K, V))
    masks = setup.masks()
    meant = np.broadcast_to(combine(*masks), (T, T))
    read = tuple(~mask for mask in masks) if setup.flipped else masks
    hidden = np.concatenate([np.zeros((1, T), dtype=bool), ~meant])[..., None]  # (T + 1, T, 1)
    keys, values = (np.where(hidden, again.astype(dtype), now) for now, again in ((k, K_AGAIN), (v, V_AGAIN)))
    scores = attention(q, keys, values).scores  # (T + 1, T, T)
    logits = masked_logits(scores, read, blocked=setup.number, how=setup.how) if setup.before else scores
    weights = masked_softmax(
        scores, read, where=setup.where, blocked=setup.number, how=setup.how, axis=-1 if setup.axis == "rows" else -2
    )
    with quiet():
        output = weights @ values  # (T + 1, T, d_v)
    swapped = output[np.arange(1, T + 1), np.arange(T)]
    return Laid(
        setup, tuple((*WORDS, PAD)[i] for i in order), q, k, v, meant, np.broadcast_to(combine(*read), (T, T)),
        scores[0], logits[0], weights[0], output[0], swapped,
    )  # fmt: skip


def shown_mask(laid: Laid) -> np.ndarray:
    """M as the code sees it: the numbers to be added, the factors 0 and 1 after the softmax, or the booleans."""
    setup = laid.setup
    if not setup.before:
        return laid.visible.astype(int)
    if setup.how == "fill":
        return laid.visible if setup.reads == "may" else ~laid.visible
    read = tuple(~mask for mask in setup.masks()) if setup.flipped else setup.masks()
    zeros = np.zeros((T, T), dtype=setup.precision)
    return masked_logits(zeros, read, blocked=setup.number, how="add")

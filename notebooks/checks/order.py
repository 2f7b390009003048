"""Exercise 5: shuffled tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .verdict import Array, LookAgain, Mistakes, checked, must_equal, several, some_numbers

SHUFFLED = np.array([2, 0, 1, 4, 3])  # not its own inverse


def sums_so_far(x: Array) -> Array:
    """Depends on the order of the rows, and takes any shape. (Negative, so that the largest difference is, too.)"""
    return -np.cumsum(np.arange(1, 1 + len(x))[:, None] * x**2, axis=0)


def each_alone(x: Array) -> Array:
    return x**3


def mistakes_in_gap(f: Callable[[Array], Array], x: Array, order: Array) -> Mistakes:
    """x is wider than long, so that `order` picks columns, too."""

    def gap(a: Array, b: Array) -> float:
        return float(np.abs(a - b).max())

    moved, right, back = f(x[order]), f(x)[order], f(x)[np.argsort(order)]
    return {
        "The columns are shuffled, and columns are features: shuffle the rows, X[order].":
            gap(f(x[:, order]), f(x)[:, order]),
        "The outputs stay in their old order: compare f(X[order]) with f(X)[order].": gap(moved, f(x)),
        "The tokens are not shuffled before f: compare f(X[order]) with f(X)[order].": gap(f(x), right),
        "The outputs are shuffled backwards: take f(X)[order], the same order as for the tokens.": gap(moved, back),
        "Negative differences do not count: take the absolute value first.": (moved - right).max(),
        "Positive and negative differences cancel: take the largest absolute value.": (moved - right).sum(),
        "This is the mean difference: take the largest.": np.abs(moved - right).mean(),
    }  # fmt: skip


def mistakes_in_causal(T: int) -> Mistakes:
    return {
        "It shows the future and hides the past: query i sees the keys j ≤ i.": np.tri(T, dtype=bool).T,
        "The diagonal is hidden: query i also sees key i.": np.tri(T, k=-1, dtype=bool),
        "Query i also sees key i + 1, a token of the future.": np.tri(T, k=1, dtype=bool),
        "True stands where a key is hidden: here True means may attend.": ~np.tri(T, dtype=bool),
        "It holds 0 and -inf, to be added: make it boolean, True where a query may attend.":
            np.where(np.tri(T, dtype=bool), 0, -np.inf),
    }  # fmt: skip


@checked
def check_gap(equivariance_gap: Callable[..., Any]) -> str:
    x = some_numbers(17, 5, 7)
    for f in (sums_so_far, each_alone):
        got = equivariance_gap(f, x.copy(), SHUFFLED.copy())
        if isinstance(got, bool | np.bool_):
            raise LookAgain("It returns True or False: return the largest difference, a number.")
        right = np.abs(f(x[SHUFFLED]) - f(x)[SHUFFLED]).max()
        must_equal("the gap", got, right, mistakes_in_gap(f, x, SHUFFLED))
    return "It is 0 where f treats each row alone, and more where the order counts."


@checked
def check_causal(causal: Callable[..., Any]) -> str:
    got = causal(5)
    must_equal("the mask", got, np.tri(5, dtype=bool), mistakes_in_causal(5))
    if np.asarray(got).dtype != bool:
        raise LookAgain("It holds the numbers 1 and 0: make it boolean, with dtype=bool.", "the mask")
    return "Query i sees the keys j ≤ i."


@checked
def compare_shuffled(
    equivariance_gap: Callable[..., Any], causal: Callable[..., Any], attention: Callable[..., Any]
) -> str:
    """Self-attention of random tokens, without a mask and under a causal one."""
    x, w = some_numbers(18, 5, 7), [some_numbers(19 + i, 7, 3) for i in range(3)]

    def gap(allowed: Array | None) -> float:
        def layer(tokens: Array) -> Array:
            return several("O, A", attention(*(tokens @ w_i for w_i in w), allowed))[0]

        return float(equivariance_gap(layer, x, SHUFFLED))

    free, masked = gap(None), gap(causal(5))
    if not free < 1e-6 < masked:
        raise LookAgain(f"The gaps are {free:.2g} and {masked:.2g}: bring the checks above and exercise 1 to Passed.")
    return (
        f"Without a mask the gap is {free:.0e}, only rounding: the outputs move with the tokens.\n"
        f"Under a causal mask it is {masked:.2f}: they do not."
    )

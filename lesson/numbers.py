"""The numbers that the text speaks of, each computed by `core`.

In the Markdown a computed number stands with its source, ``«0.401 = free.weights[0, 0]»``; the page shows the number,
and a test evaluates the source with the names of this module (tests/lesson/test_numbers.py).
"""

from __future__ import annotations

import math
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from core import cost
from core.attention import attention
from core.heads import multi_head_attention, split_heads
from core.masks import causal
from core.scaling import jacobian_norm_curve, query_gradient_norm_curve, weight_statistics
from core.softmax import softmax, softmax_jacobian

exp, ln = math.exp, math.log
parameters = cost.parameters

X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])  # (T, d_k), the worked example
free = attention(X, X, X)
masked = attention(X, X, X, causal(3))
VALUES_1 = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])  # of quick check 1

SCALING = {False: "none", True: "1/sqrt(d_k)"}
SEED = 0


def p(*scores: float) -> np.ndarray:
    """Weights of these scores."""
    return softmax(np.array(scores, float))


def total(*scores: float) -> float:
    """Denominator of the softmax, without the shift."""
    return float(np.exp(scores).sum())


def slope(*scores: float) -> np.ndarray:
    """Jacobian of the softmax at these scores."""
    return softmax_jacobian(p(*scores))


def largest_slope(*scores: float) -> float:
    return float(np.abs(slope(*scores)).max())


def variance(d_k: int, sigma: float = 1.0) -> float:
    """Of q·k, exactly: entries that are +sigma or -sigma have this variance, and each product can be counted."""
    products = np.array([a * b for a in (-sigma, sigma) for b in (-sigma, sigma)])
    return d_k * float(products.var())


def std(d_k: int) -> float:
    """Standard deviation of q·k."""
    return math.sqrt(variance(d_k))


def gap(d_k: int) -> float:
    """Standard deviation of q·k_1 - q·k_2."""
    return math.sqrt(2 * variance(d_k))


@cache
def _weights(d_k: int, scaled: bool) -> Any:
    return weight_statistics(d_k, 128, 20_000, SEED, scaling=SCALING[scaled])


def largest(d_k: int, scaled: bool = False) -> float:
    """Median of the largest of 128 weights."""
    return _weights(d_k, scaled).median_largest_weight


def small_share(d_k: int, scaled: bool = False) -> float:
    """Percent of 128 weights that are below 0.001."""
    return 100 * _weights(d_k, scaled).share_below_1e_3


def norm(d_k: int, keys: int = 16, scaled: bool = False) -> float:
    """Median norm of the softmax Jacobian."""
    return float(jacobian_norm_curve([d_k], 20_000, SEED, keys=keys, scaling=SCALING[scaled]).median[0])


@cache
def pull(d_k: int, scaled: bool = False) -> float:
    """Median norm of the gradient at the query, 16 keys; saturated draws spread widely, so there are many of them."""
    return float(query_gradient_norm_curve([d_k], 400_000, SEED, scaling=SCALING[scaled]).median[0])


def steps(tokens: int) -> int:
    """Steps of a recurrent network from the first token to the last."""
    return len(range(1, tokens))


def flops(T: int, D: int) -> cost.Flops:
    return cost.flops(T, D, 8)


def equal_at(D: int) -> int:
    """The number of tokens at which projections and attention cost the same."""
    return next(T for T in range(1, 10 * D) if flops(T, D).projections <= flops(T, D).attention)


class shape_of:
    """Shapes of self-attention, as in quick check 2."""

    @staticmethod
    def _run(T: int, D: int, d: int) -> Any:
        x, w = np.ones((T, D)), np.ones((D, d))
        return attention(x @ w, x @ w, x @ w)

    @classmethod
    def scores(cls, T: int, D: int, d: int) -> tuple[int, ...]:
        return cls._run(T, D, d).scores.shape

    @classmethod
    def output(cls, T: int, D: int, d: int) -> tuple[int, ...]:
        return cls._run(T, D, d).output.shape


def _cross(B: int, T_q: int, T_k: int, D: int, H: int) -> SimpleNamespace:
    x, z, w = np.ones((B, T_q, D)), np.ones((B, T_k, D)), np.eye(D)
    run, q, k = multi_head_attention(x, w, w, w, w, H, context=z), split_heads(x, H), split_heads(z, H)
    return SimpleNamespace(
        queries=q.shape, keys=k.shape, weights=run.weights.shape, heads=(run.weights @ k).shape, output=run.output.shape
    )


cross = _cross(2, 5, 7, 64, 4)

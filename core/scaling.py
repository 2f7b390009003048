"""Why attention divides by sqrt(d_k): random queries and keys, and what the softmax of their scores lets through.

How a draw is cheap and still exact in distribution. Let the entries of q and of the keys be independent N(0, sigma²).
Then |q|² is sigma² times a chi-square number with d_k degrees of freedom, and *given q* the scores q·k_j are
independent N(0, sigma² |q|²). A first key correlated with q, k_1 = rho q + sqrt(1 - rho²) z, has the score
rho |q|² + sqrt(1 - rho²) sigma |q| n with n standard normal. So a draw costs O(keys) and not O(keys · d_k).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.check import one_of, quiet, real_number, whole_number
from core.softmax import softmax_in_place, softmax_jacobian_norm, softmax_vjp

Floats = NDArray[np.float64]

SCALINGS: dict[str, Callable[[int], float]] = {
    "none": lambda d_k: 1.0,
    "1/sqrt(d_k)": lambda d_k: 1.0 / math.sqrt(d_k),
    "1/d_k": lambda d_k: 1.0 / d_k,
}


@dataclass(frozen=True)
class Draw:
    """What :func:`draw` gives."""

    q: Floats  # (d_k,)
    keys: Floats  # (keys, d_k)
    scores: Floats  # (keys,), q·k_j as it is, not scaled


@dataclass(frozen=True)
class Curve:
    """A quantity against the head size: its median and the 10-90 % band over many draws."""

    d_k: NDArray[np.int64]  # (n,)
    median: Floats  # (n,)
    low: Floats  # (n,), the 10 % quantile
    high: Floats  # (n,), the 90 % quantile


class WeightStatistics(NamedTuple):
    """What :func:`weight_statistics` gives."""

    median_largest_weight: float
    share_below_1e_3: float  # from 0 to 1


def draw(d_k: int, keys: int = 16, seed: int = 0, sigma: float = 1, rho: float = 0) -> Draw:
    """One random query with its keys, written out in full.

    .. math:: q, z_j \\sim N(0, \\sigma^2 I), \\quad k_1 = \\rho q + \\sqrt{1 - \\rho^2} z_1, \\quad k_j = z_j, \\quad
              scores_j = q \\cdot k_j

    Parameters
    ----------
    d_k : int
        Head size.
    keys : int, default 16
        Number of keys.
    seed : int, default 0
        Not negative; the same seed gives the same numbers. The normals underneath are the same at every sigma and rho,
        so that a change of these moves the draw instead of replacing it.
    sigma : float, default 1
        Standard deviation of the entries, at least 0. A score has variance d_k sigma⁴.
    rho : float from 0 to 1, default 0
        Correlation of q with the first key; 1 makes them equal.

    Returns
    -------
    Draw
        Frozen, with ``q`` (d_k,), ``keys`` (keys, d_k) and ``scores`` (keys,): raw dot products, unscaled.

    Raises
    ------
    TypeError, ValueError
        Where an argument has the wrong type or lies outside its range.

    Examples
    --------
    >>> one = draw(64, keys=3, seed=7)
    >>> one.keys.shape, bool(np.allclose(one.scores, one.keys @ one.q))
    ((3, 64), True)
    """
    d_k, keys = whole_number("d_k", d_k), whole_number("keys", keys)
    sigma, rho = _spread(sigma, rho)
    rng = np.random.default_rng(whole_number("seed", seed, low=0))
    with quiet():
        q = sigma * rng.standard_normal(d_k)  # (d_k,)
        k = sigma * rng.standard_normal((keys, d_k))  # (keys, d_k)
        k[0] = rho * q + math.sqrt(1.0 - rho * rho) * k[0]
        return Draw(q, k, k @ q)


def jacobian_norm_curve(
    d_ks: Iterable[int],
    draws: int,
    seed: int,
    keys: int = 16,
    sigma: float = 1,
    rho: float = 0,
    scaling: str = "none",
) -> Curve:
    """Frobenius norm of the softmax Jacobian of one row, against the head size.

    Each draw is a query with its keys as in :func:`draw`, scored at O(keys) by the rule at the top of this module; its
    norm keeps all digits when saturated (:func:`core.softmax.softmax_jacobian_norm`).

    Parameters
    ----------
    d_ks : iterable of int
        Head sizes.
    draws : int
        Number of draws at each head size.
    seed : int
        Not negative. Every head size uses the same underlying normals, which makes the curve smooth.
    keys, sigma, rho
        As in :func:`draw`.
    scaling : {"none", "1/sqrt(d_k)", "1/d_k"}
        The factor between q·k and the logit.

    Returns
    -------
    Curve
        Frozen, with the arrays ``d_k``, ``median``, ``low`` and ``high`` (the 10 % and 90 % quantiles). Beyond a gap of
        about 745 between the two largest logits the norm is below the smallest float and counts as 0.

    Raises
    ------
    TypeError, ValueError
        Where an argument has the wrong type or lies outside its range.

    Examples
    --------
    >>> jacobian_norm_curve([16, 64, 256], draws=2000, seed=0).median.round(1)
    array([0.3, 0.1, 0. ])
    """
    factor = SCALINGS[one_of("scaling", scaling, tuple(SCALINGS))]

    normals = _Normals(draws, seed, keys, sigma, rho)

    def norms(d_k: int) -> list[Floats]:
        return [softmax_jacobian_norm(factor(d_k) * scores, axis=0) for scores in normals.by_key(d_k)]

    return _curve(norms, d_ks)


def query_gradient_norm_curve(
    d_ks: Iterable[int],
    draws: int,
    seed: int,
    keys: int = 16,
    sigma: float = 1,
    rho: float = 0,
    scaling: str = "none",
) -> Curve:
    """Norm of the gradient that reaches the query, against the head size: what is really lost by not scaling.

    .. math:: dq = c K^T J (V g), \\qquad c = 1, 1/\\sqrt{d_k} \\text{ or } 1/d_k

    q and K as in :func:`draw`; the values V (keys, d_k) and the upstream gradient g (d_k,) of the output are standard
    normal whatever sigma is. Since c is a factor of dq too, the unscaled gradient is the larger one for a while, before
    the Jacobian J takes it away.

    Exact in distribution at O(keys) a draw: given g, V g is |g| times independent normals, and |g|² is chi-square with
    d_k degrees of freedom. With y = J V g, the part of K^T y along q has length y·scores/|q|; across q the keys are
    independent of the scores, so that part has squared length sigma² [y_2² + y_3² + ... + (1 - rho²) y_1²] times a
    chi-square number with d_k - 1 degrees of freedom.

    Parameters
    ----------
    d_ks, draws, seed, keys, sigma, rho, scaling
        As in :func:`jacobian_norm_curve`.

    Returns
    -------
    Curve
        Frozen, with the arrays ``d_k``, ``median``, ``low`` and ``high``.

    Raises
    ------
    TypeError, ValueError
        Where an argument has the wrong type or lies outside its range.

    Examples
    --------
    >>> query_gradient_norm_curve([64, 1024], draws=2000, seed=0, scaling="1/sqrt(d_k)").median.round()
    array([2., 9.])
    """
    factor = SCALINGS[one_of("scaling", scaling, tuple(SCALINGS))]
    normals = _Normals(draws, seed, keys, sigma, rho)
    return _curve(lambda d_k: [_query_gradient_norms(rows, factor(d_k)) for rows in normals.at(d_k)], d_ks)


def weight_statistics(
    d_k: int,
    keys: int,
    draws: int,
    seed: int,
    *,
    sigma: float = 1,
    rho: float = 0,
    scaling: str = "none",
) -> WeightStatistics:
    """How one-sided the weights of a random query are.

    Parameters
    ----------
    d_k, keys, draws, seed, sigma, rho, scaling
        As in :func:`jacobian_norm_curve`.

    Returns
    -------
    WeightStatistics
        ``median_largest_weight`` over the draws, and ``share_below_1e_3``, the part of all weights that is below 0.001.

    Raises
    ------
    TypeError, ValueError
        Where an argument has the wrong type or lies outside its range.

    Examples
    --------
    >>> print("%.1f %.2f" % weight_statistics(64, keys=128, draws=2000, seed=0))
    0.8 0.95
    """
    factor = SCALINGS[one_of("scaling", scaling, tuple(SCALINGS))]
    d_k, normals = whole_number("d_k", d_k), _Normals(draws, seed, keys, sigma, rho)
    with quiet():
        blocks = [softmax_in_place(factor(d_k) * rows.scores) for rows in normals.at(d_k)]
    weights = np.concatenate(blocks)  # (draws, keys)
    return WeightStatistics(float(np.median(weights.max(axis=-1))), float(np.mean(weights < 1e-3)))


@dataclass(frozen=True)
class Rows:
    """Many random queries at one head size, scored by the rule at the top of this module."""

    d_k: int
    sigma: float
    rho: float
    scores: Floats  # (draws, keys), raw
    length: Floats  # (draws, 1), |q|
    upstream: Floats  # (draws, keys), standard normal
    rng: np.random.Generator


# What follows is kept, since a drag on sigma or rho asks for it again; read-only, so that nobody spoils it.


@lru_cache(maxsize=4)
def _standard_normals(seed: int, draws: int, keys: int) -> Floats:
    return _locked(np.random.default_rng(seed).standard_normal((2, draws, keys)))


@lru_cache(maxsize=4)
def _normals_by_key(seed: int, draws: int, keys: int) -> Floats:
    return _locked(np.ascontiguousarray(_standard_normals(seed, draws, keys)[0].T))


@lru_cache(maxsize=64)
def _lengths(seed: int, draws: int, d_k: int) -> Floats:
    """|q| / sigma of each draw. A generator for each size: a point must not depend on which others are asked for."""
    return _locked(np.sqrt(np.random.default_rng([seed, d_k]).chisquare(d_k, draws)))


def _locked(array: Floats) -> Floats:
    array.flags.writeable = False
    return array


class _Normals:
    """The standard normals behind a curve: the same for all head sizes, which is cheaper and makes the curve smooth."""

    def __init__(self, draws: int, seed: int, keys: int, sigma: float, rho: float) -> None:
        self.seed = whole_number("seed", seed, low=0)
        self.shape = (whole_number("draws", draws), whole_number("keys", keys))
        self.sigma, self.rho = _spread(sigma, rho)
        self.step = max(1, 2**16 // self.shape[1])  # draws in a block that fits the processor's cache

    def by_key(self, d_k: int) -> Iterator[Floats]:
        """Raw scores at one head size, (keys, block): NumPy goes along the many draws, not along the few keys."""
        normals, lengths = _normals_by_key(self.seed, *self.shape), _lengths(self.seed, self.shape[0], d_k)
        for start in range(0, self.shape[0], self.step):
            block = slice(start, start + self.step)
            length = self.sigma * lengths[block]  # (block,)
            scores = self.sigma * length * normals[:, block]  # (keys, block)
            scores[0] = self.rho * length**2 + math.sqrt(1.0 - self.rho**2) * scores[0]
            yield scores

    def at(self, d_k: int) -> Iterator[Rows]:
        """The draws at one head size, in blocks, with what a gradient needs besides."""
        rng = np.random.default_rng([self.seed, d_k])  # see _lengths
        scores_of, upstream = _standard_normals(self.seed, *self.shape)  # (draws, keys) each
        for start in range(0, self.shape[0], self.step):
            normals = scores_of[start : start + self.step]  # (block, keys)
            length = self.sigma * np.sqrt(rng.chisquare(d_k, (len(normals), 1)))  # (block, 1)
            scores = self.sigma * length * normals  # (block, keys)
            scores[:, :1] = self.rho * length**2 + math.sqrt(1.0 - self.rho**2) * scores[:, :1]
            yield Rows(d_k, self.sigma, self.rho, scores, length, upstream[start : start + self.step], rng)


def _query_gradient_norms(rows: Rows, factor: float) -> Floats:
    """|dq| of every draw (draws,); the rule is in :func:`query_gradient_norm_curve`."""
    logits = factor * rows.scores
    shift = np.take_along_axis(rows.upstream, logits.argmax(axis=-1, keepdims=True), axis=-1)
    # J takes no notice of a shift; with the entry of the largest weight at 0 nothing cancels when saturated.
    y = softmax_vjp(softmax_in_place(logits), rows.upstream - shift)  # (draws, keys)
    lift = 1e148  # y is of order 1 or, when saturated, as small as a float can be; its squares must not underflow
    y *= lift
    along = np.vecdot(y, rows.scores) / np.where(rows.length > 0, rows.length, 1.0)[:, 0]
    y[:, 0] *= math.sqrt(1.0 - rows.rho**2)
    chi_square = rows.rng.chisquare(rows.d_k - 1, len(y)) if rows.d_k > 1 else 0.0
    across = rows.sigma * np.sqrt(np.vecdot(y, y) * chi_square)
    upstream_length = np.sqrt(rows.rng.chisquare(rows.d_k, len(y)))  # |g|
    return factor / lift * upstream_length * np.hypot(along, across)


def _curve(norms: Callable[[int], list[Floats]], d_ks: Iterable[int]) -> Curve:
    """The median and the band of ``norms``, which come in blocks of draws, at each head size."""
    sizes = _head_sizes(d_ks)
    with quiet():
        norm = [np.concatenate(norms(d_k)) for d_k in sizes]
        median, low, high = _quantiles(np.array(norm), (0.5, 0.1, 0.9)) if norm else np.empty((3, 0))
    return Curve(np.array(sizes, dtype=np.int64), median, low, high)


def _quantiles(values: Floats, shares: Iterable[float]) -> list[Floats]:
    """np.quantile along the last axis, (n, draws) → (n,) each, ten times as fast: sorted once for all of them."""
    ordered = np.sort(values, axis=-1)  # NaN last
    last = values.shape[-1] - 1
    found = []
    for share in shares:
        below = math.floor(share * last)
        part, low, high = share * last - below, ordered[..., below], ordered[..., min(below + 1, last)]
        between = low + part * (high - low) if part < 0.5 else high - (1 - part) * (high - low)
        found.append(np.where(np.isnan(ordered[..., -1]), np.nan, np.where(low == high, low, between)))
    return found


def _head_sizes(d_ks: Any) -> list[int]:
    try:
        sizes = list(d_ks)
    except TypeError:
        raise TypeError(f"d_ks: expected several head sizes, got {d_ks!r}") from None
    return [whole_number(f"d_ks[{i}]", d_k) for i, d_k in enumerate(sizes)]


def _spread(sigma: float, rho: float) -> tuple[float, float]:
    return real_number("sigma", sigma, low=0), real_number("rho", rho, low=0, high=1)

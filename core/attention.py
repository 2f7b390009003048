"""Scaled dot-product attention and its backward pass."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.check import broadcast_shapes, mask_array, one_of, quiet, real_array, real_number, shown, wrong_shape
from core.masks import Mask, empty_rows, masked_logits
from core.softmax import softmax_in_place, softmax_vjp

Floats = NDArray[Any]


@dataclass(frozen=True)
class Attention:
    """What :func:`attention` computes."""

    scores: Floats  # (..., T_q, T_k), scaled, before the mask
    weights: Floats  # (..., T_q, T_k), each row sums to 1
    output: Floats  # (..., T_q, d_v)


class AttentionGradients(NamedTuple):
    """What :func:`attention_backward` computes; each has the shape of its argument."""

    d_q: Floats  # (..., T_q, d_k)
    d_k: Floats  # (..., T_k, d_k)
    d_v: Floats  # (..., T_k, d_v)


def attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    allowed: ArrayLike | None = None,
    *,
    scale: float | None = None,
    on_empty: str = "nan",
) -> Attention:
    """Scaled dot-product attention: each query reads a weighted mean of the values.

    .. math:: S = scale \\cdot Q K^T, \\qquad A = softmax(S + M), \\qquad O = A V

    with M = 0 where ``allowed`` and -inf elsewhere, and the softmax row by row.

    Parameters
    ----------
    q : array_like (..., T_q, d_k)
        One query a row.
    k : array_like (..., T_k, d_k)
        One key a row.
    v : array_like (..., T_k, d_v)
        One value a row. Batch axes of q, k, v and ``allowed`` broadcast.
    allowed : array_like of bool (..., T_q, T_k), optional
        True where the query may attend to the key. Its two last axes may have size 1.
    scale : float, optional
        1/sqrt(d_k) where it is not given. 0 makes the weights uniform over the visible keys.
    on_empty : {"nan", "zeros", "raise"}
        What a query without a visible key gets: NaN weights and output (0/0), zeros, or a ValueError that names the
        rows, counted from 1.

    Returns
    -------
    Attention
        Frozen, with ``scores`` (scaled, before the mask), ``weights`` and ``output``, in the precision of the inputs
        (the widest of them; integers count as float64).

    Raises
    ------
    TypeError, ValueError
        For wrong types and shapes; the error names the argument, the expected shape and what came. With
        ``on_empty="raise"`` also for a query without a visible key.

    Notes
    -----
    NaN and inf spread as in NumPy (0 · NaN is NaN), except from key and value rows that no query may see: those have no
    effect on weights and output. Where ``allowed`` has more batch axes than q and k, ``scores`` does not repeat them.
    Without a mask two arrays of size T_q · T_k are alive at most, the returned scores and weights.
    Source: Vaswani et al. (2017), Attention Is All You Need, section 3.2.1.

    Examples
    --------
    >>> x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> attention(x, x, x).weights.round(3)
    array([[0.401, 0.198, 0.401],
           [0.198, 0.401, 0.401],
           [0.248, 0.248, 0.503]])
    """
    q, k, v = _queries_keys_values(q, k, v)
    mask = _attention_mask(allowed, q, k, v)
    scale = _scale(scale, q)
    one_of("on_empty", on_empty, ("nan", "zeros", "raise"))
    empty = None if mask is None or on_empty == "nan" else empty_rows(mask)  # (..., T_q)
    if empty is not None and on_empty == "raise" and empty.any():
        raise ValueError(f"allowed: expected a visible key for every query, got none for {_named(empty, q.shape[-2])}")
    with quiet():
        scores = q @ k.swapaxes(-1, -2)  # (..., T_q, T_k)
        scores *= scale
        weights = softmax_in_place(scores.copy() if mask is None else masked_logits(scores, mask))  # (..., T_q, T_k)
        if empty is not None:
            np.copyto(weights, 0, where=empty[..., None])
        output = weights @ _visible(v, mask)  # (..., T_q, d_v)
        if empty is not None:
            np.copyto(output, 0, where=empty[..., None])
    return Attention(scores, weights, output)


def attention_backward(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    d_output: ArrayLike,
    allowed: ArrayLike | None = None,
    *,
    scale: float | None = None,
) -> AttentionGradients:
    """The gradients of a loss with respect to queries, keys and values, from its gradient at the output.

    .. math::
        dV = A^T dO, \\quad dA = dO V^T, \\quad dS = A \\odot (dA - rowsum(A \\odot dA) 1^T), \\quad
        dQ = scale \\cdot dS K, \\quad dK = scale \\cdot dS^T Q

    Parameters
    ----------
    q, k, v, allowed, scale
        As given to :func:`attention`.
    d_output : array_like (..., T_q, d_v)
        Gradient of the loss with respect to the output; its batch axes are those of the output.

    Returns
    -------
    AttentionGradients
        ``d_q``, ``d_k``, ``d_v`` with the shapes of q, k and v (where an input was broadcast over a batch, the sum over
        the batch). Hidden positions get a zero gradient.

    Raises
    ------
    TypeError, ValueError
        For wrong types and shapes, as in :func:`attention`.

    Notes
    -----
    A query without a visible key has output NaN, and so NaN in its row of ``d_q`` and in all of ``d_k`` and ``d_v`` of
    its sequence. dS is the backward pass through the softmax (:func:`core.softmax.softmax_vjp`), row by row.
    Source: the chain rule; FlashAttention (Dao et al. 2022, appendix B) uses the same formulas tile by tile.

    Examples
    --------
    >>> attention_backward([[1.0]], [[1.0], [1.0]], [[2.0], [4.0]], [[1.0]]).d_v
    array([[0.5],
           [0.5]])
    """
    q, k, v = _queries_keys_values(q, k, v)
    d_output = real_array("d_output", d_output, min_ndim=2)
    forward = attention(q, k, v, allowed, scale=scale)
    if d_output.shape != forward.output.shape:
        raise wrong_shape("d_output", "(..., T_q, d_v)", forward.output.shape, d_output.shape)
    mask = _attention_mask(allowed, q, k, v)
    weights = forward.weights
    with quiet():
        d_output = d_output.astype(weights.dtype, copy=False)
        d_v = weights.swapaxes(-1, -2) @ d_output  # (..., T_k, d_v)
        d_weights = d_output @ _visible(v, mask).swapaxes(-1, -2)  # (..., T_q, T_k)
        d_scores = softmax_vjp(weights, d_weights) * _scale(scale, q)  # (..., T_q, T_k)
        d_q = d_scores @ _visible(k, mask)  # (..., T_q, d_k)
        d_k = d_scores.swapaxes(-1, -2) @ q  # (..., T_k, d_k)
    return AttentionGradients(_summed_to(d_q, q.shape), _summed_to(d_k, k.shape), _summed_to(d_v, v.shape))


def _queries_keys_values(q: ArrayLike, k: ArrayLike, v: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """The three arrays in one precision, their shapes checked against each other."""
    q, k, v = real_array("q", q, min_ndim=2), real_array("k", k, min_ndim=2), real_array("v", v, min_ndim=2)
    for name, symbols, array in (("q", "(..., T_q, d_k)", q), ("k", "(..., T_k, d_k)", k), ("v", "(..., T_k, d_v)", v)):
        if 0 in array.shape[-2:]:
            raise ValueError(f"{name}: expected {symbols} with sizes of at least 1, got {shown(array.shape)}")
    if k.shape[-1] != q.shape[-1]:
        raise wrong_shape("k", "(..., T_k, d_k)", (*k.shape[:-1], q.shape[-1]), k.shape)
    if v.shape[-2] != k.shape[-2]:
        raise wrong_shape("v", "(..., T_k, d_v)", (*v.shape[:-2], k.shape[-2], v.shape[-1]), v.shape)
    broadcast_shapes("q, k, v", q.shape[:-2], k.shape[:-2], v.shape[:-2])
    dtype = np.result_type(q, k, v)
    return q.astype(dtype, copy=False), k.astype(dtype, copy=False), v.astype(dtype, copy=False)


def _attention_mask(allowed: ArrayLike | None, q: Floats, k: Floats, v: Floats) -> Mask | None:
    """The mask, checked to broadcast to (..., T_q, T_k)."""
    if allowed is None:
        return None
    mask = mask_array("allowed", allowed)
    expected = (q.shape[-2], k.shape[-2])
    if mask.ndim < 2 or any(n not in (1, T) for n, T in zip(mask.shape[-2:], expected, strict=True)):
        if mask.ndim > 2:
            raise wrong_shape("allowed", "(..., T_q, T_k)", (*mask.shape[:-2], *expected), mask.shape)
        raise wrong_shape("allowed", "(T_q, T_k)", expected, mask.shape)
    broadcast_shapes("q, k, v, allowed", q.shape[:-2], k.shape[:-2], v.shape[:-2], mask.shape[:-2])
    return mask


def _scale(scale: float | None, q: Floats) -> float:
    return 1.0 / math.sqrt(q.shape[-1]) if scale is None else real_number("scale", scale)


def _visible(rows: Floats, mask: Mask | None) -> Floats:
    """``rows`` (..., T_k, d) with 0 in those that no query may see, since 0 · NaN would still be NaN."""
    if mask is None:
        return rows
    seen = np.any(mask, axis=-2, keepdims=True).swapaxes(-1, -2)  # (..., T_k, 1)
    return np.where(seen, rows, rows.dtype.type(0))


def _summed_to(gradient: Floats, shape: tuple[int, ...]) -> Floats:
    """``gradient`` summed over the batch axes along which its argument was repeated."""
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    repeated = tuple(i for i, n in enumerate(shape) if n == 1 and gradient.shape[i] != 1)
    return gradient.sum(axis=repeated, keepdims=True)


def _named(empty: Mask, T_q: int) -> str:
    """The empty rows in words, counted from 1: "row 2", or "(batch, row) (1, 2)" where the mask has batch axes."""
    empty = np.broadcast_to(empty, (*empty.shape[:-1], T_q))  # one row may stand for every query
    where = [tuple(int(i) + 1 for i in index) for index in np.argwhere(empty)]
    names = [str(index[0]) if len(index) == 1 else str(index) for index in where[:10]]
    more = f" and {len(where) - 10} more" if len(where) > 10 else ""
    kind = ("row" if len(where) == 1 else "rows") if empty.ndim == 1 else "(batch, row)"
    return f"{kind} {', '.join(names)}{more} (counted from 1)"

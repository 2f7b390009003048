"""Multi-head attention, and the split into heads with its right and its wrong way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.attention import attention
from core.check import broadcast_shapes, mask_array, plain_array, quiet, real_array, shown, whole_number, wrong_shape

Floats = NDArray[Any]


@dataclass(frozen=True)
class MultiHeadAttention:
    """What :func:`multi_head_attention` computes."""

    weights: Floats  # (B, H, T_q, T_k)
    output: Floats  # (B, T_q, D)


def split_heads(x: ArrayLike, heads: int) -> NDArray[Any]:
    """Bring the heads forward: (..., T, D) to (..., H, T, d_k), with d_k = D/H.

    First a view as (..., T, H, d_k), which cuts each row into H pieces; then the head axis moves before the tokens.
    Head h (from 1) gets the features (h - 1) d_k + 1 .. h d_k of every token.

    Parameters
    ----------
    x : array_like (..., T, D)
        Real numbers, integers and booleans too: they are only moved, in their own dtype.
    heads : int
        H, a divisor of D.

    Returns
    -------
    ndarray (..., H, T, d_k)
        A view of ``x`` where NumPy can make one: nothing is copied, so writing into it would change ``x``.

    Raises
    ------
    TypeError, ValueError
        Where ``x`` has fewer than two axes, or ``heads`` is no divisor of D.

    Examples
    --------
    >>> split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], 2)
    array([[[1, 2],
            [5, 6]],
    <BLANKLINE>
           [[3, 4],
            [7, 8]]])
    """
    x, H, d_k = _divided(x, heads)
    *batch, T, _ = x.shape
    return x.reshape(*batch, T, H, d_k).swapaxes(-3, -2)


def merge_heads(x: ArrayLike) -> NDArray[Any]:
    """Set the heads side by side again: (..., H, T, d_k) to (..., T, D), with D = H d_k. Undoes :func:`split_heads`.

    Parameters
    ----------
    x : array_like (..., H, T, d_k)

    Returns
    -------
    ndarray (..., T, D)
        In the dtype of ``x``; a view where NumPy can make one.

    Raises
    ------
    TypeError, ValueError
        Where ``x`` has fewer than three axes.

    Examples
    --------
    >>> merge_heads(split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], 2))
    array([[1, 2, 3, 4],
           [5, 6, 7, 8]])
    """
    x = _moved("x", x, 3)
    *batch, H, T, d_k = x.shape
    return x.swapaxes(-3, -2).reshape(*batch, T, H * d_k)


def split_heads_wrong(x: ArrayLike, heads: int) -> NDArray[Any]:
    """The known bug: reshape at once to (..., H, T, d_k). Right shapes, no error, but tokens mixed with features.

    The buffer is only cut anew: block h holds the h-th part of the *tokens*, not of the features. Right only where
    H = 1 or T = 1. Arguments, result and errors as in :func:`split_heads`.

    Examples
    --------
    >>> split_heads_wrong([[1, 2, 3, 4], [5, 6, 7, 8]], 2)
    array([[[1, 2],
            [3, 4]],
    <BLANKLINE>
           [[5, 6],
            [7, 8]]])
    """
    x, H, d_k = _divided(x, heads)
    *batch, T, _ = x.shape
    return x.reshape(*batch, H, T, d_k)


def merge_heads_wrong(x: ArrayLike) -> NDArray[Any]:
    """The matching bug: reshape (..., H, T, d_k) at once to (..., T, D), without moving the head axis back.

    Right only where H = 1 or T = 1. Arguments, result and errors as in :func:`merge_heads`.

    Examples
    --------
    >>> merge_heads_wrong(split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], 2))
    array([[1, 2, 5, 6],
           [3, 4, 7, 8]])
    """
    x = _moved("x", x, 3)
    *batch, H, T, d_k = x.shape
    return x.reshape(*batch, T, H * d_k)


def multi_head_attention(
    x: ArrayLike,
    w_q: ArrayLike,
    w_k: ArrayLike,
    w_v: ArrayLike,
    w_o: ArrayLike,
    heads: int,
    *,
    b_q: ArrayLike | None = None,
    b_k: ArrayLike | None = None,
    b_v: ArrayLike | None = None,
    b_o: ArrayLike | None = None,
    context: ArrayLike | None = None,
    allowed: ArrayLike | None = None,
) -> MultiHeadAttention:
    """Multi-head attention: H lookups side by side, blended by W_O.

    .. math:: head_h = Attn(X W_Q^h + 1 b_Q^h, Z W_K^h + 1 b_K^h, Z W_V^h + 1 b_V^h), \\qquad
              MHA = [head_1, \\dots, head_H] W_O + 1 b_O

    with Z = X for self-attention. Row convention: one row per token, Q = x @ w_q + b_q.

    Parameters
    ----------
    x : array_like (B, T_q, D)
        The batch axis is optional, and there may be more than one.
    w_q, w_k, w_v, w_o : array_like (D, D)
    heads : int
        H, a divisor of D.
    b_q, b_k, b_v, b_o : array_like (D,), optional
        Biases; 0 where not given.
    context : array_like (B, T_k, D), optional
        The second sequence Z of cross-attention; its batch axes broadcast with those of x.
    allowed : array_like of bool, optional
        True where a query may attend to a key. (T_q, T_k): the same for all. Three axes are always read as batch first,
        (B, T_q, T_k) or (B, 1, T_k), and get their head axis here. Four and more, (B, H, T_q, T_k), are used as they
        are. Any axis may have size 1. Where x has no batch axis, B is 1.

    Returns
    -------
    MultiHeadAttention
        Frozen, with ``weights`` (B, H, T_q, T_k) and ``output`` (B, T_q, D); no B where neither x nor context has one.

    Raises
    ------
    TypeError, ValueError
        For wrong types and shapes, and for heads that do not divide D; the error names the argument.

    Notes
    -----
    A query without a visible key gets NaN, as in :func:`core.attention.attention`.
    Source: Vaswani et al. (2017), Attention Is All You Need, section 3.2.2.

    Examples
    --------
    >>> x, w = np.eye(2), np.eye(2)
    >>> multi_head_attention(x, w, w, w, w, heads=2).weights.shape
    (2, 2, 2)
    """
    x = _tokens("x", "(B, T_q, D)", x)
    z = x if context is None else _tokens("context", "(B, T_k, D)", context, D=x.shape[-1])
    batch = broadcast_shapes("x, context", x.shape[:-2], z.shape[:-2])
    expected = (*(batch or (1,)), heads, x.shape[-2], z.shape[-2])  # (B, H, T_q, T_k)
    q = split_heads(_projected(x, "w_q", w_q, "b_q", b_q), heads)  # (B, H, T_q, d_k)
    k = split_heads(_projected(z, "w_k", w_k, "b_k", b_k), heads)  # (B, H, T_k, d_k)
    v = split_heads(_projected(z, "w_v", w_v, "b_v", b_v), heads)  # (B, H, T_k, d_k)
    mask = None if allowed is None else _with_head_axis(allowed, expected)
    read = attention(q, k, v, mask if mask is None or batch else mask.reshape(mask.shape[-3:]))
    output = _projected(merge_heads(read.output), "w_o", w_o, "b_o", b_o)  # (B, T_q, D)
    return MultiHeadAttention(read.weights, output)


def _with_head_axis(allowed: ArrayLike, expected: tuple[int, ...]) -> NDArray[np.bool_]:
    """``allowed`` with at least the four axes (B, H, T_q, T_k); ``expected`` is the shape of the weights."""
    mask = mask_array("allowed", allowed)
    *batch, _, T_q, T_k = expected
    symbols, wanted = {
        2: ("(T_q, T_k)", (T_q, T_k)),
        3: ("(B, T_q, T_k)", (*batch, T_q, T_k)),
    }.get(mask.ndim, ("(B, H, T_q, T_k)", expected))
    with_head = mask[None, None] if mask.ndim == 2 else mask[:, None] if mask.ndim == 3 else mask
    try:
        fits = mask.ndim >= 2 and np.broadcast_shapes(with_head.shape, expected) == expected
    except ValueError:
        fits = False
    if not fits:
        raise wrong_shape("allowed", symbols, wanted, mask.shape)
    return with_head


def _projected(x: Floats, w_name: str, w: ArrayLike, b_name: str, b: ArrayLike | None) -> Floats:
    """x W + b, with (D, D) and (D,) asked for."""
    D = x.shape[-1]
    w = real_array(w_name, w)
    if w.shape != (D, D):
        raise wrong_shape(w_name, "(D, D)", (D, D), w.shape)
    with quiet():
        y = x @ w  # (..., T, D)
        if b is None:
            return y
        b = real_array(b_name, b)
        if b.shape != (D,):
            raise wrong_shape(b_name, "(D,)", (D,), b.shape)
        return y + b


def _tokens(name: str, symbols: str, x: ArrayLike, D: int | None = None) -> Floats:
    """One row per token, none of the sizes 0, and the width D where it is known."""
    x = real_array(name, x, min_ndim=2)
    if 0 in x.shape[-2:]:
        raise ValueError(f"{name}: expected {symbols} with sizes of at least 1, got {shown(x.shape)}")
    if D is not None and x.shape[-1] != D:
        raise wrong_shape(name, symbols, (*x.shape[:-1], D), x.shape)
    return x


def _divided(x: ArrayLike, heads: int) -> tuple[NDArray[Any], int, int]:
    """The array, H and d_k, once H is known to divide D."""
    x, H = _moved("x", x, 2), whole_number("heads", heads)
    D = x.shape[-1]
    if D == 0 or D % H:
        raise ValueError(f"heads: expected a divisor of D = {D}, got {H}")
    return x, H, D // H


def _moved(name: str, x: ArrayLike, min_ndim: int) -> NDArray[Any]:
    """An array whose entries are only moved: any real dtype stays."""
    x = plain_array(name, x)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"{name}: expected real numbers, got dtype {x.dtype}")
    if x.ndim < min_ndim:
        symbols = "(..., T, D)" if min_ndim == 2 else "(..., H, T, d_k)"
        raise ValueError(f"{name}: expected {symbols}, got shape {shown(x.shape)}")
    return x

"""The softmax, its Jacobian and the backward pass through it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.check import quiet, real_array, shown, whole_number

Floats = NDArray[Any]

LEAST = math.log(np.finfo(np.float64).tiny) + 1  # the exponential of this is still a normal number


def softmax(logits: ArrayLike, axis: int = -1) -> Floats:
    """Turn logits into positive weights that sum to 1 along one axis.

    .. math:: p_i = e^{s_i - m} / \\sum_j e^{s_j - m}, \\qquad m = \\max_j s_j

    Subtracting the maximum changes nothing in exact arithmetic and keeps every exponential at most 1.

    Parameters
    ----------
    logits : array_like, any shape with at least one axis
        Pure numbers (no unit). -inf is legitimate and gets weight exactly 0. The array is not changed.
    axis : int, default -1
        The axis along which the weights sum to 1.

    Returns
    -------
    ndarray, the shape of ``logits``
        float16, float32 and float64 are kept, with every step in that precision; integers become float64.

    Raises
    ------
    TypeError
        Where ``logits`` are not real numbers or ``axis`` is no integer.
    ValueError
        Where there is no such axis, or it has size 0.

    Notes
    -----
    A slice of only -inf is 0/0 and gives NaN, and so does a slice that holds NaN or +inf; no warning is raised.
    Source: Goodfellow, Bengio, Courville, Deep Learning (2016), section 4.1.

    Examples
    --------
    >>> softmax([1000.0, 1000.0, -np.inf])
    array([0.5, 0.5, 0. ])
    """
    x = real_array("logits", logits)
    axis = whole_number("axis", axis, low=-x.ndim, high=x.ndim - 1)
    if x.shape[axis] == 0:
        raise ValueError(f"logits: expected at least 1 entry along axis {axis}, got shape {shown(x.shape)}")
    # The axis is moved to the end and made contiguous because only there NumPy adds float16 without losing terms.
    p = softmax_in_place(np.array(np.moveaxis(x, axis, -1), order="C"))
    return np.moveaxis(p, -1, axis)


def softmax_in_place(x: Floats) -> Floats:
    """Softmax along the last axis, written over ``x``: for callers that own the array and want no second one."""
    with quiet():
        x -= x.max(axis=-1, keepdims=True)
        np.exp(x, out=x)
        x /= x.sum(axis=-1, keepdims=True)
    return x


def softmax_jacobian(p: ArrayLike) -> Floats:
    """The Jacobian of the softmax at the weights ``p``.

    .. math:: J_{ij} = \\partial p_i / \\partial s_j = p_i (\\delta_{ij} - p_j), \\qquad J = diag(p) - p p^T

    It is symmetric, positive semidefinite, and J·1 = 0: a shift of all logits together is invisible.

    Parameters
    ----------
    p : array_like (..., n)
        Weights, as :func:`softmax` gives them.

    Returns
    -------
    ndarray (..., n, n)
        In the precision of ``p``, right to an absolute 1e-12 in float64. Where one weight is almost 1, the small entry
        p(1 - p) has no correct digits left: :func:`softmax_jacobian_norm` has.

    Raises
    ------
    TypeError, ValueError
        Where ``p`` is not an array of real numbers with at least one axis.

    Notes
    -----
    NaN spreads. Source: the quotient rule with Z = sum of exponentials and dZ/ds_j = e^{s_j}.

    Examples
    --------
    >>> softmax_jacobian([0.25, 0.75])
    array([[ 0.1875, -0.1875],
           [-0.1875,  0.1875]])
    """
    p = real_array("p", p)
    with quiet():
        return p[..., :, None] * (np.eye(p.shape[-1], dtype=p.dtype) - p[..., None, :])  # (..., n, n)


def softmax_vjp(p: ArrayLike, g: ArrayLike) -> Floats:
    """The backward pass through the softmax: J^T g in O(n), without building J.

    .. math:: J^T g = J g = p \\odot (g - (p \\cdot g) 1)

    Parameters
    ----------
    p : array_like (..., n)
        Weights, as :func:`softmax` gives them.
    g : array_like (..., n)
        Gradient of the loss with respect to the weights. Batch axes of the two broadcast.

    Returns
    -------
    ndarray (..., n)
        Gradient of the loss with respect to the logits, right to an absolute 1e-12 in float64 for g of order 1.

    Raises
    ------
    TypeError
        Where an argument does not hold real numbers.
    ValueError
        Where the last axes differ or the batch axes do not broadcast.

    Notes
    -----
    NaN spreads. Subtracting a constant from g changes nothing in exact arithmetic; subtracting the entry of g at the
    largest weight keeps every digit even where that weight is almost 1.

    Examples
    --------
    >>> softmax_vjp([0.25, 0.75], [4.0, 0.0])
    array([ 0.75, -0.75])
    """
    p, g = real_array("p", p), real_array("g", g)
    try:
        fits = p.shape[-1] == g.shape[-1] and np.broadcast_shapes(p.shape, g.shape) is not None
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"g: expected the shape of p, (..., n) = {shown(p.shape)}, got {shown(g.shape)}")
    with quiet():
        return p * (g - np.vecdot(p, g)[..., None])  # (..., n)


def softmax_jacobian_norm(logits: ArrayLike, axis: int = -1) -> Floats:
    """Frobenius norm of the softmax Jacobian, from the logits and with all digits however saturated.

    The exponential of :func:`softmax_jacobian_log_norm`, which carries the formula and the reason.

    Parameters
    ----------
    logits : array_like (..., n)
        -inf is legitimate (a masked key) and counts as an entry that is not there.
    axis : int, default -1
        The axis of the keys. For many rows of few keys the first axis is the fast one.

    Returns
    -------
    ndarray (...) or a NumPy scalar
        Relative error under 1e-10 in float64 wherever the norm is a normal number (a gap of 700 included). It is
        computed in float64 and given in the precision of ``logits``. Exactly 0 where one key is visible and where the
        norm underflows; NaN where the softmax is NaN.

    Raises
    ------
    TypeError, ValueError
        Where ``logits`` is not an array of real numbers with at least one entry along its last axis.

    Examples
    --------
    >>> print(f"{softmax_jacobian_norm([400.0, 0.0, -10.0]):.6e}")
    3.830383e-174
    """
    dtype, _, log_norm = _saturation(logits, axis)
    with quiet():
        return np.exp(log_norm).astype(dtype)


def softmax_jacobian_log_norm(logits: ArrayLike) -> Floats:
    """Natural logarithm of the Frobenius norm of the softmax Jacobian, also where the norm itself underflows.

    Let m be the largest logit, s_2 the next one, t_i = exp(s_i - s_2) for every i but m, and e = exp(s_2 - s_m). With
    R, Q and C the sums of t, t² and t³ without m, Z = 1 + eR and q = (1 + e²Q)/Z², the sum of all p²:

    .. math:: \\|J\\|_F^2 = (e/Z)^2 [(R^2 + Q)/Z^2 + Q (1 + q) - 2 (e/Z) C]

    This is the sum of all p_i²(1 - p_i)² and p_i² p_j², with 1 - p_m written as the sum of the other weights: in the
    textbook form 1 - p_m loses every digit once p_m rounds to 1, and the squares underflow. The bracket is of order 1.

    Parameters
    ----------
    logits : array_like (..., n)
        -inf is legitimate (a masked key) and counts as an entry that is not there.

    Returns
    -------
    ndarray (...) or a NumPy scalar
        Computed in float64, given in the precision of ``logits``. -inf where a single key is visible (J = 0); NaN where
        the softmax is NaN.

    Raises
    ------
    TypeError, ValueError
        Where ``logits`` is not an array of real numbers with at least one entry along its last axis.

    Examples
    --------
    >>> print(f"{softmax_jacobian_log_norm([1e6, 0.0]):.4f}")
    -999999.3069
    """
    dtype, _, log_norm = _saturation(logits)
    with quiet():
        return log_norm.astype(dtype)


def softmax_jacobian_max(logits: ArrayLike) -> Floats:
    """Largest absolute entry of the softmax Jacobian, with all digits however saturated.

    .. math:: \\max_{ij} |J_{ij}| = p_m (1 - p_m) = p_m \\sum_{i \\ne m} p_i

    with m the largest weight: |J_ij| = p_i p_j is at most p_i(1 - p_i), and no other p_i is nearer to 1/2 than p_m or
    1 - p_m is.

    Parameters
    ----------
    logits : array_like (..., n)
        -inf is legitimate (a masked key).

    Returns
    -------
    ndarray (...) or a NumPy scalar
        Precision and edge cases as in :func:`softmax_jacobian_norm`.

    Raises
    ------
    TypeError, ValueError
        Where ``logits`` is not an array of real numbers with at least one entry along its last axis.

    Examples
    --------
    >>> print(f"{softmax_jacobian_max([16.0, 8.0, 0.0]):.3e}")
    3.354e-04
    """
    dtype, log_max, _ = _saturation(logits)
    with quiet():
        return np.exp(log_max).astype(dtype)


def _saturation(logits: ArrayLike, axis: int = -1) -> tuple[np.dtype[Any], Floats, Floats]:
    """The input's dtype, log max |J| and log ||J||_F in float64; the formula is in softmax_jacobian_log_norm."""
    given = real_array("logits", logits)
    axis = whole_number("axis", axis, low=-given.ndim, high=given.ndim - 1)
    if given.shape[axis] == 0:
        raise ValueError(f"logits: expected (..., n) with n of at least 1, got {shown(given.shape)}")
    s = given.astype(np.float64)  # a copy: the top entries are taken out of it below
    with quiet():
        s_m = s.max(axis=axis, keepdims=True)
        tops = s == s_m
        ties = tops.sum(axis=axis) - 1  # entries that are as large as m
        np.copyto(s, -np.inf, where=tops)
        s_2 = np.where(np.expand_dims(ties, axis) > 0, s_m, s.max(axis=axis, keepdims=True))
        gap = (s_2 - s_m + 0.0 * s_m).squeeze(axis)  # at most 0; an infinite s_m gives NaN, as in the softmax
        alone = s_2 == -np.inf  # no other key visible: all t are 0, not NaN
        s -= np.where(alone, 0.0, s_2)
        # Next to the largest t, which is 1, what is below the smallest normal number vanishes; exp is slow there.
        t = np.exp(np.maximum(s, LEAST, out=s), out=s)
        t *= ~alone
        r = t.sum(axis=axis) + ties  # each t of a tie is 1
        t_2 = t * t
        q = t_2.sum(axis=axis) + ties
        c = np.multiply(t_2, t, out=t).sum(axis=axis) + ties
        e = np.exp(gap)
        z = 1.0 + e * r
        bracket = (r * r + q) / (z * z) + q * (1.0 + (1.0 + e * e * q) / (z * z)) - 2.0 * (e / z) * c
        log_max = gap + np.log(r) - 2.0 * np.log(z)
        log_norm = gap + 0.5 * np.log(bracket) - np.log(z)
    return given.dtype, log_max, log_norm

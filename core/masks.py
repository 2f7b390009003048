"""Masks: who may attend to whom, and every right and wrong way of laying a mask on the logits.

A boolean mask is called ``allowed`` and True means "may attend", as in F.scaled_dot_product_attention.
"""

from __future__ import annotations

from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from core.check import FLOATS, mask_array, one_of, plain_array, quiet, real_array, real_number, shown, whole_number
from core.softmax import softmax

Mask = NDArray[np.bool_]
Floats = NDArray[Any]


def causal(T_q: int, T_k: int | None = None, align: str = "top-left") -> Mask:
    """The mask of a decoder: no query sees a later key.

    .. math:: allowed_{ij} = (j \\le i) \\quad or \\quad (j \\le i + T_k - T_q)

    Parameters
    ----------
    T_q : int
        Number of queries.
    T_k : int, optional
        Number of keys; as many as queries where it is not given.
    align : {"top-left", "bottom-right"}
        Which corner the diagonal starts from where T_q and T_k differ. "bottom-right" is the case of new queries at the
        end of a longer sequence (a KV cache): the last query sees every key.

    Returns
    -------
    ndarray of bool (T_q, T_k)
        With "bottom-right" and more queries than keys the first T_q - T_k rows are empty.

    Raises
    ------
    TypeError, ValueError
        Where a size is no integer or below 1, or ``align`` has no such option.

    Examples
    --------
    >>> causal(2, 3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0]])
    >>> causal(2, 3, align="bottom-right").astype(int)
    array([[1, 1, 0],
           [1, 1, 1]])
    """
    T_q = whole_number("T_q", T_q)
    T_k = T_q if T_k is None else whole_number("T_k", T_k)
    align = one_of("align", align, ("top-left", "bottom-right"))
    return np.tri(T_q, T_k, k=0 if align == "top-left" else T_k - T_q, dtype=np.bool_)


def padding(lengths: ArrayLike, T: int, side: str = "right") -> Mask:
    """The mask that hides the filler tokens of sequences shorter than T.

    .. math:: allowed_j = (j \\le length) \\quad or \\quad (j > T - length), \\qquad j = 1..T

    Parameters
    ----------
    lengths : int or array_like of int (B,)
        Number of real tokens of each sequence, from 0 to T.
    T : int
        Number of tokens with the filler.
    side : {"right", "left"}
        Where the filler stands.

    Returns
    -------
    ndarray of bool (1, T) for an int, (B, 1, T) for B of them
        Ready to combine with a (T_q, T_k) mask: the axis of size 1 stands for every query.

    Raises
    ------
    TypeError, ValueError
        Where a length is no integer or lies outside 0..T, or ``side`` has no such option.

    Examples
    --------
    >>> padding(2, 5).astype(int)
    array([[1, 1, 0, 0, 0]])
    >>> padding([2, 3], 5, side="left").astype(int)
    array([[[0, 0, 0, 1, 1]],
    <BLANKLINE>
           [[0, 0, 1, 1, 1]]])
    """
    T = whole_number("T", T)
    side = one_of("side", side, ("right", "left"))
    n = plain_array("lengths", lengths)
    if n.dtype.kind not in "iu":
        raise TypeError(f"lengths: expected integers, got dtype {n.dtype}")
    if n.ndim > 1:
        raise ValueError(f"lengths: expected an int or (B,), got shape {shown(n.shape)}")
    if n.size and (n.min() < 0 or n.max() > T):
        raise ValueError(f"lengths: expected integers from 0 to T = {T}, got {n.tolist()}")
    position = np.arange(T) if side == "right" else np.arange(T)[::-1]  # counted from the end where real tokens begin
    return position < n[..., None, None]  # (1, T) or (B, 1, T)


def combine(*allowed: ArrayLike) -> Mask:
    """Lay several masks over each other: a key is visible where all of them allow it.

    .. math:: allowed = allowed_1 \\wedge allowed_2 \\wedge \\dots

    Parameters
    ----------
    *allowed : array_like of bool
        At least one mask; their shapes broadcast.

    Returns
    -------
    ndarray of bool
        A new array, also for a single mask.

    Raises
    ------
    TypeError
        Where no mask is given or one is not boolean.
    ValueError
        Where the shapes do not broadcast.

    Examples
    --------
    >>> combine(causal(3), padding(2, 3)).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 0]])
    """
    if not allowed:
        raise TypeError("allowed: expected at least one mask, got none")
    masks = [mask_array(f"allowed[{i}]" if len(allowed) > 1 else "allowed", m) for i, m in enumerate(allowed)]
    try:
        shape = np.broadcast_shapes(*(m.shape for m in masks))
    except ValueError:
        shapes = " and ".join(shown(m.shape) for m in masks)
        raise ValueError(f"allowed: expected masks that broadcast together, got {shapes}") from None
    return cast(Mask, np.logical_and.reduce([np.broadcast_to(m, shape) for m in masks]))


def additive(allowed: ArrayLike, dtype: DTypeLike = np.float64) -> Floats:
    """The mask M that is added to the logits: 0 where a key may be seen, -inf where it may not.

    Parameters
    ----------
    allowed : array_like of bool, any shape
    dtype : float16, float32 or float64

    Returns
    -------
    ndarray of ``dtype``, the shape of ``allowed``

    Raises
    ------
    TypeError
        Where ``allowed`` is not boolean or ``dtype`` is no such type.

    Examples
    --------
    >>> additive([True, False], np.float32)
    array([  0., -inf], dtype=float32)
    """
    dtype = _float_dtype(dtype)
    return np.where(mask_array("allowed", allowed), dtype.type(0), dtype.type(-np.inf))


def empty_rows(allowed: ArrayLike) -> Mask:
    """Which queries see no key at all: those rows become 0/0 in the softmax.

    Parameters
    ----------
    allowed : array_like of bool (..., T_q, T_k)

    Returns
    -------
    ndarray of bool (..., T_q)

    Raises
    ------
    TypeError, ValueError
        Where ``allowed`` is not a boolean array with at least one axis.

    Examples
    --------
    >>> empty_rows(combine(causal(4), padding(2, 4, side="left")))
    array([ True,  True, False, False])
    """
    return cast(Mask, ~mask_array("allowed", allowed, min_ndim=1).any(axis=-1))


def masked_logits(
    logits: ArrayLike,
    allowed: ArrayLike | tuple[ArrayLike, ...],
    *,
    blocked: float | Literal["min"] = -np.inf,
    how: str = "fill",
) -> Floats:
    """What goes into the softmax once the mask is laid on.

    .. math:: s_{ij} = blocked \\;\\text{where hidden (fill)}, \\qquad s_{ij} + blocked \\;\\text{where hidden (add)}

    Parameters
    ----------
    logits : array_like (..., T_q, T_k)
        Any shape that broadcasts with the mask.
    allowed : array_like of bool, or a tuple of them
        With "add" the masks of a tuple are added one after the other; with "fill" they are ANDed first.
    blocked : float or "min"
        The number for a hidden key; "min" is the smallest finite number of the precision (torch.finfo(dtype).min).
        A number beyond the precision becomes -inf (or inf), as -1e9 does in float16.
    how : {"fill", "add"}

    Returns
    -------
    ndarray, the broadcast shape, in the precision of ``logits`` with every step in it

    Raises
    ------
    TypeError, ValueError
        Where a mask is not boolean, shapes do not broadcast, ``blocked`` is NaN, or an option is unknown.

    Examples
    --------
    >>> masked_logits([3.0, 1.0], [True, False])
    array([  3., -inf])
    >>> masked_logits([3.0, 1.0], [True, False], blocked=-1e4, how="add")
    array([ 3.000e+00, -9.999e+03])
    """
    x = real_array("logits", logits)
    how = one_of("how", how, ("fill", "add"))
    value = _blocked_value(blocked, x.dtype)
    masks = _mask_tuple(allowed, x.shape)
    if how == "fill":
        return np.where(combine(*masks), x, value)
    with quiet():
        for mask in masks:
            x = x + np.where(mask, x.dtype.type(0), value)
    return x


def masked_softmax(
    logits: ArrayLike,
    allowed: ArrayLike | tuple[ArrayLike, ...],
    *,
    where: str = "before",
    blocked: float | Literal["min"] = -np.inf,
    how: str = "fill",
    axis: int = -1,
) -> Floats:
    """Softmax with a mask: the right way by default, and every wrong way that the lesson shows.

    before: softmax of :func:`masked_logits`. after: softmax(logits) times the mask (rows no longer sum to 1, and hidden
    keys still speak through the denominator). after-renormalised: the same, divided by its sum (right on paper; 0/0
    where the visible weights underflow).

    Parameters
    ----------
    logits : array_like (..., T_q, T_k)
    allowed : array_like of bool, or a tuple of them
        As in :func:`masked_logits`; after the softmax the masks of a tuple are ANDed.
    where : {"before", "after", "after-renormalised"}
    blocked : float or "min"
        As in :func:`masked_logits`; plays no part after the softmax, and neither does ``how``.
    how : {"fill", "add"}
    axis : int, default -1
        -1 for rows (right); -2 for columns (a known bug).

    Returns
    -------
    ndarray, the broadcast shape, in the precision of ``logits`` with every step in it
        A slice with only -inf gives NaN, and no warning is raised.

    Raises
    ------
    TypeError, ValueError
        As in :func:`masked_logits` and :func:`core.softmax.softmax`.

    Examples
    --------
    >>> masked_softmax([0.0, 0.0, 0.0], [True, True, False])
    array([0.5, 0.5, 0. ])
    >>> masked_softmax([0.0, 0.0, 0.0, 0.0], [True, True, False, False], where="after")
    array([0.25, 0.25, 0.  , 0.  ])
    """
    where = one_of("where", where, ("before", "after", "after-renormalised"))
    one_of("how", how, ("fill", "add"))
    if where == "before":
        return softmax(masked_logits(logits, allowed, blocked=blocked, how=how), axis)
    x = real_array("logits", logits)
    _blocked_value(blocked, x.dtype)  # an option that plays no part is still checked: a typing error must not hide
    with quiet():
        p = softmax(x, axis) * combine(*_mask_tuple(allowed, x.shape))
        return p if where == "after" else p / p.sum(axis=axis, keepdims=True)


def _mask_tuple(allowed: ArrayLike | tuple[ArrayLike, ...], shape: tuple[int, ...]) -> tuple[Mask, ...]:
    """The masks, each checked against the logits. A tuple is several masks; a list is one, written out."""
    each: tuple[Any, ...] = allowed if isinstance(allowed, tuple) else (allowed,)
    masks = tuple(mask_array("allowed", mask, min_ndim=1) for mask in each)
    for mask in masks:
        try:
            np.broadcast_shapes(mask.shape, shape)
        except ValueError:
            raise ValueError(
                f"allowed: expected a shape that broadcasts with logits (..., T_q, T_k) = {shown(shape)}, "
                f"got {shown(mask.shape)}"
            ) from None
    if not masks:
        raise ValueError("allowed: expected at least one mask, got an empty tuple")
    return masks


def _blocked_value(blocked: Any, dtype: np.dtype[Any]) -> Any:
    """``blocked`` as a scalar of ``dtype``."""
    if isinstance(blocked, str):
        one_of("blocked", blocked, ("min",))
        return np.finfo(dtype).min
    with quiet():
        return dtype.type(real_number("blocked", blocked, infinite=True))


def _float_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """``dtype`` where it is one of the three float types."""
    try:
        found = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"dtype: expected float16, float32 or float64, got {dtype!r}") from None
    if found.type not in FLOATS:
        raise TypeError(f"dtype: expected float16, float32 or float64, got {found}")
    return found

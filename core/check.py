"""What public functions ask of their arguments: errors name the argument, what was expected and what came."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FLOATS = (np.float16, np.float32, np.float64)


def quiet() -> np.errstate:
    """A context without NumPy's warnings: results show overflow as inf and undefined numbers as NaN, by contract."""
    return np.errstate(all="ignore")


def plain_array(name: str, value: ArrayLike) -> NDArray[Any]:
    """``value`` as an array; a ragged list is named instead of failing somewhere inside NumPy."""
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{name}: expected an array, got nested lists of unequal length") from None


def real_array(name: str, value: ArrayLike, min_ndim: int = 1) -> NDArray[Any]:
    """``value`` as an array of floats: float16, float32 and float64 stay as they are, integers become float64."""
    array = plain_array(name, value)
    if array.dtype.kind in "iu":
        array = array.astype(np.float64)
    if array.dtype.type not in FLOATS:
        raise TypeError(f"{name}: expected real numbers (float16, float32 or float64), got dtype {array.dtype}")
    if array.ndim < min_ndim:
        raise ValueError(f"{name}: expected at least {min_ndim} axes, got shape {shown(array.shape)}")
    return array


def mask_array(name: str, value: ArrayLike, min_ndim: int = 0) -> NDArray[np.bool_]:
    """``value`` as a boolean mask; numbers are refused, since 0/1 and 0/-inf masks mean different things elsewhere."""
    array = plain_array(name, value)
    if array.dtype != np.bool_:
        raise TypeError(f"{name}: expected a boolean mask (True = may attend), got dtype {array.dtype}")
    if array.ndim < min_ndim:
        raise ValueError(f"{name}: expected at least {min_ndim} axes, got shape {shown(array.shape)}")
    return array


def whole_number(name: str, value: Any, low: int = 1, high: int | None = None) -> int:
    """``value`` as a Python int between ``low`` and ``high``; booleans and floats are refused."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an integer, got {value!r}") from None
    if number < low or (high is not None and number > high):
        limits = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name}: expected an integer {limits}, got {number}")
    return number


def real_number(name: str, value: Any, low: float = -math.inf, high: float = math.inf, infinite: bool = False) -> float:
    """``value`` as a Python float between ``low`` and ``high``; NaN never passes, infinity only where asked for."""
    try:
        if isinstance(value, (bool, np.bool_, str, bytes)) or np.ndim(value):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}: expected a real number, got {value!r}") from None
    if math.isnan(number) or (math.isinf(number) and not infinite):
        raise ValueError(f"{name}: expected a {'number' if infinite else 'finite number'}, got {number}")
    if not low <= number <= high:
        limits = f"of at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
        raise ValueError(f"{name}: expected a number {limits}, got {number:g}")
    return number


def one_of(name: str, value: Any, options: tuple[str, ...]) -> str:
    """``value`` where it is one of ``options``."""
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name}: expected {' or '.join(repr(o) for o in options)}, got {value!r}")
    return value


def wrong_shape(name: str, symbols: str, expected: tuple[int, ...], got: tuple[int, ...]) -> ValueError:
    """The error for a wrong shape: ``allowed: expected (T_q, T_k) = (6, 8), got (6, 6)``."""
    return ValueError(f"{name}: expected {symbols} = {shown(expected)}, got {shown(got)}")


def broadcast_shapes(names: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The common batch shape of several arrays."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        each = " and ".join(shown(s) for s in shapes)
        raise ValueError(f"{names}: expected batch axes that broadcast together, got {each}") from None


def shown(shape: tuple[int, ...]) -> str:
    """A shape as people write it."""
    return str(tuple(int(n) for n in shape))

"""How a check speaks: passed, not yet, or where to look again and why."""

from __future__ import annotations

import functools
import importlib
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Mistakes = dict[str, Any]  # the sentence that names a mistake → what it gives


class NotYet(Exception):
    """Nothing to check so far."""


class LookAgain(Exception):
    """What is wrong, in one sentence, and perhaps in which result."""

    def __init__(self, sentence: str, place: str = ""):
        super().__init__(f" at {place}. {sentence}" if place else f". {sentence}")


def checked(check: Callable[..., str], passed: str = "Passed. ") -> Callable[..., None]:
    """A check that prints its verdict and never stops the notebook."""

    @functools.wraps(check)
    def run(*answers: Any) -> None:
        try:
            with np.errstate(all="ignore"):
                print(passed + check(*answers))
        except NotImplementedError as empty:
            name = traceback.extract_tb(empty.__traceback__)[-1].name
            print(f"Not yet: `{name}` is still empty. Write it, run its cell, then run this cell again.")
        except NotYet as nothing:
            print(f"Not yet: {nothing}")
        except LookAgain as wrong:
            print(f"Look again{wrong}")
        except Exception as problem:
            print(f"Look again. {where_it_stops(problem)}")

    return run


def where_it_stops(problem: Exception) -> str:
    """An error of the student's code, with its line and a word on what usually causes it."""
    frames = [f for f in traceback.extract_tb(problem.__traceback__) if "-packages" not in f.filename]
    line = f" in the line `{frames[-1].line}`" if frames[-1].line else ""
    told = str(problem).splitlines()[0] if str(problem) else "no message"
    hint = ""
    if "broadcast" in told:
        hint = " After a sum, keepdims=True is often what is missing."
    elif "matmul" in told:
        hint = " Write the shape beside each factor: often one of them must be transposed."
    return f"`{frames[-1].name}` stops{line} with {type(problem).__name__}: {told}.{hint}"


def same_numbers(a: Any, b: Any, rtol: float = 1e-5) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and np.allclose(a, b, rtol=rtol, atol=1e-7, equal_nan=True)


def must_equal(name: str, got: Any, right: Any, mistakes: Mapping[str, Any] | None = None, rtol: float = 1e-5) -> None:
    """Go on where `got` is right; otherwise stop with the sentence that fits."""
    if got is None:
        raise NotYet(f"{name} is None. Does your function end with `return`?")
    got, right = np.asarray(got), np.asarray(right)
    if got.dtype.kind not in "biuf":
        raise LookAgain(f"It should hold real numbers, and its dtype is {got.dtype}.", name)
    if same_numbers(got, right, rtol):
        return
    for sentence, wrong in (mistakes or {}).items():
        if same_numbers(got, wrong, rtol):
            raise LookAgain(sentence, name)
    if got.shape != right.shape:
        raise LookAgain(f"Its shape is {got.shape}, and should be {right.shape}.", name)
    if not np.isfinite(got).all():
        raise LookAgain("It has entries that are NaN or infinite.", name)
    i = tuple(int(n) for n in np.argwhere(~np.isclose(got, right, rtol=rtol, atol=1e-7))[0])
    raise LookAgain(f"{f'Entry {list(i)}' if i else 'It'} is {got[i]:.4g}, and should be {right[i]:.4g}.", name)


def several(names: str, got: Any) -> tuple[Any, ...]:
    """What a function returns that returns several things."""
    if got is None:
        raise NotYet(f"your function returns nothing. It should return {names}.")
    if not isinstance(got, tuple | list) or len(got) != len(names.split(", ")):
        raise LookAgain(f"Your function should return {names}, in this order.")
    return tuple(got)


def some_numbers(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape)


def by_differences(f: Callable[[Array], Any], x: Array, step: float = 1e-5) -> Array:
    """Gradient of the number f(x), one entry of x at a time."""
    slopes = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        move = np.zeros_like(x)
        move[i] = step
        slopes[i] = (f(x + move) - f(x - move)) / (2 * step)
    return slopes


def referee() -> Any:
    """PyTorch, where it is installed."""
    try:
        return importlib.import_module("torch")
    except (ImportError, OSError):
        return None


def agrees(*pairs: tuple[Any, Any]) -> str:
    """The last words of a check once PyTorch has been asked; a pair is ours and PyTorch's."""
    for ours, theirs in pairs:
        must_equal("your result beside that of PyTorch", ours, theirs.detach().numpy())
    return " PyTorch agrees."

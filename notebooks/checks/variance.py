"""Exercise 2: the variance of a dot product, and what it does to the largest weight."""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .attention import right_softmax
from .verdict import LookAgain, NotYet, checked, must_equal


@checked
def check_dot_products(dot_products: Callable[..., Any]) -> str:
    table = ["  d_k   Var(q·k)   Var(q·k) / d_k"]
    for d_k in (4, 16, 64, 256):
        s = dot_products(d_k, 10_000, np.random.default_rng(d_k))
        must_vary(s, d_k, 10_000)
        table.append(f"{d_k:5} {np.var(s):10.1f} {np.var(s) / d_k:16.2f}")
    return "The variance of q·k is d_k, up to chance:\n" + "\n".join(table)


def must_vary(s: Any, d_k: int, draws: int) -> None:
    """Mean 0 and variance d_k, within what chance allows."""
    if s is None:
        raise NotYet("`dot_products` returns nothing.")
    if np.shape(s) == (draws, d_k):
        raise LookAgain("The products are not added up: sum over the last axis, so that each pair gives one number.")
    if np.shape(s) != (draws,):
        raise LookAgain(f"The shape is {np.shape(s)}, and should be ({draws},): one number for each pair.")
    mean, variance = float(np.mean(s)), float(np.var(s))
    if abs(mean - d_k) < 0.1 * d_k:
        raise LookAgain("The mean is d_k, as if q and k were the same vector: draw each of them anew.")
    if abs(mean) > 0.05 * math.sqrt(d_k):
        raise LookAgain(f"The mean is {mean:.2g}, and should be 0: draw with rng.standard_normal.")
    if abs(variance - 1) < 0.1:
        raise LookAgain("The variance is 1 already: do not divide by sqrt(d_k) here.")
    if abs(variance - d_k) > 0.08 * d_k:
        raise LookAgain(f"At d_k = {d_k} the variance is {variance:.3g}: draw a new q and a new k for each pair.")


def typical_largest_weight(d_k: int, factor: float, axis: int = -1) -> float:
    """Median over 200 draws of the largest of 128 weights."""
    rng = np.random.default_rng(9)
    q, k = rng.standard_normal((200, d_k, 1)), rng.standard_normal((200, 128, d_k))
    return float(np.median(right_softmax((k @ q)[..., 0] * factor, axis).max(axis=-1)))


@checked
def check_largest_weight(largest_weight: Callable[..., Any]) -> str:
    free, divided = typical_largest_weight(16, 1), typical_largest_weight(16, 1 / 4)
    for scaled, right in ((False, free), (True, divided)):
        got = largest_weight(16, scaled, np.random.default_rng(5))
        if got is not None and np.size(got) > 1:
            raise LookAgain(f"It gives {np.size(got)} numbers: take the median over the draws.")
        mistakes = {
            "With scaled=True the scores must be divided by sqrt(d_k), with scaled=False not.": divided + free - right,
            "The scores are divided by d_k: take its square root.": typical_largest_weight(16, 1 / 16),
            "The softmax runs over the draws: it should run over the keys of one query.":
                typical_largest_weight(16, 1 / 4 if scaled else 1, axis=0),
        }  # fmt: skip
        must_equal(f"the largest weight with scaled={scaled}", got, right, mistakes, rtol=0.25)
    return "The next cell draws it."


@functools.partial(checked, passed="")
def plot_largest_weight(largest_weight: Callable[..., Any]) -> str:
    """The picture, with matplotlib where it is installed, else in letters."""
    sizes = (4, 16, 64, 256)
    curves = {
        name: [float(largest_weight(d_k, scaled, np.random.default_rng(5))) for d_k in sizes]
        for name, scaled in (("not scaled", False), ("divided by √d_k", True))
    }
    told = "Without scaling, one key takes nearly everything as d_k grows."
    try:
        plt = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        return "\n".join([told, *letters(sizes, curves), "(With matplotlib installed this is a real plot.)"])
    for name, weights in curves.items():
        plt.plot(sizes, weights, "o-")
        label = name.replace("√d_k", r"$\sqrt{d_k}$")
        plt.annotate(label, (sizes[-1], weights[-1]), xytext=(0, 9), textcoords="offset points", ha="right")
    plt.xscale("log", base=2)
    plt.xticks(sizes, [str(d_k) for d_k in sizes])
    plt.ylim(0, 1.1)
    plt.xlabel("head size $d_k$")
    plt.ylabel("largest of 128 weights (median)")
    plt.show()
    return told


def letters(sizes: tuple[int, ...], curves: dict[str, list[float]]) -> list[str]:
    lines = []
    for name, weights in curves.items():
        lines += ["", f"  d_k   largest of 128 weights, {name}"]
        lines += [f"{d_k:5}   {w:.2f} {'█' * round(40 * w)}" for d_k, w in zip(sizes, weights, strict=True)]
    return lines

"""The worker for NumPy: `core`, and the same written as in a textbook. `bench.arithmetic` talks to it."""

from __future__ import annotations

import json
import math
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from core.attention import attention
from core.masks import causal
from core.softmax import softmax

LEAST = 0.02  # seconds that one timing lasts at least


def plain_softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def plain_attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, allowed: np.ndarray | None = None) -> np.ndarray:
    scores = q @ k.T / math.sqrt(q.shape[-1])
    return plain_softmax(scores if allowed is None else np.where(allowed, scores, -np.inf)) @ v


def work(side: str, task: str, T: int, d: int, precision: str) -> Callable[[], Any]:
    """A task with its arrays made already."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((T, d)).astype(precision) for _ in range(3))
    allowed, logits = causal(T), (q @ k.T / math.sqrt(d))
    return {
        ("core", "attention"): lambda: attention(q, k, v),
        ("core", "causal"): lambda: attention(q, k, v, allowed),
        ("core", "softmax"): lambda: softmax(logits),
        ("plain", "attention"): lambda: plain_attention(q, k, v),
        ("plain", "causal"): lambda: plain_attention(q, k, v, allowed),
        ("plain", "softmax"): lambda: plain_softmax(logits),
    }[side, task]


def microseconds(act: Callable[[], Any]) -> float:
    """Time of one call: as many calls as fill `LEAST`, after one that does not count."""
    act()
    begun, calls = time.perf_counter(), 0
    while time.perf_counter() - begun < LEAST:
        act()
        calls += 1
    return 1e6 * (time.perf_counter() - begun) / calls


def peak(act: Callable[[], Any], T: int, precision: str) -> float:
    """Most memory alive at once, in arrays of T × T."""
    act()
    tracemalloc.start()
    kept = act()  # the result is alive, too
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del kept
    return most / (T * T * np.dtype(precision).itemsize)


def listen(work: Callable[..., Callable[[], Any]]) -> None:
    """Answer tasks from standard input, a line each."""
    for line in sys.stdin:
        task = json.loads(line)
        measure_peak = task.pop("peak", False)
        act = work(**task)
        found = peak(act, task["T"], task["precision"]) if measure_peak else microseconds(act)
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    listen(work)

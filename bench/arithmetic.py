"""`core` beside NumPy written plainly and PyTorch on the CPU, each in a process of its own with the same threads."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import product
from statistics import median
from typing import Any

from .plan import Plan
from .rivals.places import ROOT, Unavailable, python

SIZES = (6, 64, 512, 2048)  # T
WIDTH = 64  # d
TASKS = ("attention", "causal", "softmax")
PRECISIONS = ("float64", "float32")
THREADS = 1
VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Worker:
    """A process that times tasks when it is told to, one line a task."""

    def __init__(self, interpreter: str, module: str):
        few = dict.fromkeys(VARIABLES, str(THREADS))
        self.process = subprocess.Popen(
            [interpreter, "-m", module], cwd=ROOT, env=os.environ | few, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def ask(self, **task: Any) -> Any:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"a worker ended at {task}")
        return json.loads(line)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def workers(notes: list[str]) -> Iterator[dict[str, Worker]]:
    """One for NumPy (core and plain), one for PyTorch where it can be installed."""
    found = {"numpy": Worker(sys.executable, "bench.work")}
    try:
        found["torch"] = Worker(python("torch"), "bench.rivals.torch_work")
    except Unavailable as problem:
        notes.append(str(problem))
    try:
        yield found
    finally:
        for worker in found.values():
            worker.close()


def run(plan: Plan) -> dict[str, Any]:
    notes: list[str] = []
    end = time.monotonic() + plan.limits["arithmetic"]
    with workers(notes) as hands:
        sides = {"core": hands["numpy"], "plain": hands["numpy"]}
        if "torch" in hands:
            sides["torch"] = hands["torch"]
        cases = list(product(TASKS, PRECISIONS[: 1 if plan.quick else None], SIZES))
        rows = [_row(sides, end, {"task": task, "T": T, "d": WIDTH, "precision": p}, plan) for task, p, T in cases]
        peak = hands["numpy"].ask(side="core", task="attention", T=SIZES[-1], d=WIDTH, precision="float64", peak=True)
    if len(done := [row for row in rows if row]) < len(rows):
        notes.append(f"{len(done)} of {len(rows)} rows, then the time was over")
    return {"rows": done, "peak": peak, "threads": THREADS, "notes": notes}


def _row(sides: dict[str, Worker], end: float, task: dict[str, Any], plan: Plan) -> dict[str, Any]:
    """Median time of each side in µs, rounds in turn; nothing where the time is over."""
    if time.monotonic() > end:
        return {}
    times: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(2 if plan.quick else 5):
        for side, worker in sides.items():
            times[side].append(worker.ask(side=side, **task))
    return task | {side: median(each) for side, each in times.items()}

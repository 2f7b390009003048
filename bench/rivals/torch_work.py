"""The worker for PyTorch: its plain path, with the Python of its environment."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

from bench.work import listen


def work(side: str, task: str, T: int, d: int, precision: str) -> Callable[[], Any]:
    import torch

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    torch.set_grad_enabled(False)
    dtype, chance = getattr(torch, precision), torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(T, d, generator=chance, dtype=dtype) for _ in range(3))
    hidden, logits = torch.ones(T, T, dtype=torch.bool).triu(1), q @ k.T / math.sqrt(d)

    def attention() -> Any:
        return torch.softmax(q @ k.T / math.sqrt(d), dim=-1) @ v

    def masked() -> Any:
        return torch.softmax((q @ k.T / math.sqrt(d)).masked_fill(hidden, -math.inf), dim=-1) @ v

    return {"attention": attention, "causal": masked, "softmax": lambda: torch.softmax(logits, dim=-1)}[task]


if __name__ == "__main__":
    listen(work)

"""The code under figure 3. The scores are written out: q and the keys would be tens of thousands of numbers."""

from __future__ import annotations

from typing import Any

_NUMPY = """
logits = factors * scores  # ({S}, {J})
weights = np.exp(logits - logits.max(axis=1, keepdims=True))
weights = weights / weights.sum(axis=1, keepdims=True)

# Norm and largest entry of J = diag(p) - pp^T. The plain formula loses all digits when one weight is almost 1, so the
# largest logit is taken out, and the others are measured from the second largest.
top = logits.argmax(axis=1, keepdims=True)
rest = logits.copy()
np.put_along_axis(rest, top, -np.inf, axis=1)
second = rest.max(axis=1, keepdims=True)
gap = (second - np.take_along_axis(logits, top, axis=1))[:, 0]
t, e = np.exp(rest - second), np.exp(gap)
R, Q, C = t.sum(axis=1), (t * t).sum(axis=1), (t * t * t).sum(axis=1)
Z = 1 + e * R
inside = (R * R + Q) / (Z * Z) + Q * (1 + (1 + e * e * Q) / (Z * Z)) - 2 * (e / Z) * C
log_norm = gap + 0.5 * np.log(inside) - np.log(Z)
norm = np.exp(log_norm)  # ({S},)
largest = np.exp(gap + np.log(R) - 2 * np.log(Z))  # ({S},)
print(weights.round(3), norm, largest, sep="\\n")
"""

_TORCH = """
logits = factors * scores  # ({S}, {J})
weights = torch.softmax(logits, dim=1)

# Norm and largest entry of J = diag(p) - pp^T. The plain formula loses all digits when one weight is almost 1, so the
# largest logit is taken out, and the others are measured from the second largest.
(first, second), top = logits.topk(2, dim=1).values.T, logits.argmax(dim=1, keepdim=True)
gap = second - first
t, e = torch.exp(logits.scatter(1, top, -torch.inf) - second[:, None]), torch.exp(gap)
R, Q, C = t.sum(dim=1), (t**2).sum(dim=1), (t**3).sum(dim=1)
Z = 1 + e * R
inside = (R**2 + Q) / Z**2 + Q * (1 + (1 + e**2 * Q) / Z**2) - 2 * (e / Z) * C
log_norm = gap + 0.5 * torch.log(inside) - torch.log(Z)
norm = torch.exp(log_norm)  # ({S},)
largest = torch.exp(gap + torch.log(R) - 2 * torch.log(Z))  # ({S},)
print(weights, norm, largest, sep="\\n")
"""


def numpy_code(result: Any, d_k: int, names: list[str]) -> str:
    return "import numpy as np\n\n" + _given("np.array", result, d_k, names) + _sized(_NUMPY, result)


def torch_code(result: Any, d_k: int, names: list[str]) -> str:
    start = "import torch\n\ntorch.set_default_dtype(torch.float64)\n"
    return start + _given("torch.tensor", result, d_k, names) + _sized(_TORCH, result)


def _given(array: str, result: Any, d_k: int, names: list[str]) -> str:
    count = result.scores.size
    return (
        f"# The scores q·k_j of one random query with {count} keys at d_k = {d_k}, the largest first. They are\n"
        f"# written out because q and the keys themselves would be {(count + 1) * d_k:,} numbers.\n"
        f"scores = {array}({result.scores.tolist()})\n"
        f"factors = {array}({result.factors.tolist()})  # {', '.join(names)}\n"
    )


def _sized(template: str, result: Any) -> str:
    return template.format(S=len(result.factors), J=result.scores.size)

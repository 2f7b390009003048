"""The programs under figure 2 while a head of the reader's own is loaded: they read the same file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .own import Head

if TYPE_CHECKING:
    from .matrix import Matrix
    from .own_view import Shown

_ARRAYS = {  # how an array of this name comes out of the file
    "npz": "file[{}]",
    "json": "np.array(file[{}])",
    "csv": "np.array([line[1:] for line in lines if line[0] == {}], dtype=float)",
}


def _load(head: Head) -> str:
    """Lines that leave Q, K, V in float64, and the mask of the file, if it has one."""
    name, keys = repr(head.name), [head.keys.get(letter, letter) for letter in "QKV"]
    pasted = f"# First save what you pasted as {head.name}\n" if head.name.startswith("pasted.") else ""
    if head.kind == "npy":
        return f"{pasted}Q, K, V = np.load({name}, allow_pickle=False).astype(float)  # (3, T, d)\n"
    opened = {
        "npz": f"file = np.load({name}, allow_pickle=False)\n",
        "json": f'with open({name}, encoding="utf-8-sig") as text:\n    file = json.load(text)\n',
        "csv": f'with open({name}, encoding="utf-8-sig", newline="") as text:\n'
               "    lines = [[cell.strip() for cell in line] for line in csv.reader(text) if line]\n",
    }[head.kind]  # fmt: skip
    one = _ARRAYS[head.kind]
    read = f"Q, K, V = ({one.format('name')}.astype(float) for name in ({', '.join(map(repr, keys))}))\n"
    mask = (
        f"mask = {one.format(repr(head.keys['mask']))}.astype(bool)  # True: may attend\n"
        if head.allowed is not None
        else ""
    )
    return pasted + opened + read + mask


def _needs(head: Head) -> str:
    return f"import {head.kind}\n\n" if head.kind in ("json", "csv") else ""


def _given(figure: Matrix, head: Head) -> str:
    """File, order and mask: what both programs begin with."""
    masks = ["mask"] * (head.allowed is not None) + ["np.tri(T, dtype=bool)"] * figure.causal
    lines = _load(head) + "T, d_k = Q.shape\n"
    if head.allowed is not None:
        lines += "mask = np.broadcast_to(mask, (T, T))\n"
    if figure.shuffle:
        lines += (
            f"order = np.random.default_rng({figure.shuffle}).permutation(T)\nQ, K, V = Q[order], K[order], V[order]\n"
        )
        lines += "mask = mask[np.ix_(order, order)]\n" * (head.allowed is not None)
    if masks:
        lines += f"allowed = {' & '.join(masks)}  # (T, T), True: may read\n"
    return lines + f"beta = {figure.beta!r}\n"


def numpy_code(figure: Matrix, head: Head, result: Shown) -> str:
    masked = "np.where(allowed, scores, -np.inf)" if head.allowed is not None or figure.causal else "scores"
    powers = "weights = np.exp(masked - masked.max(axis=1, keepdims=True))  # (T, T)"
    if result.empty.any():
        powers = f'with np.errstate(invalid="ignore"):  # a query that sees no key gets NaN\n    {powers}'
    return f"""{_needs(head)}import numpy as np

{_given(figure, head)}
scores = Q @ K.T * (beta / np.sqrt(d_k))  # (T, T)
masked = {masked}
{powers}
weights = weights / weights.sum(axis=1, keepdims=True)
output = weights @ V  # (T, d_v)
print(weights.round(3), output.round(3), sep="\\n")
"""


def torch_code(figure: Matrix, head: Head, result: Shown) -> str:
    masked = head.allowed is not None or figure.causal
    hide = "allowed = torch.from_numpy(allowed.copy())\nscores = scores.masked_fill(~allowed, float('-inf'))\n" * masked
    mask = ", attn_mask=allowed" * masked
    output = f"F.scaled_dot_product_attention(Q, K, V, scale=scale{mask})"
    if result.empty.any():  # where PyTorch's own function gives 0 for a query that sees no key
        output = "weights @ V"
    return f"""{_needs(head)}import numpy as np
import torch
import torch.nn.functional as F

{_given(figure, head)}
Q, K, V = (torch.from_numpy(array.copy()) for array in (Q, K, V))
scale = beta / d_k**0.5
scores = Q @ K.T * scale  # (T, T)
{hide}weights = torch.softmax(scores, dim=-1)
output = {output}  # (T, d_v)
print(weights, output, sep="\\n")
"""

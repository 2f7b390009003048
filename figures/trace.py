"""What the five steps of figure 5 do to an array: shapes, strides and memory, read off real NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.heads import merge_heads, merge_heads_wrong, split_heads, split_heads_wrong


@dataclass(frozen=True)
class Step:
    """The numbers 0 … n − 1 at one step. A number is its own name: it says from which place of Q it came."""

    array: np.ndarray  # batch first where there is one
    memory: np.ndarray  # (n,) the numbers in the order in which they lie in memory
    index: np.ndarray  # (n, axes) number → where it stands in the array, from 0
    offset: np.ndarray  # (n,) number → where it lies in memory, from 0
    copied: bool  # this step put the numbers into new memory; else the array is a view

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def strides(self) -> tuple[int, ...]:
        """Numbers to jump along each axis (NumPy counts bytes, PyTorch counts numbers)."""
        return tuple(stride // self.array.itemsize for stride in self.array.strides)


@dataclass(frozen=True)
class Traced:
    """Q = 0 … n − 1 on its way into heads and back. Shapes without the batch, which comes first where there is one."""

    steps: tuple[Step, ...]  # Q (T, D); view (T, H, d_k); heads (H, T, d_k); the same as blocks; merged (T, D)
    token: np.ndarray  # (n,) number → its token, from 0; likewise:
    feature: np.ndarray
    head: np.ndarray  # the head that the feature belongs to
    sequence: np.ndarray  # its place in the batch
    blocks: tuple[np.ndarray, ...]  # what each head really gets: (T, d_k)
    split_agrees: bool  # splitting the other way gives the same
    merge_agrees: bool  # merging the other way gives the same
    restored: bool  # after all steps, every number is where it was in Q


def trace(T: int, D: int, H: int, batch: int, split: str, merge: str) -> Traced:
    """Follow the numbers of Q, with "view" or "reshape" as ways to split, "transpose" or "reshape" as ways to merge."""
    shape = (T, D) if batch == 1 else (batch, T, D)
    q = np.arange(batch * T * D).reshape(shape)  # row-major
    right, wrong = split_heads(q, H), split_heads_wrong(q, H)
    heads = right if split == "view" else wrong
    back, back_wrong = merge_heads(heads), merge_heads_wrong(heads)
    merged = back if merge == "transpose" else back_wrong
    arrays = (q, right.swapaxes(-3, -2), heads, heads, merged)
    sequence, token, feature = np.unravel_index(np.arange(q.size), (batch, T, D))
    return Traced(
        steps=tuple(_step(array, q) for array in arrays),
        token=token, feature=feature, head=feature // (D // H), sequence=sequence,
        blocks=tuple(heads[..., h, :, :] for h in range(H)),
        split_agrees=bool(np.array_equal(right, wrong)), merge_agrees=bool(np.array_equal(back, back_wrong)),
        restored=bool(np.array_equal(merged, q)),
    )  # fmt: skip


def _step(array: np.ndarray, q: np.ndarray) -> Step:
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    index = np.argwhere(np.ones(array.shape, dtype=bool))[np.argsort(array, axis=None)]
    start = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    offset = (start + index @ array.strides) // array.itemsize
    return Step(array, owner.ravel(order="K"), index, offset, copied=not np.shares_memory(array, q))

"""Exercise 4: multi-head attention."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .attention import right_attention
from .verdict import Array, Mistakes, agrees, checked, must_equal, referee, some_numbers

MIXED = "Tokens and features are mixed:"


def split_right(x: Array, heads: int) -> Array:
    B, T, D = x.shape
    return x.reshape(B, T, heads, D // heads).swapaxes(1, 2)


def merge_right(x: Array) -> Array:
    B, H, T, d_k = x.shape
    return x.swapaxes(1, 2).reshape(B, T, H * d_k)


def mistakes_in_split(x: Array, heads: int) -> Mistakes:
    B, T, D = x.shape
    d_k = D // heads
    return {
        f"{MIXED} reshape to (B, T, H, d_k) first, then swap T and H.": x.reshape(B, heads, T, d_k),
        "The heads are not brought forward: swap the axes T and H.": x.reshape(B, T, heads, d_k),
        "T and d_k have changed places, too: swap only T and H.": x.reshape(B, T, heads, d_k).transpose(0, 2, 3, 1),
        "A head takes every H-th feature: reshape to (B, T, H, d_k), not to (B, T, d_k, H).":
            x.reshape(B, T, d_k, heads).transpose(0, 3, 1, 2),
    }  # fmt: skip


def mistakes_in_merge(x: Array) -> Mistakes:
    B, H, T, d_k = x.shape
    return {
        f"{MIXED} swap H and T back first, then reshape to (B, T, D).": x.reshape(B, T, H * d_k),
        "The features of the heads alternate: those of one head stay together.":
            x.transpose(0, 2, 3, 1).reshape(B, T, H * d_k),
        "The heads are added up: set them side by side.": x.sum(axis=1),
    }  # fmt: skip


def right_heads(x: Array, w: list[Array], heads: int, scale: float | None = None) -> Array:
    """[head_1, …, head_H] W_O by a plain loop, slow and easy to trust; w holds W_Q, W_K, W_V, W_O."""
    columns = np.array_split(np.arange(x.shape[-1]), heads)
    read = [right_attention(*(x @ w_i[:, c] for w_i in w[:3]), scale=scale)[0] for c in columns]
    return np.concatenate(read, axis=-1) @ w[3]


def mistakes_in_heads(x: Array, w: list[Array], heads: int) -> Mistakes:
    B, T, D = x.shape
    q, k, v = (x @ w_i for w_i in w[:3])
    read = right_attention(*(split_right(y, heads) for y in (q, k, v)))[0]
    mixed = right_attention(*(y.reshape(B, heads, T, D // heads) for y in (q, k, v)))[0]
    return {
        "The scores are divided by sqrt(D): take the head size, d_k = D/H.": right_heads(x, w, heads, D**-0.5),
        "The scores are not scaled: divide them by sqrt(d_k).": right_heads(x, w, heads, 1.0),
        "W_O is missing at the end.": merge_right(read),
        "There is only one head: split Q, K and V first.": right_heads(x, w, 1),
        f"{MIXED} reshape to (B, T, H, d_k) first, then swap T and H.": merge_right(mixed) @ w[3],
        f"{MIXED} before you merge the heads, swap H and T back.": read.reshape(B, T, D) @ w[3],
        f"{MIXED} reshape alone neither splits nor merges, the axes T and H must be swapped.":
            mixed.reshape(B, T, D) @ w[3],
        "The matrices are transposed: here it is X @ W, not X @ W.T.": right_heads(x, [w_i.T for w_i in w], heads),
        "W_Q, W_K and W_V are transposed: here it is X @ W, not X @ W.T.":
            right_heads(x, [*(w_i.T for w_i in w[:3]), w[3]], heads),
        "W_O is transposed: multiply by W_O, not by W_O.T.": merge_right(read) @ w[3].T,
        "The values are made with W_K: take W_V.": right_heads(x, [w[0], w[1], w[1], w[3]], heads),
        "Queries and keys have changed places: Q comes from W_Q.": right_heads(x, [w[1], w[0], w[2], w[3]], heads),
    }  # fmt: skip


@checked
def check_split_and_merge(split_heads: Callable[..., Any], merge_heads: Callable[..., Any]) -> str:
    x = some_numbers(11, 2, 5, 21)  # B = 2, T = 5, D = 21
    heads = split_right(x, 3)
    must_equal("split_heads", split_heads(x.copy(), 3), heads, mistakes_in_split(x, 3))
    must_equal("merge_heads", merge_heads(heads.copy()), merge_right(heads), mistakes_in_merge(heads))
    return "What is split can be merged again."


@checked
def check_heads(multi_head_attention: Callable[..., Any]) -> str:
    x, w = some_numbers(12, 2, 5, 21), [some_numbers(13 + i, 21, 21) / math.sqrt(21) for i in range(4)]
    got = multi_head_attention(x.copy(), *(w_i.copy() for w_i in w), 3)
    must_equal("the output", got, right_heads(x, w, 3), mistakes_in_heads(x, w, 3))
    told = "A loop over the heads gives the same output."
    if torch := referee():
        told += agrees((got, torch_heads(torch, x, w, 3)))
    return told


def torch_heads(torch: Any, x: Array, w: list[Array], heads: int) -> Any:
    """nn.MultiheadAttention with these weights; it stores them transposed."""
    layer = torch.nn.MultiheadAttention(x.shape[-1], heads, bias=False, batch_first=True, dtype=torch.float64)
    tokens = torch.tensor(x)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.tensor(np.concatenate([w_i.T for w_i in w[:3]])))
        layer.out_proj.weight.copy_(torch.tensor(w[3].T))
        return layer(tokens, tokens, tokens, need_weights=False)[0]

"""Exercise 1: attention with a boolean mask."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .verdict import Array, LookAgain, Mistakes, agrees, checked, must_equal, referee, several, some_numbers


def right_softmax(s: Array, axis: int | None = -1) -> Array:
    e = np.exp(s - s.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def mistakes_in_softmax(s: Array) -> Mistakes:
    return {
        "The columns sum to 1, and the rows should: sum along the last axis, axis=-1.": right_softmax(s, -2),
        "All entries together sum to 1, and each row should: sum along the last axis, axis=-1.": right_softmax(s, None),
        "The exponentials are not divided by their sum, so a row does not sum to 1.": np.exp(s),
    }


# In these tables the empty sentence stands for the right way; the others are mistakes.
WAYS_TO_SUM: dict[str, int | None] = {
    "": -1,
    "Each column of A sums to 1, and each row should: take the softmax over the keys, axis=-1.": -2,
    "All of A together sums to 1, and each row should: take the softmax over the keys, axis=-1.": None,
}
WAYS_TO_SCALE: dict[str, Callable[[int, int, int], float]] = {
    "": lambda T_q, T_k, d_k: d_k**-0.5,
    "The scores are not scaled: divide them by sqrt(d_k).": lambda T_q, T_k, d_k: 1.0,
    "The scores are divided by d_k: take its square root.": lambda T_q, T_k, d_k: 1 / d_k,
    "The scores are multiplied by sqrt(d_k): divide by it.": lambda T_q, T_k, d_k: d_k**0.5,
    "The scores are divided by sqrt(T_q): take the head size d_k, the last axis of Q.": lambda T_q, T_k, d_k: T_q**-0.5,
    "The scores are divided by sqrt(T_k): take the head size d_k, the last axis of K.": lambda T_q, T_k, d_k: T_k**-0.5,
}
WAYS_TO_MASK: dict[str, Callable[[Array, Array, int | None], Array]] = {
    "": lambda s, allowed, axis: right_softmax(np.where(allowed, s, -np.inf), axis),
    "The mask has no effect: hidden keys still get weight.": lambda s, allowed, axis: right_softmax(s, axis),
    "The mask comes after the softmax, so a row no longer sums to 1: put -inf into the scores, then take the softmax.":
        lambda s, allowed, axis: right_softmax(s, axis) * allowed,
    "The mask is read the wrong way round: True means that the query may attend to the key.":
        lambda s, allowed, axis: right_softmax(np.where(allowed, -np.inf, s), axis),
    "Hidden scores are 0, and exp(0) = 1 still counts in the sum: make them -inf.":
        lambda s, allowed, axis: right_softmax(np.where(allowed, s, 0), axis),
    "The mask is added as the numbers 1 and 0: make hidden scores -inf, and leave the others as they are.":
        lambda s, allowed, axis: right_softmax(s + allowed, axis),
}  # fmt: skip


def right_attention(q: Array, k: Array, v: Array, allowed: Array | None = None, *, axis: int | None = -1,
                    scale: float | None = None, way: str = "") -> tuple[Array, Array]:  # fmt: skip
    """Output and weights; the last three arguments are there to make mistakes with."""
    s = q @ k.swapaxes(-1, -2) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    a = right_softmax(s, axis) if allowed is None else WAYS_TO_MASK[way](s, allowed, axis)
    return a @ v, a


def mistakes_in_weights(q: Array, k: Array, v: Array, allowed: Array | None) -> Mistakes:
    """Single mistakes, and any of them together."""
    found: Mistakes = {}
    for in_sum, in_scale, in_mask in itertools.product(WAYS_TO_SUM, WAYS_TO_SCALE, WAYS_TO_MASK):
        if in_mask and allowed is None:
            continue
        scale = WAYS_TO_SCALE[in_scale](len(q), *k.shape)
        _, weights = right_attention(q, k, v, allowed, axis=WAYS_TO_SUM[in_sum], scale=scale, way=in_mask)
        found[" And one more: ".join(filter(None, (in_sum, in_scale, in_mask)))] = weights
    del found[""]
    return found


@checked
def check_softmax(softmax: Callable[..., Any]) -> str:
    s = some_numbers(1, 3, 5)
    must_equal("softmax", softmax(s.copy()), right_softmax(s), mistakes_in_softmax(s))
    must_equal("the softmax of a single row", softmax(s[0].copy()), right_softmax(s[0]))
    large = np.array([[1000.0, 999.0, 0.0]])
    overflow = "Large scores overflow: subtract the largest score of each row before exp."
    must_equal("softmax", softmax(large.copy()), right_softmax(large), {overflow: [[np.nan, np.nan, 0.0]]})
    return "Each row sums to 1, and large scores do no harm."


@checked
def check_attention(attention: Callable[..., Any]) -> str:
    q, k, v = some_numbers(2, 5, 3), some_numbers(3, 7, 3), some_numbers(4, 7, 2)
    allowed = np.arange(35).reshape(5, 7) % 3 > 0  # each query sees some keys, and not all
    must_attend(attention, q, k, v)
    must_attend(attention, q, k, v, allowed)
    batch = [np.stack([x, -x, 2 * x]) for x in (q, k, v)]
    try:
        output = several("O, A", attention(*batch))[0]
    except ValueError:
        raise LookAgain("It stops where Q, K and V have a batch axis: take K.swapaxes(-1, -2), not K.T.") from None
    must_equal("O with a batch axis", output, right_attention(*batch)[0])
    x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    rows = several("O, A", attention(x, x, x))[1].round(3).tolist()
    told = "The worked example of the lesson has these weights:"
    if torch := referee():
        tensors = [torch.tensor(y) for y in (q, k, v)]
        theirs = torch.nn.functional.scaled_dot_product_attention(*tensors, attn_mask=torch.tensor(allowed))
        told = agrees((several("O, A", attention(q, k, v, allowed))[0], theirs)).strip() + " " + told
    return "\n".join([told, *(f"  {row}" for row in rows)])


def must_attend(attention: Callable[..., Any], q: Array, k: Array, v: Array, *mask: Array) -> None:
    output, weights = several("O, A", attention(q.copy(), k.copy(), v.copy(), *(m.copy() for m in mask)))
    right_output, right_weights = right_attention(q, k, v, *mask)
    if np.shape(output) == right_weights.shape and np.shape(weights) == right_output.shape:
        raise LookAgain("Your function returns A, O: the output comes first, O, A.")
    under = " under a mask" if mask else ""
    must_equal(f"A{under}", weights, right_weights, mistakes_in_weights(q, k, v, *(mask or (None,))))
    must_equal(f"O{under}", output, right_output)

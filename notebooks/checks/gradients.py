"""Exercise 3: gradients of the softmax and of attention."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .attention import right_attention, right_softmax
from .verdict import Array, Mistakes, agrees, by_differences, checked, must_equal, referee, several, some_numbers


def mistakes_in_jacobian(p: Array) -> Mistakes:
    outer = np.outer(p, p)
    return {
        "Only diag(p) is there: subtract the outer product p pᵀ from it.": np.diag(p),
        "The entries off the diagonal are missing: J = diag(p) - p pᵀ is a full matrix.": np.diag(p * (1 - p)),
        "The sign is wrong: J is diag(p) - p pᵀ.": outer - np.diag(p),
        "p pᵀ is added: subtract it.": np.diag(p) + outer,
        "p * p multiplies entry by entry: take the outer product, np.outer(p, p).": np.diag(p) - p * p,
        "p @ p is one number: take the outer product, np.outer(p, p).": np.diag(p) - p @ p,
        "The identity stands where diag(p) should stand: take np.diag(p).": np.eye(len(p)) - outer,
    }


def mistakes_in_vjp(p: Array, g: Array) -> Mistakes:
    pg = p * g
    dot = pg.sum(axis=-1, keepdims=True)
    in_rows = {
        "The sum runs down each column: it should run along each row, axis=-1.": p * (g - pg.sum(axis=0)),
        "All rows share one sum: each row has its own, axis=-1 and keepdims=True.": p * (g - pg.sum()),
    }
    return {
        "This is only p * g: subtract p · g from g first.": pg,
        "The factor p in front is missing.": g - dot,
        "The sign is wrong: it is p * (g - p · g).": p * (dot - g),
        "p * g is not summed: p · g is one number for each row.": p * (g - pg),
        "The sum runs over g: it should run over p * g.": p * (g - g.sum(axis=-1, keepdims=True)),
        "The plain mean of g is subtracted: subtract p · g, the mean under the weights p.":
            p * (g - g.mean(axis=-1, keepdims=True)),
        **(in_rows if len(p) > 1 else {}),
    }  # fmt: skip


def mistakes_in_backward(q: Array, k: Array, v: Array, d_o: Array) -> dict[str, Mistakes]:
    root, a = math.sqrt(q.shape[-1]), right_attention(q, k, v)[1]
    d_a = d_o @ v.T
    a_d_a = a * d_a
    d_s = a * (d_a - a_d_a.sum(axis=-1, keepdims=True))
    missing, twice = "1/sqrt(d_k) is missing: S has this factor.", "It is divided by d_k: take its square root."
    return {
        "dV": {"It is made of the scores S: take the weights A.": (q @ k.T / root).T @ d_o},
        "dA": {"It has the factor A already: that belongs to dS.": a_d_a},
        "dS": {
            "This is only A * dA: subtract the row sum from dA first.": a_d_a,
            "The row sum is of dA: it should be of A * dA.": a * (d_a - d_a.sum(axis=-1, keepdims=True)),
            "A * dA is summed down each column: sum along each row, axis=-1.": a * (d_a - a_d_a.sum(axis=0)),
            "A * dA is summed over everything: sum along each row, axis=-1 and keepdims=True.": a * (d_a - a_d_a.sum()),
            "A * dA is not summed: each row has one sum.": a * (d_a - a_d_a),
            "The factor A in front is missing.": d_a - a_d_a.sum(axis=-1, keepdims=True),
            "The softmax is left out: dS is not dA.": d_a,
            "The sign is wrong: it is A * (dA - row sum).": -d_s,
            "1/sqrt(d_k) is in it already: that belongs to dQ and dK.": d_s / root,
        },
        "dQ": {missing: d_s @ k, twice: d_s @ k / root**2, "It is made of dA: take dS.": d_a @ k / root},
        "dK": {missing: d_s.T @ q, twice: d_s.T @ q / root**2, "It is made of dA: take dS.": d_a.T @ q / root},
    }


@checked
def check_jacobian(softmax_jacobian: Callable[..., Any]) -> str:
    s = some_numbers(6, 5)
    p = right_softmax(s)

    def entry(i: int) -> Callable[[Array], Any]:
        return lambda logits: right_softmax(logits)[i]

    numeric = np.stack([by_differences(entry(i), s) for i in range(5)])
    must_equal("J", softmax_jacobian(p.copy()), numeric, mistakes_in_jacobian(p))
    return "Finite differences give the same matrix."


@checked
def check_vjp(softmax_vjp: Callable[..., Any]) -> str:
    s, g = some_numbers(7, 3, 5), some_numbers(8, 3, 5)
    p = right_softmax(s)
    numeric = by_differences(lambda x: (g * right_softmax(x)).sum(), s)
    one_row = {sentence: wrong[0] for sentence, wrong in mistakes_in_vjp(p[:1], g[:1]).items()}
    must_equal("Jg of a single row", softmax_vjp(p[0].copy(), g[0].copy()), numeric[0], one_row)
    must_equal("Jg of several rows", softmax_vjp(p.copy(), g.copy()), numeric, mistakes_in_vjp(p, g))
    return "Finite differences give the same, for a single row and for several."


@checked
def check_largest_slope(largest_slope: Callable[..., Any]) -> str:
    found = []
    for s in (np.array([2.0, 1.0, 0.0]), np.array([16.0, 8.0, 0.0])):
        p = right_softmax(s)
        jacobian = np.diag(p) - np.outer(p, p)
        mistakes = {
            "The scores themselves go into the Jacobian: take their softmax first.":
                np.abs(np.diag(s) - np.outer(s, s)).max(),
            "This is the smallest entry: take the largest absolute value.": jacobian.min(),
            "This is the largest weight: take the largest entry of J.": p.max(),
            "This is the Frobenius norm of J: take the largest entry.": np.linalg.norm(jacobian),
        }  # fmt: skip
        found.append(jacobian.max())  # it stands on the diagonal
        must_equal(f"the largest slope for the scores {s.tolist()}", largest_slope(s.copy()), found[-1], mistakes)
    return f"It falls from {found[0]:.3g} to {found[1]:.3g}: it gets {found[0] / found[1]:.0f} times smaller."


@checked
def check_backward(attention_backward: Callable[..., Any]) -> str:
    q, k, v, d_o = some_numbers(2, 5, 3), some_numbers(3, 7, 3), some_numbers(4, 7, 2), some_numbers(10, 5, 2)
    got = several("dV, dA, dS, dQ, dK", attention_backward(q.copy(), k.copy(), v.copy(), d_o.copy()))
    a, s = right_attention(q, k, v)[1], q @ k.T / math.sqrt(3)
    numeric = {
        "dV": by_differences(lambda x: (d_o * (a @ x)).sum(), v),
        "dA": by_differences(lambda x: (d_o * (x @ v)).sum(), a),
        "dS": by_differences(lambda x: (d_o * (right_softmax(x) @ v)).sum(), s),
        "dQ": by_differences(lambda x: (d_o * right_attention(x, k, v)[0]).sum(), q),
        "dK": by_differences(lambda x: (d_o * right_attention(q, x, v)[0]).sum(), k),
    }
    mistakes = mistakes_in_backward(q, k, v, d_o)
    for mine, (name, right) in zip(got, numeric.items(), strict=True):
        must_equal(name, mine, right, mistakes[name])
    told = "All five agree with finite differences."
    if torch := referee():
        told += agrees(*zip(got, torch_backward(torch, q, k, v, d_o), strict=True))
    return told


def torch_backward(torch: Any, *arrays: Array) -> list[Any]:
    """dV, dA, dS, dQ, dK by autograd."""
    q, k, v, d_o = (torch.tensor(x, requires_grad=True) for x in arrays)
    s = q @ k.T / math.sqrt(q.shape[-1])
    a = torch.softmax(s, dim=-1)
    return list(torch.autograd.grad(a @ v, (v, a, s, q, k), d_o))

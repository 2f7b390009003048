"""Wrong answers as students write them, each with words of the verdict that it must get."""

from __future__ import annotations

import numpy as np

from core import heads

from .book import right

RIGHT = right()
softmax = RIGHT.softmax

ATTENTION = """
def attention(Q, K, V, allowed=None):
    S = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if allowed is not None:
        S = np.where(allowed, S, -np.inf)
    A = softmax(S)
    return A @ V, A
"""
BACKWARD = """
def attention_backward(Q, K, V, dO):
    root = np.sqrt(Q.shape[-1])
    O, A = attention(Q, K, V)
    dV = A.T @ dO
    dA = dO @ V.T
    dS = A * (dA - (A * dA).sum(axis=-1, keepdims=True))
    dQ = dS @ K / root
    dK = dS.T @ Q / root
    return dV, dA, dS, dQ, dK
"""
HEADS = """
def multi_head_attention(X, W_Q, W_K, W_V, W_O, H):
    Q, K, V = (split_heads(X @ W, H) for W in (W_Q, W_K, W_V))
    O, A = attention(Q, K, V)
    return merge_heads(O) @ W_O
"""
LARGEST = """
def largest_weight(d_k, scaled, rng, keys=128, draws=200):
    q = rng.standard_normal((draws, d_k, 1))
    k = rng.standard_normal((draws, keys, d_k))
    s = (k @ q)[..., 0]
    if scaled:
        s = s / np.sqrt(d_k)
    return np.median(softmax(s).max(axis=-1))
"""

# A right program, and for each mistake: what stands there, what the student writes instead, words of the verdict.
CHANGED = {
    "check_attention": (ATTENTION, [
        ("A = softmax(S)", "A = softmax(S.swapaxes(-1, -2)).swapaxes(-1, -2)", "at A. Each column of A sums to 1"),
        ("A = softmax(S)", "A = np.exp(S) / np.exp(S).sum()", "at A. All of A together sums to 1"),
        (" / np.sqrt(Q.shape[-1])", "", "at A. The scores are not scaled"),
        ("np.sqrt(Q.shape[-1])", "Q.shape[-1]", "at A. The scores are divided by d_k"),
        ("/ np.sqrt", "* np.sqrt", "at A. The scores are multiplied by sqrt(d_k)"),
        ("Q.shape[-1]", "Q.shape[-2]", "at A. The scores are divided by sqrt(T_q)"),
        ("Q.shape[-1]", "K.shape[-2]", "at A. The scores are divided by sqrt(T_k)"),
        ("allowed, S, -np.inf", "allowed, -np.inf, S", "at A under a mask. The mask is read the wrong way round"),
        ("S, -np.inf", "S, 0", "at A under a mask. Hidden scores are 0"),
        ("np.where(allowed, S, -np.inf)", "S + allowed", "at A under a mask. The mask is added as the numbers"),
        ("S = np.where(allowed, S, -np.inf)", "pass", "at A under a mask. The mask has no effect"),
        ("S = np.where(allowed, S, -np.inf)\n    A = softmax(S)", "return softmax(S) * allowed @ V, softmax(S) * allowed\n    A = softmax(S)", "at A under a mask. The mask comes after the softmax"),
        ("np.where(allowed, S, -np.inf)", "np.where(allowed, S, -np.inf) * np.nan", "at A under a mask. It has entries that are NaN"),
        ("K.swapaxes(-1, -2)", "K.T", "It stops where Q, K and V have a batch axis"),
        ("return A @ V, A", "return A, A @ V", "Your function returns A, O"),
        ("return A @ V, A", "return A @ V", "Your function should return O, A"),
        ("A @ V, A", "A @ V * 2, A", "at O. Entry [0, 0] is"),
        ("K.swapaxes(-1, -2)", "K", "`attention` stops with ValueError: matmul"),
        ("    return A @ V, A", "", "Not yet: your function returns nothing. It should return O, A."),
    ]),
    "check_largest_weight": (LARGEST, [
        ("if scaled", "if not scaled", "With scaled=True the scores must be divided"),
        ("s / np.sqrt(d_k)", "s", "with scaled=True. With scaled=True the scores must be divided"),
        ("np.sqrt(d_k)", "d_k", "The scores are divided by d_k"),
        ("softmax(s).max(axis=-1)", "softmax(s.T).T.max(axis=-1)", "The softmax runs over the draws"),
        ("np.median(softmax(s).max(axis=-1))", "softmax(s).max(axis=-1)", "It gives 200 numbers: take the median"),
        ("return ", "", "Not yet: the largest weight with scaled=False is None."),
    ]),
    "check_backward": (BACKWARD, [
        ("dV = A.T @ dO", "dV = (Q @ K.T / root).T @ dO", "at dV. It is made of the scores S"),
        ("dV = A.T @ dO", "dV = A @ dO", "Write the shape beside each factor"),
        ("dA = dO @ V.T", "dA = A * (dO @ V.T)", "at dA. It has the factor A already"),
        ("dS = A * (dA - (A * dA).sum(axis=-1, keepdims=True))", "dS = A * dA", "at dS. This is only A * dA"),
        ("dS = A * (dA - (A * dA).sum(axis=-1, keepdims=True))", "dS = dA", "at dS. The softmax is left out"),
        ("(A * dA).sum(", "dA.sum(", "at dS. The row sum is of dA"),
        ("sum(axis=-1, keepdims=True)", "sum(axis=0)", "at dS. A * dA is summed down each column"),
        ("sum(axis=-1, keepdims=True)", "sum()", "at dS. A * dA is summed over everything"),
        (".sum(axis=-1, keepdims=True)", "", "at dS. A * dA is not summed"),
        (", keepdims=True", "", "keepdims=True is often what is missing"),
        ("A * (dA", "(dA", "at dS. The factor A in front is missing"),
        ("A * (dA -", "A * (-dA +", "at dS. The sign is wrong"),
        ("keepdims=True))", "keepdims=True)) / root", "at dS. 1/sqrt(d_k) is in it already"),
        ("dS @ K / root", "dS @ K", "at dQ. 1/sqrt(d_k) is missing"),
        ("dS @ K / root", "dS @ K / root**2", "at dQ. It is divided by d_k"),
        ("dS @ K", "dA @ K", "at dQ. It is made of dA"),
        ("dS.T @ Q / root", "dS.T @ Q", "at dK. 1/sqrt(d_k) is missing"),
        ("dS.T @ Q", "dA.T @ Q", "at dK. It is made of dA"),
        ("dV, dA, dS, dQ, dK", "dQ, dK, dV", "Your function should return dV, dA, dS, dQ, dK"),
        ("dV, dA, dS, dQ, dK", "dQ, dK, dV, dA, dS", "at dV. Its shape is (5, 3), and should be (7, 2)"),
    ]),
    "check_heads": (HEADS, [
        ("attention(Q, K, V)", "attention(Q / np.sqrt(H), K, V)", "The scores are divided by sqrt(D)"),
        ("attention(Q, K, V)", "attention(Q * np.sqrt(Q.shape[-1]), K, V)", "The scores are not scaled"),
        (" @ W_O", "", "W_O is missing"),
        (" @ W_O", " @ W_O.T", "W_O is transposed"),
        ("X @ W, H) for W in (W_Q, W_K, W_V))\n", "X @ W.T, H) for W in (W_Q, W_K, W_V))\n    W_O = W_O.T\n", "The matrices are transposed"),
        ("X @ W, H", "X @ W.T, H", "W_Q, W_K and W_V are transposed"),
        ("split_heads(X @ W, H)", "(X @ W)[:, None]", "There is only one head"),
        ("split_heads(X @ W, H)", "(X @ W).reshape(len(X), H, -1, X.shape[-1] // H)", "Tokens and features are mixed: reshape to (B, T, H, d_k)"),
        ("merge_heads(O)", "O.reshape(X.shape)", "Tokens and features are mixed: before you merge"),
        ("(W_Q, W_K, W_V)", "(W_Q, W_K, W_K)", "The values are made with W_K"),
        ("(W_Q, W_K, W_V)", "(W_K, W_Q, W_V)", "Queries and keys have changed places"),
    ]),
}  # fmt: skip


def normal(rng, *shape):
    return rng.standard_normal(shape)


def pairs(d_k, draws, rng, spread=1.0, same=False):
    q, k = normal(rng, draws, d_k), normal(rng, draws, d_k)
    return q * (q if same else k) * spread


# Whole answers that fit in a line.
SHORT = {
    "check_softmax": [
        (lambda s: np.exp(s) / np.exp(s).sum(axis=0), "The columns sum to 1"),
        (lambda s: np.exp(s) / np.exp(s).sum(), "All entries together sum to 1"),
        (lambda s: np.exp(s - s.max()), "Entry [0, 0] is"),
        (np.exp, "The exponentials are not divided by their sum"),
        (lambda s: np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True), "Large scores overflow"),
        (lambda s: np.exp(s) / np.exp(s).sum(axis=-1), "keepdims=True is often what is missing"),
        (lambda s: softmax(s.T).T if s.ndim > 1 else s, "The columns sum to 1"),
        (lambda s: "softmax", "It should hold real numbers"),
        (lambda s: None, "Not yet: softmax is None."),
    ],
    "check_dot_products": [
        (lambda d_k, n, rng: pairs(d_k, n, rng), "The products are not added up"),
        (lambda d_k, n, rng: pairs(d_k, n, rng).sum(axis=0), "The shape is (4,), and should be (10000,)"),
        (lambda d_k, n, rng: pairs(d_k, n, rng, same=True).sum(axis=1), "as if q and k were the same vector"),
        (lambda d_k, n, rng: (rng.random((n, d_k)) * rng.random((n, d_k))).sum(axis=1), "draw with rng.standard_normal"),
        (lambda d_k, n, rng: pairs(d_k, n, rng, d_k**-0.5).sum(axis=1), "The variance is 1 already"),
        (lambda d_k, n, rng: normal(rng, n, d_k) @ normal(rng, d_k), "draw a new q and a new k for each pair"),
        (lambda d_k, n, rng: None, "Not yet: `dot_products` returns nothing"),
    ],
    "check_jacobian": [
        (np.diag, "Only diag(p) is there"),
        (lambda p: np.diag(p * (1 - p)), "The entries off the diagonal are missing"),
        (lambda p: np.outer(p, p) - np.diag(p), "The sign is wrong"),
        (lambda p: np.diag(p) + np.outer(p, p), "p pᵀ is added"),
        (lambda p: np.diag(p) - p * p, "p * p multiplies entry by entry"),
        (lambda p: np.diag(p) - p @ p, "p @ p is one number"),
        (lambda p: np.eye(len(p)) - np.outer(p, p), "The identity stands where"),
        (lambda p: p * (1 - p), "Its shape is (5,), and should be (5, 5)"),
    ],
    "check_vjp": [
        (lambda p, g: p * g, "This is only p * g"),
        (lambda p, g: g - (p * g).sum(-1, keepdims=True), "The factor p in front is missing"),
        (lambda p, g: p * ((p * g).sum(-1, keepdims=True) - g), "The sign is wrong"),
        (lambda p, g: p * (g - p * g), "p * g is not summed"),
        (lambda p, g: p * (g - g.sum(-1, keepdims=True)), "The sum runs over g"),
        (lambda p, g: p * (g - g.mean(-1, keepdims=True)), "The plain mean of g"),
        (lambda p, g: p * (g - (p * g).sum(axis=0)), "several rows. The sum runs down each column"),
        (lambda p, g: p * (g - (p * g).sum()), "several rows. All rows share one sum"),
        (lambda p, g: p * (g - (p * g).sum(-1)), "keepdims=True is often what is missing"),
    ],
    "check_largest_slope": [
        (lambda s: np.abs(RIGHT.softmax_jacobian(s)).max(), "take their softmax first"),
        (lambda s: RIGHT.softmax_jacobian(softmax(s)).min(), "This is the smallest entry"),
        (lambda s: softmax(s).max(), "This is the largest weight"),
        (lambda s: np.linalg.norm(RIGHT.softmax_jacobian(softmax(s))), "This is the Frobenius norm"),
    ],
    "check_gap": [
        (lambda f, X, order: np.abs(f(X[:, order]) - f(X)[:, order]).max(), "The columns are shuffled"),
        (lambda f, X, order: np.abs(f(X[order]) - f(X)).max(), "The outputs stay in their old order"),
        (lambda f, X, order: np.abs(f(X) - f(X)[order]).max(), "The tokens are not shuffled"),
        (lambda f, X, order: np.abs(f(X[order]) - f(X)[np.argsort(order)]).max(), "The outputs are shuffled backwards"),
        (lambda f, X, order: (f(X[order]) - f(X)[order]).max(), "Negative differences do not count"),
        (lambda f, X, order: (f(X[order]) - f(X)[order]).sum(), "Positive and negative differences cancel"),
        (lambda f, X, order: np.abs(f(X[order]) - f(X)[order]).mean(), "This is the mean difference"),
        (lambda f, X, order: np.allclose(f(X[order]), f(X)[order]), "It returns True or False"),
    ],
    "check_causal": [
        (lambda T: np.triu(np.ones((T, T), bool)), "It shows the future and hides the past"),
        (lambda T: np.tri(T, k=-1, dtype=bool), "The diagonal is hidden"),
        (lambda T: np.tri(T, k=1, dtype=bool), "Query i also sees key i + 1"),
        (lambda T: np.triu(np.ones((T, T), bool), 1), "True stands where a key is hidden"),
        (lambda T: np.where(np.tri(T, dtype=bool), 0, -np.inf), "It holds 0 and -inf"),
        (np.tri, "It holds the numbers 1 and 0"),
    ],
}  # fmt: skip

# The same for the two functions of exercise 4, split and merge.
SPLIT_AND_MERGE = [
    (heads.split_heads_wrong, RIGHT.merge_heads, "at split_heads. Tokens and features are mixed"),
    (lambda x, H: x.reshape(2, 5, H, -1), RIGHT.merge_heads, "at split_heads. The heads are not brought forward"),
    (lambda x, H: x.reshape(2, 5, H, -1).transpose(0, 2, 3, 1), RIGHT.merge_heads, "T and d_k have changed"),
    (lambda x, H: x.reshape(2, 5, -1, H).transpose(0, 3, 1, 2), RIGHT.merge_heads, "takes every H-th feature"),
    (RIGHT.split_heads, heads.merge_heads_wrong, "at merge_heads. Tokens and features are mixed"),
    (RIGHT.split_heads, lambda x: x.transpose(0, 2, 3, 1).reshape(2, 5, -1), "features of the heads alternate"),
    (RIGHT.split_heads, lambda x: x.sum(axis=1), "The heads are added up"),
    (RIGHT.split_heads, lambda x: None, "Not yet: merge_heads is None"),
]  # fmt: skip

# %% title [markdown]
# # Attention: practice
#
# *Deep Learning, lesson 9: queries, keys, values and masks*
#
# Five exercises. You write attention yourself, in NumPy, and the notebook tells you whether it is right.
#
# 1. Attention with a boolean mask
# 2. The variance of a dot product
# 3. Gradients
# 4. Multi-head attention
# 5. Shuffled tokens
#
# **How it works.** Each part has a task, a cell for your code, a cell that checks it, and a solution that is folded away. Run a cell with Shift + Enter. A check says one of three things:
#
# - *Not yet*: there is nothing to check so far.
# - *Look again*: something is wrong, and the check says what it probably is.
# - *Passed*: it is right.
#
# You need NumPy and nothing else. Where PyTorch is installed, as in Colab, the checks compare your results with it, too. Exercises 2 to 5 use your `softmax` and `attention` of exercise 1, so begin there.
#
# **Conventions**, the same as in the lesson: one row per token, $T$ tokens, model width $D$, $H$ heads, head sizes $d_k$ and $d_v$. Row $i$ of a weight matrix belongs to query $i$, column $j$ to key $j$. Formulas count from 1, NumPy counts from 0.

# %% setup-words [markdown]
# ## Before you start
#
# Run the next cell first. You need not read it: it holds the code of the checks. If a check later says `name 'check_…' is not defined`, run it again.

# %% setup
from notebooks.checks import (
    check_attention,
    check_backward,
    check_causal,
    check_dot_products,
    check_gap,
    check_heads,
    check_jacobian,
    check_largest_slope,
    check_largest_weight,
    check_softmax,
    check_split_and_merge,
    check_vjp,
    compare_shuffled,
    plot_largest_weight,
)

print("Ready. Go on with exercise 1.")

# %% exercise-1 [markdown]
# ## 1 Attention with a boolean mask
#
# ### The softmax
#
# $$p_j = \frac{e^{s_j}}{\sum_l e^{s_l}}$$
#
# Write it for arrays of any number of axes; the sum runs along the **last** axis. Large scores must do no harm: $e^{1000}$ overflows. Subtract the largest score of each row first; this does not change the result.
#
# *Useful:* `S.max(axis=..., keepdims=True)`, `np.exp`, `sum(axis=..., keepdims=True)`.

# %% softmax
import numpy as np


def softmax(S):
    """Scores (..., n) → weights (..., n); each row sums to 1."""
    raise NotImplementedError


# %% softmax-check
check_softmax(softmax)

# %% softmax-solution [markdown]
# <details>
# <summary>Solution</summary>
#
# ```python
# import numpy as np
#
#
# def softmax(S):
#     e = np.exp(S - S.max(axis=-1, keepdims=True))
#     return e / e.sum(axis=-1, keepdims=True)
# ```
#
# </details>

# %% attention-words [markdown]
# ### Attention
#
# $$S = \frac{QK^{\mathsf T}}{\sqrt{d_k}}, \qquad A = \operatorname{softmax}(S + M), \qquad O = AV$$
#
# The softmax is taken row by row. `allowed` is a boolean mask: `allowed[i, j]` is `True` where query $i$ may attend to key $j$. There $M_{ij} = 0$, elsewhere $M_{ij} = -\infty$. With `allowed=None` nothing is hidden.
#
# Let your function also work with axes in front, such as $Q$ of shape $(B, T, d_k)$; you need this in exercise 4. `K.T` turns *all* axes round, so swap only the last two.
#
# *Useful:* `K.swapaxes(-1, -2)`, `np.where(allowed, S, -np.inf)`.


# %% attention
def attention(Q, K, V, allowed=None):
    """Q (T_q, d_k), K (T_k, d_k), V (T_k, d_v) → output O (T_q, d_v), weights A (T_q, T_k)."""
    raise NotImplementedError
    # return O, A


# %% attention-check
check_attention(attention)

# %% attention-solution [markdown]
# <details>
# <summary>Solution</summary>
#
# ```python
# def attention(Q, K, V, allowed=None):
#     S = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (..., T_q, T_k)
#     if allowed is not None:
#         S = np.where(allowed, S, -np.inf)
#     A = softmax(S)
#     return A @ V, A
# ```
#
# The mask comes before the softmax: $e^{-\infty} = 0$, so a hidden key gets weight 0, and the visible keys share the whole 1.
#
# </details>

# %% exercise-2 [markdown]
# ## 2 The variance of a dot product
#
# ### A rule, by experiment
#
# If the entries of $q$ and $k$ are independent, with mean 0 and variance 1, then $\operatorname{Var}(q \cdot k) = d_k$. Test it: draw many pairs $(q, k)$ of standard normal vectors and return their dot products, one number for each pair. The check compares their variance with $d_k$ for several head sizes.
#
# *Useful:* `rng.standard_normal((draws, d_k))`.


# %% dot-products
def dot_products(d_k, draws, rng):
    """Dot products (draws,) of random pairs q, k; each vector has d_k entries."""
    raise NotImplementedError


# %% dot-products-check
check_dot_products(dot_products)

# %% dot-products-solution [markdown]
# <details>
# <summary>Solution</summary>
#
# ```python
# def dot_products(d_k, draws, rng):
#     q = rng.standard_normal((draws, d_k))
#     k = rng.standard_normal((draws, d_k))
#     return (q * k).sum(axis=-1)
# ```
#
# </details>

# %% largest-weight-words [markdown]
# ### What it does to the softmax
#
# Now one query meets 128 keys. Draw them, take the softmax of the 128 scores $q \cdot k_j$, and look at the largest weight. Do this `draws` times, with a new query and new keys each time, and return the **median** of the largest weights. With `scaled=True`, divide the scores by $\sqrt{d_k}$ first.
#
# Guess before you run it: how large is the largest weight at $d_k = 256$, not scaled and scaled?
#
# *Useful:* arrays of shape `(draws, 128, d_k)` avoid a loop; `np.median`.


# %% largest-weight
def largest_weight(d_k, scaled, rng, keys=128, draws=200):
    """Median over the draws of the largest weight, one number."""
    raise NotImplementedError


# %% largest-weight-check
check_largest_weight(largest_weight)

# %% largest-weight-plot
plot_largest_weight(largest_weight)

# %% largest-weight-solution [markdown]
# <details>
# <summary>Solution</summary>
#
# ```python
# def largest_weight(d_k, scaled, rng, keys=128, draws=200):
#     q = rng.standard_normal((draws, d_k, 1))
#     k = rng.standard_normal((draws, keys, d_k))
#     s = (k @ q)[..., 0]  # (draws, keys)
#     if scaled:
#         s = s / np.sqrt(d_k)
#     return np.median(softmax(s).max(axis=-1))
# ```
#
# Not scaled, the scores have the standard deviation $\sqrt{d_k}$, so one key takes more and more as $d_k$ grows. Scaled, it is 1 at every head size, and the largest weight hardly changes.
#
# </details>

# %% exercise-3 [markdown]
# ## 3 Gradients
#
# ### The Jacobian of the softmax
#
# For weights $p = \operatorname{softmax}(s)$:
#
# $$J_{ij} = \frac{\partial p_i}{\partial s_j} = p_i(\delta_{ij} - p_j), \qquad J = \operatorname{diag}(p) - pp^{\mathsf T}$$
#
# The check moves each score a little and looks at how the weights change (finite differences).
#
# *Useful:* `np.diag`, `np.outer`.


# %% jacobian
def softmax_jacobian(p):
    """Weights p (n,) → J (n, n)."""
    raise NotImplementedError


# %% jacobian-check
check_jacobian(softmax_jacobian)

# %% jacobian-solution [markdown]
# <details>
# <summary>Solution</summary>
#
# ```python
# def softmax_jacobian(p):
#     return np.diag(p) - np.outer(p, p)
# ```
#
# </details>

# %% vjp-words [markdown]
# ### The backward pass, without building J
#
# Let $g = \partial L / \partial p$ come from above. Then $\partial L / \partial s = J^{\mathsf T} g$, which is $Jg$ because $J$ is symmetric:
#
# $$Jg = p \odot \big(g - (p \cdot g)\,\mathbf 1\big)$$
#
# Write it for a single row and for many rows at once: each row of `p` meets its own row of `g`. This is called a vector-Jacobian product, VJP.


# %% vjp
def softmax_vjp(p, g):
    """Weights p (..., n), gradient g (..., n) → gradient at the scores (..., n)."""
    raise NotImplementedError


# %% vjp-check
check_vjp(softmax_vjp)

# %% vjp-solution [markdown]
# <details>
# <summary>Solution</summary>
#
# ```python
# def softmax_vjp(p, g):
#     return p * (g - (p * g).sum(axis=-1, keepdims=True))
# ```
#
# This takes $O(n)$ steps for a row; multiplying by $J$ takes $O(n^2)$.
#
# </details>

# %% largest-slope-words [markdown]
# ### How much gets through
#
# Return the largest $|J_{ij}|$ for the scores $s$. The check asks for the scores $(2, 1, 0)$, and then for the same scores times 8. That is what forgetting $\sqrt{d_k}$ does at $d_k = 64$.
#
# Guess before you run it: how many times smaller does the largest entry get? 8 times, 64 times, more?


# %% largest-slope
def largest_slope(s):
    """Scores s (n,) → the largest absolute entry of J, one number."""
    raise NotImplementedError


# %% largest-slope-check
check_largest_slope(largest_slope)

# %% largest-slope-solution [markdown]
# <details>
# <summary>Solution</summary>
#
# ```python
# def largest_slope(s):
#     return np.abs(softmax_jacobian(softmax(s))).max()
# ```
#
# The softmax is almost one-hot now, and hardly any gradient gets through to the scores.
#
# </details>

# %% backward-words [markdown]
# ### All five gradients of attention
#
# Now go backwards through the whole of attention, without a mask. Forward:
#
# $$S = \frac{QK^{\mathsf T}}{\sqrt{d_k}}, \qquad A = \operatorname{softmax}(S), \qquad O = AV$$
#
# Given is $dO = \partial L / \partial O$, an array of the shape of $O$. Find $dV$ and $dA$ from $O = AV$, then $dS$ with the VJP of the softmax, row by row, and last $dQ$ and $dK$. Here $S$ is the scaled score matrix.
#
# *Tip:* each gradient has the shape of its matrix. The shapes alone nearly tell you which factor comes first, and which one is transposed.


# %% backward
def attention_backward(Q, K, V, dO):
    """Q (T_q, d_k), K (T_k, d_k), V (T_k, d_v), dO (T_q, d_v) → the five gradients."""
    raise NotImplementedError
    # return dV, dA, dS, dQ, dK


# %% backward-check
check_backward(attention_backward)

# %% backward-solution [markdown]
# <details>
# <summary>Solution</summary>
#
# ```python
# def attention_backward(Q, K, V, dO):
#     root = np.sqrt(Q.shape[-1])
#     O, A = attention(Q, K, V)
#     dV = A.T @ dO
#     dA = dO @ V.T
#     dS = softmax_vjp(A, dA)
#     dQ = dS @ K / root
#     dK = dS.T @ Q / root
#     return dV, dA, dS, dQ, dK
# ```
#
# </details>

# %% exercise-4 [markdown]
# ## 4 Multi-head attention
#
# ### Split and merge
#
# Give each of the $H$ heads its own $d_k = D/H$ features of every token, and bring the heads forward:
#
# $$(B, T, D) \to (B, T, H, d_k) \to (B, H, T, d_k)$$
#
# The first step is a reshape, the second swaps two axes. `merge_heads` goes the same way back. Beware: a reshape straight to $(B, H, T, d_k)$ has the right shape and raises no error, but is wrong. Can you see why?


# %% split-merge
def split_heads(x, H):
    """(B, T, D) → (B, H, T, d_k)."""
    raise NotImplementedError


def merge_heads(x):
    """(B, H, T, d_k) → (B, T, D)."""
    raise NotImplementedError


# %% split-merge-check
check_split_and_merge(split_heads, merge_heads)

# %% split-merge-solution [markdown]
# <details>
# <summary>Solution</summary>
#
# ```python
# def split_heads(x, H):
#     B, T, D = x.shape
#     return x.reshape(B, T, H, D // H).swapaxes(1, 2)
#
#
# def merge_heads(x):
#     B, H, T, d_k = x.shape
#     return x.swapaxes(1, 2).reshape(B, T, H * d_k)
# ```
#
# A reshape keeps the numbers in the order in which they are stored: token after token. Reshaped straight to $(B, H, T, d_k)$, the first head would get the first $T/H$ tokens with all their features, and not all tokens with some of their features.
#
# </details>

# %% heads-words [markdown]
# ### The layer
#
# Project $X$ to $Q = XW_Q$, $K = XW_K$, $V = XW_V$, split each into heads, let every head attend, merge the outputs, and multiply by $W_O$. No biases, no mask, no loop over the heads: your `attention` takes axes in front.


# %% heads
def multi_head_attention(X, W_Q, W_K, W_V, W_O, H):
    """X (B, T, D), four matrices (D, D), H heads → output (B, T, D)."""
    raise NotImplementedError


# %% heads-check
check_heads(multi_head_attention)

# %% heads-solution [markdown]
# <details>
# <summary>Solution</summary>
#
# ```python
# def multi_head_attention(X, W_Q, W_K, W_V, W_O, H):
#     Q, K, V = (split_heads(X @ W, H) for W in (W_Q, W_K, W_V))
#     O, A = attention(Q, K, V)
#     return merge_heads(O) @ W_O
# ```
#
# The scores are divided by $\sqrt{d_k}$, with $d_k = D/H$, not by $\sqrt D$. Your `attention` sees only the head size, so it does this by itself.
#
# </details>

# %% exercise-5 [markdown]
# ## 5 Shuffled tokens
#
# ### Measure it
#
# A function $f$ of the tokens is *permutation equivariant* if its outputs move with its inputs: $f(PX) = P f(X)$ for every permutation matrix $P$. In NumPy, `X[order]` is $PX$: the same rows, in the order that `order` gives.
#
# Return the largest absolute difference between $f(PX)$ and $P f(X)$. It is 0, up to rounding, if $f$ is equivariant.


# %% gap
def equivariance_gap(f, X, order):
    """f maps tokens (T, D) to outputs (T, d) → the largest absolute difference, one number."""
    raise NotImplementedError


# %% gap-check
check_gap(equivariance_gap)

# %% gap-solution [markdown]
# <details>
# <summary>Solution</summary>
#
# ```python
# def equivariance_gap(f, X, order):
#     return np.abs(f(X[order]) - f(X)[order]).max()
# ```
#
# </details>

# %% causal-words [markdown]
# ### The causal mask
#
# Query $i$ may attend to the keys $j \le i$. Return a boolean mask, in the convention of exercise 1.
#
# *Useful:* `np.tri`.


# %% causal
def causal(T):
    """Boolean mask (T, T), True where query i may attend to key j."""
    raise NotImplementedError


# %% causal-check
check_causal(causal)

# %% causal-solution [markdown]
# <details>
# <summary>Solution</summary>
#
# ```python
# def causal(T):
#     return np.tri(T, dtype=bool)
# ```
#
# </details>

# %% shuffle-words [markdown]
# ### Compare
#
# Nothing to write here. The next cell shuffles the tokens of self-attention, first without a mask and then under your causal mask. In which case do the outputs move with the tokens? Decide, then run it, and explain it in one sentence.

# %% shuffle-check
compare_shuffled(equivariance_gap, causal, attention)

# %% shuffle-solution [markdown]
# <details>
# <summary>Explanation</summary>
#
# Without a mask, shuffling turns the scores $S$ into $PSP^{\mathsf T}$: the same numbers, with rows and columns moved together. So the weights are $PAP^{\mathsf T}$, and the outputs are $PAP^{\mathsf T}PV = PAV$: the old ones in the new order.
#
# The causal mask $M$ stays where it is while the tokens move: $PSP^{\mathsf T} + M$ is not $P(S + M)P^{\mathsf T}$. Another token is first now, and it sees only itself. So a causal mask tells the model something about positions.
#
# </details>

# %% end [markdown]
# ## Done?
#
# When every check says *Passed*, you have written the core of a transformer and its gradients. Try it once more next week, from an empty file: this is what interviews ask for.

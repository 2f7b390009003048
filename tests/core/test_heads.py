import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.attention import attention
from core.heads import merge_heads, merge_heads_wrong, multi_head_attention, split_heads, split_heads_wrong
from core.masks import causal, combine, padding

from .golden import cases, floats, name

GOLDEN = pytest.mark.parametrize("case", cases("multihead.json"), ids=name)
WEIGHTS = ("w_q", "w_k", "w_v", "w_o")
BIASES = ("b_q", "b_k", "b_v", "b_o")


def layer(seed=0, D=6):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((D, D)) / D**0.5 for _ in WEIGHTS], {b: rng.standard_normal(D) for b in BIASES}


def tokens(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def run_golden(case, dtype="float64"):
    x, z = floats(case["x"], dtype), None if case["z"] is None else floats(case["z"], dtype)
    masks = [causal(x.shape[-2])] if case["causal"] else []
    masks += [padding(case["lengths"], x.shape[-2])] if case["lengths"] else []
    return multi_head_attention(
        x,
        *(floats(case[w], dtype) for w in WEIGHTS),
        case["heads"],
        **{b: floats(case[b], dtype) for b in BIASES},
        context=z,
        allowed=combine(*masks) if masks else None,
    )


@GOLDEN
def test_golden(case):
    result = run_golden(case)
    np.testing.assert_allclose(result.weights, floats(case["weights"]), rtol=1e-10, atol=0)
    np.testing.assert_allclose(result.output, floats(case["output"]), rtol=1e-10, atol=1e-13)


@GOLDEN
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_golden_in_low_precision(case, dtype):
    result = run_golden(case, dtype)
    assert result.weights.dtype == result.output.dtype == dtype
    eps = float(np.finfo(dtype).eps)
    np.testing.assert_allclose(result.weights.astype(float), floats(case["weights"]), atol=16 * eps)
    np.testing.assert_allclose(result.output.astype(float), floats(case["output"]), atol=32 * eps)


@given(st.sampled_from([(), (2,), (2, 5)]), st.integers(1, 7), st.integers(1, 5), st.integers(1, 3))
def test_split_and_merge_undo_each_other(batch, T, H, d_k):
    x = np.arange(np.prod((*batch, T, H * d_k), dtype=int)).reshape(*batch, T, H * d_k)
    heads = split_heads(x, H)
    assert heads.shape == split_heads_wrong(x, H).shape == (*batch, H, T, d_k)
    np.testing.assert_array_equal(merge_heads(heads), x)
    np.testing.assert_array_equal(merge_heads_wrong(split_heads_wrong(x, H)), x)
    for h in range(H):
        np.testing.assert_array_equal(heads[..., h, :, :], x[..., h * d_k : (h + 1) * d_k])
    agree = np.array_equal(split_heads_wrong(x, H), heads)
    assert agree == (H == 1 or T == 1) == np.array_equal(merge_heads_wrong(heads), x)


def test_splitting_moves_nothing_and_keeps_the_dtype():
    x = np.arange(2 * 3 * 10, dtype=np.int16).reshape(2, 3, 10)
    x.flags.writeable = False
    assert split_heads(x, 5).dtype == np.int16
    assert np.shares_memory(split_heads(x, 5), x)
    assert np.shares_memory(split_heads_wrong(x, 5), x)
    merge_heads(split_heads(x, 5)), merge_heads_wrong(split_heads(x, 5))


def test_it_is_the_loop_over_heads():
    x, z, ((w_q, w_k, w_v, w_o), b) = tokens(1, 2, 5, 6), tokens(2, 2, 7, 6), layer()
    result = multi_head_attention(x, w_q, w_k, w_v, w_o, 3, **b, context=z)
    assert result.weights.shape == (2, 3, 5, 7)
    joined = []
    for h in range(3):
        part = slice(2 * h, 2 * h + 2)
        Q, K, V = (
            x @ w_q[:, part] + b["b_q"][part],
            z @ w_k[:, part] + b["b_k"][part],
            z @ w_v[:, part] + b["b_v"][part],
        )
        head = attention(Q, K, V)
        np.testing.assert_allclose(result.weights[:, h], head.weights, atol=1e-13)
        joined.append(head.output)
    np.testing.assert_allclose(result.output, np.concatenate(joined, axis=-1) @ w_o + b["b_o"], atol=1e-12)


def test_biases_default_to_zero():
    x, (w, _) = tokens(1, 5, 6), layer()
    zero = multi_head_attention(x, *w, 2, **{b: np.zeros(6) for b in BIASES})
    np.testing.assert_array_equal(multi_head_attention(x, *w, 2).output, zero.output)


@pytest.mark.parametrize("batch", [(), (2,), (2, 5)])
def test_batch_axes_equal_a_loop(batch):
    x, (w, b) = tokens(1, *batch, 5, 6), layer()
    result = multi_head_attention(x, *w, 3, **b, allowed=causal(5))
    assert result.weights.shape == (*batch, 3, 5, 5)
    assert result.output.shape == (*batch, 5, 6)
    for index in np.ndindex(batch):
        alone = multi_head_attention(x[index], *w, 3, **b, allowed=causal(5))
        np.testing.assert_allclose(result.weights[index], alone.weights, atol=1e-13)
        np.testing.assert_allclose(result.output[index], alone.output, atol=1e-12)


def test_where_the_mask_gets_its_head_axis():
    # B = H = 3: a mask with three axes must be read as batch first, never as heads first.
    x, (w, b) = tokens(1, 3, 5, 6), layer()

    def weights(allowed):
        return multi_head_attention(x, *w, 3, **b, allowed=allowed).weights

    lengths = [2, 5, 4]
    short, full = padding(lengths, 5), np.broadcast_to(padding(lengths, 5), (3, 5, 5))
    for n, length in enumerate(lengths):
        assert (weights(short)[n, ..., length:] == 0).all()
        assert (weights(short)[n, ..., :length] > 0).all()
    np.testing.assert_array_equal(weights(short), weights(full))
    np.testing.assert_array_equal(weights(short), weights(full[:, None]))
    np.testing.assert_array_equal(weights(padding(4, 5)), weights(np.broadcast_to(padding(4, 5), (3, 3, 5, 5))))
    per_head = np.ones((1, 3, 5, 5), dtype=bool)
    per_head[:, 1] = causal(5)
    assert (weights(per_head)[:, 1, 0, 1:] == 0).all()
    assert (weights(per_head)[:, [0, 2]] > 0).all()
    alone = multi_head_attention(x[0], *w, 3, **b, allowed=per_head).weights
    np.testing.assert_allclose(alone, weights(per_head)[0], atol=1e-13)
    np.testing.assert_array_equal(
        multi_head_attention(x[0], *w, 3, **b, allowed=padding([2], 5)).weights,
        multi_head_attention(x[0], *w, 3, **b, allowed=padding(2, 5)).weights,
    )


def test_equivariance_and_how_a_causal_mask_breaks_it():
    x, (w, b), order = tokens(1, 10, 64), layer(D=64), np.random.default_rng(3).permutation(10)

    def output(x, allowed=None):
        return multi_head_attention(x, *w, 4, **b, allowed=allowed).output

    np.testing.assert_allclose(output(x[order]), output(x)[order], atol=1e-12)
    assert np.abs(output(x[order], causal(10)) - output(x, causal(10))[order]).max() > 0.1


def test_padding_tokens_may_hold_nan():
    x, (w, b) = tokens(1, 2, 5, 6), layer()
    bad = x.copy()
    bad[1, 3:] = np.nan
    clean, poisoned = (multi_head_attention(y, *w, 3, **b, allowed=padding([5, 3], 5)).output for y in (x, bad))
    np.testing.assert_array_equal(poisoned[0], clean[0])
    np.testing.assert_array_equal(poisoned[1, :3], clean[1, :3])
    assert np.isnan(poisoned[1, 3:]).all()


def test_a_query_without_a_visible_key_is_nan_and_nothing_else_is():
    x, (w, b) = tokens(1, 2, 5, 6), layer()
    result = multi_head_attention(x, *w, 3, **b, allowed=combine(causal(5), padding([5, 3], 5, side="left")))
    np.testing.assert_array_equal(np.isnan(result.output).all(axis=-1), [[0, 0, 0, 0, 0], [1, 1, 0, 0, 0]])


def test_results_are_frozen_and_inputs_are_not_changed():
    x, z, (w, b) = tokens(1, 2, 5, 6), tokens(2, 2, 7, 6), layer()
    allowed = causal(5, 7)
    arrays = [x, z, *w, *b.values(), allowed]
    before = [a.copy() for a in arrays]
    for a in arrays:
        a.flags.writeable = False
    result = multi_head_attention(x, *w, 2, **b, context=z, allowed=allowed)
    for a, c in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(a, c)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.output = None


def call(x=(2, 5, 6), heads=3, context=None, **options):
    (w, b) = layer()
    named = (
        dict(zip(WEIGHTS, w, strict=True)) | b | {k: np.ones(s) for k, s in options.items() if k in WEIGHTS + BIASES}
    )
    options = {k: o for k, o in options.items() if k not in named}
    context = None if context is None else np.ones(context)
    return multi_head_attention(np.ones(x), heads=heads, context=context, **named, **options)


@pytest.mark.parametrize(
    ("run", "error", "message"),
    [
        (lambda: call(heads=4), ValueError, "heads: expected a divisor of D = 6, got 4"),
        (lambda: call(heads=0), ValueError, "heads: expected an integer of at least 1, got 0"),
        (lambda: call(heads=2.0), TypeError, "heads: expected an integer, got 2.0"),
        (lambda: call(x=(6,)), ValueError, "x: expected at least 2 axes"),
        (lambda: call(x=(2, 0, 6)), ValueError, r"x: expected \(B, T_q, D\) with sizes of at least 1, got \(2, 0, 6\)"),
        (lambda: call(w_k=(6, 5)), ValueError, r"w_k: expected \(D, D\) = \(6, 6\), got \(6, 5\)"),
        (lambda: call(w_o=(5, 6)), ValueError, r"w_o: expected \(D, D\) = \(6, 6\), got \(5, 6\)"),
        (lambda: call(b_v=(5,)), ValueError, r"b_v: expected \(D,\) = \(6,\), got \(5,\)"),
        (
            lambda: call(context=(2, 7, 5)),
            ValueError,
            r"context: expected \(B, T_k, D\) = \(2, 7, 6\), got \(2, 7, 5\)",
        ),
        (lambda: call(context=(3, 7, 6)), ValueError, r"x, context: .*\(2,\) and \(3,\)"),
        (lambda: call(allowed=causal(6)), ValueError, r"allowed: expected \(T_q, T_k\) = \(5, 5\), got \(6, 6\)"),
        (
            lambda: call(allowed=padding([1] * 3, 5)),
            ValueError,
            r"allowed: .*\(B, T_q, T_k\) = \(2, 5, 5\), got \(3, 1, 5\)",
        ),
        (
            lambda: call(allowed=np.ones((2, 2, 5, 5), bool)),
            ValueError,
            r"\(B, H, T_q, T_k\) = \(2, 3, 5, 5\), got \(2, 2",
        ),
        (
            lambda: call(x=(5, 6), allowed=padding([1, 2], 5)),
            ValueError,
            r"\(B, T_q, T_k\) = \(1, 5, 5\), got \(2, 1, 5\)",
        ),
        (lambda: call(allowed=[True] * 5), ValueError, r"allowed: .*got \(5,\)"),
        (lambda: call(allowed=np.ones((5, 5))), TypeError, "allowed: expected a boolean mask"),
        (lambda: split_heads(np.ones(6), 2), ValueError, r"x: expected \(\.\.\., T, D\), got shape \(6,\)"),
        (lambda: split_heads(np.ones((5, 6)), 4), ValueError, "heads: expected a divisor of D = 6, got 4"),
        (lambda: split_heads_wrong(np.ones((5, 6)), -2), ValueError, "heads: .*got -2"),
        (lambda: merge_heads(np.ones((5, 6))), ValueError, r"x: expected \(\.\.\., H, T, d_k\), got shape \(5, 6\)"),
        (lambda: merge_heads_wrong([["a"]]), TypeError, "x: expected real numbers"),
        (lambda: split_heads([[None]], 1), TypeError, "x: expected real numbers, got dtype object"),
    ],
)
def test_errors_name_the_argument(run, error, message):
    with pytest.raises(error, match=message):
        run()

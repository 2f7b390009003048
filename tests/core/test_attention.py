import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.attention import attention, attention_backward
from core.masks import causal, combine, padding
from core.softmax import softmax

from .golden import cases, floats, mask, name

CASES = cases("attention.json")
GOLDEN = pytest.mark.parametrize("case", CASES, ids=name)
SEEDS = st.integers(0, 999)


def random_inputs(seed=0, batch=(), T_q=3, T_k=7, d_k=5, d_v=2):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((*batch, *shape)) for shape in ((T_q, d_k), (T_k, d_k), (T_k, d_v), (T_q, d_v))]


def inputs_of(case, dtype="float64"):
    return [floats(case[key], dtype) for key in ("q", "k", "v")]


@GOLDEN
def test_golden_forward(case):
    result = attention(*inputs_of(case), mask(case["allowed"]), scale=case["scale"])
    np.testing.assert_allclose(result.scores, floats(case["scores"]), rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(result.weights, floats(case["weights"]), rtol=1e-10, atol=0)
    np.testing.assert_allclose(result.output, floats(case["output"]), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("case", [c for c in CASES if "d_q" in c], ids=name)
def test_golden_backward(case):
    got = attention_backward(*inputs_of(case), case["d_output"], mask(case["allowed"]), scale=case["scale"])
    for key in ("d_q", "d_k", "d_v"):
        np.testing.assert_allclose(getattr(got, key), floats(case[key]), rtol=1e-10, atol=1e-12)


@GOLDEN
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_golden_in_low_precision(case, dtype):
    result = attention(*inputs_of(case, dtype), mask(case["allowed"]), scale=case["scale"])
    assert result.scores.dtype == result.weights.dtype == result.output.dtype == dtype
    # A score of size s is off by about s·eps, and the weight then by that factor.
    atol = 4 * float(np.finfo(dtype).eps) * max(1.0, np.abs(floats(case["scores"])).max())
    np.testing.assert_allclose(result.weights.astype(float), floats(case["weights"]), atol=atol)
    np.testing.assert_allclose(result.output.astype(float), floats(case["output"]), atol=8 * atol)


def test_the_worked_example_of_the_lesson():
    x = np.array([[1, 0], [0, 1], [1, 1]])
    result = attention(x, x, x)
    np.testing.assert_allclose(
        result.weights, [[0.401, 0.198, 0.401], [0.198, 0.401, 0.401], [0.248, 0.248, 0.503]], atol=6e-4
    )
    np.testing.assert_allclose(result.output, [[0.802, 0.599], [0.599, 0.802], [0.752, 0.752]], atol=6e-4)
    hidden = attention(x, x, x, causal(3))
    np.testing.assert_allclose(hidden.output[:2], [[1, 0], [0.330, 0.670]], atol=6e-4)
    np.testing.assert_array_equal(hidden.output[2], result.output[2])


@given(SEEDS)
def test_it_is_the_definition(seed):
    q, k, v, _ = random_inputs(seed)
    scores = np.array([[sum(q[i] * k[j]) / np.sqrt(5) for j in range(7)] for i in range(3)])
    result = attention(q, k, v)
    np.testing.assert_allclose(result.scores, scores, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(result.weights, softmax(scores), rtol=1e-12)
    np.testing.assert_allclose(result.output, sum(result.weights[:, j, None] * v[j] for j in range(7)), atol=1e-13)
    np.testing.assert_allclose(result.weights.sum(axis=-1), 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(attention(q, k, v, scale=5**-0.5).weights, result.weights, rtol=1e-12)


@given(SEEDS)
def test_permutation_equivariance(seed):
    x = random_inputs(seed, T_q=7)[0]
    order = np.random.default_rng(seed).permutation(7)
    plain, shuffled = attention(x, x, x), attention(x[order], x[order], x[order])
    np.testing.assert_allclose(shuffled.weights, plain.weights[order][:, order], atol=1e-13)  # PAP^T
    np.testing.assert_allclose(shuffled.output, plain.output[order], atol=1e-13)


def test_a_causal_mask_breaks_the_equivariance():
    x = random_inputs(T_q=7)[0]
    order = np.roll(np.arange(7), 1)
    plain, shuffled = (attention(y, y, y, causal(7)).output for y in (x, x[order]))
    assert np.abs(shuffled - plain[order]).max() > 0.1


@given(SEEDS)
def test_causal_equals_generating_step_by_step(seed):
    q, k, v, _ = random_inputs(seed, T_q=7)
    together = attention(q, k, v, causal(7)).output
    for t in range(7):
        alone = attention(q[t : t + 1], k[: t + 1], v[: t + 1]).output
        np.testing.assert_allclose(alone[0], together[t], atol=1e-13)
    late = attention(q[5:], k, v, causal(2, 7, align="bottom-right")).output
    np.testing.assert_allclose(late, together[5:], atol=1e-13)


@pytest.mark.parametrize("allowed", [None, causal(3, 7), combine(causal(3, 7), padding([2, 5], 7)[:, None])])
def test_batch_axes_equal_a_loop(allowed):
    q, k, v, d_output = random_inputs(batch=(2, 5))
    result, gradients = attention(q, k, v, allowed), attention_backward(q, k, v, d_output, allowed)
    for b in np.ndindex(2, 5):
        one = None if allowed is None else np.broadcast_to(allowed, (2, 5, 3, 7))[b]
        alone = attention(q[b], k[b], v[b], one)
        for field in ("scores", "weights", "output"):
            np.testing.assert_allclose(getattr(result, field)[b], getattr(alone, field), rtol=1e-12, atol=1e-14)
        for got, expected in zip(gradients, attention_backward(q[b], k[b], v[b], d_output[b], one), strict=True):
            np.testing.assert_allclose(got[b], expected, rtol=1e-12, atol=1e-14)


def test_batch_axes_broadcast_and_their_gradients_sum():
    q, k, v, _ = random_inputs(batch=(2, 1))
    k, v = k[0, 0], v[:, 0][:, None]
    allowed = np.random.default_rng(1).random((5, 3, 7)) < 0.8
    allowed[..., 0] = True
    d_output = np.random.default_rng(2).standard_normal((2, 5, 3, 2))
    assert attention(q, k, v, allowed).output.shape == (2, 5, 3, 2)
    got = attention_backward(q, k, v, d_output, allowed)
    full = [np.broadcast_to(a, (2, 5, *a.shape[-2:])) for a in (q, k, v)]
    expected = attention_backward(*full, d_output, allowed)
    np.testing.assert_allclose(got.d_q, expected.d_q.sum(axis=1, keepdims=True), atol=1e-12)
    np.testing.assert_allclose(got.d_k, expected.d_k.sum(axis=(0, 1)), atol=1e-12)
    np.testing.assert_allclose(got.d_v, expected.d_v.sum(axis=1, keepdims=True), atol=1e-12)


@pytest.mark.parametrize("allowed", [None, causal(3, 7, align="bottom-right"), padding(4, 7)])
@pytest.mark.parametrize("scale", [None, 0.9])
def test_backward_is_the_derivative(allowed, scale):
    inputs = random_inputs(3)[:3]
    d_output = random_inputs(4)[3]
    got = attention_backward(*inputs, d_output, allowed, scale=scale)
    for n, gradient in enumerate(got):
        numeric = np.zeros_like(inputs[n])
        for index in np.ndindex(numeric.shape):
            for sign in (1, -1):
                moved = [a.copy() for a in inputs]
                moved[n][index] += sign * 1e-6
                numeric[index] += sign * np.sum(attention(*moved, allowed, scale=scale).output * d_output) / 2e-6
        np.testing.assert_allclose(gradient, numeric, atol=1e-8)


def test_hidden_positions_get_no_gradient():
    q, k, v, d_output = random_inputs()
    d_q, d_k, d_v = attention_backward(q, k, v, d_output, padding(4, 7))
    assert (d_k[4:] == 0).all()
    assert (d_v[4:] == 0).all()
    assert (d_k[:4] != 0).all()
    assert (d_q != 0).all()


@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf, 1e308])
def test_rows_that_no_query_may_see_have_no_effect(poison):
    q, k, v, d_output = random_inputs()
    bad_k, bad_v = k.copy(), v.copy()
    bad_k[4:], bad_v[4:] = poison, poison
    allowed = padding(4, 7)
    clean, poisoned = attention(q, k, v, allowed), attention(q, bad_k, bad_v, allowed)
    np.testing.assert_array_equal(poisoned.weights, clean.weights)
    np.testing.assert_array_equal(poisoned.output, clean.output)
    expected = attention_backward(q, k, v, d_output, allowed)
    for got, wanted in zip(attention_backward(q, bad_k, bad_v, d_output, allowed), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_nan_spreads_where_somebody_may_look():
    q, k, v, _ = random_inputs(T_q=7)
    v[2, 0] = np.nan
    output = attention(q, k, v, causal(7)).output
    assert np.isnan(output[:, 0]).all()
    assert np.isfinite(output[:, 1]).all()
    k[6] = np.nan
    assert (np.isnan(attention(q, k, v, causal(7)).weights).all(axis=-1) == [0, 0, 0, 0, 0, 0, 1]).all()


def test_what_a_query_without_a_visible_key_gets():
    q, k, v, d_output = random_inputs(T_q=5, T_k=5)
    allowed = combine(causal(5), padding(3, 5, side="left"))
    nan, zeros = attention(q, k, v, allowed), attention(q, k, v, allowed, on_empty="zeros")
    assert np.isnan(nan.weights[:2]).all()
    assert np.isnan(nan.output[:2]).all()
    assert (zeros.weights[:2] == 0).all()
    assert (zeros.output[:2] == 0).all()
    np.testing.assert_array_equal(nan.output[2:], zeros.output[2:])
    assert np.isfinite(nan.output[2:]).all()
    assert np.isfinite(zeros.scores).all()
    gradients = attention_backward(q, k, v, d_output, allowed)
    assert np.isnan(gradients.d_q[:2]).all()
    assert np.isfinite(gradients.d_q[2:]).all()
    assert np.isnan(gradients.d_k).all()
    assert np.isnan(gradients.d_v).all()
    attention(q, k, v, causal(5), on_empty="raise")


def test_zeros_stay_zeros_beside_a_visible_nan():
    q, k, v, _ = random_inputs(T_q=5, T_k=5)
    v[4] = np.nan
    result = attention(q, k, v, combine(causal(5), padding(3, 5, side="left")), on_empty="zeros")
    assert (result.output[:2] == 0).all()
    assert np.isnan(result.output[2:]).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_extremes_give_no_warning(dtype):
    big = np.finfo(dtype).max
    q = np.array([[big, big], [1, 0]], dtype)
    result = attention(q, q, np.array([[big], [-big]], dtype))
    assert result.scores[0, 0] == np.inf
    assert np.isnan(result.output[0, 0])
    assert result.output[1, 0] == big
    assert attention_backward(q, q, q, q, scale=0).d_q.dtype == dtype


def test_scores_do_not_depend_on_the_mask_and_integers_count_as_float64():
    q, k, v, _ = random_inputs()
    np.testing.assert_array_equal(attention(q, k, v, causal(3, 7)).scores, attention(q, k, v).scores)
    ones = np.ones((3, 5), dtype=int)
    assert attention(ones, ones, ones).output.dtype == np.float64
    mixed = attention(q.astype(np.float16), k.astype(np.float32), v.astype(np.float16))
    assert mixed.output.dtype == np.float32


def test_results_are_frozen_and_inputs_are_not_changed():
    arrays = [*random_inputs(), causal(3, 7)]
    before = [a.copy() for a in arrays]
    for a in arrays:
        a.flags.writeable = False
    q, k, v, d_output, allowed = arrays
    for on_empty in ("nan", "zeros", "raise"):
        result = attention(q, k, v, allowed, on_empty=on_empty)
    attention(q, k, v), attention_backward(q, k, v, d_output), attention_backward(q, k, v, d_output, allowed)
    for a, b in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.output = None


def test_no_more_than_two_square_arrays_are_alive():
    import tracemalloc

    T = 512
    q, k, v, _ = random_inputs(T_q=T, T_k=T)
    attention(q, k, v)
    tracemalloc.start()
    attention(q, k, v)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.2 * T * T * 8


def call(q=(6, 5), k=(8, 5), v=(8, 2), **options):
    return attention(np.ones(q), np.ones(k), np.ones(v), **options)


@pytest.mark.parametrize(
    ("run", "error", "message"),
    [
        (lambda: call(k=(8, 4)), ValueError, r"k: expected \(\.\.\., T_k, d_k\) = \(8, 5\), got \(8, 4\)"),
        (lambda: call(v=(7, 2)), ValueError, r"v: expected \(\.\.\., T_k, d_v\) = \(8, 2\), got \(7, 2\)"),
        (lambda: call(q=(5,)), ValueError, r"q: expected at least 2 axes, got shape \(5,\)"),
        (lambda: call(q=(0, 5)), ValueError, r"q: expected .* sizes of at least 1, got \(0, 5\)"),
        (lambda: call(q=(2, 6, 5), k=(3, 8, 5)), ValueError, r"q, k, v: .*\(2,\) and \(3,\)"),
        (lambda: call(allowed=causal(6)), ValueError, r"^allowed: expected \(T_q, T_k\) = \(6, 8\), got \(6, 6\)$"),
        (lambda: call(allowed=causal(8, 6)), ValueError, r"allowed: expected \(T_q, T_k\) = \(6, 8\), got \(8, 6\)"),
        (lambda: call(allowed=[True] * 8), ValueError, r"allowed: expected \(T_q, T_k\) = \(6, 8\), got \(8,\)"),
        (lambda: call(allowed=np.ones((3, 6, 7), bool)), ValueError, r"allowed: .* = \(3, 6, 8\), got \(3, 6, 7\)"),
        (lambda: call(q=(2, 6, 5), allowed=np.ones((3, 6, 8), bool)), ValueError, r"q, k, v, allowed: .*\(3,\)"),
        (lambda: call(allowed=np.ones((6, 8))), TypeError, "allowed: expected a boolean mask .*float64"),
        (lambda: call(scale=np.nan), ValueError, "scale: expected a finite number, got nan"),
        (lambda: call(scale="1"), TypeError, "scale: expected a real number, got '1'"),
        (lambda: call(on_empty="zero"), ValueError, "on_empty: expected 'nan' or 'zeros' or 'raise', got 'zero'"),
        (lambda: attention([[1j]], [[1.0]], [[1.0]]), TypeError, "q: expected real numbers .*complex128"),
        (lambda: attention([[1.0]], [["a"]], [[1.0]]), TypeError, "k: expected real numbers"),
        (
            lambda: attention_backward(np.ones((6, 5)), np.ones((8, 5)), np.ones((8, 2)), np.ones((6, 5))),
            ValueError,
            r"d_output: expected \(\.\.\., T_q, d_v\) = \(6, 2\), got \(6, 5\)",
        ),
        (
            lambda: call(q=(5, 5), k=(5, 5), v=(5, 2), allowed=combine(causal(5), ~causal(5).T), on_empty="raise"),
            ValueError,
            r"allowed: expected a visible key for every query, got none for row 1 \(counted from 1\)",
        ),
        (
            lambda: call(q=(2, 3, 5), allowed=padding([0, 4], 8), on_empty="raise"),
            ValueError,
            r"none for \(batch, row\) \(1, 1\), \(1, 2\), \(1, 3\) \(counted",
        ),
        (lambda: call(q=(13, 5), allowed=padding(0, 8), on_empty="raise"), ValueError, "rows 1, 2, .*, 10 and 3 more"),
    ],
)
def test_errors_name_the_argument(run, error, message):
    with pytest.raises(error, match=message):
        run()

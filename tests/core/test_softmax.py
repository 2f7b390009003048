import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.softmax import (
    softmax,
    softmax_jacobian,
    softmax_jacobian_log_norm,
    softmax_jacobian_max,
    softmax_jacobian_norm,
    softmax_vjp,
)

from .golden import cases, floats, name

GOLDEN = pytest.mark.parametrize("case", cases("softmax.json"), ids=name)
DTYPES = pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
SHAPES = st.tuples(st.sampled_from([2, 3]), st.sampled_from([1, 5, 7]))
LOGITS = arrays(np.float64, SHAPES, elements=st.floats(-800, 800))


def textbook_norm(logits):
    p = softmax(logits)
    return np.linalg.norm(np.diag(p) - np.outer(p, p))


@GOLDEN
def test_golden_weights(case):
    np.testing.assert_allclose(softmax(case["logits"]), floats(case["p"]), rtol=1e-10, atol=0)


@GOLDEN
def test_golden_jacobian_and_vjp(case):
    p = softmax(case["logits"])
    np.testing.assert_allclose(softmax_jacobian(p), floats(case["jacobian"]), rtol=0, atol=1e-12)
    np.testing.assert_allclose(softmax_vjp(p, case["g"]), floats(case["vjp"]), rtol=0, atol=1e-12)


@GOLDEN
def test_golden_jacobian_norms(case):
    np.testing.assert_allclose(softmax_jacobian_norm(case["logits"]), case["jacobian_norm"], rtol=1e-10, atol=0)
    np.testing.assert_allclose(softmax_jacobian_max(case["logits"]), case["jacobian_max"], rtol=1e-10, atol=0)
    log_norm = math.log(case["jacobian_norm"])
    np.testing.assert_allclose(softmax_jacobian_log_norm(case["logits"]), log_norm, rtol=0, atol=1e-10)


@GOLDEN
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_golden_weights_in_low_precision(case, dtype):
    logits = floats(case["logits"])
    logits = (logits - logits.max()).astype(dtype)  # the large offset has no digits left in float16
    eps = float(np.finfo(dtype).eps)
    # exp turns the absolute rounding of a logit into a relative one of the weight
    atol = eps * (1 + min(float(np.abs(logits).max()), 4))
    np.testing.assert_allclose(softmax(logits), floats(case["p"]), rtol=8 * eps, atol=atol)


@given(LOGITS)
def test_rows_sum_to_one(logits):
    np.testing.assert_allclose(softmax(logits).sum(axis=-1), 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(softmax(logits, axis=0).sum(axis=0), 1, rtol=0, atol=1e-12)


@given(LOGITS, st.floats(-1000, 1000))
def test_a_shift_of_all_logits_changes_nothing(logits, shift):
    np.testing.assert_allclose(softmax(logits + shift), softmax(logits), rtol=1e-12, atol=1e-12)


@given(LOGITS)
def test_each_axis_is_the_transpose_of_the_other(logits):
    np.testing.assert_array_equal(softmax(logits, axis=0), softmax(logits.T).T)
    np.testing.assert_array_equal(softmax(logits, axis=-2), softmax(logits, axis=0))


@given(LOGITS)
def test_jacobian_is_symmetric_and_blind_to_a_shift(logits):
    J = softmax_jacobian(softmax(logits))
    np.testing.assert_array_equal(J.shape, (*logits.shape, logits.shape[-1]))
    np.testing.assert_allclose(J, J.swapaxes(-1, -2), rtol=0, atol=1e-15)
    np.testing.assert_allclose(J.sum(axis=-1), 0, rtol=0, atol=1e-12)
    assert np.linalg.eigvalsh(J).min() > -1e-12


@given(LOGITS, st.integers(0, 99))
def test_vjp_is_the_jacobian_transposed_times_g(logits, seed):
    p, g = softmax(logits), np.random.default_rng(seed).standard_normal(logits.shape)
    expected = np.einsum("bij,bi->bj", softmax_jacobian(p), g)
    np.testing.assert_allclose(softmax_vjp(p, g), expected, rtol=0, atol=1e-12)


@given(arrays(np.float64, st.sampled_from([2, 3, 5]), elements=st.floats(-3, 3)))
def test_norm_and_max_are_those_of_the_textbook_where_that_works(logits):
    J = softmax_jacobian(softmax(logits))
    np.testing.assert_allclose(softmax_jacobian_norm(logits), textbook_norm(logits), rtol=1e-10)
    np.testing.assert_allclose(softmax_jacobian_max(logits), np.abs(J).max(), rtol=1e-10)


def test_jacobian_is_the_derivative():
    logits, h = np.array([2.0, 1.0, 0.0, -0.5, 0.3]), 1e-6
    numeric = [(softmax(logits + h * e) - softmax(logits - h * e)) / (2 * h) for e in np.eye(5)]
    np.testing.assert_allclose(softmax_jacobian(softmax(logits)), np.array(numeric).T, atol=1e-9)


@pytest.mark.parametrize("gap", [30.0, 60.0, 200.0, 400.0, 700.0])
def test_norm_keeps_its_digits_when_saturated(gap):
    # Two logits: J = p(1 - p) [[1, -1], [-1, 1]], so the norm is 2 e^-gap / (1 + e^-gap)^2.
    exact = 2 * math.exp(-gap) / (1 + math.exp(-gap)) ** 2
    np.testing.assert_allclose(softmax_jacobian_norm([gap, 0.0]), exact, rtol=1e-12)
    np.testing.assert_allclose(softmax_jacobian_norm([0.0, gap]), exact, rtol=1e-12)
    np.testing.assert_allclose(softmax_jacobian_max([0.0, gap]), exact / 2, rtol=1e-12)
    assert gap < 50 or textbook_norm(np.array([gap, 0.0])) != pytest.approx(exact, rel=1e-3, abs=0)


@pytest.mark.parametrize("gap", [745.0, 1e4, 1e6])
def test_log_norm_goes_on_where_the_norm_underflows(gap):
    # Seven others of weight e each: the top gives (7e)², its row and its column 7e² each, the diagonal 7e².
    expected = -gap + 0.5 * math.log(49 + 7 + 7 + 7)
    np.testing.assert_allclose(softmax_jacobian_log_norm([gap, 0, 0, 0, 0, 0, 0, 0]), expected, rtol=1e-13)
    assert softmax_jacobian_norm([1e4, 0.0]) == 0


def test_masked_keys_count_as_absent():
    inf = np.inf
    np.testing.assert_array_equal(softmax([1.0, -inf, 1.0]), [0.5, 0, 0.5])
    norms = softmax_jacobian_norm([[3.0, 0.0, -inf], [-inf, 0.0, 3.0], [-inf, 7.0, -inf], [-inf, -inf, -inf]])
    np.testing.assert_allclose(norms, [0.09035331946182426, 0.09035331946182426, 0, np.nan], rtol=1e-10)
    assert softmax_jacobian_log_norm([-inf, 7.0, -inf]) == -inf
    assert softmax_jacobian_max([5.0]) == 0


@DTYPES
def test_precision_is_kept_and_integers_become_float64(dtype):
    logits = np.array([[2, 1, 0], [0, 1, 5]], dtype=dtype)
    p = softmax(logits)
    for result in (p, softmax_jacobian(p), softmax_vjp(p, logits), softmax_jacobian_norm(logits)):
        assert result.dtype == dtype
    assert softmax_jacobian_log_norm(logits).dtype == softmax_jacobian_max(logits).dtype == dtype
    np.testing.assert_array_equal(softmax([[2, 1, 0]]), softmax([[2.0, 1.0, 0.0]]))


@DTYPES
def test_extremes_give_weights_and_no_warning(dtype):
    big = np.finfo(dtype).max
    np.testing.assert_array_equal(softmax(np.array([big, -big, big], dtype)), [0.5, 0, 0.5])
    np.testing.assert_array_equal(softmax(np.array([-big, -big], dtype)), [0.5, 0.5])
    assert softmax_jacobian_norm(np.array([big, -big], dtype)) == 0
    for bad in ([-np.inf, -np.inf], [np.inf, 0.0], [np.nan, 0.0]):
        assert np.isnan(softmax(np.array(bad, dtype))).all()
        assert np.isnan(softmax_jacobian_norm(np.array(bad, dtype)))


def test_nan_stays_in_its_own_row():
    p = softmax([[1.0, np.nan], [1.0, 1.0]])
    np.testing.assert_array_equal(p, [[np.nan, np.nan], [0.5, 0.5]])
    norm = softmax_jacobian_norm([[0.0, np.nan, 1.0], [0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(np.isnan(norm), [True, False])


def test_float16_sums_do_not_stall_on_a_long_axis():
    for axis, shape in ((0, (5000, 3)), (1, (3, 5000))):
        p = softmax(np.zeros(shape, dtype=np.float16), axis=axis)
        np.testing.assert_allclose(p.astype(float), 1 / 5000, rtol=1e-3)


def test_batch_axes_equal_a_loop():
    logits = np.random.default_rng(0).standard_normal((2, 3, 5))
    for function in (softmax, softmax_jacobian_norm, softmax_jacobian_log_norm, softmax_jacobian_max, softmax_jacobian):
        looped = np.array([[function(row) for row in block] for block in logits])
        np.testing.assert_allclose(function(logits), looped, rtol=1e-14)


def test_inputs_are_not_changed():
    logits = np.random.default_rng(1).standard_normal((3, 5))
    before = logits.copy()
    logits.flags.writeable = False
    p = softmax(logits)
    p.flags.writeable = False
    softmax(logits, axis=0), softmax_jacobian(p), softmax_vjp(p, logits), softmax_jacobian_log_norm(logits)
    softmax_jacobian_norm(logits), softmax_jacobian_max(logits)
    np.testing.assert_array_equal(logits, before)
    assert softmax(logits).flags.writeable


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: softmax(1.0), ValueError, r"logits: expected at least 1 axes, got shape \(\)"),
        (lambda: softmax([]), ValueError, r"logits: expected at least 1 entry along axis -1, got shape \(0,\)"),
        (lambda: softmax([[1.0], [1.0, 2.0]]), ValueError, "logits: .*unequal length"),
        (lambda: softmax([1j]), TypeError, "logits: expected real numbers .* got dtype complex128"),
        (lambda: softmax(["a"]), TypeError, "logits: .*<U1"),
        (lambda: softmax([None]), TypeError, "logits: .*object"),
        (lambda: softmax([True]), TypeError, "logits: .*bool"),
        (lambda: softmax([1.0], axis=1), ValueError, "axis: expected an integer from -1 to 0, got 1"),
        (lambda: softmax([1.0], axis=0.0), TypeError, "axis: expected an integer, got 0.0"),
        (lambda: softmax_jacobian(0.5), ValueError, "p: expected at least 1 axes"),
        (lambda: softmax_vjp([0.5, 0.5], [1.0]), ValueError, r"g: .*\(\.\.\., n\) = \(2,\), got \(1,\)"),
        (lambda: softmax_vjp(np.ones((2, 3)), np.ones((5, 3))), ValueError, r"g: .*\(2, 3\), got \(5, 3\)"),
        (lambda: softmax_jacobian_norm(np.ones((2, 0))), ValueError, r"logits: .*got \(2, 0\)"),
        (lambda: softmax_jacobian_log_norm("abc"), TypeError, "logits: "),
    ],
)
def test_errors_name_the_argument(call, error, message):
    with pytest.raises(error, match=message):
        call()


@given(st.integers(1, 7), st.integers(1, 11), st.integers(0, 999), st.sampled_from([0.1, 3.0, 300.0]))
def test_the_norm_does_not_depend_on_where_the_keys_stand(keys, rows, seed, size):
    logits = np.round(np.random.default_rng(seed).normal(size=(rows, keys)) * size, 1)  # rounded: ties happen
    across = softmax_jacobian_norm(logits)
    np.testing.assert_allclose(softmax_jacobian_norm(logits.T, axis=0), across, rtol=1e-12)
    textbook = np.linalg.norm(softmax_jacobian(softmax(logits)), axis=(-2, -1))
    np.testing.assert_allclose(across, textbook, atol=1e-12)


def test_an_axis_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="axis: expected an integer from -2 to 1, got 2"):
        softmax_jacobian_norm(np.ones((3, 5)), axis=2)

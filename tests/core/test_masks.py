import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.masks import additive, causal, combine, empty_rows, masked_logits, masked_softmax, padding
from core.softmax import softmax

from .golden import cases, floats, mask, name

CASES = {case["name"]: case for case in cases("mask_bugs.json")}
DTYPES = pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
SIZES = st.sampled_from([1, 2, 3, 5, 7])

# What each case asks of masked_softmax beyond the defaults; the cases that are no mask at all are tested one by one.
OPTIONS = {
    "masked after the softmax": {"where": "after"},
    "masked after the softmax, then renormalised": {"where": "after-renormalised"},
    "renormalised in float32 when the visible weight underflows": {"where": "after-renormalised"},
    "softmax over columns, causal, zero logits": {"axis": -2},
}
PLAIN = {
    "score times mask instead of a mask": lambda c: floats(c["logits"]) * mask(c["allowed"]),
    "mask times -inf: 0 * -inf": lambda c: floats(c["logits"]) + np.array([np.nan, np.nan]),
    "0/1 float mask added instead of boolean": lambda c: floats(c["logits"]) + floats(c["mask"]),
}
WRONG_SIZE = "scaling by the wrong size: D = 8, H = 2"


def options(case):
    given = OPTIONS.get(case["name"], {}) | ({"how": case["how"]} if "how" in case else {})
    if "blocked_value" in case:
        given["blocked"] = case["blocked_value"] if case["blocked_value"] == "min" else float(case["blocked_value"])
    return given


def close(got, case):
    precision = case.get("precision", "float64")
    assert got.dtype == precision
    tolerance = {"float64": 1e-10, "float32": 1e-6, "float16": 2e-3}[precision]
    np.testing.assert_allclose(got.astype(float), floats(case["weights"]), rtol=tolerance, atol=0)


@pytest.mark.parametrize("case", [c for n, c in CASES.items() if n not in (*PLAIN, WRONG_SIZE)], ids=name)
def test_golden_masked_softmax(case):
    allowed = tuple(mask(m) for m in case["allowed_each"]) if "allowed_each" in case else mask(case["allowed"])
    weights = masked_softmax(floats(case["logits"], case.get("precision", "float64")), allowed, **options(case))
    close(weights, case)
    if "row_sums" in case:
        np.testing.assert_allclose(weights.sum(axis=-1), case["row_sums"], rtol=1e-10)
    if "empty_rows" in case:
        np.testing.assert_array_equal(empty_rows(allowed), case["empty_rows"])


@pytest.mark.parametrize("case", [CASES[n] for n in PLAIN], ids=name)
def test_golden_things_that_are_no_mask(case):
    close(softmax(PLAIN[case["name"]](case)), case)


def test_golden_scaling_by_the_wrong_size():
    largest, logits = CASES[WRONG_SIZE]["largest_weight"], floats(CASES[WRONG_SIZE]["logits"])
    for key, size in (("none", 1), ("by_sqrt_head_size", 2), ("by_sqrt_width", 8**0.5), ("twice", 4)):
        np.testing.assert_allclose(softmax(logits / size).max(), largest[key], rtol=1e-10)


def test_golden_masks_come_from_the_mask_functions():
    def allowed(name):
        return mask(CASES[name]["allowed"])

    left, right = "causal and left padding, 5 tokens, zero logits", "causal and right padding, 5 tokens, zero logits"
    np.testing.assert_array_equal(combine(causal(5), padding(3, 5, side="left")), allowed(left))
    np.testing.assert_array_equal(combine(causal(5), padding(3, 5)), allowed(right))
    np.testing.assert_array_equal(combine(causal(4), padding(2, 4)), allowed("padding on keys and causal"))
    queries = combine(causal(4), padding(2, 4).T)
    np.testing.assert_array_equal(queries, allowed("padding on queries instead of keys and causal"))
    flipped = "flipped convention: causal 'blocked' array read as 'may attend'"
    np.testing.assert_array_equal(~causal(3), allowed(flipped))


@given(SIZES, SIZES)
def test_causal_hides_exactly_the_later_keys(T_q, T_k):
    i, j = np.indices((T_q, T_k))
    np.testing.assert_array_equal(causal(T_q, T_k), j <= i)
    np.testing.assert_array_equal(causal(T_q, T_k, align="bottom-right"), j <= i + T_k - T_q)
    np.testing.assert_array_equal(causal(T_q), causal(T_q, T_q, "bottom-right"))


def test_padding_gives_the_axis_of_the_queries():
    assert padding(3, 7).shape == padding(np.int64(3), 7).shape == padding(np.array(3), 7).shape == (1, 7)
    assert padding([3, 0, 7, 1, 2], 7).shape == (5, 1, 7)
    np.testing.assert_array_equal(padding([2, 0], 3)[:, 0], [[1, 1, 0], [0, 0, 0]])
    np.testing.assert_array_equal(padding([2, 3], 3, side="left")[:, 0], [[0, 1, 1], [1, 1, 1]])
    assert combine(causal(7), padding([3, 0, 7, 1, 2], 7)).shape == (5, 7, 7)


def test_combine_is_and_with_broadcasting_and_never_the_input_itself():
    a, b, c = (np.random.default_rng(i).random(s) < 0.7 for i, s in enumerate([(3, 5), (2, 1, 5), (3, 1)]))
    np.testing.assert_array_equal(combine(a, b, c), a & b & c)
    alone = combine(a)
    assert not np.shares_memory(alone, a)
    np.testing.assert_array_equal(alone, a)


@DTYPES
def test_additive_mask_does_what_filling_does(dtype):
    allowed, logits = causal(3, 5), np.random.default_rng(0).standard_normal((3, 5)).astype(dtype)
    M = additive(allowed, dtype)
    assert M.dtype == dtype
    np.testing.assert_array_equal(M, np.where(allowed, 0, -np.inf))
    np.testing.assert_array_equal(softmax(logits + M), masked_softmax(logits, allowed))
    np.testing.assert_array_equal(masked_softmax(logits, allowed, how="add"), masked_softmax(logits, allowed))
    assert additive(allowed).dtype == np.float64


@DTYPES
def test_a_number_beyond_the_precision_becomes_minus_infinity(dtype):
    logits = masked_logits(np.array([3, 1], dtype), [True, False], blocked=-1e9)
    assert logits.dtype == dtype
    assert logits[1] == (-np.inf if dtype == "float16" else np.array(-1e9, dtype))
    assert masked_logits(np.array([3, 1], dtype), [True, False], blocked="min")[1] == np.finfo(dtype).min
    assert masked_logits(np.array([3, 1], dtype), [True, False], blocked=-1e400)[1] == -np.inf


def test_masked_logits_of_several_masks():
    logits = np.array([5.0, 6.0, 7.0])
    masks = (np.array([True, True, False]), np.array([True, False, False]))
    np.testing.assert_array_equal(masked_logits(logits, masks, blocked=-10, how="add"), [5, -4, -13])
    for order in (masks, masks[::-1]):
        np.testing.assert_array_equal(masked_logits(logits, order, blocked=-10), [5, -10, -10])
    np.testing.assert_array_equal(
        masked_softmax(logits, masks, where="after"), softmax(logits) * np.array([True, False, False])
    )


@given(st.integers(0, 99))
def test_visible_weights_share_the_whole_one(seed):
    rng = np.random.default_rng(seed)
    logits, allowed = 5 * rng.standard_normal((2, 5, 7)), rng.random((5, 7)) < 0.5
    weights = masked_softmax(logits, allowed)
    seen = ~empty_rows(allowed)
    np.testing.assert_allclose(weights[:, seen].sum(axis=-1), 1, rtol=0, atol=1e-12)
    assert (weights[:, seen][:, ~allowed[seen]] == 0).all()
    assert np.isnan(weights[:, ~seen]).all()
    late = masked_softmax(logits, allowed, where="after-renormalised")
    np.testing.assert_allclose(late, weights, rtol=1e-10)
    columns = [masked_softmax(logits, allowed, where=where, axis=-2) for where in ("before", "after-renormalised")]
    np.testing.assert_allclose(columns[1], columns[0], rtol=1e-10)
    np.testing.assert_array_equal(
        masked_softmax(logits, allowed, where="after") == 0, np.broadcast_to(~allowed, (2, 5, 7))
    )


def test_hidden_logits_have_no_effect_before_and_some_after():
    logits, other = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 9.0])
    allowed = [True, True, False]
    np.testing.assert_array_equal(masked_softmax(logits, allowed), masked_softmax(other, allowed))
    assert masked_softmax(logits, allowed, where="after")[0] > 10 * masked_softmax(other, allowed, where="after")[0]
    np.testing.assert_array_equal(masked_softmax([1.0, 1.0, np.nan], allowed), [0.5, 0.5, 0])


def test_inputs_are_not_changed():
    logits, allowed = np.random.default_rng(0).standard_normal((3, 5)), causal(3, 5)
    before = logits.copy()
    logits.flags.writeable = allowed.flags.writeable = False
    for where in ("before", "after", "after-renormalised"):
        for how in ("fill", "add"):
            for axis in (-1, -2):
                masked_softmax(logits, allowed, where=where, how=how, axis=axis)
    assert masked_logits(logits, np.ones(5, dtype=bool), how="add").flags.writeable
    combine(allowed), additive(allowed), empty_rows(allowed)
    np.testing.assert_array_equal(logits, before)
    np.testing.assert_array_equal(allowed, causal(3, 5))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: causal(0), ValueError, "T_q: expected an integer of at least 1, got 0"),
        (lambda: causal(3, -2), ValueError, "T_k: expected an integer of at least 1, got -2"),
        (lambda: causal(3.0), TypeError, "T_q: expected an integer, got 3.0"),
        (lambda: causal(True), TypeError, "T_q: expected an integer, got True"),
        (lambda: causal(3, 5, "left"), ValueError, "align: expected 'top-left' or 'bottom-right', got 'left'"),
        (lambda: padding(8, 7), ValueError, r"lengths: expected integers from 0 to T = 7, got 8"),
        (lambda: padding([3, -1], 7), ValueError, r"lengths: .*got \[3, -1\]"),
        (lambda: padding([3.0], 7), TypeError, "lengths: expected integers, got dtype float64"),
        (lambda: padding([[3]], 7), ValueError, r"lengths: expected an int or \(B,\), got shape \(1, 1\)"),
        (lambda: padding(3, 7, "both"), ValueError, "side: expected 'right' or 'left', got 'both'"),
        (lambda: combine(), TypeError, "allowed: expected at least one mask"),
        (lambda: combine([True], [1.0]), TypeError, r"allowed\[1\]: expected a boolean mask .*float64"),
        (lambda: combine([True] * 2, [True] * 3), ValueError, r"allowed: .*\(2,\) and \(3,\)"),
        (lambda: additive([0, 1], np.float64), TypeError, "allowed: expected a boolean mask .*int64"),
        (lambda: additive([True], np.int32), TypeError, "dtype: .*int32"),
        (lambda: additive([True], "wide"), TypeError, "dtype: .*'wide'"),
        (lambda: empty_rows(True), ValueError, "allowed: expected at least 1 axes"),
        (lambda: masked_logits([1.0, 2.0], [0, 1]), TypeError, "allowed: expected a boolean mask"),
        (
            lambda: masked_logits(np.ones((6, 8)), causal(6)),
            ValueError,
            r"allowed: .*logits \(\.\.\., T_q, T_k\) = \(6, 8\), got \(6, 6\)",
        ),
        (lambda: masked_logits([1.0], [True], blocked="max"), ValueError, "blocked: expected 'min', got 'max'"),
        (lambda: masked_logits([1.0], [True], blocked=np.nan), ValueError, "blocked: expected a number, got nan"),
        (lambda: masked_logits([1.0], [True], blocked=None), TypeError, "blocked: expected a real number, got None"),
        (lambda: masked_logits([1.0], [True], how="times"), ValueError, "how: expected 'fill' or 'add', got 'times'"),
        (lambda: masked_logits([1.0], ()), ValueError, "allowed: .*empty tuple"),
        (lambda: masked_logits([1.0, 2.0], (True, False)), ValueError, "allowed: expected at least 1 axes"),
        (
            lambda: masked_softmax([1.0], [True], where="never"),
            ValueError,
            "where: .*'after-renormalised', got 'never'",
        ),
        (lambda: masked_softmax([1.0], [True], where="after", how="x"), ValueError, "how: "),
        (lambda: masked_softmax([1.0], [True], where="after", blocked="x"), ValueError, "blocked: "),
        (lambda: masked_softmax([1.0], [True], axis=-2), ValueError, "axis: expected an integer from -1 to 0, got -2"),
        (lambda: masked_softmax([1j], [True]), TypeError, "logits: "),
    ],
)
def test_errors_name_the_argument(call, error, message):
    with pytest.raises(error, match=message):
        call()

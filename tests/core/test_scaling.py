import dataclasses

import numpy as np
import pytest

from core.check import quiet
from core.scaling import (
    Rows,
    _quantiles,
    _query_gradient_norms,
    draw,
    jacobian_norm_curve,
    query_gradient_norm_curve,
    weight_statistics,
)
from core.softmax import softmax, softmax_jacobian, softmax_jacobian_max, softmax_jacobian_norm

from .golden import cases, name

GOLDEN = pytest.mark.parametrize("case", cases("scaling.json"), ids=name)
SIZES = [2**n for n in range(11)]
DRAWS = 20_000


def scaling(case):
    return "1/sqrt(d_k)" if case["scaled"] else "none"


def standard_error(estimate, groups=20):
    """That of a mean of ``groups`` independent estimates."""
    values = np.array([estimate(seed) for seed in range(groups)])
    return values.mean(axis=0), values.std(axis=0, ddof=1) / groups**0.5


@GOLDEN
def test_golden_jacobian_norm(case):
    def median(seed):
        d_k, keys = case["d_k"], case["keys"]
        return jacobian_norm_curve([d_k], DRAWS // 20, seed, keys=keys, scaling=scaling(case)).median[0]

    mean, error = standard_error(median)
    assert abs(mean - case["median_jacobian_norm"]) < 4 * np.hypot(error, case["median_jacobian_norm_se"])


@GOLDEN
def test_golden_weights(case):
    def statistics(seed):
        return weight_statistics(case["d_k"], case["keys"], DRAWS // 20, seed, scaling=scaling(case))

    mean, error = standard_error(statistics)
    for n, key in enumerate(("median_largest_weight", "share_below_1e_3")):
        assert abs(mean[n] - case[key]) < 4 * np.hypot(error[n], case[f"{key}_se"]), key


def test_the_defaults_are_those_of_the_lesson():
    # "d_k = 64, median largest weight about 0.82 and about 95 % of the weights below 0.001; 256: about 0.98", unscaled.
    largest, share = weight_statistics(64, 128, 20_000, 0)
    assert largest == pytest.approx(0.82, abs=0.01)
    assert share == pytest.approx(0.95, abs=0.005)
    assert weight_statistics(256, 128, 20_000, 0).median_largest_weight == pytest.approx(0.98, abs=0.005)
    median = jacobian_norm_curve([4, 16, 64], 20_000, 0).median
    np.testing.assert_allclose(median, [0.334, 0.329, 0.111], atol=0.005)


def brute_force(d_k, draws, sigma, rho, factor, keys):
    """Every step written out with whole vectors: Jacobian norm and query gradient norm of each draw."""
    values = np.random.default_rng(99)
    norms = np.empty((draws, 2))
    for n in range(draws):
        one = draw(d_k, keys, seed=n, sigma=sigma, rho=rho)
        J = softmax_jacobian(softmax(factor * one.scores))
        V, g = values.standard_normal((keys, d_k)), values.standard_normal(d_k)
        norms[n] = softmax_jacobian_norm(factor * one.scores), np.linalg.norm(factor * one.keys.T @ J @ V @ g)
    return norms


@pytest.mark.parametrize(
    ("d_k", "sigma", "rho", "name", "factor"),
    [
        (1, 1, 0, "none", 1),
        (7, 1.3, 0.5, "1/sqrt(d_k)", 7**-0.5),
        (11, 0.8, 1, "1/d_k", 1 / 11),
        (13, 0.7, 0.3, "none", 1),
    ],
)
def test_the_short_cut_has_the_distribution_of_whole_vectors(d_k, sigma, rho, name, factor):
    whole = brute_force(d_k, 3000, sigma, rho, factor, keys=5)
    for n, curve in enumerate((jacobian_norm_curve, query_gradient_norm_curve)):
        short = curve([d_k], 40_000, 0, keys=5, sigma=sigma, rho=rho, scaling=name)
        # The share of whole draws below a quantile has standard error sqrt(p(1 - p)/3000).
        for p, quantile in ((0.1, short.low[0]), (0.5, short.median[0]), (0.9, short.high[0])):
            assert abs(np.mean(whole[:, n] < quantile) - p) < 4 * (p * (1 - p) / 3000) ** 0.5


def test_the_query_gradient_of_the_margin_note():
    plain = query_gradient_norm_curve([64, 256, 1024], 100_000, 0)
    scaled = query_gradient_norm_curve([64, 256, 1024], 100_000, 0, scaling="1/sqrt(d_k)")
    np.testing.assert_allclose(plain.median[:1], [3.6], rtol=0.05)
    np.testing.assert_allclose(scaled.median, [2.1, 4.4, 8.6], rtol=0.04)
    # Here a draw spreads over many powers of ten, so that a median of a few thousand draws is right to a factor of 2.
    assert 0.7 / 2 < plain.median[1] < 0.7 * 2
    assert 0.005 / 2.5 < plain.median[2] < 0.005 * 2.5


def test_the_query_gradient_keeps_its_digits_when_saturated():
    # Two keys: |dq| = p_1 p_2 |u_1 - u_2| |k_1 - k_2| and ||J|| = 2 p_1 p_2. Given a large gap, |k_1 - k_2| lies near
    # sqrt(2 · 64) sigma or a little above, and |u_1 - u_2|/2 is of the order of 8.
    for sigma, saturated in ((4, 1e-30), (7, 1e-160)):
        gradient, norm = (
            c([64], 4000, 0, keys=2, sigma=sigma) for c in (query_gradient_norm_curve, jacobian_norm_curve)
        )
        assert 0 < norm.median[0] < saturated
        assert 0.2 < gradient.median[0] / norm.median[0] / (8 * 11.3 * sigma) < 5


@pytest.mark.parametrize("gap", [1.0, 30.0, 300.0, 700.0])
def test_the_shift_saves_the_entry_of_the_largest_weight(gap):
    # In one dimension dq = p_1 p_2 (u_1 - u_2) (k_1 - k_2) to the last digit; unshifted, the part of k_1 rounds to 0.
    scores, upstream = np.array([[gap, 0.0], [1.5, 1.5 + gap]]), np.array([[0.3, -0.4], [2.0, 1.1]])
    rows = Rows(1, 1.0, 0.0, scores, np.array([[0.5], [2.0]]), upstream, np.random.default_rng(5))
    g = np.sqrt(np.random.default_rng(5).chisquare(1, 2))
    exact = g * softmax_jacobian_max(scores) * np.array([0.7 * gap / 0.5, 0.9 * gap / 2.0])
    np.testing.assert_allclose(_query_gradient_norms(rows, 1.0), exact, rtol=1e-12)


def test_correlated_first_key_saturates_one_scaling_and_not_the_other():
    def first_weight(factor):
        return np.median([softmax(draw(64, seed=n, rho=1).scores * factor)[0] for n in range(1000)])

    assert first_weight(1 / 8) == pytest.approx(0.992, abs=0.003)
    assert first_weight(1 / 64) == pytest.approx(0.152, abs=0.003)
    largest = weight_statistics(64, 16, 20_000, 0, rho=1, scaling="1/sqrt(d_k)").median_largest_weight
    assert largest == pytest.approx(0.992, abs=0.002)


def test_numbers_beyond_float64_show_as_infinite_without_a_warning():
    assert not np.isfinite(draw(5, sigma=1e200).scores).any()
    assert np.isnan(jacobian_norm_curve([5], 7, 0, sigma=1e200).median).all()
    assert np.isnan(query_gradient_norm_curve([5], 7, 0, sigma=1e200).median).all()
    assert np.isnan(weight_statistics(5, 7, 11, 0, sigma=1e200).median_largest_weight)


def test_variance_of_the_dot_product_is_the_head_size():
    for d_k in (16, 64, 256):
        scores = np.concatenate([draw(d_k, keys=500, seed=n).scores for n in range(200)])
        assert scores.var() == pytest.approx(d_k, rel=0.03 + 4 * (2 / d_k / 200) ** 0.5)
        assert (scores / d_k**0.5).mean() == pytest.approx(0, abs=0.02)


def test_draw_gives_raw_scores_and_moves_smoothly():
    one = draw(5, keys=7, seed=3)
    assert one.q.shape == (5,)
    assert one.keys.shape == (7, 5)
    assert one.scores.shape == (7,)
    np.testing.assert_allclose(one.scores, [k @ one.q for k in one.keys], rtol=1e-12)
    np.testing.assert_allclose(draw(5, 7, 3, sigma=2).scores, 4 * one.scores, rtol=1e-12)
    np.testing.assert_array_equal(draw(5, 7, 3, rho=1).keys[0], one.q)
    np.testing.assert_array_equal(draw(5, 7, 3, rho=0.6).keys[1:], one.keys[1:])
    np.testing.assert_allclose(draw(5, 7, 3, rho=0.6).keys[0], 0.6 * one.q + 0.8 * one.keys[0], rtol=1e-12)


@pytest.mark.parametrize("curve", [jacobian_norm_curve, query_gradient_norm_curve])
def test_curves_repeat_and_do_not_depend_on_the_other_points(curve):
    whole, again, part = curve(SIZES, 500, 7), curve(iter(SIZES), 500, 7), curve([64], 500, 7)
    for field in ("d_k", "median", "low", "high"):
        values = getattr(whole, field)
        assert values.shape == (11,)
        np.testing.assert_array_equal(values, getattr(again, field))
        assert values[6] == getattr(part, field)[0]
    assert (whole.low <= whole.median).all()
    assert (whole.median <= whole.high).all()
    assert not np.array_equal(whole.median, curve(SIZES, 500, 8).median)
    assert curve([], 500, 7).median.shape == (0,)
    with pytest.raises(dataclasses.FrozenInstanceError):
        whole.low = None


@pytest.mark.parametrize("curve", [jacobian_norm_curve, query_gradient_norm_curve])
def test_the_band_is_that_of_10_and_90_percent(curve):
    bands = curve([16], 40_000, 0)
    wide = np.array([[curve([16], 1, n).median[0]] for n in range(2000)])
    assert np.mean(wide < bands.low) == pytest.approx(0.1, abs=0.03)
    assert np.mean(wide < bands.high) == pytest.approx(0.9, abs=0.03)


def test_a_saved_curve_cannot_be_spoiled():
    first = jacobian_norm_curve([16], 100, 1)
    first.median[:] = 0
    assert jacobian_norm_curve([16], 100, 1).median[0] > 0


@pytest.mark.parametrize("curve", [jacobian_norm_curve, query_gradient_norm_curve])
@pytest.mark.parametrize("name", ["none", "1/sqrt(d_k)", "1/d_k"])
@pytest.mark.parametrize(("sigma", "rho", "keys"), [(0, 0, 5), (4, 1, 128), (0.25, 0.5, 1), (4, 0, 16), (1e100, 0, 5)])
def test_extremes_give_numbers_and_no_warning(curve, name, sigma, rho, keys):
    result = curve([1, 64, 1024], 50, 0, keys=keys, sigma=sigma, rho=rho, scaling=name)
    assert np.isfinite([result.median, result.low, result.high]).all()
    if sigma == 0 and curve is jacobian_norm_curve:
        np.testing.assert_allclose(result.median, 0.4, rtol=1e-12)  # uniform over 5 keys: sqrt(4)/5
    if keys == 1 or (sigma == 0 and curve is query_gradient_norm_curve):
        assert (result.high == 0).all()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: draw(0), ValueError, "d_k: expected an integer of at least 1, got 0"),
        (lambda: draw(4, keys=-1), ValueError, "keys: expected an integer of at least 1, got -1"),
        (lambda: draw(4, seed=-1), ValueError, "seed: expected an integer of at least 0, got -1"),
        (lambda: draw(4, seed=0.5), TypeError, "seed: expected an integer, got 0.5"),
        (lambda: draw(4, sigma=-1), ValueError, "sigma: expected a number of at least 0, got -1"),
        (lambda: draw(4, sigma=np.nan), ValueError, "sigma: expected a finite number, got nan"),
        (lambda: draw(4, rho=1.5), ValueError, "rho: expected a number from 0 to 1, got 1.5"),
        (lambda: jacobian_norm_curve(4, 5, 0), TypeError, "d_ks: expected several head sizes, got 4"),
        (lambda: jacobian_norm_curve([4, 0], 5, 0), ValueError, r"d_ks\[1\]: expected an integer of at least 1, got 0"),
        (lambda: jacobian_norm_curve([4], 0, 0), ValueError, "draws: expected an integer of at least 1, got 0"),
        (
            lambda: jacobian_norm_curve([4], 5, 0, scaling="sqrt"),
            ValueError,
            "scaling: expected 'none' or .*got 'sqrt'",
        ),
        (lambda: query_gradient_norm_curve([4], 5, 0, scaling=None), ValueError, "scaling: .*got None"),
        (lambda: query_gradient_norm_curve([4], 5, 0, rho="1"), TypeError, "rho: expected a real number, got '1'"),
        (lambda: draw(4, sigma=np.array([1.0])), TypeError, "sigma: expected a real number"),
        (lambda: draw(4, sigma=10**400), TypeError, "sigma: expected a real number"),
        (lambda: weight_statistics(4, 5, 1.5, 0), TypeError, "draws: expected an integer, got 1.5"),
        (lambda: weight_statistics(4, 0, 5, 0), ValueError, "keys: expected an integer of at least 1, got 0"),
        (lambda: weight_statistics(4, 5, 5, 0, scaling="x"), ValueError, "scaling: "),
    ],
)
def test_errors_name_the_argument(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("draws", [1, 2, 11, 300, 1000])
def test_quantiles_are_those_of_numpy(draws):
    values = np.random.default_rng(draws).normal(size=(7, draws)) ** 3
    values[1, -1], values[2] = np.nan, 0.25
    with quiet():  # as where it is used
        for share, found in zip((0.5, 0.1, 0.9), _quantiles(values, (0.5, 0.1, 0.9)), strict=True):
            np.testing.assert_allclose(found, np.quantile(values, share, axis=-1), rtol=1e-14)

"""Figure 3: its numbers against 50-digit arithmetic and PyTorch's goldens, its axis, its words."""

from __future__ import annotations

import json
import math
import re
import time
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.scaling import draw
from figures import axes, state
from figures.parts import num
from figures.scaling import Scaling
from figures.scaling_draws import DRAWS, NAMES, SIZES, curve

from .strategies import states

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "scaling.json").read_text())
FACTORS = {"none": lambda d: 1.0, "sqrt": lambda d: 1 / math.sqrt(d), "d_k": lambda d: 1 / d}


def exactly(logits: list[float]) -> tuple[list[Decimal], Decimal, Decimal]:
    """Weights, Frobenius norm and largest entry of the Jacobian, from the definition with digits to spare.

    The textbook form loses 1 - p where p is almost 1, so the digits must outnumber those of the smallest weight.
    """
    with localcontext() as context:
        context.prec = 60 + int((max(logits) - min(logits)) / 2.3) * 2
        context.Emin = -(10**8)
        powers = [(Decimal(s) - Decimal(max(logits))).exp() for s in logits]
        p = [power / sum(powers) for power in powers]
        jacobian = [p[i] * ((i == j) - p[j]) for i in range(len(p)) for j in range(len(p))]
        return p, sum(x * x for x in jacobian).sqrt(), max(map(abs, jacobian))


def close(value: float, exact: Decimal, within: float = 1e-9) -> bool:
    if exact < Decimal("1e-300"):
        return value <= 1.1e-300
    return abs(Decimal(value) / exact - 1) < Decimal(within)


@pytest.mark.parametrize("name", ["", *Scaling.presets])
def test_presets_against_decimal_arithmetic(name):
    figure = Scaling()
    if name:
        figure.apply(name)
    result, one = figure.result, draw(figure.d_k, int(figure.keys), figure.seed, figure.sigma, figure.rho)
    raw = sorted((math.fsum(q * k for q, k in zip(one.q, row, strict=True)) for row in one.keys), reverse=True)
    np.testing.assert_allclose(result.scores, raw, rtol=1e-10, atol=1e-10)
    for i, scaling in enumerate(result.shown):
        # from the scores of the figure: an error of 1e-13 in a score of 200 would show in the tenth digit of the norm
        logits = [FACTORS[scaling](figure.d_k) * s for s in result.scores.tolist()]
        p, norm, largest = exactly(logits)
        assert all(close(w, x) for w, x in zip(result.weights[i].tolist(), p, strict=True))
        assert close(result.norm[i], norm)
        assert close(result.largest[i], largest)
        assert float(norm.ln()) == pytest.approx(result.log_norm[i], rel=1e-12, abs=1e-9)
        assert result.spread[i] == pytest.approx(np.std(logits))
        assert result.share[i] == sum(x < Decimal("0.001") for x in p) / len(p)


@pytest.mark.parametrize("gradient", [False, True])
@pytest.mark.parametrize(("keys", "d_k"), [("16", 64), ("128", 16), ("16", 4)])
def test_gradient_of_this_query_is_a_slope(keys, d_k, gradient):
    """The gradient at the query by differences of the loss g·o, with the same values and upstream gradient."""
    figure = Scaling(keys=keys, d_k=d_k, gradient=gradient)
    one, rng = draw(d_k, int(keys)), np.random.default_rng([0, 1])
    values, g = rng.standard_normal((int(keys), d_k)), rng.standard_normal(d_k)
    for i, scaling in enumerate(figure.result.shown):

        def loss(q, factor):
            powers = np.exp(factor * (one.keys @ q) - (factor * (one.keys @ q)).max())
            return powers / powers.sum() @ values @ g

        steps, factor = 1e-5 * np.eye(d_k), FACTORS[scaling](d_k)
        slope = np.array([loss(one.q + step, factor) - loss(one.q - step, factor) for step in steps]) / 2e-5
        assert figure.result.gradient[i] == pytest.approx(np.linalg.norm(slope), rel=1e-5)


@pytest.mark.parametrize("case", GOLDEN, ids=lambda c: f"{c['keys']}-{c['d_k']}-{'scaled' if c['scaled'] else 'plain'}")
def test_medians_agree_with_the_golden_ones(case):
    """Within 4 standard errors; that of our own median is estimated by drawing the drawn norms again and again."""
    if case["d_k"] not in SIZES:
        pytest.skip("not a head size of the figure")
    name, keys = "sqrt" if case["scaled"] else "none", case["keys"]
    made = curve(False, keys, 1.0, 0.0, name)
    median = made.median[SIZES.index(case["d_k"])]
    rng = np.random.default_rng(7)
    norms = []
    for seed in range(DRAWS[keys]):  # draws written out in full, by the definition
        scores = draw(case["d_k"], keys, seed).scores * FACTORS[name](case["d_k"])
        norms.append(float(np.exp(_log_norm(scores))))
    again = [np.median(rng.choice(norms, len(norms))) for _ in range(400)]
    assert abs(median - case["median_jacobian_norm"]) < 4 * np.hypot(np.std(again), case["median_jacobian_norm_se"])


def _log_norm(scores: np.ndarray) -> float:
    p = np.exp(scores - scores.max())
    p = p / p.sum()
    top = p.argmax()
    others = np.delete(p, top)
    entries = [p[top] * others.sum(), *(others * (1 - others))]
    off = 2 * (p[top] * others) ** 2
    pairs = np.outer(others, others) ** 2
    return 0.5 * math.log(sum(x * x for x in entries) + off.sum() + pairs.sum() - np.trace(pairs))


def test_story_of_the_lesson():
    """First a rise, then the collapse; scaled hardly any change; µP where the key is the query."""
    none, sqrt = (curve(False, 16, 1.0, 0.0, name).median for name in ("none", "sqrt"))
    at = {d: SIZES.index(d) for d in (1, 4, 16, 64, 256, 1024)}
    assert none[at[4]] > none[at[1]] and none[at[4]] > sqrt[at[4]]
    assert none[at[16]] == pytest.approx(0.33, abs=0.02)
    assert none[at[64]] == pytest.approx(0.11, abs=0.02)
    assert none[at[256]] == pytest.approx(0.006, abs=0.003)
    assert none[at[1024]] < 1e-3
    assert np.ptp(sqrt[at[4] :]) < 0.03
    alike = Scaling(rho=1.0, d_k=64)
    assert alike.result.first == 0
    assert alike.result.weights[1, 0] > 0.9 and alike.result.weights[2, 0] < 0.25
    gradients = {n: curve(True, 16, 1.0, 0.0, n).median for n in ("none", "sqrt")}
    assert gradients["none"][at[64]] > gradients["sqrt"][at[64]]
    assert gradients["none"][at[256]] < gradients["sqrt"][at[256]]


def test_norm_that_no_float_holds_is_shown_all_the_same():
    figure = Scaling(scaling="none", d_k=1024, rho=1.0, sigma=4.0, axis="log")
    assert figure.result.norm[0] == 0
    assert re.search(r"has norm \d\.\de−\d{4,5}\.", figure.describe(figure.result))
    assert "below 1e−300" in figure.parts(figure.result)["note"]
    assert figure.columns(figure.result)["dots"]["y"] == [0.0]
    assert "0.000" not in figure.describe(figure.result)


def test_collapse_has_its_place_on_the_log_axis():
    figure = Scaling()
    figure.apply("collapse")
    (y,) = figure.columns(figure.result)["dots"]["y"]
    ticks = figure.columns(figure.result)["ticks"]
    low = float(ticks["text"][0].replace("−", "-"))
    assert y == pytest.approx(1 - math.log10(figure.result.norm[0]) / math.log10(low))
    assert 0 < y < 1
    assert num(figure.result.norm[0]) in figure.describe(figure.result)


@given(states(Scaling))
@settings(max_examples=60)
def test_sentence_agrees_with_the_medians(knobs):
    figure = Scaling(**knobs)
    text, medians = figure.describe(figure.result), figure.result.medians
    assert "always" not in text
    assert not re.search(r"\b0\.000\b(?! )", text) or figure.result.weights.max() < 5e-4
    if "larger" in text:
        assert medians["none"] > medians["sqrt"]
    if "collapsed" in text:
        assert medians["none"] < 0.05 * medians["sqrt"]
    if "takes more" in text:
        assert medians["none"] < medians["sqrt"]
    if "nothing to divide" in text:
        assert figure.d_k == 1 and len({*medians.values()}) == 1
    if "grows like" in text:
        assert figure.rho > 0 and medians["d_k"] > medians["sqrt"]
    for source in figure.columns(figure.result).values():
        for column in source.values():
            assert not any(isinstance(v, float) and not math.isfinite(v) for v in column)


def test_single_points_lie_on_the_curve():
    for gradient in (False, True):
        for name in NAMES:
            whole = curve(gradient, 16, 0.7, 0.3, name)
            assert curve(gradient, 16, 0.7, 0.3, name, (64,)).median[0] == whole.median[SIZES.index(64)]


def test_curves_come_at_the_pace_of_a_slider():
    """About 25 ms on a quiet machine; the bound only catches a change of the order of magnitude."""
    Scaling(sigma=1.5)
    spent = []
    for i in range(3):
        start = time.process_time()
        Scaling(sigma=1.6 + i / 100)
        spent.append(time.process_time() - start)
    assert min(spent) < 0.25


def test_head_size_is_one_of_the_powers():
    good, bad = state.read(Scaling, "d_k=65&keys=128&sigma=2")
    assert good == {"keys": "128", "sigma": 2.0}
    assert bad == ["d_k: expected one of 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, got '65'"]
    with pytest.raises(ValueError, match=r"d_k: expected one of 1, 2, 4, .*, got '3'"):
        Scaling(d_k=3)
    assert state.write(Scaling(d_k=128, seed=3)) == "d_k=128&seed=3"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=3))
def test_labels_keep_apart_and_inside(heights):
    moved = axes.apart(heights, 0.075)
    assert all(b - a > 0.0749 for a, b in zip(sorted(moved), sorted(moved)[1:], strict=False))
    assert max(moved) <= 1


@given(st.floats(0, 1e9) | st.floats(0, 1e-290), st.booleans())
def test_axes_hold_what_they_are_made_for(value, log):
    axis = axes.logarithmic([value]) if log else axes.linear([value])
    assert 0 <= axis.place(value) <= 1 + 1e-9
    heights, texts = axis.ticks()
    assert len(heights) == len(set(texts)) == axis.steps + 1

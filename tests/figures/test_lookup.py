"""Figure 1 against arithmetic written out here, and its extremes."""

from __future__ import annotations

import html
import math
import re

import numpy as np
import pytest
from hypothesis import given

from figures import sentence, state
from figures.lookup import NAMES, VALUES, Lookup
from figures.matrix import Matrix

from .strategies import states


def by_hand(figure: Lookup) -> tuple[list[float], list[float]]:
    """Weights and output with plain loops: no array, no function of `core`."""
    q = (figure.q_x, figure.q_y)
    scores = [(q[0] * k[0] + q[1] * k[1]) / (math.sqrt(2) * figure.tau) for k in figure.places()["keys"]]
    powers = [math.exp(s - max(scores)) for s in scores]
    weights = [p / math.fsum(powers) for p in powers]
    output = [
        math.fsum(w * v[axis] for w, v in zip(weights, figure.places()["values"], strict=True)) for axis in (0, 1)
    ]
    return weights, output


@given(states(Lookup))
def test_weights_output_and_rings_are_right(knobs):
    figure = Lookup(**knobs)
    figure.ensure_built()
    weights, output = by_hand(figure)
    result, sources = figure.result, figure.sources
    np.testing.assert_allclose(result.weights, weights, rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(result.output, output, atol=1e-12)
    assert abs(result.weights.sum() - 1) < 1e-12
    # The area of a ring grows with the weight: radius 36 px for weight 1 on a plane 320 px wide.
    np.testing.assert_allclose(
        np.square(sources["values"].data["radius"]), np.array(weights) * (36 / 320 * 10) ** 2, atol=1e-12
    )
    assert (sources["output"].data["x"], sources["output"].data["y"]) == ([result.output[0]], [result.output[1]])


@given(states(Lookup))
def test_output_never_leaves_the_hull(knobs):
    figure = Lookup(**knobs)
    for angle in np.linspace(0, 2 * math.pi, 36):
        direction = np.array([math.cos(angle), math.sin(angle)])
        assert figure.result.output @ direction <= (np.array(figure.places()["values"]) @ direction).max() + 1e-9


@pytest.mark.parametrize("corner", [(4.5, 4.5), (-4.5, 4.5), (4.5, -4.5), (-4.5, -4.5)])
def test_longest_query_at_the_lowest_temperature(corner):
    result = Lookup(q_x=corner[0], q_y=corner[1], tau=0.05).result
    assert np.isfinite(result.weights).all() and abs(result.weights.sum() - 1) < 1e-12
    assert 1 <= result.effective < 1.01


def test_zero_query_is_uniform_and_has_no_angle():
    figure = Lookup(q_x=0.0, q_y=0.0)
    assert figure.result.weights.tolist() == [0.2] * 5
    assert figure.result.angle is None and "<dd>–</dd>" in figure.parts(figure.result)["readings"]
    assert figure.result.effective == pytest.approx(5)


def test_small_weights_are_never_shown_as_zero():
    figure = Lookup(q_x=4.5, q_y=4.5, tau=0.05)
    html = figure.parts(figure.result)["weights"]
    assert "e−211" in html and html.count('class="w">0.000') == 0


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({}, "The query matches 'cat' best (0.633), then 'dog' (0.312)."),
        ({"q_x": 0.0, "q_y": 0.0}, "No key matches better than another: every weight is 0.200."),
        ({"tau": 0.05}, "The query takes almost everything from 'cat' (1.000): nearly a hard lookup. "
                        "The output lies on the value of 'cat'."),
        (Lookup.presets["between two keys"], "The query matches 'cat' and 'dog' equally well (0.496 each)."),
    ],
)  # fmt: skip
def test_description_tells_what_happens(knobs, words):
    figure = Lookup(**knobs)
    assert figure.describe(figure.result).startswith(words)


def test_weights_depend_on_keys_alone_and_place_on_values_alone():
    moved = tuple((y, x) for x, y in VALUES)
    start, other = Lookup().result, Lookup(values=moved).result
    assert (start.weights == other.weights).all()
    np.testing.assert_allclose(start.output[::-1], other.output)


def test_items_are_five_words_or_the_six_tokens():
    assert Lookup().names() == NAMES == ("cat", "dog", "fox", "bus", "oak")
    tokens = Lookup(items="tokens")
    assert tokens.names() == ("the 1", "cat", "saw", "the 4", "dog", "run")
    assert tokens.columns(tokens.result)["values"]["text"] == ["the ×2", "cat", "saw", "", "dog", "run"]
    np.testing.assert_array_equal(tokens.result.keys, sentence.K)


@pytest.mark.parametrize("beta", [0.2, 1.0, 8.0])
@pytest.mark.parametrize("row", range(1, 7))
def test_a_row_of_figure_2_is_one_query_here(beta, row):
    """The link under the output of figure 2 gives the same weights and the same output."""
    matrix = Matrix(beta=beta, row=row, causal=True, shuffle=7)
    link = re.search('data-query="([^"]+)"', matrix.parts(matrix.result)["as query"])[1]
    knobs, problems = state.read(Lookup, html.unescape(link))
    assert not problems
    plain, here = Matrix(beta=beta).result, Lookup(**knobs).result
    i = matrix.result.order[row - 1]
    np.testing.assert_allclose(here.weights, plain.weights[i], rtol=1e-12)
    np.testing.assert_allclose(here.output, plain.output[i], rtol=0, atol=1e-12)


def test_no_row_is_opened_below_the_lowest_beta():
    matrix = Matrix(beta=0.19)
    text = matrix.parts(matrix.result)["as query"]
    assert "data-go" not in text
    assert "Below β = 0.2" in text

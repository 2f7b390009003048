"""Figure 2: its numbers against formulas written out here, its words, its colours."""

from __future__ import annotations

import itertools
import json
import math
import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from figures import state
from figures.heat import cell_num
from figures.matrix import HALF, SCORES, WEIGHTS, Matrix
from figures.parts import num
from figures.ramp import channels, contrast, palette
from figures.sentence import TOKENS, K, Q, V, permutation
from figures.theme import THEMES, ink

states = st.fixed_dictionaries({
    "beta": st.floats(0, 8), "causal": st.booleans(), "row": st.integers(1, 6), "shuffle": st.integers(0, 9999),
})  # fmt: skip


def by_hand(figure: Matrix) -> dict[str, np.ndarray]:
    """The definition in plain loops, without `core`."""
    order = permutation(figure.shuffle) if figure.shuffle else range(6)
    q, k, v = ([m[i] for i in order] for m in (Q, K, V))
    scores, weights, output = np.zeros((6, 6)), np.zeros((6, 6)), np.zeros((6, 2))
    for i in range(6):
        for j in range(6):
            scores[i, j] = figure.beta * (q[i][0] * k[j][0] + q[i][1] * k[j][1]) / math.sqrt(2)
        seen = [j for j in range(6) if j <= i or not figure.causal]
        largest = max(scores[i, j] for j in seen)
        powers = {j: math.exp(scores[i, j] - largest) for j in seen}
        for j in seen:
            weights[i, j] = powers[j] / math.fsum(powers.values())
            output[i] += weights[i, j] * v[j]
    return {"scores": scores, "weights": weights, "output": output, "values": np.array(v)}


def test_sentence_has_one_word_twice_and_short_numbers():
    assert sorted(TOKENS.count(t) for t in TOKENS) == [1, 1, 1, 1, 2, 2]
    first, second = (i for i, t in enumerate(TOKENS) if TOKENS.count(t) == 2)
    for matrix in (Q, K, V):
        assert matrix.shape == (6, 2)
        np.testing.assert_array_equal(matrix[first], matrix[second])
        np.testing.assert_array_equal(matrix, matrix.round(2))
        assert abs(matrix).max() <= 4.5


def test_rows_tell_their_story():
    """the → its nouns, cat → what it does, saw → who and whom, dog → what it does, run → who runs."""
    weights = Matrix().result.weights
    best = [{TOKENS[j] for j in np.argsort(-row)[:2]} for row in weights]
    assert best == [{"cat", "dog"}, {"saw", "run"}, {"cat", "dog"}, {"cat", "dog"}, {"run", "saw"}, {"dog", "cat"}]
    assert [TOKENS[j] for j in weights.argmax(axis=1)] == ["cat", "saw", "cat", "cat", "run", "dog"]


@given(states)
@settings(max_examples=60, deadline=None)
def test_columns_hold_the_definition(knobs):
    figure = Matrix(**knobs)
    expected, columns = by_hand(figure), figure.columns(figure.result)
    seen = np.tril(np.ones((6, 6), dtype=bool)) if figure.causal else np.ones((6, 6), dtype=bool)
    shades = {"scores": expected["scores"] / (abs(expected["scores"]) + HALF), "weights": expected["weights"]}
    for name, matrix in shades.items():
        shown = np.array(columns[name]["shade"]).reshape(6, 6)
        np.testing.assert_array_equal(np.isnan(shown), ~seen)
        np.testing.assert_allclose(shown[seen], matrix[seen], atol=1e-12)
        texts = np.array(columns[name]["text"]).reshape(6, 6)
        assert set(texts[~seen]) <= {"−∞" if name == "scores" else "0"}
        raw = getattr(figure.result, name)
        assert [*texts[seen]] == [cell_num(x) for x in raw[seen]]
        hatched = zip(*columns[f"{name} lines"].values(), strict=True)
        assert [*hatched] == [(j + 0.5, 5.5 - i) for i, j in np.argwhere(~seen)]
        assert not columns[f"{name} crosses"]["x"]
        assert columns[name]["x"][:3] == [0.5, 1.5, 2.5]
        assert columns[name]["y"][:7:6] == [5.5, 4.5]
    i = figure.row - 1
    np.testing.assert_allclose(
        [columns["output"]["x"][0], columns["output"]["y"][0]], expected["output"][i], atol=1e-12)  # fmt: skip
    np.testing.assert_allclose(np.array(columns["values"]["alpha"]), 0.2 + 0.8 * expected["weights"][i], atol=1e-12)
    np.testing.assert_array_equal(np.array([columns["values"]["x"], columns["values"]["y"]]).T, expected["values"])


@pytest.mark.parametrize("name", Matrix.presets)
def test_presets(name):
    figure = Matrix(row=2, beta=3.0)
    figure.apply(name)
    assert figure.preset() == name
    expected = by_hand(figure)
    for part in ("scores", "weights", "output"):
        np.testing.assert_allclose(getattr(figure.result, part), expected[part], atol=1e-12)


def test_largest_beta_under_the_mask_is_exact_and_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = Matrix(beta=8.0, causal=True).result
    assert (result.weights[~np.tril(np.ones((6, 6), dtype=bool))] == 0).all()
    np.testing.assert_allclose(result.weights.sum(axis=1), 1, rtol=0, atol=1e-15)
    np.testing.assert_allclose(result.weights, by_hand(Matrix(beta=8.0, causal=True))["weights"], rtol=1e-12)


def test_beta_0_is_uniform_over_what_may_be_seen():
    np.testing.assert_array_equal(Matrix(beta=0.0).result.weights, np.full((6, 6), 1 / 6))
    visible = np.tril(np.ones((6, 6)))
    np.testing.assert_allclose(Matrix(beta=0.0, causal=True).result.weights, visible / visible.sum(axis=1)[:, None])


@given(st.integers(1, 9999), st.floats(0, 8))
@settings(max_examples=100, deadline=None)
def test_shuffling_moves_rows_columns_and_outputs(seed, beta):
    order, plain, moved = permutation(seed), by_hand(Matrix(beta=beta)), Matrix(beta=beta, shuffle=seed).result
    p = np.eye(6)[order]
    np.testing.assert_allclose(moved.weights, p @ plain["weights"] @ p.T, rtol=0, atol=1e-12)
    np.testing.assert_allclose(moved.output, p @ plain["output"], rtol=0, atol=1e-12)
    assert moved.weights_gap <= 1e-12
    assert moved.output_gap <= 1e-12
    assert moved.tokens == tuple(TOKENS[i] for i in order)


@given(st.integers(1, 9999), st.floats(0, 8))
@settings(max_examples=100, deadline=None)
def test_shuffling_under_the_mask_fails_and_says_by_how_much(seed, beta):
    figure = Matrix(beta=beta, shuffle=seed, causal=True)
    p, plain = np.eye(6)[permutation(seed)], by_hand(Matrix(beta=beta, causal=True))
    gap = abs(by_hand(figure)["weights"] - p @ plain["weights"] @ p.T).max()
    assert gap > 0.1
    assert figure.result.weights_gap == pytest.approx(gap, abs=1e-12)
    assert f"weights differ by up to {num(gap)}" in figure.describe(figure.result)


def test_every_seed_gives_an_order_that_can_be_seen():
    for seed in range(1, 2000):
        order = permutation(seed)
        assert sorted(order) == list(range(6))
        assert sum(TOKENS[i] != TOKENS[n] for n, i in enumerate(order)) >= 4
    assert len({tuple(permutation(seed)) for seed in range(1, 2000)}) > 500


# -- words -------------------------------------------------------------------------------------------------------------


@given(states)
@settings(max_examples=150, deadline=None)
def test_a_description_for_every_state(knobs):
    figure = Matrix(**knobs)
    text = figure.describe(figure.result)
    assert text.startswith(f"Row {figure.row}, '{figure.result.tokens[figure.row - 1]}',")
    assert re.fullmatch(r"[A-Z].*[^. ]\.", text)
    assert "  " not in text
    assert "nan" not in text.lower()
    assert len(text) < 200, "three lines hold no more, and the page would jump"


def describe(**knobs) -> str:
    figure = Matrix(**knobs)
    return figure.describe(figure.result)


def test_description_says_who_reads_from_whom():
    weights = by_hand(Matrix())["weights"]
    assert describe(row=3).startswith(f"Row 3, 'saw', asks who saw, and whom: it reads mostly from 'cat' "
                                      f"({num(weights[2, 1])}) and 'dog' ({num(weights[2, 4])}).")  # fmt: skip
    assert "takes almost everything from 'cat' (0.999)" in describe(row=3, beta=8.0)


def test_description_of_the_word_that_stands_twice():
    assert "Row 1 is the same word. Nothing tells the two apart, so their weights and outputs are equal." in describe()
    assert "Row 4 is the same word. Nothing" in describe(row=1)
    output = by_hand(Matrix(causal=True))["output"]
    apart = f"so their outputs lie {num(np.hypot(*(output[0] - output[3])))} apart"
    assert f"Row 1 is the same word but sees fewer words, {apart}" in describe(causal=True)
    assert f"Row 4 is the same word but sees more words, {apart}" in describe(causal=True, row=1)


def test_description_of_limits():
    assert "reads alike from all six words (0.167 each): with β = 0" in describe(beta=0.0)
    assert "reads alike from all four words that it sees (0.250 each)" in describe(beta=0.0, causal=True)
    assert "sees only itself, so its own weight is 1.000" in describe(causal=True, row=1)
    assert "A′ = PAPᵀ" in describe(shuffle=7)
    assert "to within" in describe(shuffle=7)
    assert "The mask goes by place" in describe(shuffle=7, causal=True)


def test_twin_rows_are_equal_only_without_the_mask():
    for knobs in ({}, {"beta": 8.0}, {"shuffle": 7}):
        result = Matrix(**knobs).result
        first, second = result.twins
        np.testing.assert_array_equal(result.weights[first], result.weights[second])
        np.testing.assert_array_equal(result.output[first], result.output[second])
    result = Matrix(causal=True).result
    assert abs(result.output[0] - result.output[3]).max() > 0.5


def test_lines_of_cells():
    content = json.loads(Matrix(causal=True).parts(Matrix(causal=True).result)["cells"])
    assert content["tokens"] == list(TOKENS)
    score = num((1.9 * 1.8 + 0.4 * 0.7) / math.sqrt(2))
    line = content["lines"][3][1]
    assert line[:5] == ["row 4, column 2", "the reads from cat", "q_4 = (1.90, −0.40)", "k_2 = (1.80, −0.70)",
                        "q_4 · k_2 = 3.700"]  # fmt: skip
    assert line[5] == f"score {score}"
    assert line[6].startswith("weight 0.8")
    assert content["lines"][0][1][1:2] + content["lines"][0][1][5:] == [
        "the may not read from cat", f"score {score}, masked to −∞", "weight exactly 0"]  # fmt: skip
    assert [content["lines"][3][j][1] for j in (3, 0)] == ["the reads from itself", "the reads from the other the"]
    assert content["sums"]["weights"] == ["1.000"] * 6


def test_the_row_written_out():
    figure = Matrix(causal=True, row=2)
    text = re.sub(r"<sub>(\d)</sub>", r"_\1", figure.parts(figure.result)["sum"])
    text = re.sub("<.*?>", "", text).replace("&#8239;", " ")
    weights, output = (by_hand(figure)[name][1] for name in ("weights", "output"))
    assert text == f"o_2 = {num(weights[0])} v_1 + {num(weights[1])} v_2 = ({num(output[0])}, {num(output[1])})"
    full = Matrix(row=2)
    assert full.parts(full.result)["sum"].count("<i>v</i>") == 6


# -- knobs, table, colours ---------------------------------------------------------------------------------------------


@given(states)
@settings(max_examples=40, deadline=None)
def test_address_gives_the_state_back(knobs):
    query = state.write(Matrix(**knobs))
    again, problems = state.read(Matrix, query)
    assert not problems
    assert Matrix(**again).settings() == Matrix(**knobs).settings()


def test_address_is_short_and_bad_values_are_named():
    assert state.write(Matrix(beta=2.0, causal=True, row=3, shuffle=7)) == "beta=2&causal=true&row=3&shuffle=7"
    assert state.write(Matrix()) == ""
    good, problems = state.read(Matrix, "row=7&shuffle=1.5&beta=9&causal=perhaps&shuffle=x")
    assert good == {}
    assert problems == ["row: expected a whole number from 1 to 6, got '7'",
                        "shuffle: expected a whole number from 0 to 9999, got 'x'",
                        "beta: expected a number from 0 to 8, got '9'",
                        "causal: expected true or false, got 'perhaps'"]  # fmt: skip


def test_table_has_every_cell_at_full_precision():
    figure = Matrix(beta=2.5, causal=True, shuffle=3)
    header, *rows = figure.table(figure.result)
    expected = by_hand(figure)
    assert len(rows) == 36
    assert all(len(row) == len(header) for row in rows)
    for i, j in itertools.product(range(6), repeat=2):
        row = dict(zip(header, rows[6 * i + j], strict=True))
        assert (row["row"], row["column"], row["visible"]) == (i + 1, j + 1, j <= i)
        assert row["weight"] == pytest.approx(expected["weights"][i, j], abs=1e-14)
        assert row["score"] == pytest.approx(expected["scores"][i, j], abs=1e-13)
        assert [row["output_x"], row["output_y"]] == pytest.approx(expected["output"][i], abs=1e-13)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ramp", [SCORES, WEIGHTS])
def test_numbers_can_be_read_on_every_colour_of_the_ramp(theme, ramp):
    colours = THEMES[theme]
    cells, texts = palette(ramp, colours), palette(f"on:{ramp}", colours)
    assert len(cells) == len(texts) == 101
    assert min(contrast(a, b) for a, b in zip(cells, texts, strict=True)) >= 4.5
    assert cells[50 if ramp == SCORES else 0] == colours["paper"]


@pytest.mark.parametrize("theme", THEMES)
def test_numbers_can_be_read_on_masked_cells_and_their_hatch(theme):
    colours = THEMES[theme]
    tint = colours["masked-tint"]
    pairs = zip(channels(colours["masked"]), channels(tint), strict=True)
    hatch = "#" + "".join(f"{round(0.3 * a + 0.7 * b):02x}" for a, b in pairs)
    assert contrast(colours["ink"], tint) >= 7
    assert contrast(colours["ink"], hatch) >= 4.5


def test_dark_scores_are_not_mud():
    """Half-way colours must keep some chroma; mixed straight with dark paper they turn brown."""
    for colour in (palette(SCORES, THEMES["dark"])[i] for i in (25, 75)):
        assert max(channels(colour)) - min(channels(colour)) > 80


def test_ink_colours_a_palette():
    from bokeh.models import LinearColorMapper

    mapper = ink(LinearColorMapper(low=0, high=1), palette=WEIGHTS, nan_color="masked-tint")
    assert mapper.palette == palette(WEIGHTS, THEMES["light"])
    assert mapper.tags[0] == "palette=paper>output"


@given(st.floats(-40, 40))
def test_cell_numbers_are_short(value):
    assert len(cell_num(value).replace("−", "").replace(".", "")) <= 7
    assert value == 0 or cell_num(value) != "0.000"


def test_only_changed_columns_are_sent():
    figure = Matrix()
    figure.ensure_built()
    before = {name: dict(source.data) for name, source in figure.sources.items()}
    figure.row = 3
    data = {name: source.data for name, source in figure.sources.items()}
    assert {n for n in data for c in data[n] if data[n][c] is not before[n][c]} == {"values", "output"}
    figure.beta = 2.0
    for name in ("scores", "weights"):
        assert all(figure.sources[name].data[c] is before[name][c] for c in ("x", "y"))
        assert all(figure.sources[f"{name} lines"].data[c] is before[f"{name} lines"][c] for c in ("x", "y"))
        assert figure.sources[name].data["shade"] is not before[name]["shade"]

"""The worked example: every line against a computation written out here, and the numbers that the text prints."""

from __future__ import annotations

import html
import math
import re

import numpy as np
import pytest
from hypothesis import example, given

from figures import BY_SLUG, FIGURES, state
from figures.example import LONG, START, TWINS, Example
from figures.parts import short
from figures.working import number
from lesson import markdown

from .strategies import states

TEXT = next(path for path in markdown.paths() if "worked-example" in path.name).read_text()
STARTING = {"X": START, "causal": False, "row": 1}


def by_hand(X, causal: bool) -> dict[str, np.ndarray]:
    """The definition in plain loops, without `core`. Hidden entries are NaN."""
    products, scores, powers, weights = (np.full((3, 3), np.nan) for _ in range(4))
    sums, output = np.zeros(3), np.zeros((3, 2))
    for i, q in enumerate(X):
        for j, k in enumerate(X):
            products[i, j] = math.fsum(a * b for a, b in zip(q, k, strict=True))
            if j <= i or not causal:
                scores[i, j] = products[i, j] / math.sqrt(2)
                powers[i, j] = math.exp(scores[i, j])
        sums[i] = math.fsum(p for p in powers[i] if p == p)
        weights[i] = powers[i] / sums[i]
        for w, v in zip(weights[i], X, strict=True):
            output[i] += [0, 0] if math.isnan(w) else [w * v[0], w * v[1]]
    return {"products": products, "scores": scores, "powers": powers, "sums": sums, "weights": weights,
            "output": output}  # fmt: skip


def words(fragment: str) -> str:
    spoken = re.sub(r'<span class="sr">.*?</span>', "", fragment)
    return html.unescape(re.sub(r"<[^>]+>", "", spoken)).replace("\u202f", " ")


def cells(part: str) -> list[list[tuple[str, bool]]]:
    """Text of each cell of a matrix, and whether it is drawn as hidden; sums are cells, too."""
    body = part.split("<tbody>")[1]
    return [
        [(words(cell), 'class="off"' in attributes) for attributes, cell in re.findall(r"<td([^>]*>)(.*?)</td>", row)]
        for row in body.split("</tr>")[:-1]
    ]


def shows(part: str, expected: np.ndarray, hides: str = "0", sums: np.ndarray | None = None) -> None:
    table = [[*row] for row in expected]
    for i, row in enumerate(cells(part)):
        wanted = [(hides, True) if math.isnan(x) else (number(x), False) for x in table[i]]
        wanted += [] if sums is None else [(number(sums[i]), False)]
        assert row == wanted


def test_it_is_a_page_but_no_numbered_figure():
    assert BY_SLUG["example"] is Example
    assert Example not in FIGURES
    assert Example.kicker() == "Worked example"


@given(states(Example))
@example(STARTING)
@example(STARTING | {"causal": True, "row": 2})
@example({"X": ((4.0, 4.0), (-4.0, -4.0), (4.0, -4.0)), "causal": False, "row": 1})
@example({"X": ((0.0, 0.0),) * 3, "causal": True, "row": 3})
def test_result_is_the_definition(knobs):
    figure = Example(**knobs)
    for name, expected in by_hand(figure.X, figure.causal).items():
        got = getattr(figure.result, name)
        seen = ~np.isnan(expected)
        np.testing.assert_allclose(got[seen], expected[seen], rtol=1e-9, atol=1e-12, err_msg=name)
        if name in ("powers", "weights"):
            assert (got[~seen] == 0).all()
    p = figure.result.weights[figure.row - 1]
    np.testing.assert_allclose(figure.result.jacobian, np.diag(p) - np.outer(p, p), atol=1e-12)
    assert figure.result.steepest == pytest.approx(np.abs(figure.result.jacobian).max(), abs=1e-12)


@given(states(Example))
@example(STARTING)
@example(STARTING | {"causal": True, "row": 2})
@example(STARTING | {"causal": True, "row": 1})
def test_every_matrix_shows_the_result_and_hatches_what_is_hidden(knobs):
    figure = Example(**knobs)
    parts, result = figure.parts(figure.result), figure.result
    hidden = np.triu(np.ones((3, 3), dtype=bool), 1) & figure.causal

    def veiled(matrix):
        return np.where(hidden, np.nan, matrix)

    gone = hidden[figure.row - 1]
    shows(parts["products"], result.products)
    shows(parts["scores"], veiled(result.scores), hides="−∞")
    shows(parts["powers"], veiled(result.powers), sums=result.sums)
    shows(parts["weights"], veiled(result.weights), sums=result.weights.sum(axis=1))
    shows(parts["output"], result.output)
    shows(parts["jacobian"], np.where(gone[:, None] | gone, np.nan, result.jacobian))
    assert parts["scores"].count("hidden, ") == hidden.sum()


@given(states(Example))
@example(STARTING)
@example(STARTING | {"causal": True, "row": 2})
def test_lines_of_the_row_add_up(knobs):
    figure = Example(**knobs)
    parts, result, i = figure.parts(figure.result), figure.result, figure.row - 1
    seen = range(i + 1) if figure.causal else range(3)
    lines = [words(line) for line in parts["shares"].split("</p>")[:-1]]
    added = f"{' + '.join(number(result.powers[i, j]) for j in seen)} = {number(result.sums[i])}"
    assert lines[: len(seen) > 1] == [added] * (len(seen) > 1)  # one number is no sum
    assert lines[len(seen) > 1 :] == [
        f"{number(result.powers[i, j])} / {number(result.sums[i])} = {number(result.weights[i, j])}" for j in seen
    ]
    dots = [words(line) for line in parts["dots"].split("</p>")[:-1]]
    assert [line.split(" = ")[0] for line in dots] == [f"q{i + 1} · k{j}" for j in (1, 2, 3)]
    assert [line.split(" = ")[-1] for line in dots] == [number(x) for x in result.products[i]]
    terms = " + ".join(
        f"{number(result.weights[i, j])} ({short(figure.X[j][0])}, {short(figure.X[j][1])})" for j in seen
    )
    x, y = result.output[i]
    assert words(parts["sum"]) == f"o{i + 1} = {terms} = ({number(x)}, {number(y)})"


def test_a_dot_product_is_written_out_with_its_signs():
    figure = Example(X=((-1.0, 0.5), (2.0, -0.25), (1.0, 1.0)))
    assert words(figure.parts(figure.result)["dots"].split("</p>")[1]) == (
        "q1 · k2 = (−1) · 2 + 0.5 · (−0.25) = −2.125"
    )


def printed(claim: str) -> list[list[float]]:
    """The numbers of a claim of the text, «1 & 0 = source», row by row."""
    found = re.search(rf"«([^»]*) = {re.escape(claim)}»", TEXT)
    assert found, claim
    return [[float(x) for x in re.split(r"&|,", row)] for row in found[1].split(r"\\")]


@pytest.mark.parametrize(
    ("knobs", "part", "claim"),
    [
        ({}, "products", "X @ X.T"), ({}, "scores", "free.scores"), ({}, "weights", "free.weights"),
        ({}, "output", "free.output"), ({"causal": True}, "weights", "masked.weights"),
        ({"causal": True}, "output", "masked.output"),
    ],
)  # fmt: skip
def test_matrices_of_the_start_are_those_of_the_text(knobs, part, claim):
    figure = Example(**knobs)
    shown = cells(figure.parts(figure.result)[part])
    expected = printed(claim)
    assert [[float(text) for text, _ in row[: len(expected[0])]] for row in shown] == expected


def test_lines_of_the_start_are_those_of_the_text():
    figure = Example()
    start = figure.parts(figure.result)
    power, total = printed("exp(free.scores[0, 0])")[0][0], printed("total(*free.scores[0])")[0][0]
    assert words(start["shares"].split("</p>")[0]) == f"{power} + 1.000 + {power} = {total}"
    assert f"{power} / {total} = {printed('free.weights[0, 0]')[0][0]}" in words(start["shares"])
    assert words(start["sum"]) == "o1 = 0.401 (1, 0) + 0.198 (0, 1) + 0.401 (1, 1) = (0.802, 0.599)"
    assert "$$o_1 = 0.401\\,(1, 0) + 0.198\\,(0, 1)$$" in TEXT
    figure.apply("causal")
    causal = figure.parts(figure.result)
    assert words(causal["shares"].split("</p>")[0]).endswith(f"= {printed('total(*free.scores[1, :2])')[0][0]}")
    slope = printed("masked.weights[1, 0] * masked.weights[1, 1]")[0][0]
    assert words(causal["left"]) == f"Two weights are left, so every entry is p1p2 = {slope}, with + or −."
    assert [text for text, _ in cells(causal["jacobian"])[0]] == [f"{slope}", f"−{slope}", "0"]


@pytest.mark.parametrize(
    ("knobs", "sentence"),
    [
        ({}, "Row 1 reads 0.401 from token 1, 0.198 from token 2 and 0.401 from token 3. Its output is (0.802, 0.599). "
             "The largest entry of its Jacobian is 0.240."),
        ({"causal": True}, "Row 1 sees only itself, so it reads its own value with the weight 1. Its output is "
                           "(1.000, 0.000). Token 2 and token 3 could be anything: the row would stay as it is."),
        ({"X": TWINS, "row": 2}, "Row 2 reads 0.401 from token 1, 0.401 from token 2 and 0.198 from token 3. Its "
                                 "output is (0.802, 0.198). Tokens 1 and 2 are equal, so nothing tells them apart."),
        ({"X": LONG, "row": 3}, "Row 3 reads 2e−5 from token 1, 2e−5 from token 2 and 1.000 from token 3. Its output "
                                "is (3.000, 3.000). One weight takes almost everything, so hardly any gradient gets "
                                "through (5e−5 at most)."),
        ({"X": ((0.0, 0.0),) * 3, "causal": True, "row": 2},
         "Row 2 reads alike from the 2 tokens it sees, 0.500 each. Its output is (0.000, 0.000). Token 3 could be "
         "anything: the row would stay as it is."),
    ],
)  # fmt: skip
def test_sentences(knobs, sentence):
    figure = Example(**knobs)
    assert figure.describe(figure.result) == sentence


@pytest.mark.parametrize("text", ["", "1,0;0,1", "1,0;0,1;1,1;2,2", "1,0;0,1;1,4.01", "1,0;nothing,1;1,1"])
def test_other_than_three_pairs_is_refused_in_one_sentence(text):
    good, problems = Example.read({"X": text})
    assert good == {}
    assert problems == [f"X: expected 3 pairs of numbers from −4 to 4, such as '1,0;0,1;1,1', got {text!r}"]


def test_link_is_short():
    assert state.write(Example(X=((1.0, 0.0), (-0.5, 1.0), (1.0, 1.0)))) == "X=1,0;-0.5,1;1,1"


def test_under_the_mask_rows_above_do_not_depend_on_the_last_token():
    """What the lesson invites to try."""
    before, after = (Example(causal=True, X=(*START[:2], last)).result.output for last in ((1.0, 1.0), (-3.0, 4.0)))
    np.testing.assert_array_equal(before[:2], after[:2])
    assert (before[2] != after[2]).all()
    shorter, longer = (Example(X=(*START[:2], last)).result.weights[:, 2] for last in ((1.0, 1.0), (1.5, 1.5)))
    assert (longer > shorter).all() and (longer - shorter).argmax() == 2

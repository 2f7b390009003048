"""Figure 4 against plain loops: every way of laying a mask on, its name, its leak, its words."""

from __future__ import annotations

import itertools
import json
import math
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from figures import masking
from figures.heat import marked_columns
from figures.knobs import Choice
from figures.masking import PAD, ROUNDING, WORDS, K, Laid, Q, Setup, T, V, lay
from figures.masks import Masks
from figures.matrix import Matrix
from figures.ramp import contrast, palette
from figures.theme import THEMES
from figures.verdicts import DIAGNOSES, verdicts

from .test_code import check_numpy, run

GOLDEN = {case["name"]: case for case in json.loads((Path(__file__).parents[1] / "golden/mask_bugs.json").read_text())}
SMALLEST = {"float64": -1.7976931348623157e308, "float32": -3.4028234663852886e38, "float16": -65504.0}

# What each preset is called.
NAMED = {
    "causal": "Nothing to repair",
    "right padding": "Nothing to repair",
    "left padding + causal": "Fully masked rows",
    "masked after the softmax": "Masked after the softmax",
    "flipped convention": "Flipped convention",
    "−1e9 filled into an empty row": "Empty rows read hidden keys",
    "−1e9 added to an empty row": "Empty rows that look healthy",
    "−1e9 in float16": "−1e9 does not fit into float16",
    "two masks added": "Two masks added, min + min = −∞",
}
EMPTY = {"mask": "both", "side": "left"}
# A state for each line of the table of diagnoses, beyond the presets.
STATES = {
    "Softmax over columns": Setup(mask="causal", axis="columns"),
    "Fully masked rows, quiet zeros": Setup(**EMPTY, where="after"),
    "Renormalised after the softmax": Setup(mask="causal", where="after-renormalised"),
    "Nothing is hidden": Setup(mask="none"),
    "−1e9 in float16": Setup(mask="causal", blocked="-1e9", precision="float16"),
}


def choices() -> dict[str, list[Any]]:
    knobs = {name: knob for name, knob in Masks.knobs().items() if name != "row"}
    return {n: list(k.words) if isinstance(k, Choice) else list(range(k.bounds[0], k.bounds[1] + 1))
            for n, k in knobs.items()}  # fmt: skip


def every_setup() -> list[Setup]:
    names, values = zip(*choices().items(), strict=True)
    return [Setup(**dict(zip(names, combination, strict=True))) for combination in itertools.product(*values)]


EVERY = every_setup()
SAMPLE = random.Random(4).sample(EVERY, 400)


# -- an independent computation: loops over cells, numbers of the precision --------------------------------------------


def hidden_by(setup: Setup) -> list[list[list[bool]]]:
    """For each mask, cell by cell: is this key meant to be hidden?"""
    filler = {j for j in range(T) if (j >= T - setup.padded if setup.side == "right" else j < setup.padded)}
    later = [[j > i for j in range(T)] for i in range(T)]
    pads = [[j in filler for j in range(T)] for _ in range(T)]
    nothing = [[False] * T for _ in range(T)]
    return {"none": [nothing], "causal": [later], "padding": [pads], "both": [later, pads]}[setup.mask]


def by_hand(setup: Setup) -> tuple[np.ndarray, np.ndarray]:
    """Masked logits and weights."""
    number = getattr(np, setup.precision)
    pads = setup.padded if setup.mask in ("padding", "both") else 0
    words = list(range(T - pads))
    order = words + [5] * pads if setup.side == "right" else [5] * pads + words
    with np.errstate(all="ignore"):
        logits = [[number(sum(float(a) * float(b) for a, b in zip(Q[i], K[j], strict=True)) / 2) for j in order]
                  for i in order]  # fmt: skip
        block = number(SMALLEST[setup.precision] if setup.blocked == "min" else float(setup.blocked))
        masks = [[[cell != (setup.says != setup.reads) for cell in row] for row in mask] for mask in hidden_by(setup)]
        off = [[any(mask[i][j] for mask in masks) for j in range(T)] for i in range(T)]
        if setup.where == "before":
            for i, j in itertools.product(range(T), repeat=2):
                if setup.how == "fill" and off[i][j]:
                    logits[i][j] = block
                for mask in masks if setup.how == "add" else ():
                    logits[i][j] = number(logits[i][j] + (block if mask[i][j] else number(0)))
        table = np.array(logits)
        along = table if setup.axis == "rows" else table.T
        weights = np.array([_softmax(line, number) for line in along])
        weights = weights if setup.axis == "rows" else weights.T
        if setup.where != "before":
            weights = np.where(off, number(0), weights)
        if setup.where == "after-renormalised":
            weights = weights / weights.sum(axis=1 if setup.axis == "rows" else 0, keepdims=True)
    assert weights.dtype == table.dtype == number
    return table, weights


def _softmax(line: np.ndarray, number: type) -> list[Any]:
    powers = [number(np.exp(x - max(line))) for x in line]
    return [p / number(math.fsum(float(p) for p in powers)) for p in powers]


def check_by_hand(setup: Setup) -> Laid:
    laid = lay(setup)
    logits, weights = by_hand(setup)
    np.testing.assert_array_equal(laid.logits, logits, err_msg=str(setup))
    assert laid.weights.dtype == np.dtype(setup.precision)
    np.testing.assert_allclose(laid.weights.astype(float), weights.astype(float), rtol=0, atol=3 * laid.eps,
                               err_msg=str(setup))  # fmt: skip
    expected = [[sum(float(w) * float(v) for w, v in zip(row, column, strict=True)) for column in laid.v.T]
                for row in laid.weights]  # fmt: skip
    np.testing.assert_allclose(laid.output.astype(float), expected, rtol=0, atol=8 * laid.eps, err_msg=str(setup))
    return laid


@pytest.mark.parametrize("preset", Masks.presets)
def test_presets_against_loops(preset):
    figure = Masks()
    figure.apply(preset)
    laid = check_by_hand(figure.result.setup)
    np.testing.assert_equal(laid.weights, figure.result.weights)


def test_all_kinds_of_states_against_loops():
    for setup in SAMPLE:
        check_by_hand(setup)


def test_logits_are_exact_in_every_precision_and_of_order_1():
    for setup in (s for s in EVERY if s == Setup(s.mask, s.side, s.padded)):
        each = [lay(replace(setup, precision=p)).scores for p in SMALLEST]
        for scores in each[1:]:
            np.testing.assert_array_equal(scores.astype(float), each[0])
        assert 1 < np.abs(each[0]).max() < 4
        assert np.ptp(each[0], axis=1).min() > 0.5


@pytest.mark.parametrize(
    ("name", "knobs"),
    [
        ("causal and left padding, 5 tokens, zero logits", EMPTY),
        ("causal and right padding, 5 tokens, zero logits", {"mask": "both"}),
    ],
)
def test_golden_of_five_tokens(monkeypatch, name, knobs):
    """With queries of 0 the logits are those of the golden case; it pads two tokens, too."""
    monkeypatch.setattr(masking, "Q", np.zeros_like(Q))
    case, laid = GOLDEN[name], lay(Setup(**knobs))
    np.testing.assert_array_equal(laid.scores, case["logits"])
    np.testing.assert_array_equal(laid.visible, case["allowed"])
    np.testing.assert_array_equal(laid.empty, case["empty_rows"])
    weights = [[math.nan if w == "nan" else w for w in row] for row in case["weights"]]
    np.testing.assert_allclose(laid.weights, weights, rtol=0, atol=1e-15)


# -- names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("preset", "name"), NAMED.items())
def test_each_preset_has_its_name(preset, name):
    figure = Masks()
    figure.apply(preset)
    assert verdicts(figure.result)[0].name == name
    assert f">{name}<" in figure.parts(figure.result)["verdict"]
    kind = verdicts(figure.result)[0].kind
    assert (kind == "right") == (preset in ("causal", "right padding"))


def test_presets_are_all_named():
    assert NAMED.keys() == Masks.presets.keys()


@pytest.mark.parametrize("name", sorted({d.name for d in DIAGNOSES}))
def test_each_diagnosis_has_a_state(name):
    presets = {NAMED[preset]: Setup(**knobs) for preset, knobs in Masks.presets.items()}
    assert name in [d.name for d in verdicts(lay((presets | STATES)[name]))]


@pytest.mark.parametrize(
    ("setup", "names"),
    [
        (STATES["Softmax over columns"], ["Softmax over columns"]),
        (Setup(mask="causal", where="after"), ["Masked after the softmax"]),
        (STATES["Fully masked rows, quiet zeros"], ["Masked after the softmax", "Fully masked rows, quiet zeros"]),
        (Setup(**EMPTY, where="after-renormalised"), ["Fully masked rows"]),
        (Setup(mask="causal", where="after-renormalised"), ["Renormalised after the softmax"]),
        (Setup(mask="none", where="after-renormalised"), ["Nothing is hidden"]),
        (Setup(mask="none", where="after"), ["Nothing is hidden"]),
        (Setup(mask="none", reads="hidden"), ["Flipped convention", "Fully masked rows"]),
        (Setup(mask="causal", says="hidden", reads="hidden"), ["Nothing to repair"]),
        (Setup(mask="causal", says="hidden", axis="columns"), ["Flipped convention", "Softmax over columns"]),
        (Setup(mask="causal", blocked="-1e9", precision="float16"), ["−1e9 in float16"]),
        (Setup(mask="none", blocked="-1e9", precision="float16"), ["Nothing is hidden"]),
        (Setup(mask="both", blocked="min", how="add"), ["Two masks added, min + min = −∞"]),
        (Setup(mask="both", blocked="min"), ["Nothing to repair"]),
        (Setup(**EMPTY, blocked="-1e9", how="add", precision="float32"), ["Empty rows read hidden keys"]),
        (Setup(**EMPTY, blocked="-1e4", how="add", precision="float32"), ["Empty rows that look healthy"]),
        (Setup(**EMPTY, blocked="min", how="fill", precision="float16"), ["Empty rows read hidden keys"]),
    ],
)
def test_names_of_states(setup, names):
    assert [d.name for d in verdicts(lay(setup))] == names


def test_every_combination_computes_and_is_named_truly(recwarn):
    """All of them, without a warning: what is called right is right, what is called a bug shows itself."""
    assert len(EVERY) == 23040
    figure, described, seen = Masks(), set(), set()
    for setup in EVERY:
        laid = lay(setup)
        verdict = verdicts(laid)[0]
        seen |= {(d.kind, d.name) for d in verdicts(laid)}
        if verdict.kind == "bug":
            assert laid.broken.any() or laid.leaks.any() or laid.astray or (setup.flipped and laid.empty.all()), setup
        else:
            assert not (laid.broken.any() or laid.nan.any() or laid.leaks.any()), setup
            assert laid.astray <= ROUNDING * laid.eps, setup
            assert not laid.weights[~laid.meant].any(), setup
        if verdict.kind == "right":
            assert (laid.leak == 0).all(), setup
        described.add(figure.describe(laid))
        assert verdict.why(laid).endswith(".") and (verdict.repair.endswith(".") or verdict.kind == "right")
    assert seen == {(d.kind, d.name) for d in DIAGNOSES}
    for text in described:
        assert re.fullmatch(r"[A-Z].+\. [A-Z].+\.", text), text
        assert not re.search(r"nan|None|inf\b|np\.|  |<|rows? ?,|'", text), text
    assert not recwarn.list


def test_a_sample_is_drawn_like_a_fresh_figure():
    figure = Masks()
    figure.ensure_built()
    for setup in SAMPLE[:150]:
        figure.param.update(**vars(setup))
        fresh = Masks(**vars(setup))
        assert figure.result.setup == setup
        for source, columns in fresh.columns(fresh.result).items():
            np.testing.assert_equal(dict(figure.sources[source].data), columns)
        assert figure.parts(figure.result) == fresh.parts(fresh.result)


# -- the leak meter ----------------------------------------------------------------------------------------------------


def test_leak_meter_by_hand():
    """One row, replaced by hand: causal mask after the softmax, row 2 must not see tokens 3 to 5."""
    laid = lay(Setup(mask="causal", where="after"))
    k, v = K[:T].copy(), V[:T].copy()
    k[2:], v[2:] = masking.K_AGAIN[2:], masking.V_AGAIN[2:]
    powers = np.exp(Q[1] @ k.T / 2)
    moved = (powers[:2] / powers.sum()) @ v[:2]
    assert laid.leak[1] == pytest.approx(np.abs(moved - laid.output[1]).max(), abs=1e-15)
    assert laid.leak[4] == 0  # nothing is hidden from the last row


@pytest.mark.parametrize("precision", SMALLEST)
@pytest.mark.parametrize("mask", ["causal", "padding", "both"])
def test_each_leak_is_seen(mask, precision):
    """Masked after the softmax, every row from which something is hidden leaks, unless it reads nothing at all."""
    for side, padded in itertools.product(("left", "right"), range(1, 5)):
        setup = Setup(mask=mask, side=side, padded=padded, precision=precision, where="after")
        laid = lay(setup)
        np.testing.assert_array_equal(laid.leaks, ~laid.meant.all(axis=1) & laid.meant.any(axis=1))
        flipped = lay(replace(setup, where="before", says="hidden"))
        np.testing.assert_array_equal(flipped.leaks, ~laid.meant.all(axis=1) & ~flipped.nan)
        renormalised = lay(replace(setup, where="after-renormalised"))
        assert not renormalised.leaks.any()


def test_renormalised_moves_by_rounding_only():
    moved = [lay(s).leak for s in EVERY if s.where == "after-renormalised" and s.axis == "rows" and not s.flipped
             and s.precision == "float64" and s.blocked == "-inf" and s.how == "fill"]  # fmt: skip
    assert 0 < np.nanmax(moved) < 1e-15


def test_rows_without_output_show_a_dash():
    figure = Masks(**EMPTY)
    cells = re.findall(r'<td class="w( broken)?">(.*?)</td>', figure.parts(figure.result)["leak"])
    assert cells == [(" broken", "–"), (" broken", "–"), ("", "0"), ("", "0"), ("", "0")]


# -- words and pictures ------------------------------------------------------------------------------------------------


def content(**knobs) -> dict:
    figure = Masks(**knobs)
    return json.loads(figure.parts(figure.result)["cells"])


def test_sums_within_rounding_are_not_marked():
    """A row of float16 may give 0.9996; that is no bug."""
    laid = lay(Setup(mask="causal", precision="float16"))
    assert 0 < np.abs(laid.sums - 1).max() < 2e-3
    assert content(precision="float16", mask="causal")["marks"]["weights"] == [False] * T
    assert content(where="after", mask="causal")["marks"]["weights"] == [True] * 4 + [False]
    empty = content(**EMPTY)
    assert empty["marks"]["weights"] == [True, True, False, False, False]
    assert empty["sums"]["weights"] == ["NaN", "NaN", "1.000", "1.000", "1.000"]


def test_empty_rows_are_marked_in_the_mask():
    for blocked in ("-inf", "min"):  # before they do harm, and whatever harm they do
        cells = content(**EMPTY, blocked=blocked)
        assert cells["sums"]["mask"] == ["0", "0", "1", "2", "3"]
        assert cells["marks"]["mask"] == [True, True, False, False, False]
    assert content(mask="causal")["marks"]["mask"] == [False] * T


def test_lines_of_cells():
    assert content(mask="causal")["lines"][0][1] == [
        "row 1, column 2", "she may not read from saw", "logit −1.625", "into the softmax −∞", "weight exactly 0",
    ]  # fmt: skip
    assert content(says="hidden", mask="causal")["lines"][0][1][1] == "she may not read from saw, but the code lets it"
    assert content(says="hidden", mask="causal")["lines"][1][0][1] == "saw may read from she, but the code hides it"
    added = content(**EMPTY, blocked="-1e9", how="add")
    assert (
        added["lines"][1][2][3] == f"into the softmax {str(-1e9 + lay(Setup(**EMPTY)).scores[1, 2]).replace('-', '−')}"
    )
    assert added["tokens"] == ["1 pad", "2 pad", "3 she", "4 saw", "5 a"]


def test_cells_of_the_three_pictures():
    def texts(source, **knobs):
        return [Masks(**knobs).shown[source]["text"][T * i : T * i + T] for i in range(T)]

    assert texts("mask", mask="causal")[1] == ["True", "True", "False", "False", "False"]
    assert texts("mask", says="hidden", reads="hidden", mask="causal")[1] == ["False", "False", "True", "True", "True"]
    assert texts("mask", where="after", mask="causal")[1] == ["1", "1", "0", "0", "0"]
    assert texts("mask", how="add", blocked="-1e4", mask="causal")[1] == ["0", "0", "−10000", "−10000", "−10000"]
    assert texts("mask", **EMPTY, how="add", blocked="min")[0] == ["min", "−∞", "min", "min", "min"]
    assert texts("logits", how="add", blocked="-1e4", mask="causal")[0] == [
        "0.375",
        "−10002",
        "−10000",
        "−10001",
        "−9999.9",
    ]
    assert texts("weights", **EMPTY)[0] == ["NaN"] * T


def test_nan_cells_have_a_cross_hatch_and_bold_text():
    cells, lines, crosses = (Masks(**EMPTY).shown[name] for name in ("weights", "weights lines", "weights crosses"))
    assert cells["style"][:10] == ["bold"] * 10 and set(cells["style"][10:]) == {"normal"}
    assert (crosses["x"], crosses["y"]) == (cells["x"][:10], cells["y"][:10])
    assert lines["x"][:2] == cells["x"][10:12] and lines["x"][2] != cells["x"][12]


def test_a_hidden_cell_that_is_read_shows_hatch_and_shade():
    shown = Masks(**EMPTY, blocked="-1e9").shown
    first = [shown["weights lines"][axis][0] == shown["weights"][axis][0] for axis in ("x", "y")]
    assert all(first) and shown["weights"]["shade"][0] == pytest.approx(0.2)
    assert math.isnan(Masks(mask="causal").shown["weights"]["shade"][1])
    plain = marked_columns("a", np.zeros((1, 1)), [["0"]], np.array([[False]]))
    assert plain["a"]["style"] == ["normal"]
    assert plain["a lines"] == plain["a crosses"] == {"x": [], "y": []}


@pytest.mark.parametrize("theme", THEMES)
def test_numbers_on_hatch_can_be_read(theme):
    """They stand on a patch in the colour of the cell, so that only this colour counts."""
    figure = Masks()
    figure.ensure_built()
    for plot in figure.plots.values():
        cell, *_, text = (renderer.glyph for renderer in plot.renderers)
        assert text.background_fill_color == cell.fill_color
    colours = THEMES[theme]
    pairs = zip(palette("paper>output", colours), palette("on:paper>output", colours), strict=True)
    assert min(contrast(*pair) for pair in pairs) >= 4.5
    assert contrast(colours["masked-tint"], colours["ink"]) >= 7


def test_knobs_that_play_no_part_say_why():
    assert set(Masks(mask="causal").idle()) == {"side", "padded"}
    assert Masks(mask="padding").idle() == {}
    for where in ("after", "after-renormalised"):
        assert set(Masks(mask="both", where=where).idle()) == {"blocked", "how"}
    figure = Masks(mask="causal", where="after")
    assert figure.idle()["how"] in figure.parts(figure.result)["idle logits"]


def test_knobs_that_play_no_part_change_nothing():
    for setup in SAMPLE[:100]:
        idle = Masks(**vars(setup)).idle()
        for name in idle:
            for value in choices()[name]:
                other = lay(replace(setup, **{name: value}))
                np.testing.assert_equal(other.weights, lay(setup).weights)
                assert verdicts(other)[0] is verdicts(lay(setup))[0]


def test_figures_2_and_4_speak_the_same_words():
    assert Matrix.knobs()["causal"].label.lower() == f"{Masks.knobs()['mask'].words['causal']} mask"


def test_tokens_are_words_and_padding():
    assert lay(Setup(mask="padding", padded=3)).tokens == (*WORDS[:2], *[PAD] * 3)
    assert lay(Setup(mask="both", side="left", padded=1)).tokens == (PAD, *WORDS[:4])
    assert lay(Setup(mask="causal", padded=3)).tokens == WORDS


def test_table_has_every_cell_at_full_precision():
    figure = Masks(mask="causal", where="after")
    header, *rows = figure.table(figure.result)
    assert len(rows) == T * T and all(len(row) == len(header) for row in rows)
    row = dict(zip(header, rows[T + 2], strict=True))  # row 2, column 3
    assert (row["meant visible"], row["weight"], row["leak"]) == ("no", 0, figure.result.leak[1])


# -- code --------------------------------------------------------------------------------------------------------------


def test_numpy_code_in_a_sample_of_states():
    for setup in SAMPLE[:200]:
        check_numpy(Masks(**vars(setup)))


@pytest.mark.torch
def test_torch_code_in_a_sample_of_states():
    for setup in SAMPLE[:300]:
        figure = Masks(**vars(setup))
        names, printed = run(figure.code("torch"))
        assert str(names["weights"].dtype) == f"torch.{setup.precision}"
        for name in ("weights", "output"):
            expected = getattr(figure.result, name).astype(float)
            np.testing.assert_allclose(names[name].double().numpy(), expected, rtol=0, atol=4 * figure.result.eps)
        refuses = setup.before and (setup.blocked, setup.precision, setup.how) == ("-1e9", "float16", "fill")
        assert ("without overflow" in printed) == refuses

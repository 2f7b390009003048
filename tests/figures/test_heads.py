"""Figure 5: arrays, memory and words against an independent computation with plain loops."""

from __future__ import annotations

import itertools
import json
import re

import numpy as np
import pytest
from hypothesis import given

from core.heads import merge_heads
from figures import pieces
from figures.heads import Heads, divisors
from figures.trace import trace

from .strategies import states
from .test_code import run

SIZES = [(T, D, H, B) for T in (1, 2, 3, 5) for D in (4, 6, 12) for H in divisors(D) for B in (1, 2)]
WAYS = list(itertools.product(("view", "reshape"), ("transpose", "reshape")))


def by_hand(T, D, H, B, split, merge):
    """Where number n stands at steps 2 and 4, computed index by index, without NumPy's shapes."""
    d_k = D // H
    heads, merged = {}, {}
    for b, t, f in itertools.product(range(B), range(T), range(D)):
        n, k = (b * T + t) * D + f, t * D + f
        heads[n] = (b, f // d_k, t, f % d_k) if split == "view" else (b, k // (T * d_k), k // d_k % T, k % d_k)
        _, h, s, i = heads[n]
        k = (h * T + s) * d_k + i
        merged[n] = (b, s, h * d_k + i) if merge == "transpose" else (b, k // D, k % D)
    return heads, merged


@pytest.mark.parametrize(("T", "D", "H", "B"), SIZES)
def test_places_and_memory(T, D, H, B):
    for split, merge in WAYS:
        found = trace(T, D, H, B, split, merge)
        heads, merged = by_hand(T, D, H, B, split, merge)
        for n in range(B * T * D):
            places = [tuple(step.index[n].tolist()) for step in found.steps]
            batch = lambda place: place if B == 2 else place[1:]  # noqa: E731
            assert places[2] == places[3] == batch(heads[n]) and places[4] == batch(merged[n])
            assert (found.sequence[n], found.token[n], found.feature[n]) == (n // D // T, n // D % T, n % D)
            assert found.head[n] == n % D // (D // H)
        for step in found.steps:
            assert (step.memory[step.offset] == np.arange(B * T * D)).all()
            first = np.array(step.index) @ step.strides  # strides lead to the memory place of each number
            assert (first == step.offset).all()
        assert found.restored == (merged == {n: (n // D // T, n // D % T, n % D) for n in merged})


@pytest.mark.parametrize(("T", "D", "H", "B"), SIZES)
def test_views_move_nothing_and_ways_agree_only_with_one_head_or_one_token(T, D, H, B):
    for split, merge in WAYS:
        found = trace(T, D, H, B, split, merge)
        assert not any(step.copied for step in found.steps[:4])
        assert all((step.memory == np.arange(B * T * D)).all() for step in found.steps[:4])
        assert found.split_agrees == found.merge_agrees == (H == 1 or T == 1)
        assert found.restored == (H == 1 or T == 1 or (split == "view") == (merge == "transpose"))


def numbers(words: str) -> list[int]:
    """Cells written as token and feature ("o1 c5"), as numbers of the first sentence with D = 8."""
    return ["ocstbd".index(cell[0]) * 8 + int(cell[1:]) - 1 for cell in words.split()]


GOLDEN = {  # block A row by row; then row 1 after merging
    "right": ("o1 o2 o3 o4 c1 c2 c3 c4 s1 s2 s3 s4 t1 t2 t3 t4", "o1 o2 o3 o4 o5 o6 o7 o8"),
    "wrong reshape": ("o1 o2 o3 o4 o5 o6 o7 o8 c1 c2 c3 c4 c5 c6 c7 c8", "o1 o2 o3 o4 s1 s2 s3 s4"),
    "wrong merge": ("o1 o2 o3 o4 c1 c2 c3 c4 s1 s2 s3 s4 t1 t2 t3 t4", "o1 o2 o3 o4 c1 c2 c3 c4"),
    "one head": (" ".join(f"{t}{f}" for t in "ocst" for f in range(1, 9)), "o1 o2 o3 o4 o5 o6 o7 o8"),
}


@pytest.mark.parametrize("preset", Heads.presets)
def test_presets_against_lists_written_by_hand(preset):
    figure = Heads(**Heads.presets[preset])
    block, row = GOLDEN[preset]
    assert figure.result.blocks[0].ravel().tolist() == numbers(block)
    assert figure.result.steps[4].array[0].tolist() == numbers(row)


def test_strides_of_the_start():
    strides = [step.strides for step in Heads().result.steps]
    assert strides == [(8, 1), (8, 4, 1), (4, 8, 1), (4, 8, 1), (8, 1)]
    assert Heads(method="reshape").result.steps[2].strides == (16, 4, 1)


def test_what_the_merge_does_in_memory():
    """Undoing a view needs no copy, even in this way round; every other merge does."""
    for split, merge in WAYS:
        last = trace(4, 8, 2, 1, split, merge).steps[4]
        assert last.copied == ((split == "view") != (merge == "transpose"))
        assert (last.memory == np.arange(32)).all() == (not last.copied)
    after = np.matmul(np.eye(4), trace(4, 8, 2, 1, "view", "transpose").blocks)  # what attention makes is new
    assert not np.shares_memory(merge_heads(after), after)


def test_code_prints_shapes_and_strides_of_the_picture():
    for preset in Heads.presets.values():
        figure = Heads(**preset, batch=2)
        _, printed = run(figure.code("numpy"))
        steps = [figure.result.steps[k] for k in (0, 1, 2)]
        assert printed.splitlines()[:3] == [f"{step.shape} {step.strides}" for step in steps]


@pytest.mark.torch
@pytest.mark.parametrize(("T", "D", "H", "B"), [(3, 12, 2, 1), (5, 6, 3, 2), (2, 4, 2, 2)])
def test_pytorch_has_the_same_strides(T, D, H, B):
    for split, merge in WAYS:
        figure = Heads(T=T, D=D, H=H, batch=B, method=split, merge=merge)
        names, _ = run(figure.code("torch"))
        for name, k in (("Q", 0), ("view", 1), ("heads", 2), ("merged", 4)):
            step = figure.result.steps[k]
            assert names[name].stride() == step.strides
            assert (names[name].data_ptr() != names["Q"].data_ptr()) == step.copied


def test_words_of_the_bugs():
    said = {name: (f := Heads(**knobs)).describe(f.result) for name, knobs in Heads.presets.items()}
    assert "Head A got 'our' and 'cat' with features 1–8, head B got 'saw' and 'the'" in said["wrong reshape"]
    assert "row 1 now holds features 1–4 of 'our' and 'cat'" in said["wrong merge"]
    assert "both ways agree" in said["one head"]
    both = Heads(step=4, method="reshape", merge="reshape")
    assert both.describe(both.result).startswith("Two bugs cancel")
    assert "all 4 tokens: features 5–8" in Heads(step=2).parts(Heads(step=2).result)["stage"]
    wrong = Heads(step=3, method="reshape", H=4)
    assert "our: features 1–8 (heads A–D)" in wrong.parts(wrong.result)["stage"]


@given(states(Heads))
def test_words_are_true(knobs):
    figure = Heads(**knobs)
    said, result = figure.describe(figure.result), figure.result
    bug = (figure.step in (2, 3) and not np.array_equal(result.steps[2].array, trace_right(figure).steps[2].array)) or (
        figure.step == 4 and not result.restored
    )
    assert bug == bool(re.search("nothing fails|wrong numbers|never was", said))
    assert ("agree" in said) == (figure.step >= 2 and (figure.H == 1 or figure.T == 1))
    assert not re.search(r"\b1 (tokens|features|heads)\b", said)
    memory = figure.parts(result)["array"]
    assert ("copied" in memory) == result.steps[figure.step].copied
    assert ('"bug"' in memory) == (
        bug if figure.step == 2 else figure.step == 4 and figure.merge == "reshape" and not result.merge_agrees
    )


def trace_right(figure: Heads):
    return trace(figure.T, figure.D, figure.H, figure.batch, "view", "transpose")


@given(states(Heads))
def test_cells_lie_apart_and_inside(knobs):
    """In every step each number has a place of its own, within the room that is kept."""
    figure = Heads(**knobs)
    columns, rows = pieces.size(figure.result)
    for step in range(5):
        x, y = pieces.place(step, figure.result)
        assert x.min() >= 0 and y.min() >= pieces.TOP and x.max() + 1 <= columns and y.max() + 1 <= rows + 1e-9
        cells = sorted(zip(x.tolist(), y.tolist(), strict=True))
        for (x0, y0), (x1, y1) in itertools.combinations(cells, 2):
            assert abs(x0 - x1) > 0.999 or abs(y0 - y1) > 0.999
        _, left = pieces.labels(step, figure.result)
        assert len({(cx, cy) for cx, cy, _ in left}) == len(left) >= figure.T


def test_heads_divide_the_features():
    assert Heads.read({"H": "3"}) == ({}, ["H: expected a divisor of D = 8 (1 or 2 or 4), got '3'"])
    assert Heads.read({"D": "9"}) == ({"D": 9, "H": 3}, [])
    good, problems = Heads.read({"D": "9", "H": "2", "step": "2"})
    assert good == {"D": 9, "H": 3, "step": 2} and problems == ["H: expected a divisor of D = 9 (1 or 3), got '2'"]
    assert Heads.read({"H": "3"}, around=Heads(H=4).settings())[0] == {}
    with pytest.raises(ValueError, match="H: expected a divisor of D = 8"):
        Heads(H=3)


def test_table_names_each_number_once():
    header, *rows = Heads(method="reshape").table(Heads(method="reshape").result)
    assert len(rows) == 32 and len({row[0] for row in rows}) == 32
    cat5 = dict(zip(header, rows[12], strict=True))
    assert (cat5["word"], cat5["feature"], cat5["head"]) == ("cat", "5", "B")
    assert cat5["step 0 place"] == "row 2 column 5" and cat5["step 2 place"] == "block A row 4 column 1"
    assert cat5["step 2 offset"] == "12" and cat5["step 4 offset"] == "24"


def test_the_start_of_the_followed_number_is_told_before_scripts_run():
    html = pieces.followed(Heads().result, [1, 2, 4])
    assert json.loads(re.search(r"data-trail='(.*?)'", html)[1])["start"] == 12
    assert "cat 5" in re.sub("<[^>]+>", "", html)

"""Each check names the mistake: answers as students write them, and the sentence that each must get."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from core import attention as core_attention
from core import heads as core_heads
from core import masks, scaling
from core import softmax as core_softmax
from notebooks import checks
from notebooks.checks import attention, gradients, heads, order, variance, verdict

from . import wrong
from .wrong import ATTENTION, RIGHT

ANSWERS = {
    checks.check_softmax: [RIGHT.softmax],
    checks.check_attention: [RIGHT.attention],
    checks.check_dot_products: [RIGHT.dot_products],
    checks.check_largest_weight: [RIGHT.largest_weight],
    checks.check_jacobian: [RIGHT.softmax_jacobian],
    checks.check_vjp: [RIGHT.softmax_vjp],
    checks.check_largest_slope: [RIGHT.largest_slope],
    checks.check_backward: [RIGHT.attention_backward],
    checks.check_split_and_merge: [RIGHT.split_heads, RIGHT.merge_heads],
    checks.check_heads: [RIGHT.multi_head_attention],
    checks.check_gap: [RIGHT.equivariance_gap],
    checks.check_causal: [RIGHT.causal],
    checks.compare_shuffled: [RIGHT.equivariance_gap, RIGHT.causal, RIGHT.attention],
}
EACH = pytest.mark.parametrize("check", ANSWERS, ids=lambda check: check.__name__)


@pytest.fixture(autouse=True)
def no_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)


def program(code: str) -> SimpleNamespace:
    """Functions of a student who goes on from the solutions."""
    names = dict(vars(RIGHT))
    exec(compile(code, "student", "exec"), names)
    return SimpleNamespace(**names)


CHANGED = [
    pytest.param(check, code, *row, id=f"{check}: {row[-1]}")
    for check, (code, rows) in wrong.CHANGED.items()
    for row in rows
]
SHORT = [pytest.param(check, *row, id=f"{check}: {row[-1]}") for check, rows in wrong.SHORT.items() for row in rows]


@pytest.mark.parametrize(("check", "code", "there", "instead", "words"), CHANGED)
def test_a_changed_line_is_named(check, code, there, instead, words, capsys):
    assert there in code
    student = program(code.replace(there, instead, 1))
    names = [answer.__name__ for answer in ANSWERS[getattr(checks, check)]]
    getattr(checks, check)(*(getattr(student, name) for name in names))
    printed = capsys.readouterr().out
    assert words in printed
    assert printed.startswith(("Look again", "Not yet"))


@pytest.mark.parametrize(("check", "answer", "words"), SHORT)
def test_a_short_wrong_answer_is_named(check, answer, words, capsys):
    getattr(checks, check)(answer)
    printed = capsys.readouterr().out
    assert words in printed
    assert printed.startswith(("Look again", "Not yet"))


@pytest.mark.parametrize(("split", "merge", "words"), wrong.SPLIT_AND_MERGE)
def test_a_wrong_split_or_merge_is_named(split, merge, words, capsys):
    checks.check_split_and_merge(split, merge)
    assert words in capsys.readouterr().out


def test_several_mistakes_are_named_together(capsys):
    student = program(ATTENTION.replace(" / np.sqrt(Q.shape[-1])", "").replace("softmax(S)", "softmax(S.T).T"))
    checks.check_attention(student.attention)
    printed = capsys.readouterr().out
    assert "Each column of A sums to 1" in printed
    assert "And one more: The scores are not scaled" in printed


def test_shuffling_with_a_mask_that_does_nothing_is_not_passed(capsys):
    checks.compare_shuffled(RIGHT.equivariance_gap, lambda T: np.ones((T, T), bool), RIGHT.attention)
    assert capsys.readouterr().out.startswith("Look again. The gaps are ")


@EACH
def test_solutions_pass(check, capsys):
    check(*ANSWERS[check])
    assert capsys.readouterr().out.startswith("Passed. ")


@EACH
def test_a_stub_is_not_yet_and_an_error_is_told(check, capsys):
    def broken(*arguments):
        return 1 / 0

    def empty(*arguments):
        raise NotImplementedError

    check(*(empty for _ in ANSWERS[check]))
    assert capsys.readouterr().out.startswith("Not yet: `empty` is still empty.")
    check(*(broken for _ in ANSWERS[check]))
    assert capsys.readouterr().out == (
        "Look again. `broken` stops in the line `return 1 / 0` with ZeroDivisionError: division by zero.\n"
    )


@EACH
def test_every_sentence_is_about_one_mistake(check, monkeypatch, capsys):
    """Where a mistake first differs from the right result, no other mistake gives the same."""
    seen = []

    def spy(name, got, right, mistakes=None, rtol=1e-5):
        seen.append((right, mistakes or {}, rtol))

    for module in (attention, variance, gradients, heads, order):
        monkeypatch.setattr(module, "must_equal", spy)
    check(*ANSWERS[check])
    told: set[str] = set()
    for right_, mistakes, rtol in seen:
        new = {s: w for s, w in mistakes.items() if s not in told and not verdict.same_numbers(w, right_, rtol)}
        told |= new.keys()
        for i, (sentence, value) in enumerate(new.items()):
            for other, another in list(new.items())[i + 1 :]:
                assert not verdict.same_numbers(value, another, rtol), f"{sentence} / {other}"
    assert told == {sentence for _, mistakes, _ in seen for sentence in mistakes}


def test_the_plot_shows_both_curves_where_matplotlib_is(monkeypatch, capsys):
    drawn = []
    plt = SimpleNamespace(
        plot=lambda x, y, style: drawn.append(y),
        **dict.fromkeys(("annotate", "xscale", "xticks", "ylim", "xlabel", "ylabel", "show"), lambda *a, **k: None),
    )
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", plt)
    checks.plot_largest_weight(RIGHT.largest_weight)
    free, divided = drawn
    assert free == sorted(free) and free[-1] > 0.9
    assert max(divided) < 0.1
    assert capsys.readouterr().out.startswith("Without scaling")


def test_without_matplotlib_the_plot_is_made_of_letters(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    checks.plot_largest_weight(RIGHT.largest_weight)
    lines = capsys.readouterr().out.splitlines()
    bars = [line.count("█") for line in lines if "█" in line]
    assert len(bars) == 8 and bars[3] > 35 and max(bars[4:]) < 5


def test_right_answers_are_those_of_core():
    rng = np.random.default_rng(0)
    q, k, v, d_o = (rng.standard_normal(shape) for shape in ((5, 3), (7, 3), (7, 2), (5, 2)))
    allowed = rng.random((5, 7)) < 0.7
    x, w = rng.standard_normal((2, 5, 21)), [rng.standard_normal((21, 21)) for _ in range(4)]
    same = np.testing.assert_allclose
    same(attention.right_softmax(q), core_softmax.softmax(q), atol=1e-12)
    ours, theirs = attention.right_attention(q, k, v, allowed), core_attention.attention(q, k, v, allowed)
    same(ours[0], theirs.output, atol=1e-12)
    same(ours[1], theirs.weights, atol=1e-12)
    same(heads.right_heads(x, w, 3), core_heads.multi_head_attention(x, *w, 3).output, atol=1e-10)
    same(heads.split_right(x, 3), core_heads.split_heads(x, 3))
    backward = core_attention.attention_backward(q, k, v, d_o)
    same(RIGHT.attention_backward(q, k, v, d_o)[3], backward.d_q, atol=1e-12)
    same(RIGHT.attention_backward(q, k, v, d_o)[4], backward.d_k, atol=1e-12)
    same(RIGHT.attention_backward(q, k, v, d_o)[0], backward.d_v, atol=1e-12)
    same(RIGHT.causal(5), masks.causal(5))


@pytest.mark.parametrize(("factor", "name"), [(1, "none"), (1 / 4, "1/sqrt(d_k)"), (1 / 16, "1/d_k")])
def test_the_typical_largest_weight_is_that_of_core(factor, name):
    theirs = scaling.weight_statistics(16, 128, 5_000, 0, scaling=name).median_largest_weight
    assert variance.typical_largest_weight(16, factor) == pytest.approx(theirs, rel=0.1)

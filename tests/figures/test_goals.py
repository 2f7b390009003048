"""Goals: within reach of every reader, out of reach of those who only look."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from figures import BY_SLUG, FIGURES, PAGES, Figure, state
from figures.goals import NO_SCORE, Goal
from figures.heads import Heads
from figures.knobs import Choice, Points, Real, Switch, Whole
from figures.live import Live, snapshot
from figures.lookup import Lookup
from figures.masks import Masks
from figures.matrix import Matrix
from figures.page import figure_html
from figures.scaling import Scaling
from lesson import page

# One way to each goal.
SOLUTIONS = {
    "Land on dog": (Lookup, {"q_x": 0.3, "q_y": 0.9, "tau": 0.2}),
    "Dog and fox alike": (Lookup, {"q_x": -0.4, "q_y": 2.9}),
    "Nearly all equal": (Lookup, {"q_x": 1.0, "q_y": 0.0, "tau": 5.0}),
    "One word, two outputs": (Matrix, {"causal": True, "beta": 2.0}),
    "Sharp enough": (Matrix, {"beta": 4.7}),
    "Order matters": (Matrix, {"causal": True, "shuffle": 8, "beta": 4.0}),
    "Find the peak": (Scaling, {"keys": "128", "d_k": 16}),
    "Scaled, yet saturated": (Scaling, {"sigma": 4.0, "seed": 3}),
    "A little alike": (Scaling, {"d_k": 1024, "rho": 0.3, "seed": 1}),
    "Nothing left": (Masks, {"mask": "none", "reads": "hidden"}),
    "A quiet leak": (Masks, {"side": "left", "padded": 4, "blocked": "-1e9", "how": "add"}),
    "Wrong without a trace": (Masks, {"mask": "none", "reads": "hidden", "blocked": "-1e9"}),
    "One token a head": (Heads, {"method": "reshape", "H": 4}),
    "Two wrongs": (Heads, {"method": "reshape", "merge": "reshape", "step": 4}),
    "Right by luck": (Heads, {"method": "reshape", "T": 1}),
}

# States that come near but break one condition: knobs on top of the solution.
NEAR_MISSES = [
    ("Land on dog", {"q_x": 0.4, "q_y": 1.0}),
    ("Land on dog", {"values": ((0.0, 0.0), (2.2, 3.1), (3.6, -0.6), (0.9, -3.0), (-3.3, -1.5))}),
    ("Dog and fox alike", {"items": "tokens"}),
    ("Nearly all equal", {"q_x": 0.9}),
    ("Sharp enough", {"causal": True}),
    ("Find the peak", {"gradient": True}),
    ("Find the peak", {"scaling": "sqrt"}),
    ("Find the peak", {"keys": "16"}),
    ("Find the peak", {"d_k": 32}),
    ("Scaled, yet saturated", {"rho": 0.1}),
    ("Scaled, yet saturated", {"scaling": "none"}),
    ("A little alike", {"scaling": "sqrt"}),
    ("A little alike", {"sigma": 2.0}),
    ("A little alike", {"rho": 0.31}),
    ("A quiet leak", {"mask": "padding", "padded": 1, "reads": "hidden"}),
    ("A quiet leak", {"where": "after"}),
    ("Wrong without a trace", {"blocked": "-inf"}),
    ("Wrong without a trace", {"reads": "may"}),
    ("One token a head", {"method": "view"}),
    ("One token a head", {"T": 5}),
    ("Two wrongs", {"step": 3}),
    ("Two wrongs", {"method": "view", "merge": "transpose"}),
    ("Two wrongs", {"T": 1}),
    ("Right by luck", {"H": 1}),
]

each_figure = pytest.mark.parametrize("kind", FIGURES, ids=lambda f: f.slug)


def goals(figure: Figure) -> dict[str, dict]:
    return {goal["name"]: goal for goal in snapshot(figure)["goals"]}


def score(name: str) -> float:
    kind, knobs = SOLUTIONS[name]
    return goals(kind(**knobs))[name]["value"]


@each_figure
def test_two_or_three_goals_in_words(kind):
    assert 2 <= len(kind.goals) <= 3
    for goal in kind.goals:
        assert 4 < len(goal.name) < 25
        assert goal.text.endswith(".") and (not goal.needs or re.match("Counts .*[.]$", goal.needs))
        wanted = f"{goal.wanted:g}"
        assert wanted in goal.text or not goal.places, "the sentence names the number"
    names = [goal.name for figure in FIGURES for goal in figure.goals]
    assert len(names) == len(set(names))
    assert set(names) == set(SOLUTIONS)


def states_shown(kind: type[Figure]) -> list[dict]:
    """The first state, all presets, and all states that the lesson links to."""
    queries = re.findall(rf'data-go="{kind.slug}" data-query="([^"]*)"', page.lesson())
    assert queries, "the lesson shows this figure"
    linked = [state.read(kind, query.replace("&amp;", "&"))[0] for query in queries]
    return [{}, *(kind.preset_settings(name) for name in kind.presets), *linked]


@each_figure
def test_what_is_shown_reaches_no_goal(kind):
    for knobs in states_shown(kind):
        reached = [name for name, goal in goals(kind(**knobs)).items() if goal["reached"]]
        assert not reached, knobs


@pytest.mark.parametrize("name", SOLUTIONS)
def test_a_goal_can_be_reached_by_keys(name):
    kind, knobs = SOLUTIONS[name]
    goal = goals(kind(**knobs))[name]
    assert goal["reached"]
    assert re.search(r"\d", goal["score"])
    for knob, value in knobs.items():
        assert within_reach(kind.knobs()[knob], value), knob


def within_reach(knob, value) -> bool:
    """Is this a value that arrow keys, Home and End, a button or a switch can give? (assets/js/figure.js)"""
    if isinstance(knob, Real):
        steps = (np.log10(value) - np.log10(knob.default)) / 0.05 if knob.log else (value - knob.default) / knob.fine
        by_arrows = float(f"{knob.default * 10 ** (0.05 * round(steps)):.3g}") if knob.log else (
            round(knob.default + knob.fine * round(steps), 2)
        )  # fmt: skip
        return value in knob.bounds or value == by_arrows
    if isinstance(knob, Whole):
        return value in knob.steps if knob.steps else value < 10  # a seed: presses of its button
    return isinstance(knob, Choice | Switch) and not isinstance(knob, Points)


def test_within_reach_knows_what_is_out_of_reach():
    tau, q_x = Lookup.knobs()["tau"], Lookup.knobs()["q_x"]
    assert within_reach(tau, 0.05) and within_reach(tau, 0.2) and not within_reach(tau, 0.21)
    assert within_reach(q_x, -4.5) and within_reach(q_x, 0.3) and not within_reach(q_x, 0.33)
    assert not within_reach(Matrix.knobs()["shuffle"], 4321)


@pytest.mark.parametrize(("name", "change"), NEAR_MISSES)
def test_a_near_miss_does_not_count(name, change):
    kind, knobs = SOLUTIONS[name]
    assert not goals(kind(**kind.fit(kind.defaults() | knobs | change, change)[0]))[name]["reached"]


# -- scores, computed anew from the knobs alone ------------------------------------------------------------------------


def soft(scores: np.ndarray) -> np.ndarray:
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def test_scores_of_the_lookup():
    from figures.lookup import KEYS, VALUES

    keys, values = np.array(KEYS), np.array(VALUES)

    def weights(name: str) -> np.ndarray:
        knobs = {"tau": 1.0} | SOLUTIONS[name][1]
        return soft(keys @ [knobs["q_x"], knobs["q_y"]] / math.sqrt(2) / knobs["tau"])

    x, y = weights("Land on dog") @ values - (2.2, 3.1)
    assert score("Land on dog") == pytest.approx(math.sqrt(x * x + y * y), abs=1e-12)
    assert score("Dog and fox alike") == pytest.approx(min(weights("Dog and fox alike")[1:3]), abs=1e-12)
    w = weights("Nearly all equal")
    assert score("Nearly all equal") == pytest.approx(math.prod(w**-w), abs=1e-12)


def test_scores_of_the_matrix():
    from figures.sentence import K, Q, V, permutation

    hidden = np.triu(np.full((6, 6), -np.inf), 1)
    o = soft(2 * Q @ K.T / math.sqrt(2) + hidden) @ V
    assert score("One word, two outputs") == pytest.approx(math.dist(o[0], o[3]), abs=1e-12)
    assert score("Sharp enough") == 4.7
    p = permutation(8)
    home, moved = (soft(4 * q @ k.T / math.sqrt(2) + hidden) @ v for q, k, v in ((Q, K, V), (Q[p], K[p], V[p])))
    assert score("Order matters") == pytest.approx(np.abs(moved - home[p]).max(), abs=1e-12)
    assert goals(Matrix(shuffle=8, beta=4.0))["Order matters"]["value"] < 1e-12


def test_the_peak_is_where_the_goal_says():
    reached = [d_k for d_k in Scaling.knobs()["d_k"].steps
               if goals(Scaling(keys="128", d_k=d_k))["Find the peak"]["reached"]]  # fmt: skip
    assert reached == [16]
    figure = Scaling(**SOLUTIONS["Scaled, yet saturated"][1])
    assert score("Scaled, yet saturated") == soft(figure.result.scores / 8).max()
    assert score("A little alike") == 0.3


def test_scores_of_the_masks():
    assert score("Nothing left") == 5
    laid = Masks(**SOLUTIONS["A quiet leak"][1]).result
    assert score("A quiet leak") == np.abs(laid.swapped - laid.output).max()
    right, wrong = Masks(mask="none").result, Masks(**SOLUTIONS["Wrong without a trace"][1]).result
    assert score("Wrong without a trace") == np.abs(wrong.weights - right.weights).max()


def test_scores_of_the_heads():
    assert score("One token a head") == 4
    assert goals(Heads(method="reshape", H=4, batch=2))["One token a head"]["value"] == 4
    assert goals(Heads(method="reshape", H=4, T=3))["One token a head"]["value"] == 0
    assert score("Two wrongs") == score("Right by luck") == 0
    q = np.arange(32).reshape(4, 8)
    right, wrong = q.reshape(4, 2, 4).transpose(1, 0, 2), q.reshape(2, 4, 4)
    assert goals(Heads(method="reshape"))["Right by luck"]["value"] == (right != wrong).sum()
    merged = wrong.transpose(1, 0, 2).reshape(4, 8)
    assert goals(Heads(method="reshape", step=4))["Two wrongs"]["value"] == (q != merged).sum()


# -- what travels ------------------------------------------------------------------------------------------------------


def test_an_answer_carries_the_goals_and_is_json():
    live = Live([kind() for kind in PAGES])
    for slug in BY_SLUG:
        answer = live.hear(json.dumps({"seq": 1, "figures": {slug: {}}}))
        sent = json.loads(json.dumps(answer, allow_nan=False))["figures"][slug]["goals"]
        assert [goal["name"] for goal in sent] == [goal.name for goal in BY_SLUG[slug].goals]


def test_a_score_that_is_no_number_is_none():
    goal = Goal("Endless", "Go on for ever.", lambda _figure, _result: math.inf, 1, "more")
    assert goal.check(Lookup()) == {"name": "Endless", "value": None, "score": NO_SCORE, "reached": False}


def test_either_way_is_better_and_rounding_is_forgiven():
    less, more = (Goal("So", "So.", lambda *_: None, 0.3, better) for better in ("less", "more"))
    assert less.reached(0.1 + 0.2) and less.reached(0.0) and not less.reached(0.31)
    assert more.reached(0.3) and more.reached(9.0) and not more.reached(0.29)


def test_a_figure_without_goals_shows_none(monkeypatch):
    assert "goal" in figure_html(Lookup(), [])
    monkeypatch.setattr(Lookup, "goals", ())
    assert "goal" not in figure_html(Lookup(), [])

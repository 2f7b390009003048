"""Questions with choices: each can be answered, and something is said of every choice."""

from __future__ import annotations

import pytest

from lesson import page
from lesson.markdown import prepared
from lesson.rules import Formulas, reader
from lesson.search import Node, Tree, words

ROOT = Tree(page.lesson()).root
CHECKS = [node for node in ROOT.all() if "check" in node.classes]
PREDICTIONS = [node for node in ROOT.all() if "predict" in node.classes]


def options(node: Node) -> dict[str, Node]:
    found = [n for n in node.all() if "option" in n.classes]
    named = {n.attrs["data-choice"]: n for n in found}
    assert len(named) == len(found)
    return named


@pytest.mark.parametrize("check", CHECKS, ids=lambda n: n.attrs["id"])
def test_check_has_one_right_choice_and_a_reason_for_each(check):
    named = options(check)
    assert 3 <= len(named) <= 4
    reasons = {name: next(n for n in node.all() if "why" in n.classes) for name, node in named.items()}
    assert sum("data-right" in why.attrs for why in reasons.values()) == 1
    for why in reasons.values():
        said = "".join(words(n) for n in why.children if isinstance(n, Node))
        assert len(said.split()) > 8
    assert {n.attrs["name"] for n in check.all() if n.tag == "input"} == {check.attrs["id"]}


def test_there_are_five_checks_and_two_predictions():
    assert [n.attrs["id"] for n in CHECKS] == [f"check-{i}" for i in range(1, 6)]
    assert [n.attrs["id"] for n in PREDICTIONS] == ["prediction-1", "prediction-2"]


@pytest.mark.parametrize("prediction", PREDICTIONS, ids=lambda n: n.attrs["id"])
def test_answer_speaks_to_each_choice_and_one_is_right(prediction):
    answer = next(n for n in ROOT.all() if n.attrs.get("data-of") == prediction.attrs["id"])
    told = [n.attrs["data-choice"] for n in answer.all() if "told" in n.classes]
    assert told == list(options(prediction))
    assert answer.attrs["data-right"] in told


def test_choices_know_their_question():
    html = reader(Formulas({})).render(prepared(":::: check 7 Q\n::: wrong no words here\nWhy.\n:::\n::::\n"))
    assert '<input type="radio" name="check-7" value="no"><span>words here</span>' in html


def test_nothing_is_loaded_from_the_site_of_the_videos():
    """Its addresses stand in links and notes for the script only."""
    foreign = [
        (n.tag, name) for n in ROOT.all() for name, value in n.attrs.items() if "youtube" in value and name != "href"
    ]
    assert foreign == [("article", "data-embed")] * 4

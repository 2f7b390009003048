"""Dates of the review deck: those of FSRS, computed without memory; bad messages are answered with a sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import fsrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lesson import deck

from ..core.test_imports import imported

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
NEW = {"state": 1, "step": 0, "stability": None, "difficulty": None, "due": deck.stamp(START), "last_review": None}
KNOWN = NEW | {"state": 2, "step": None, "stability": 8.0, "difficulty": 5.0, "last_review": deck.stamp(START)}
GRADES = ("again", "hard", "good", "easy")
REVIEWS = st.lists(st.tuples(st.sampled_from(GRADES), st.integers(0, 90 * 86_400)), max_size=8)


def message(card: object, now: object = deck.stamp(START), name: str = "card-3") -> str:
    return json.dumps({"cards": {name: {"now": now, "card": card}}})


def after(card: dict, now: datetime) -> dict[str, dict]:
    return deck.hear(message(card, deck.stamp(now)))["cards"]["card-3"]


@settings(max_examples=60, deadline=None)
@given(REVIEWS)
def test_dates_are_those_of_fsrs(reviews):
    """A history told message by message ends where FSRS ends when it goes through it at once."""
    now, card = START, NEW
    direct, scheduler = fsrs.Card(card_id=1, due=START), fsrs.Scheduler(enable_fuzzing=False)
    for grade, seconds in reviews:
        now += timedelta(seconds=seconds)
        card = json.loads(json.dumps(after(card, now)))[grade]
        direct, _ = scheduler.review_card(direct, fsrs.Rating[grade.capitalize()], now)
        assert (card["state"], card["step"]) == (direct.state, direct.step)
        assert (card["stability"], card["difficulty"]) == (direct.stability, direct.difficulty)
        assert (card["due"], card["last_review"]) == (deck.stamp(direct.due), deck.stamp(now))


@settings(max_examples=60, deadline=None)
@given(REVIEWS)
def test_better_grades_come_back_no_sooner(reviews):
    now, card = START, NEW
    for grade, seconds in reviews:
        now += timedelta(seconds=seconds)
        outcomes = after(card, now)
        dues = [outcomes[name]["due"] for name in GRADES]
        assert dues == sorted(dues)
        assert deck.stamp(now) < dues[0]
        card = outcomes[grade]


def test_first_dates():
    outcomes = after(NEW, START)
    waits = [datetime.fromisoformat(outcomes[grade]["due"]) - START for grade in GRADES]
    assert waits == [timedelta(minutes=1), timedelta(minutes=5.5), timedelta(minutes=10), timedelta(days=8)]


def test_nothing_is_kept_between_messages():
    """The same numbers give the same answer, alone, again, and beside other cards."""
    alone = after(KNOWN, START + timedelta(days=9))
    after(NEW, START)
    now = deck.stamp(START + timedelta(days=9))
    both = {"cards": {"a": {"now": now, "card": NEW}, "card-3": {"now": now, "card": KNOWN}}}
    assert deck.hear(json.dumps(both))["cards"]["card-3"] == alone == after(KNOWN, START + timedelta(days=9))


def test_a_time_of_another_zone_is_the_same_time():
    there = deck.hear(message(NEW, "2026-03-01T11:00:00+02:00"))
    assert there == deck.hear(message(NEW))


LONG = "[" * 30_000
SIX = "card-3: expected an object with difficulty, due, last_review, stability, state, step."


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "message: expected JSON."),
        (LONG, "message: expected JSON."),
        ("[]", "message: expected an object with cards."),
        ('{"cards": []}', "cards: expected up to 100 cards by their names."),
        (json.dumps({"cards": {str(n): 0 for n in range(101)}}), "cards: expected up to 100 cards by their names."),
        ('{"cards": {"card-3": {}}}', "card-3: expected an object with card, now."),
        (message(None), SIX),
        (message(NEW | {"x": 1}), SIX),
    ],
    ids=range(8),
)  # fmt: skip
def test_bad_message_is_answered_with_a_sentence(text, problem):
    assert deck.hear(text) == {"problem": problem}


TIME = "expected a time such as 2026-03-01T09:00:00.000Z, years 2000 to 2999."


@pytest.mark.parametrize(
    ("card", "problem"),
    [
        (NEW | {"state": 4}, "state: expected a whole number from 1 to 3."),
        (NEW | {"state": True}, "state: expected a whole number from 1 to 3."),
        (NEW | {"step": None}, "step: expected a whole number from 0 to 9."),
        (KNOWN | {"step": 0}, "step: expected null in state 2."),
        (NEW | {"state": 3}, "state: expected 1 before the first review."),
        (KNOWN | {"stability": None}, "stability: expected a number from 0.001 to 1e+06."),
        (KNOWN | {"stability": float("nan")}, "stability: expected a number from 0.001 to 1e+06."),
        (KNOWN | {"stability": 1e300}, "stability: expected a number from 0.001 to 1e+06."),
        (KNOWN | {"difficulty": "5"}, "difficulty: expected a number from 1 to 10."),
        (KNOWN | {"difficulty": 11}, "difficulty: expected a number from 1 to 10."),
        (KNOWN | {"last_review": None}, f"last_review: {TIME}"),
        (NEW | {"due": "soon"}, f"due: {TIME}"),
        (NEW | {"due": 5}, f"due: {TIME}"),
        (NEW | {"due": "2026-03-01T09:00:00"}, f"due: {TIME}"),
        (NEW | {"due": "0001-01-01T00:00:00+14:00"}, f"due: {TIME}"),
        (NEW | {"due": "9999-12-31T00:00:00Z"}, f"due: {TIME}"),
    ],
)
def test_bad_card_is_answered_with_a_sentence(card, problem):
    assert deck.hear(message(card)) == {"problem": f"card-3.{problem}"}


def test_bad_now_is_answered_with_a_sentence():
    assert deck.hear(message(NEW, None)) == {"problem": f"card-3.now: {TIME}"}


CARDS = st.fixed_dictionaries(
    {
        "state": st.integers(1, 3), "step": st.none() | st.integers(0, 9),
        "stability": st.floats(1e-3, 1e6), "difficulty": st.floats(1, 10),
        "due": st.just(deck.stamp(START)), "last_review": st.just(deck.stamp(START)),
    }
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(CARDS, st.datetimes(datetime(2000, 1, 1), datetime(2999, 12, 31)))
def test_whatever_is_accepted_is_answered(card, now):
    """Also where the clock stands before the last review, or centuries after it."""
    card["step"] = None if card["state"] == 2 else card["step"] or 0
    assert set(after(card, now.replace(tzinfo=UTC))) == set(GRADES)


def test_imports_are_light():
    """It runs in the reader's browser, too: the standard library and FSRS, without what FSRS needs for training."""
    assert imported(Path(deck.__file__).read_text()) - set(sys.stdlib_module_names) == {"fsrs"}
    heavy = "{'numpy', 'torch', 'pandas', 'panel', 'bokeh', 'jinja2', 'tornado'}"
    program = f"import sys, lesson.deck; print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"

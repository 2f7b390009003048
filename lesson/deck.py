"""When a card comes back, by FSRS. Nothing is kept between two messages, so it runs anywhere: here or in a browser.

A message is ``{"cards": {"card-3": {"now": "2026-03-01T09:00:00.000Z", "card": {…}}}}``: when the card is graded, and
the card as FSRS knows it: ``state`` (1 learning, 2 review, 3 learning again), ``step``, ``stability``, ``difficulty``,
``due``, ``last_review``. The answer holds the card after each grade:
``{"cards": {"card-3": {"again": {…}, "hard": {…}, "good": {…}, "easy": {…}}}}``, or ``{"problem": "one sentence"}``.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from fsrs import Card, Rating, Scheduler, State

SCHEDULER = Scheduler(enable_fuzzing=False)  # what a button promises is what happens
MOST = 100  # cards in one message
MESSAGE, QUESTION = {"cards"}, {"now", "card"}
FIELDS = {"state", "step", "stability", "difficulty", "due", "last_review"}


class BadMessage(ValueError):
    """What is wrong with a message, in one sentence."""


def hear(text: str) -> dict[str, Any]:
    """Answer one message, JSON text."""
    try:
        cards = keys(parsed(text), MESSAGE, "message")["cards"]
        if not isinstance(cards, dict) or len(cards) > MOST:
            raise BadMessage(f"cards: expected up to {MOST} cards by their names.")
        return {"cards": {name: outcomes(name, question) for name, question in cards.items()}}
    except BadMessage as problem:
        return {"problem": str(problem)}


def outcomes(name: str, question: Any) -> dict[str, dict[str, Any]]:
    """The card after each of the four grades."""
    keys(question, QUESTION, name)
    now, card = moment(question["now"], f"{name}.now"), read(question["card"], name)
    return {grade.name.lower(): written(SCHEDULER.review_card(card, grade, now)[0]) for grade in Rating}


def read(raw: Any, name: str) -> Card:
    keys(raw, FIELDS, name)
    state = State(whole(raw["state"], 1, 3, f"{name}.state"))
    card = Card(card_id=0, state=state, due=moment(raw["due"], f"{name}.due"))
    if state == State.Review and raw["step"] is not None:
        raise BadMessage(f"{name}.step: expected null in state 2.")
    card.step = None if state == State.Review else whole(raw["step"], 0, 9, f"{name}.step")
    if all(raw[field] is None for field in ("stability", "difficulty", "last_review")):
        if state != State.Learning:
            raise BadMessage(f"{name}.state: expected 1 before the first review.")
        return card
    card.stability = real(raw["stability"], 1e-3, 1e6, f"{name}.stability")
    card.difficulty = real(raw["difficulty"], 1, 10, f"{name}.difficulty")
    card.last_review = moment(raw["last_review"], f"{name}.last_review")
    return card


def written(card: Card) -> dict[str, Any]:
    assert card.last_review is not None
    return {
        "state": card.state.value, "step": card.step, "stability": card.stability, "difficulty": card.difficulty,
        "due": stamp(card.due), "last_review": stamp(card.last_review),
    }  # fmt: skip


def stamp(time: datetime) -> str:
    """As a browser writes it.

    >>> stamp(datetime(2026, 3, 1, 9, tzinfo=UTC))
    '2026-03-01T09:00:00.000Z'
    """
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadMessage("message: expected JSON.") from None


def keys(value: Any, expected: set[str], where: str) -> dict[str, Any]:
    if not isinstance(value, dict) or set(value) != expected:
        raise BadMessage(f"{where}: expected an object with {', '.join(sorted(expected))}.")
    return value


def whole(value: Any, low: int, high: int, where: str) -> int:
    if type(value) is not int or not low <= value <= high:
        raise BadMessage(f"{where}: expected a whole number from {low} to {high}.")
    return value


def real(value: Any, low: float, high: float, where: str) -> float:
    if type(value) not in (int, float) or not low <= value <= high:  # NaN is in no interval
        raise BadMessage(f"{where}: expected a number from {low:g} to {high:g}.")
    return float(value)


def moment(value: Any, where: str) -> datetime:
    try:
        time = datetime.fromisoformat(value)
        if time.tzinfo is not None and 2000 <= time.year < 3000:
            return time.astimezone(UTC)
    except (TypeError, ValueError):
        pass
    raise BadMessage(f"{where}: expected a time such as 2026-03-01T09:00:00.000Z, years 2000 to 2999.")

"""The index of the search: what can be found, where it leads, and what it must not give away."""

from __future__ import annotations

from collections import Counter

import pytest

from lesson import page
from lesson.search import entries

from .text import Page

IDS = set(Page(page.lesson()).ids)


def found(*terms: str) -> list[str]:
    return [e.anchor for e in entries() if all(t.lower() in f"{e.title} {e.text}".lower() for t in terms)]


def test_every_entry_leads_to_a_place_of_its_own():
    anchors = [e.anchor for e in entries()]
    assert set(anchors) <= IDS
    assert len(set(anchors)) == len(anchors)
    assert all(e.kind and e.title for e in entries())


def test_all_kinds_are_there():
    kinds = Counter(e.kind for e in entries())
    expected = {"Section": 12, "Figure": 6, "Definition": 2, "Theorem": 4, "Quick check": 5, "Self-check": 6,
                "Card": 10, "Mistake": 8, "Question": 2, "Interview question": 6, "Extra": 3, "Video": 4}  # fmt: skip
    assert {kind: kinds[kind] for kind in expected} == expected
    assert kinds["Heading"] >= 15


@pytest.mark.parametrize(
    ("query", "anchor"),
    [
        ("sqrt", "why-divide"), ("1/sqrt", "more-how-fast-is-the-gradient-lost-the-honest-numbers"),
        ("d_k", "check-3"), ("softmax", "theorem-jacobian-of-the-softmax"), ("NaN", "mistake-2"),
        ("real_array", "the-functions-of-this-lesson"), ("Jacobian", "card-4"), ("padding on the left", "figure-masks"),
    ],
)  # fmt: skip
def test_symbols_and_words_are_found(query, anchor):
    assert anchor in found(query)


@pytest.mark.parametrize(
    "words",
    ["Division by 8 repairs it", "Each output moves with its token", "A score of 0 does not mean",
     "Query i is shown exactly i", "You were right", "Skip and show", "the softmax is 0/0, so NaN"],
)  # fmt: skip
def test_answers_are_not_in_the_index(words):
    assert found(words) == []


def test_index_stays_small():
    assert sum(len(e.title) + len(e.text) for e in entries()) < 40_000

"""The recall cards as data, in the lesson, on the review page and as a package for Anki."""

from __future__ import annotations

import hashlib
import io
import re
import sqlite3
import zipfile
from contextlib import closing

import pytest

from lesson import anki, page
from lesson.cards import BLOCK, cards

from .text import WORDS, Page

IDS = [f"card-{n}" for n in range(1, 11)]


def test_ten_cards_with_names_that_the_lesson_shows():
    """The pages say "all ten", and decks of readers know these names."""
    assert [card.id for card in cards()] == IDS
    assert [name for name in Page(page.lesson()).ids if name.startswith("card-")] == IDS
    assert re.findall(r'<template data-id="(.*?)"', page.review()) == IDS


@pytest.mark.parametrize("card", cards(), ids=lambda card: card.id)
def test_text_and_html_say_the_same(card):
    for html, text in ((card.question_html, card.question), (card.answer_html, card.answer)):
        assert html.count('class="katex"') == text.count(r"\(") == text.count(r"\)")
        assert html in page.review()
        # In Anki there is no Markdown and no figure to link to.
        assert not re.search(r"[$«»`*\[\]]|\{(query|key|value|output)\}|figure:", re.sub(r"\\\(.*?\\\)", "", text))


def test_no_card_of_the_text_is_overlooked():
    text = "".join(WORDS.values())
    assert len(re.findall(r"^::: card", text, re.MULTILINE)) == len(BLOCK.findall(text)) == 10


def test_review_page_is_well_formed():
    shown = Page(page.review())
    assert shown.faults == []
    assert len(shown.ids) == len(set(shown.ids))
    assert shown.headings == [1, 2, 2]


def notes(package: bytes) -> list[tuple[str, str, str]]:
    """guid, question and answer of each note."""
    with zipfile.ZipFile(io.BytesIO(package)) as archive, closing(sqlite3.connect(":memory:")) as database:
        assert archive.read("media") == b"{}"
        database.deserialize(archive.read("collection.anki2"))
        assert database.execute("select count(*) from cards").fetchone() == (10,)
        rows = database.execute("select guid, flds from notes order by id").fetchall()
    return [(guid, *fields.split("\x1f")) for guid, fields in rows]


def test_anki_gets_ten_notes_with_formulas():
    found = notes(anki.package())
    assert [question for _, question, _ in found] == [anki.field(card.question) for card in cards()]
    assert found[2][1] == r"Why divide by \(\sqrt{d_k}\)?"
    assert r"\(J = \operatorname{diag}(p) - pp^{\mathsf T}\)" in found[3][2]
    assert sum(answer.count(r"\(") for *_, answer in found) > 15
    assert anki.field("a < b & c > d\n\ne") == "a &lt; b &amp; c &gt; d<br><br>e"


def test_anki_updates_and_does_not_double():
    """Names of notes hang on the id of the card alone; the bytes on nothing but the cards."""
    assert notes(anki.package())[0][0] == "Om&yElBz;T"
    assert len({guid for guid, *_ in notes(anki.package())}) == 10
    assert anki.package.__wrapped__() == anki.package()


def test_anki_edition_is_new_when_a_card_changes():
    """If this fails, set EDITION in lesson/anki.py to today, then the digest here: Anki keeps its text otherwise."""
    text = "".join(card.id + card.question + card.answer for card in cards())
    digest = hashlib.sha256((str(anki.EDITION) + text).encode()).hexdigest()[:12]
    assert digest == "56f1c4ed2eee"

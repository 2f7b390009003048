"""The recall cards as a package for Anki. Ids never change, so that importing again updates and doubles nothing."""

from __future__ import annotations

import io
import itertools
import sqlite3
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from html import escape

from .cards import Card, cards

DECK, MODEL = 1_604_871_239, 1_372_950_468  # drawn once
EDITION = datetime(2026, 11, 30, tzinfo=UTC)  # Anki takes over a card only from a later edition than it has
STYLE = ".card { font: 20px/1.5 serif; max-width: 37em; margin: 1em auto; padding: 0 1em; text-align: left; }"
SIDES = {
    "name": "Recall",
    "qfmt": "{{Question}}",
    "afmt": '{{FrontSide}}<hr id="answer">{{Answer}}',
}


def field(text: str) -> str:
    """Text as Anki keeps it, which is HTML; Anki's MathJax draws what stands between \\( and \\)."""
    return escape(text, quote=False).replace("\n\n", "<br><br>")


@cache
def package() -> bytes:
    """The file: a database in a zip, the same bytes for the same cards."""
    import genanki  # type: ignore[import-untyped]  # here, so that the server starts without it

    fields = [{"name": "Question"}, {"name": "Answer"}]
    model = genanki.Model(MODEL, "Attention Lab", fields=fields, templates=[dict(SIDES)], css=STYLE)
    deck = genanki.Deck(DECK, "Attention Lab")

    def note(card: Card) -> genanki.Note:
        sides = [field(card.question), field(card.answer)]
        return genanki.Note(model, sides, guid=genanki.guid_for("attention-lab", card.id), tags=["attention-lab"])

    for card in cards():
        deck.add_note(note(card))
    with closing(sqlite3.connect(":memory:")) as database:
        time = EDITION.timestamp()
        genanki.Package(deck).write_to_db(database.cursor(), time, itertools.count(int(time * 1000)))
        database.commit()
        return zipped({"collection.anki2": database.serialize(), "media": b"{}"})


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()

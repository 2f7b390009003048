"""What the server answers for the review."""

from __future__ import annotations

import json

from tornado.testing import AsyncHTTPTestCase
from tornado.web import Application

from lesson import anki, deck, routes

from .test_deck import NEW, message


class TestRoutes(AsyncHTTPTestCase):
    def get_app(self) -> Application:
        return Application(routes.handlers("/"))

    def post(self, body: str | bytes):
        return self.fetch("/review/schedule", method="POST", body=body)

    def test_schedule_answers_and_keeps_nothing(self):
        answer = self.post(message(NEW))
        assert answer.code == 200
        assert json.loads(answer.body) == deck.hear(message(NEW))
        assert answer.headers["Cache-Control"] == "no-store"
        assert "Set-Cookie" not in answer.headers

    def test_bad_message_is_one_sentence(self):
        answer = self.post(b"\xff")
        assert answer.code == 400
        assert json.loads(answer.body) == {"problem": "message: expected JSON."}

    def test_long_message_is_refused(self):
        fits = self.post(message(NEW).ljust(routes.MOST_BYTES))
        assert fits.code == 200
        answer = self.post(message(NEW).ljust(300_000))
        assert answer.code == 413
        assert json.loads(answer.body) == {"problem": "message: expected at most 64000 bytes."}

    def test_anki_package_is_a_file(self):
        answer = self.fetch("/review/attention.apkg")
        assert answer.body == anki.package()
        assert answer.headers["Content-Disposition"] == 'attachment; filename="attention-lab.apkg"'
        again = self.fetch("/review/attention.apkg", headers={"If-None-Match": answer.headers["ETag"]})
        assert again.code == 304

"""What the server answers besides the pages of figures."""

from __future__ import annotations

import gzip
import json

from tornado.testing import AsyncHTTPTestCase
from tornado.web import Application

import assets
from figures.page import environment
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

    def test_files_travel_compressed_and_once(self):
        packed = {"Accept-Encoding": "gzip"}
        for address in (assets.url("js/main.js"), environment.globals["bokeh_url"]):
            answer = self.fetch("/" + address, headers=packed, decompress_response=False)
            plain = self.fetch("/" + address, headers={"Accept-Encoding": "identity"})
            assert answer.headers["Content-Encoding"] == "gzip" and gzip.decompress(answer.body) == plain.body
            assert answer.headers["Cache-Control"] == "max-age=31536000, immutable"
            assert "javascript" in answer.headers["Content-Type"]
            assert "immutable" not in self.fetch("/" + address.split("?")[0]).headers["Cache-Control"]
        font = self.fetch("/" + assets.url("fonts/inter.woff2"), headers=packed, decompress_response=False)
        assert "Content-Encoding" not in font.headers and font.headers["Content-Type"] == "font/woff2"

    def test_only_public_files_are_sent(self):
        for name in ("__init__.py", "../app.py", "templates/page.html", "js/nothing.js"):
            assert self.fetch(f"/components/assets/Files/__css__/{name}").code in (403, 404)

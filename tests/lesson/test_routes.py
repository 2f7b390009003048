"""What the server answers besides the pages of figures."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import Message
from queue import Queue

import pytest
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application

import assets
from figures.page import environment
from lesson import anki, deck, routes

from .test_deck import NEW, message


@dataclass
class Answer:
    code: int
    headers: Message
    body: bytes


@pytest.fixture(scope="module")
def fetch() -> Iterator[Callable[..., Answer]]:
    """A server in a thread of its own: the loop of the browser tests may be running in this one."""
    ready: Queue = Queue()

    async def serve() -> None:
        server, done = HTTPServer(Application(routes.handlers("/"))), asyncio.Event()
        (socket,) = bind_sockets(0, "127.0.0.1")
        server.add_sockets([socket])
        ready.put((socket.getsockname()[1], asyncio.get_running_loop(), done))
        await done.wait()
        server.stop()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    port, loop, done = ready.get(timeout=10)

    def fetched(path: str, body: str | bytes | None = None, **headers: str) -> Answer:
        """The answer as it travels, not unpacked."""
        data = body.encode() if isinstance(body, str) else body
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, named)) as reply:
                return Answer(reply.status, reply.headers, reply.read())
        except urllib.error.HTTPError as reply:
            with reply:
                return Answer(reply.code, reply.headers, reply.read())

    yield fetched
    loop.call_soon_threadsafe(done.set)
    thread.join(timeout=10)


def schedule(fetch: Callable[..., Answer], body: str | bytes) -> Answer:
    return fetch("/review/schedule", body)


def test_schedule_answers_and_keeps_nothing(fetch):
    answer = schedule(fetch, message(NEW))
    assert answer.code == 200
    assert json.loads(answer.body) == deck.hear(message(NEW))
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in answer.headers


def test_bad_message_is_one_sentence(fetch):
    answer = schedule(fetch, b"\xff")
    assert answer.code == 400
    assert json.loads(answer.body) == {"problem": "message: expected JSON."}


def test_long_message_is_refused(fetch):
    fits = schedule(fetch, message(NEW).ljust(routes.MOST_BYTES))
    assert fits.code == 200
    answer = schedule(fetch, message(NEW).ljust(300_000))
    assert answer.code == 413
    assert json.loads(answer.body) == {"problem": "message: expected at most 64000 bytes."}


def test_anki_package_is_a_file(fetch):
    answer = fetch("/review/attention.apkg")
    assert answer.body == anki.package()
    assert answer.headers["Content-Disposition"] == 'attachment; filename="attention-lab.apkg"'
    again = fetch("/review/attention.apkg", If_None_Match=answer.headers["ETag"])
    assert again.code == 304


def test_files_travel_compressed_and_once(fetch):
    for address in (assets.url("js/main.js"), environment.globals["bokeh_url"]):
        answer = fetch("/" + address, Accept_Encoding="gzip")
        plain = fetch("/" + address)
        assert answer.headers["Content-Encoding"] == "gzip" and gzip.decompress(answer.body) == plain.body
        assert answer.headers["Cache-Control"] == "max-age=31536000, immutable"
        assert "javascript" in answer.headers["Content-Type"]
        assert "immutable" not in fetch("/" + address.split("?")[0]).headers["Cache-Control"]
    font = fetch("/" + assets.url("fonts/inter.woff2"), Accept_Encoding="gzip")
    assert "Content-Encoding" not in font.headers and font.headers["Content-Type"] == "font/woff2"


def test_only_public_files_are_sent(fetch):
    for name in ("__init__.py", "../app.py", "templates/page.html", "js/nothing.js"):
        assert fetch(f"/components/assets/Files/__css__/{name}").code in (403, 404)

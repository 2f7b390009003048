"""What the server answers besides the pages of figures: texts, files, dates for recall cards."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from panel.io.server import WSHandler
from tornado.httputil import HTTPHeaders
from tornado.web import OutputTransform, RequestHandler, stream_request_body

import assets

from . import anki, deck, files, page

MOST_BYTES = 64_000


@stream_request_body
class Schedule(RequestHandler):
    """Dates for the grades of cards; numbers come, numbers go, none is kept."""

    def prepare(self) -> None:
        self.body = bytearray()

    def data_received(self, chunk: bytes) -> None:
        """A body that is too long is read on, to be answered, but not kept."""
        if len(self.body) <= MOST_BYTES:
            self.body += chunk

    def post(self) -> None:
        self.set_header("Cache-Control", "no-store")
        if len(self.body) > MOST_BYTES:
            self.set_status(413)
            self.finish({"problem": f"message: expected at most {MOST_BYTES} bytes."})
            return
        answer = deck.hear(self.body.decode(errors="replace"))
        if "problem" in answer:
            self.set_status(400)
        self.finish(answer)


class AnkiPackage(RequestHandler):
    def get(self) -> None:
        self.set_header("Content-Type", "application/octet-stream")
        self.set_header("Content-Disposition", 'attachment; filename="attention-lab.apkg"')
        self.set_header("Cache-Control", "no-cache")
        self.finish(anki.package())

    head = get


class Text(RequestHandler):
    """A page that is the same for all, so it needs no session."""

    def initialize(self, made: Callable[[str], str], home: str) -> None:
        self.made, self.home = made, home

    def site(self) -> str:
        """The address of the lesson as the reader knows it, or nothing where the name is not one of a host."""
        scheme = self.request.headers.get("X-Forwarded-Proto", self.request.protocol)
        fine = scheme in ("http", "https") and re.fullmatch(r"[\w.-]+(:\d+)?|\[[\da-f:]+\](:\d+)?", self.request.host)
        return f"{scheme}://{self.request.host}{self.home}" if fine else ""

    def get(self) -> None:
        packed = "gzip" in self.request.headers.get("Accept-Encoding", "")
        if packed:
            self.set_header("Content-Encoding", "gzip")
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Vary", "Accept-Encoding")
        self.set_header("Cache-Control", "no-cache")  # the browser asks each time, and the ETag answers
        site = self.site()
        self.finish(page.packed(self.made, site) if packed else self.made(site))

    head = get


class Notebook(RequestHandler):
    """The practice notebook, to be kept as a file."""

    def get(self) -> None:
        self.set_header("Content-Type", "application/x-ipynb+json")
        self.set_header("Content-Disposition", f'attachment; filename="{page.NOTEBOOK.name}"')
        self.set_header("Cache-Control", "no-cache")
        self.finish(page.NOTEBOOK.read_bytes())

    head = get


class Health(RequestHandler):
    def get(self) -> None:
        self.write({"status": "ok"})


class Script(RequestHandler):
    """assets/js/embed.js under an address that course pages can keep."""

    def get(self) -> None:
        self.set_header("Content-Type", "text/javascript; charset=utf-8")
        self.set_header("Cache-Control", "max-age=3600")
        self.finish((assets.FOLDER / "js/embed.js").read_bytes())

    head = get


class Socket(WSHandler):
    """Panel's, but each piece of a message leaves at once.

    Tornado turns that off, and then a piece waits until the browser has acknowledged the one before it: 40 ms while
    inputs stream.
    """

    def open(self, *args: Any, **kwargs: Any) -> None:
        self.set_nodelay(True)
        super().open(*args, **kwargs)


def prompt(patterns: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """These routes of Panel, with `Socket` in the place of its own."""
    return [(path, Socket if handler is WSHandler else handler, *more) for path, handler, *more in patterns]


def framed_by(hosts: Sequence[str]) -> type[OutputTransform]:
    """What puts the header of --frame-ancestors on every answer, also on those that Panel and Bokeh make."""
    policy = "frame-ancestors " + ("'none'" if "none" in hosts else " ".join(["'self'", *hosts]))

    class FrameAncestors(OutputTransform):
        def transform_first_chunk(
            self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
        ) -> tuple[int, HTTPHeaders, bytes]:
            headers["Content-Security-Policy"] = policy
            return status_code, headers, chunk

    return FrameAncestors


class NotFound(RequestHandler):
    def initialize(self, home: str) -> None:
        self.home = home

    def prepare(self) -> None:
        self.set_status(404)
        self.finish(page.not_found(self.request.path, self.home))


def handlers(home: str, report: str = "", colab: str = "") -> list[tuple[Any, ...]]:
    """Address → handler; ``home`` is the address of the lesson, with the prefix."""
    lesson = partial(page.lesson, report=report, colab=colab)
    return [
        (r"/", Text, {"made": lesson, "home": home}), (r"/review", Text, {"made": page.review, "home": home}),
        (r"/review/schedule", Schedule), (r"/review/attention\.apkg", AnkiPackage), (r"/notebook", Notebook),
        (r"/embed\.js", Script), (r"/health", Health), *files.HANDLERS,
        (r"/(?!static/|components/).+", NotFound, {"home": home}),
    ]  # fmt: skip

"""What the server answers for the review, besides its page."""

from __future__ import annotations

from tornado.web import RequestHandler, stream_request_body

from . import anki, deck

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


ROUTES = [(r"/review/schedule", Schedule), (r"/review/attention\.apkg", AnkiPackage)]

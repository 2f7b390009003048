"""The server: a route for each figure, the lesson at the root. `python app.py --help` lists the options."""

from __future__ import annotations

import argparse
import errno
import logging
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext

import panel as pn
from tornado.httputil import HTTPHeaders
from tornado.ioloop import PeriodicCallback
from tornado.process import task_id
from tornado.web import OutputTransform, RequestHandler

import assets
from figures import FIGURES, Figure
from lesson import page

OPTIONS = {
    "port": (int, 5006, "port to listen on"),
    "address": (str, "localhost", "address to listen on; 0.0.0.0 is every one of this machine"),
    "allow-origin": (str, "", "hosts, with commas between them, whose pages may connect, such as lab.example.org"),
    "frame-ancestors": (str, "", "hosts, with commas between them, whose pages may frame ours; not given: everyone's"),
    "num-procs": (int, 1, "processes to serve from"),
    "prefix": (str, "", "path under which a proxy shows this server, such as /attention"),
}


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """Options of the command line; where one is not given, the environment (ATTENTION_LAB_PORT …), then the default."""
    parser = argparse.ArgumentParser(description="Serve the Attention Lab.")
    for name, (kind, default, help_) in OPTIONS.items():
        variable = "ATTENTION_LAB_" + name.upper().replace("-", "_")
        value = os.environ.get(variable, default)  # argparse turns text from the environment into `kind`, too
        parser.add_argument(f"--{name}", type=kind, default=value, help=f"{help_} (default {default!r}, or {variable})")
    chosen = parser.parse_args(arguments)
    if not 0 < chosen.port < 65536:
        parser.error(f"--port: expected a number from 1 to 65535, got {chosen.port}")
    if chosen.num_procs < 1:
        parser.error(f"--num-procs: expected 1 or more, got {chosen.num_procs}")
    for host in listed(chosen.frame_ancestors):
        if not re.fullmatch(FRAMER, host):
            parser.error(f"--frame-ancestors: expected hosts such as moodle.example.org, or none, got {host!r}")
    return chosen


# A source of the directive frame-ancestors; anything else could not be told from a second directive.
FRAMER = r"none|(https?://)?(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:(\d+|\*))?"


def listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def open_page(*figures: type[Figure]) -> Callable[[], None]:
    """What Panel calls when a reader opens the page of these figures."""

    def opened() -> None:
        # `hold` sends all changes as one message, but drops them before the page has reported itself loaded.
        doc = pn.state.curdoc
        query = [(key, values[-1].decode(errors="replace")) for key, values in pn.state.session_args.items()]
        page.fill(doc, figures, query, together=lambda: pn.io.hold(doc) if pn.state.loaded else nullcontext())

    return opened


pn.config.reconnect = True  # the browser ties the page again when the connection was cut

ROUTES = {f"/{figure.slug}": open_page(figure) for figure in FIGURES}  # pages with a session


class Lesson(RequestHandler):
    """Text that is the same for all, so it needs no session."""

    def get(self) -> None:
        packed = "gzip" in self.request.headers.get("Accept-Encoding", "")
        if packed:
            self.set_header("Content-Encoding", "gzip")
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Vary", "Accept-Encoding")
        self.set_header("Cache-Control", "no-cache")  # the browser asks each time, and the ETag answers
        self.finish(page.lesson_packed() if packed else page.lesson())

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


def main(arguments: Sequence[str]) -> None:
    chosen = options(arguments)
    prefix = "/" + chosen.prefix.strip("/") if chosen.prefix.strip("/") else ""
    patterns = [(r"/", Lesson), (r"/health", Health), (r"/embed\.js", Script),
                (r"/(?!static/|components/).+", NotFound, {"home": f"{prefix}/"})]  # fmt: skip
    own, parent = f"localhost:{chosen.port}", os.getpid()
    try:
        server = pn.serve(
            ROUTES, port=chosen.port, address=chosen.address, prefix=prefix, num_procs=chosen.num_procs, show=False,
            start=False, location=False, verbose=False, extra_patterns=patterns,
            websocket_origin=[own, f"127.0.0.1:{chosen.port}", *listed(chosen.allow_origin)],
        )  # fmt: skip
    except OSError as problem:
        if problem.errno != errno.EADDRINUSE:
            sys.exit(f"Cannot listen on {chosen.address}:{chosen.port}: {problem.strerror or problem}.")
        sys.exit(f"Port {chosen.port} is in use already. Take another: --port {chosen.port + 1}")
    if hosts := listed(chosen.frame_ancestors):
        server._tornado.add_transform(framed_by(hosts))
    if task_id() in (None, 0):  # with several processes, each of them comes here
        print(f"Attention Lab is at http://{own}{prefix}/  (Ctrl-C stops it)", flush=True)
    if task_id() is not None:
        PeriodicCallback(lambda: end_with(parent), 500).start()
    server.run_until_shutdown()


def end_with(parent: int) -> None:
    """Who stops the first process stops all: the others must not go on holding the port."""
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    main(sys.argv[1:])
elif pn.state.curdoc is not None and pn.state.curdoc.session_context is not None:  # panel serve app.py
    open_page(*FIGURES[:1])()

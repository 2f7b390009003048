"""The server: a route for each figure, the lesson at the root. `python app.py --help` lists the options."""

from __future__ import annotations

import argparse
import ctypes
import errno
import logging
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

import panel as pn
from panel.io.server import per_app_patterns
from tornado.ioloop import PeriodicCallback
from tornado.process import task_id
from tornado.web import GZipContentEncoding

from figures import PAGES, Figure
from lesson import page, routes

OPTIONS = {
    "port": (int, 5006, "port to listen on"),
    "address": (str, "localhost", "address to listen on; 0.0.0.0 is every one of this machine"),
    "allow-origin": (str, "", "hosts, with commas between them, whose pages may connect, such as lab.example.org"),
    "frame-ancestors": (str, "", "hosts, with commas between them, whose pages may frame ours; not given: everyone's"),
    "num-procs": (int, 1, "processes to serve from"),
    "prefix": (str, "", "path under which a proxy shows this server, such as /attention"),
    "colab-url": (str, "", "address of the notebook on Colab, once it stands in a public repository"),
    "report-url": (str, "", "address of a form for mistakes; {place} in it becomes the place in the lesson"),
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
    if chosen.colab_url and not chosen.colab_url.startswith("https://"):
        parser.error(f"--colab-url: expected an address that begins with https://, got {chosen.colab_url!r}")
    for host in listed(chosen.frame_ancestors):
        if not re.fullmatch(FRAMER, host):
            parser.error(f"--frame-ancestors: expected hosts such as moodle.example.org, or none, got {host!r}")
    return chosen


# A source of the directive frame-ancestors; anything else could not be told from a second directive.
FRAMER = r"none|(https?://)?(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:(\d+|\*))?"


def listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def open_page(figure: type[Figure]) -> Callable[[], None]:
    """What Panel calls when a reader opens the page of this figure."""

    def opened() -> None:
        query = [(key, values[-1].decode(errors="replace")) for key, values in pn.state.session_args.items()]
        page.fill(pn.state.curdoc, figure, query)

    return opened


pn.config.reconnect = True  # the browser ties the page again when the connection was cut

ROUTES = {f"/{figure.slug}": open_page(figure) for figure in PAGES}  # pages with a session


def main(arguments: Sequence[str]) -> None:
    chosen = options(arguments)
    prefix = "/" + chosen.prefix.strip("/") if chosen.prefix.strip("/") else ""
    home = f"{prefix}/"
    patterns = routes.handlers(home, chosen.report_url, chosen.colab_url)
    per_app_patterns[:] = routes.prompt(per_app_patterns)
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
    server._tornado.add_transform(GZipContentEncoding)  # pages of figures; what is packed already passes as it is
    if hosts := listed(chosen.frame_ancestors):
        server._tornado.add_transform(routes.framed_by(hosts))
    if task_id() in (None, 0):  # with several processes, each of them comes here
        print(f"Attention Lab is at http://{own}{prefix}/  (Ctrl-C stops it)", flush=True)
    PeriodicCallback(give_back, 10_000).start()
    if task_id() is not None:
        PeriodicCallback(lambda: end_with(parent), 500).start()
    server.run_until_shutdown()


def give_back() -> None:
    """Hand free memory to the system; glibc would keep what closed sessions leave, a quarter more after 200 of them."""
    with suppress(AttributeError, OSError, TypeError):  # other systems have no such function and no such need
        ctypes.CDLL(None).malloc_trim(0)


def end_with(parent: int) -> None:
    """Who stops the first process stops all: the others must not go on holding the port."""
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    main(sys.argv[1:])
elif pn.state.curdoc is not None and pn.state.curdoc.session_context is not None:  # panel serve app.py
    open_page(PAGES[0])()

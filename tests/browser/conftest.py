"""A server of its own, a Chromium, and pages that listen: an error in the console or a foreign request fails a test."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from .chromium import FLAGS, find

ROOT = Path(__file__).parents[2]
PATIENCE = 15_000  # ms; two cores may be shared by two browsers, and a test says what is shown, not how fast
expect.set_options(timeout=PATIENCE)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def serving(*command: str, port: int, health: str = "/health") -> Iterator[subprocess.Popen]:
    """A server process that answers, and is gone afterwards."""
    # The log is a file, not a pipe: nobody empties a pipe, and a server that logs much would stand still.
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen([sys.executable, *command], cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        yield from _until_done(process, log, f"http://127.0.0.1:{port}{health}")


def _until_done(process: subprocess.Popen, log: IO[bytes], url: str) -> Iterator[subprocess.Popen]:
    try:
        for _ in range(150):
            if process.poll() is not None:
                log.seek(0)
                raise RuntimeError(f"the server stopped: {log.read().decode()}")
            with contextlib.suppress(OSError):
                urllib.request.urlopen(url, timeout=2)
                break
            time.sleep(0.2)
        else:
            raise RuntimeError("the server did not answer within 30 s")
        yield process
    finally:
        process.terminate()
        process.wait(timeout=10)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    port = free_port()
    with serving("app.py", "--port", str(port), port=port):
        yield f"http://localhost:{port}"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = find()
    if path is None:
        pytest.skip("no Chromium: install it, or set CHROMIUM to its path, to run the browser tests")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield chromium
        chromium.close()


Opener = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser, server: str) -> Iterator[Opener]:
    """Open a page as a new visitor and wait until its figures answer. What the console says is held against us."""
    complaints: list[str] = []
    contexts = []

    def opened(
        path: str, *, wait: bool = True, width: int = 1280, height: int = 800, bears: str = "nothing", **options: Any
    ) -> Page:
        """``bears``: what a complaint may say without being held against us."""
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(2 * PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on(
            "console",
            lambda m: (
                complaints.append(f"{m.type}: {m.text}")
                if m.type in ("error", "warning") and bears not in m.text
                else None
            ),
        )
        page.on("pageerror", lambda error: complaints.append(f"page error: {error}"))
        page.on("request", lambda r: complaints.append(f"foreign request: {r.url}") if foreign(r.url) else None)
        page.goto(server + path)
        if wait:
            ready(page)
        if options.get("java_script_enabled", True):
            all_laid_out(page)
        return page

    def foreign(url: str) -> bool:
        return not url.startswith((server, server.replace("http", "ws", 1), "data:", "blob:"))

    yield opened
    for context in contexts:
        context.close()
    assert not complaints


def all_laid_out(page: Page) -> None:
    """Until the lesson, while it opens, no longer leaves out what comes after the first figure."""
    page.wait_for_function("!('opening' in document.documentElement.dataset)")


def ready(page: Page) -> None:
    page.wait_for_selector('[data-ready="true"]')


def settled(page: Page) -> None:
    """Until every input has been answered and painted."""
    page.wait_for_function("document.documentElement.dataset.busy === 'false'")


def on_shelf(page: Page, name: str) -> Any:
    """What local storage keeps under a name, once the changes that are on their way are made (assets/js/store.js)."""
    key = f"attention-lab.{name}"
    return json.loads(
        page.evaluate("key => navigator.locks.request(key, () => localStorage.getItem(key))", key) or "null"
    )


def column(page: Page, source: str, name: str) -> list[float]:
    """A column of a Bokeh source, as the browser holds it."""
    return page.evaluate(
        """([source, name]) => {
            const found = Bokeh.documents.map(doc => doc.get_model_by_name(source)).find(Boolean)
            return [...found.data[name]] }""",
        [source, name],
    )

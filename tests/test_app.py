"""Options of the server, and its words when it cannot start."""

from __future__ import annotations

import os
import platform
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from tornado.httputil import HTTPHeaders

from app import ROUTES, options
from figures import PAGES
from lesson.routes import framed_by

from .browser.conftest import free_port, serving

ROOT = Path(__file__).parents[1]


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "app.py", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | variables, capture_output=True, text=True, timeout=60, check=False
    )


def test_routes_come_from_the_registry():
    """Figures have sessions; the lesson is a page without one (tests/browser/test_lesson.py)."""
    assert set(ROUTES) == {f"/{figure.slug}" for figure in PAGES}


def test_options_then_environment_then_default(monkeypatch):
    assert options([]).port == 5006
    monkeypatch.setenv("ATTENTION_LAB_PORT", "7001")
    monkeypatch.setenv("ATTENTION_LAB_ALLOW_ORIGIN", "lab.example.org")
    assert options([]).port == 7001
    assert options([]).allow_origin == "lab.example.org"
    assert options(["--port", "7002"]).port == 7002
    assert options(["--frame-ancestors", "https://*.example.edu:8443, moodle.example.org,none"]).frame_ancestors


@pytest.mark.parametrize(
    ("arguments", "variables", "words"),
    [
        (["--port", "many"], {}, "argument --port: invalid int value: 'many'"),
        (["--port", "99999"], {}, "--port: expected a number from 1 to 65535, got 99999"),
        (["--num-procs", "0"], {}, "--num-procs: expected 1 or more, got 0"),
        (["--colab-url", "x.org"], {}, "--colab-url: expected an address that begins with https://, got 'x.org'"),
        (
            ["--frame-ancestors", "a.org, b.org; script-src c"],
            {},
            "expected hosts such as moodle.example.org, or none, got 'b.org; script-src c'",
        ),
        (["--frame-ancestors", "https://a.org/path"], {}, "got 'https://a.org/path'"),
        (["--colour"], {}, "unrecognized arguments: --colour"),
        ([], {"ATTENTION_LAB_PORT": "none"}, "argument --port: invalid int value: 'none'"),
    ],
)
def test_wrong_option_is_one_sentence(arguments, variables, words):
    result = run(*arguments, **variables)
    assert result.returncode == 2
    assert result.stderr.strip().splitlines()[-1].endswith(words)


def test_port_in_use_is_one_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("--port", str(port), "--address", "127.0.0.1")
    assert result.returncode == 1
    assert result.stderr.strip() == f"Port {port} is in use already. Take another: --port {port + 1}"


def test_unknown_address_is_one_sentence():
    result = run("--address", "no.such.host.invalid")
    assert result.returncode == 1
    assert result.stderr.startswith("Cannot listen on no.such.host.invalid:5006: ")
    assert result.stderr.count("\n") == 1


def get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def check_notebook(home: str) -> None:
    """A file with a name, and the one that stands in the repository."""
    with urllib.request.urlopen(home + "notebook") as answer:
        assert answer.headers["Content-Type"] == "application/x-ipynb+json"
        assert answer.headers["Content-Disposition"] == 'attachment; filename="attention.ipynb"'
        assert answer.read() == (ROOT / "notebooks" / "attention.ipynb").read_bytes()


def policy(url: str) -> str | None:
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.headers["Content-Security-Policy"]
    except urllib.error.HTTPError as error:
        return error.headers["Content-Security-Policy"]


ANSWERS = ("", "lookup", "health", "embed.js", "nowhere", "static/js/bokeh.min.js")


@pytest.mark.parametrize(
    ("hosts", "words"), [(["a.org", "https://*.b.edu"], "'self' a.org https://*.b.edu"), (["none"], "'none'")]
)
def test_words_of_the_policy(hosts, words):
    _, headers, body = framed_by(hosts)(None).transform_first_chunk(200, HTTPHeaders(), b"page", True)
    assert (headers["Content-Security-Policy"], body) == (f"frame-ancestors {words}", b"page")


def test_several_processes_under_a_prefix():
    port = free_port()
    colab = "https://colab.example.org/notebook?a=1&b=2"
    with serving("app.py", "--port", str(port), "--num-procs", "2", "--prefix", "attention", "--colab-url", colab,
                 "--frame-ancestors", "moodle.example.org", port=port, health="/attention/health"):  # fmt: skip
        home = f"http://127.0.0.1:{port}/attention/"
        assert get(home + "lookup")[0] == 200
        assert "Worked example" in (lesson := get(home)[1])
        assert lesson.count('href="https://colab.example.org/notebook?a=1&amp;b=2"') == 2
        assert "<h1>Review</h1>" in get(home + "review")[1]
        assert get(home + "review/schedule")[0] == 405  # it takes a message
        assert get(home + "static/js/bokeh.min.js")[0] == 200
        check_notebook(home)
        status, text = get(home + "nowhere")
        assert status == 404
        assert 'href="/attention/lookup"' in text
        assert "figure-height" in get(home + "embed.js")[1]
        assert {policy(home + path) for path in ANSWERS} == {"frame-ancestors 'self' moodle.example.org"}


def test_lesson_names_its_own_address_and_where_mistakes_are_reported():
    def head(url: str, **headers: str) -> str:
        request = urllib.request.Request(
            url, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )
        with urllib.request.urlopen(request) as answer:
            return answer.read().decode()

    port = free_port()
    with serving("app.py", "--port", str(port), "--prefix", "lab", "--report-url", "https://example.org/?at={place}",
                 port=port, health="/lab/health"):  # fmt: skip
        home = f"http://localhost:{port}/lab/"
        text = head(home)
        image = re.search(r'og:image" content="([^"]+)"', text)[1]
        assert image.startswith(home)
        assert get_bytes(image).startswith(b"\x89PNG")
        assert 'data-report="https://example.org/?at={place}"' in text
        behind = head(home, Host="lab.example.org", X_Forwarded_Proto="https")
        assert 'og:url" content="https://lab.example.org/lab/"' in behind
        assert "og:url" not in head(home, Host="it's.example.org")


def get_bytes(url: str) -> bytes:
    with urllib.request.urlopen(url) as answer:
        return answer.read()


HOLES = """
import psutil
from app import give_back
memory = psutil.Process().memory_info
kept = [bytes(5000) for _ in range(20_000)][::50]  # what was between them is free, and goes on belonging to us
before = memory().rss
give_back()
print(before - memory().rss, sum(map(len, kept)))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps free memory; run it on Debian, say")
def test_free_memory_goes_back_to_the_system():
    """Each 100 closed sessions once left 13 MB with the server."""
    ended = subprocess.run([sys.executable, "-c", HOLES], cwd=ROOT, capture_output=True, text=True, check=True)
    given, _ = map(int, ended.stdout.split())
    assert given > 50e6

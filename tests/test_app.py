"""Options of the server, and its words when it cannot start."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from tornado.httputil import HTTPHeaders

from app import ROUTES, framed_by, options
from figures import FIGURES

from .browser.conftest import free_port, serving

ROOT = Path(__file__).parents[1]


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "app.py", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | variables, capture_output=True, text=True, timeout=60, check=False
    )


def test_routes_come_from_the_registry():
    """Figures have sessions; the lesson is a page without one (tests/browser/test_lesson.py)."""
    assert set(ROUTES) == {f"/{figure.slug}" for figure in FIGURES}


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


def policy(url: str) -> str | None:
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.headers["Content-Security-Policy"]
    except urllib.error.HTTPError as error:
        return error.headers["Content-Security-Policy"]


PAGES = ("", "lookup", "health", "embed.js", "nowhere", "static/js/bokeh.min.js")


@pytest.mark.parametrize(
    ("hosts", "words"), [(["a.org", "https://*.b.edu"], "'self' a.org https://*.b.edu"), (["none"], "'none'")]
)
def test_words_of_the_policy(hosts, words):
    _, headers, body = framed_by(hosts)(None).transform_first_chunk(200, HTTPHeaders(), b"page", True)
    assert (headers["Content-Security-Policy"], body) == (f"frame-ancestors {words}", b"page")


def test_several_processes_under_a_prefix():
    port = free_port()
    with serving("app.py", "--port", str(port), "--num-procs", "2", "--prefix", "attention",
                 "--frame-ancestors", "moodle.example.org", port=port, health="/attention/health"):  # fmt: skip
        home = f"http://127.0.0.1:{port}/attention/"
        assert get(home + "lookup")[0] == 200
        assert "Worked example" in get(home)[1]
        assert get(home + "static/js/bokeh.min.js")[0] == 200
        status, text = get(home + "nowhere")
        assert status == 404
        assert 'href="/attention/lookup"' in text
        assert "figure-height" in get(home + "embed.js")[1]
        assert {policy(home + path) for path in PAGES} == {"frame-ancestors 'self' moodle.example.org"}

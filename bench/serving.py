"""Servers of a run: ours and those of the rivals, each gone afterwards."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.browser.conftest import free_port

ROOT = Path(__file__).parents[1]
PATIENCE = 60  # seconds until a server must answer


@dataclass
class Server:
    address: str
    process: subprocess.Popen[bytes]

    def alive(self) -> bool:
        return self.process.poll() is None


@contextlib.contextmanager
def serving(command: Sequence[str], path: str = "/", variables: dict[str, str] | None = None) -> Iterator[Server]:
    """Run a server until it answers; ``{port}`` in the command becomes a free port."""
    port = free_port()
    words = [word.replace("{port}", str(port)) for word in command]
    with tempfile.TemporaryFile() as log:  # a file, not a pipe: nobody empties a pipe
        process = subprocess.Popen(
            words,
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | (variables or {}),
        )
        try:
            _wait(process, f"http://localhost:{port}{path}")
            yield Server(f"http://localhost:{port}", process)
        except TimeoutError:
            log.seek(0)
            raise RuntimeError(f"{' '.join(words[:4])} … does not answer: {log.read()[-500:].decode()}") from None
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=10)


def _wait(process: subprocess.Popen[bytes], url: str) -> None:
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(url, timeout=5)
            return
        time.sleep(0.2)
    raise TimeoutError


def ours() -> contextlib.AbstractContextManager[Server]:
    return serving([sys.executable, "app.py", "--port", "{port}"], path="/health")

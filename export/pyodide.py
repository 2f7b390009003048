"""Where the reader's browser gets Python from: a folder copied into the site, or an address elsewhere."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

FILES = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
# The public address of the version that Panel names, too (a test compares), and the Python in it.
PUBLIC = "https://cdn.jsdelivr.net/pyodide/v0.29.3/full/"
PUBLIC_PYTHON = (3, 13)


class CannotExport(Exception):
    """What is missing, in one sentence."""


@dataclass(frozen=True)
class Pyodide:
    """Python for the browser: from ``folder``, or, without one, from ``address``."""

    address: str = PUBLIC
    folder: Path | None = None

    @property
    def foreign(self) -> str:
        """The address of another host that the site asks, or nothing."""
        return "" if self.folder else self.address

    def copy(self, target: Path) -> None:
        """Only the core and NumPy, and a list of packages that names no other."""
        if self.folder is None:
            return
        missing = [name for name in FILES if not (self.folder / name).is_file()]
        if missing:
            raise CannotExport(
                f"--pyodide: expected a Pyodide distribution, but {self.folder} has no {', '.join(missing)}."
            )
        lock = json.loads((self.folder / "pyodide-lock.json").read_text())
        wheel = lock["packages"].get("numpy", {}).get("file_name", "")
        if not wheel or not (self.folder / wheel).is_file():
            raise CannotExport(f"--pyodide: expected a distribution with NumPy, but {self.folder} has none.")
        target.mkdir(parents=True, exist_ok=True)
        for name in (*FILES, wheel):
            shutil.copy(self.folder / name, target / name)
        lock["packages"] = {"numpy": lock["packages"]["numpy"] | {"depends": []}}
        (target / "pyodide-lock.json").write_text(json.dumps(lock))

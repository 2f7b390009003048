"""Environments of their own under .cache/bench, made on first use; where that is impossible, the reason is kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "bench"
PINS = {
    "dash": ("dash==4.4.1", "plotly==7.1.0", "numpy==2.4.6"),
    "streamlit": ("streamlit==1.67.0", "plotly==7.1.0", "numpy==2.4.6"),
    "torch": ("torch==2.13.0", "numpy==2.4.6"),
}
PATIENCE = 900  # seconds that an installation may take; done once, so it is no part of the time of a run


class Unavailable(Exception):
    """Why an environment could not be made, in one sentence."""


def python(name: str) -> str:
    """The Python of an environment; made if it is not there yet."""
    folder, pins = CACHE / name, PINS[name]
    path, done = folder / "bin" / "python", folder / "pins.txt"
    if done.is_file() and done.read_text() == "\n".join(pins):
        return str(path)
    print(f"Installing {', '.join(pins)} into {folder.relative_to(ROOT)} …", file=sys.stderr, flush=True)
    pip = [str(path), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pins]
    try:
        for command in ([sys.executable, "-m", "venv", "--clear", str(folder)], pip):
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{name}: not installed within {PATIENCE} s") from None
    except subprocess.CalledProcessError as problem:
        lines = [line for line in problem.stderr.splitlines() if line.startswith("ERROR")] or ["no reason given"]
        raise Unavailable(f"{name}: could not be installed ({lines[-1][:160]})") from None
    done.write_text("\n".join(pins))
    return str(path)

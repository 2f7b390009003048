"""The table in Markdown, and what stands above it."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .sections import SECTIONS, TITLES, Part
from .tables import num, table


def machine(chromium: str) -> dict[str, Any]:
    """Where and with what this was measured."""
    return {
        "when": time.strftime("%Y-%m-%d %H:%M:%S"),
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        "load": os.getloadavg()[0],  # of the minute before: above 0.5 or so, others are working here too
        "versions": {"Python": platform.python_version(), "Chromium": chromium}
        | {name: version(name.lower()) for name in ("NumPy", "Bokeh", "Panel", "Tornado")},
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())


def text(result: Part) -> str:
    """The whole report."""
    about, parts = result["about"], result["parts"]
    versions = ", ".join(f"{name} {number}" for name, number in (about["versions"] | pins(parts)).items())
    blocks = [f"{about['when']}; {about['machine']}; load before {about['load']:.1f}. {versions}."]
    if result["quick"]:
        blocks.append("A quick run: it shows that all works, its numbers mean little.")
    blocks += ["### Aims", table(("aim", "is", "at most", "met"), (_aim(aim) for aim in result["aims"]))]
    for name, part in parts.items():
        blocks += [f"### {TITLES[name]}", *SECTIONS[name](part)] if "failed" not in part else [
            f"### {TITLES[name]}", f"Not measured: {part['failed']}"]  # fmt: skip
        blocks += [f"Note: {note}." for note in part.get("notes", ())]
    return "\n\n".join(blocks) + "\n"


def pins(parts: Part) -> dict[str, str]:
    """Versions of the rivals that took part."""
    from .rivals.places import PINS

    known = dict(pin.split("==") for pins in PINS.values() for pin in pins)
    took_part = [
        name for name in ("dash", "streamlit") if any(name in row for row in parts.get("rivals", {}).get("rows", ()))
    ]
    took_part += ["torch"] if any("torch" in row for row in parts.get("arithmetic", {}).get("rows", ())) else []
    return {{"dash": "Dash", "streamlit": "Streamlit", "torch": "PyTorch"}[name]: known[name] for name in took_part}


def _aim(aim: Part) -> list[str]:
    digits = 2 if aim["bound"] < 10 else 0
    bound = ("≥ " if aim["least"] else "") + f"{aim['bound']:g}{aim['unit']}"
    word = {True: "yes", False: "**no**", None: "not measured"}[aim["met"]]
    return [aim["says"], num(aim["value"], digits) + (aim["unit"] if aim["value"] is not None else ""), bound, word]

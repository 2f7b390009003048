"""The table and the file."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

COLUMNS = ("input", "pace", "served p50", "p95", "floor p50", "p95", "ratio p50", "p95", "staleness served", "floor")
LINE = "{:11} {:9} {:>10} {:>6} {:>10} {:>6} {:>10} {:>6} {:>17} {:>6}"


def machine(chromium: str) -> dict[str, Any]:
    """Where and with what this was measured."""
    return {
        "when": time.strftime("%Y-%m-%d %H:%M:%S"),
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        "load": os.getloadavg()[0],  # of the minute before: above 0.5 or so, others are working here too
        "versions": {"Python": platform.python_version(), "Chromium": chromium}
        | {name: version(name.lower()) for name in ("NumPy", "Bokeh", "Panel")},
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())


def goals(row: dict[str, Any]) -> list[str]:
    """What a row misses of what the design asks for."""
    served, floor, missed = row["served"], row["floor"], []
    if row["pace"] == "isolated" and served["p50"] > 2 * floor["p50"]:
        missed.append(f"p50 {served['p50']:.0f} ms is more than 2 × the floor, {floor['p50']:.0f} ms")
    if row["pace"] == "stream":
        if served["p50"] > 150:
            missed.append(f"lag p50 {served['p50']:.0f} ms is more than 150 ms")
        if served["p95"] > (most := max(200.0, floor["p95"])):
            missed.append(f"lag p95 {served['p95']:.0f} ms is more than {most:.0f} ms")
    if not served["last_painted"]:
        missed.append("a last input was never painted")
    if served["wrong_pictures"]:
        missed.append(f"{served['wrong_pictures']} pictures showed an output that belongs to no input")
    return [f"{row['figure']}, {row['input']}, {row['pace']}: {text}" for text in missed]


def text(result: dict[str, Any]) -> str:
    """The report for people."""
    about = result["about"]
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    lines = [
        f"{about['when']}, {about['machine']}, load {about['load']:.1f}", versions,
        "Lag in ms, from a move of the mouse to the painted frame that shows it; moves one by one, or 60 a second.",
        "", LINE.format(*COLUMNS),
    ]  # fmt: skip
    lines += [LINE.format(*_cells(row)) for row in result["rows"]]
    rates = [side["inputs_a_second"] for row in result["rows"] if row["pace"] == "stream"
             for side in (row["served"], row["floor"])]  # fmt: skip
    lines += ["", f"Streams ran at {min(rates):.0f} to {max(rates):.0f} inputs a second; staleness is the worst of "
              f"{len(result['rows'][0]['served']['staleness'])} drags."]  # fmt: skip
    lines += [f"MISSED  {miss}" for miss in result["missed"]] or ["All goals met."]
    return "\n".join(lines)


def _cells(row: dict[str, Any]) -> list[str]:
    served, floor = row["served"], row["floor"]
    stale = [f"{max(side['staleness']):.0f}" if row["pace"] == "stream" else "" for side in (served, floor)]
    numbers = [f"{side[p]:.0f}" for side in (served, floor) for p in ("p50", "p95")]
    ratios = [f"{served[p] / floor[p]:.2f}" for p in ("p50", "p95")]
    return [row["input"], row["pace"], *numbers, *ratios, *stale]

"""The tables of each part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .lag import ratio
from .tables import num, table

Part = dict[str, Any]


def _sides(row: Part, sides: Sequence[str]) -> list[str]:
    return [num(row[side][p]) if side in row else "–" for side in sides for p in ("p50", "p95")]


def latency(part: Part) -> list[str]:
    head = (
        "figure",
        "input",
        "pace",
        "served p50",
        "p95",
        "floor p50",
        "p95",
        "× p50",
        "× p95",
        "staleness",
        "floor's",
    )
    rows = []
    for row in part["rows"]:
        ratios = [num(ratio(row["served"][p], row["floor"][p]), 2) for p in ("p50", "p95")]
        stale = [num(row[side]["staleness"]) if row["pace"] == "stream" else "" for side in ("served", "floor")]
        name = row["kind"] if row["input"] == "all" else f"{row['kind']} {row['input']}"
        rows.append([row["figure"], name, PACES[row["pace"]], *_sides(row, ("served", "floor")), *ratios, *stale])
    return ["Milliseconds from an input to the painted frame that shows it.", table(head, rows)]


PACES = {"isolated": "one by one", "stream": "60 a second"}


def rivals(part: Part) -> list[str]:
    sides = ("floor", "served", "dash", "streamlit")
    head = ("input", "pace", *(word for side in sides for word in (f"{side} p50", "p95")), "Dash ×", "Streamlit ×")
    rows = []
    for row in part["rows"]:
        ahead = [num(ratio(row[s]["p50"], row["served"]["p50"]), 2) if s in row else "–" for s in sides[2:]]
        rows.append([row["kind"], PACES[row["pace"]], *_sides(row, sides), *ahead])
    return [
        "The matrix figure four times, milliseconds; × is how far ahead of them ours is, by p50.",
        table(head, rows),
    ]


def opening(part: Part) -> list[str]:
    kinds = sorted({kind for row in part["rows"] for kind in row["bytes"]})
    head = (
        "cache",
        "first text, s",
        "first figure ready, s",
        "all ready, s",
        "requests",
        "kB until first figure",
        "kB in all",
        *kinds,
    )
    rows = [[row["cache"], *(num(row[t] / 1000, 2) for t in ("first_text", "first_figure", "all_figures")),
             num(row["requests"]), num(row["first_bytes"] / 1e3), num(sum(row["bytes"].values()) / 1e3),
             *(num(row["bytes"].get(kind, 0) / 1e3) for kind in kinds)] for row in part["rows"]]  # fmt: skip
    return ["The lesson on loopback, by a reader who scrolls on as soon as a figure answers.", table(head, rows)]


def sessions(part: Part) -> list[str]:
    head = ("figure", "CPU of a session, ms", "CPU of an event, ms", "answer p50, ms", "p95")
    rows = [[r["figure"], num(1000 * r["session"]), num(1000 * r["event"], 1), num(r["answer_p50"], 1),
             num(r["answer_p95"], 1)] for r in part["cpu"]]  # fmt: skip
    m = part["memory"]
    crowd = [[str(c["sessions"]), num(c["p50"]), num(c["p95"])] for c in part["crowds"]]
    more = "" if part["passed"] else " or more"
    return [
        table(head, rows),
        f"Memory: {num(m['before'])} MB before, {num(m['session'], 2)} MB a session, {num(m['after'])} MB after "
        f"{m['closed']} sessions came and went.",
        f"One process carries {part['carries']}{more} sessions with 2 events a second each before the p95 of its "
        "answers passes 100 ms.",
        table(("sessions", "p50, ms", "p95, ms"), crowd),
    ]


def arithmetic(part: Part) -> list[str]:
    head = ("task", "T", "precision", "core, µs", "NumPy written plainly", "PyTorch", "core ÷ plain", "core ÷ PyTorch")
    rows = [[r["task"], str(r["T"]), r["precision"], num(r["core"]), num(r["plain"]), num(r.get("torch")),
             num(ratio(r["core"], r["plain"]), 2), num(ratio(r["core"], r["torch"]), 2) if "torch" in r else "–"]
            for r in part["rows"]]  # fmt: skip
    return [f"d = 64, {part['threads']} thread each. At most {num(part['peak'], 2)} arrays of T × T alive at T = 2048.",
            table(head, rows)]  # fmt: skip


SECTIONS = {"latency": latency, "rivals": rivals, "opening": opening, "sessions": sessions, "arithmetic": arithmetic}
TITLES = {"latency": "Inputs", "rivals": "Other frameworks", "opening": "Opening the lesson", "sessions": "The server",
          "arithmetic": "core"}  # fmt: skip

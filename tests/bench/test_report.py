"""Aims, tables, files."""

from __future__ import annotations

import json
import math

import pytest

from bench import goals, plan, report, sections
from bench.__main__ import MARKS, plain, write_document


def side(p50: float, p95: float, staleness: float = 50) -> dict:
    return {"p50": p50, "p95": p95, "staleness": staleness}


def row(figure: str, pace: str, served: dict, floor: dict, kind: str = "slider") -> dict:
    return {"figure": figure, "kind": kind, "input": "tau", "pace": pace, "served": served, "floor": floor}


LATENCY = {
    "rows": [
        row("lookup", "isolated", side(60, 90), side(50, 60)),
        row("matrix", "isolated", side(80, 90), side(50, 60)),
        row("lookup", "stream", side(60, 90, 99), side(50, 60)),
        row("lookup", "stream", side(60, 150, 2000), side(50, 60), kind="toggle"),
    ]
}


def test_aims_name_the_worst():
    found = {aim.says: aim for aim in goals.aims({"latency": LATENCY})}
    assert found["inputs one by one, p50, beside the floor; the worst is matrix slider tau"].value == 1.6
    assert [aim.met for aim in found.values()] == [False, True, True, False, True]


def test_staleness_is_of_drags_only():
    (stale,) = [aim for aim in goals.aims({"latency": LATENCY}) if "staleness" in aim.says]
    assert stale.value == 99


def test_an_aim_without_a_rival_is_not_measured():
    rows = [{"kind": "slider", "pace": "isolated", "served": side(50, 60)}]
    (aim,) = goals.aims({"rivals": {"rows": rows}})
    assert aim.met is None
    rows[0]["dash"] = side(140, 200)
    (aim,) = goals.aims({"rivals": {"rows": rows}})
    assert aim.met is False and aim.value == 2.8


def test_a_part_that_failed_has_no_aims_and_says_why():
    parts = {"opening": {"failed": "TimeoutError: 30 s"}}
    about = {"when": "now", "machine": "this", "load": 0.1, "versions": {"Python": "3"}}
    said = report.text({"about": about, "quick": False, "aims": [], "parts": parts})
    assert goals.aims(parts) == []
    assert "Not measured: TimeoutError: 30 s" in said


def test_latency_table():
    lines = sections.latency(LATENCY)[1].splitlines()
    assert lines[2] == "| lookup | slider tau | one by one | 60 | 90 | 50 | 60 | 1.20 | 1.50 |  |  |"
    assert len({line.count("|") for line in lines}) == 1


def test_files_hold_json_that_everyone_can_read():
    assert (
        json.dumps(plain({"a": [1.5, math.inf], "b": {"c": math.nan}}), allow_nan=False)
        == '{"a": [1.5, null], "b": {"c": null}}'
    )


def test_numbers_go_between_the_marks(tmp_path):
    document = tmp_path / "performance.md"
    document.write_text(f"before\n{MARKS[0]}\nold\n{MARKS[1]}\nafter\n")
    for numbers in ("| 1 |", "| 2 |"):
        write_document(numbers, document)
        assert document.read_text() == f"before\n{MARKS[0]}\n\n{numbers}\n\n{MARKS[1]}\nafter\n"


def test_the_document_has_a_place_for_the_numbers():
    from bench.__main__ import DOCUMENT

    assert all(DOCUMENT.read_text().count(mark) == 1 for mark in MARKS)


def test_unknown_parts_are_refused(capsys):
    with pytest.raises(SystemExit):
        plan.read(["--only", "latencies"])
    assert "expected some of latency" in capsys.readouterr().err

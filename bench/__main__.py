"""`python -m bench`: measure, print the table, write the files."""

from __future__ import annotations

import asyncio
import json
import math
import sys
import time
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, async_playwright

from tests.browser.chromium import FLAGS, find

from . import arithmetic, goals, latency, opening, report, sessions
from .plan import Plan, read
from .rivals import compare
from .serving import ours

DOCUMENT = Path(__file__).parents[1] / "docs" / "performance.md"
MARKS = ("<!-- numbers: python -m bench --write-docs -->", "<!-- end of numbers -->")
GRACE = 300  # seconds beyond its time that a part gets to end by itself
IN_BROWSER = {"latency": latency.run, "rivals": compare.run, "opening": opening.run}


async def measure(plan: Plan, chromium: str) -> dict[str, Any]:
    """All parts in turn. What goes wrong in one is said in its place and does not stop the others."""
    parts: dict[str, Any] = {}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        about = report.machine(browser.version)
        for name in plan.parts:
            begun = time.monotonic()
            print(f"{name} …", file=sys.stderr, flush=True)
            try:
                parts[name] = await asyncio.wait_for(_part(name, browser, plan), plan.limits[name] + GRACE)
            except Exception as problem:
                parts[name] = {"failed": f"{type(problem).__name__}: {str(problem)[:300]}"}
            parts[name]["seconds"] = round(time.monotonic() - begun)
        await browser.close()
    aims = [aim.record() for aim in goals.aims(parts)]
    return {"about": about, "quick": plan.quick, "aims": aims, "parts": parts}


async def _part(name: str, browser: Browser, plan: Plan) -> dict[str, Any]:
    if name == "sessions":
        return await sessions.run(plan)
    if name == "arithmetic":
        return await asyncio.to_thread(arithmetic.run, plan)
    with ours() as server:
        found = await IN_BROWSER[name](browser, server.address, plan)
        if not server.alive():
            raise RuntimeError("the server ended during the run")
    return found


def plain(value: Any) -> Any:
    """JSON knows neither infinity nor NaN."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_document(numbers: str, document: Path = DOCUMENT) -> None:
    """Put the table between its two marks."""
    before, rest = document.read_text().split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    document.write_text(f"{before}{MARKS[0]}\n\n{numbers.strip()}\n\n{MARKS[1]}{after}")


def main(arguments: list[str]) -> None:
    plan, only_write = read(arguments)
    if only_write:
        if not (numbers := plan.json.with_suffix(".md")).exists():
            sys.exit(f"There is no {numbers.name} yet: run `make bench` first.")
        write_document(numbers.read_text())
        return
    chromium = find()
    if chromium is None:
        sys.exit("No Chromium found. Install one with `python -m tests.browser.chromium`, or set CHROMIUM to its path.")
    result = asyncio.run(measure(plan, chromium))
    plan.json.parent.mkdir(parents=True, exist_ok=True)
    plan.json.write_text(json.dumps(plain(result), indent=1, allow_nan=False) + "\n")
    said = report.text(result)
    plan.json.with_suffix(".md").write_text(said)
    print(said)


if __name__ == "__main__":
    main(sys.argv[1:])

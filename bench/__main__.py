"""`python -m bench`: measure, print the table, write the file."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from itertools import product
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, async_playwright

from tests.browser.chromium import FLAGS, find
from tests.browser.conftest import free_port, serving

from . import floor, lag, report
from .hand import CONTROLS, Control, Hand

HERE = Path(__file__).parent
ROUNDS = 3
FIGURE = "lookup"
FLOOR = "/bench-floor"  # the browser gets this page from us, everything that it links from the server
SIDES = {"served": f"/{FIGURE}", "floor": FLOOR}
PACES = ("isolated", "stream")


def options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Lag of the figures, beside the floor.")
    parser.add_argument("--inputs", type=int, default=42, help="isolated inputs of each kind on each side (default 42)")
    parser.add_argument("--seconds", type=float, default=2.0, help="length of a stream (default 2)")
    parser.add_argument("--json", type=Path, default=HERE / "results" / "latest.json", help="file for the numbers")
    chosen = parser.parse_args(arguments)
    if chosen.inputs < ROUNDS or chosen.seconds < 0.1:
        parser.error(f"expected --inputs of {ROUNDS} or more and --seconds of 0.1 or more")
    return chosen


async def open_side(browser: Browser, server: str, path: str) -> Hand:
    """A new visitor's page, with the probe in it."""
    context = await browser.new_context(viewport={"width": 1280, "height": 1000})
    await context.add_init_script(path=HERE / "probe.js")
    page = await context.new_page()
    await page.route(f"**{FLOOR}", lambda route: route.fulfill(body=floor.html(), content_type="text/html"))
    await page.goto(server + path)
    await page.wait_for_selector('[data-ready="true"]')
    await page.evaluate(f"probe.watch('{FIGURE}/mix', '{FIGURE}.output')")
    return Hand(page, await context.new_cdp_session(page))


async def measure(server: str, chosen: argparse.Namespace, chromium: str) -> dict[str, Any]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        about = report.machine(browser.version)
        hands = {side: await open_side(browser, server, path) for side, path in SIDES.items()}
        for hand in hands.values():  # warm up; by then the handle has also stopped waving at new visitors
            for control in CONTROLS:
                await hand.isolated(control, 6)
                await hand.stream(control, 0.5)
        found = await rounds(hands, chosen)
        await browser.close()
    rows = [
        {"figure": FIGURE, "input": control.name, "pace": pace}
        | {side: found[side, control.name, pace].summary() for side in SIDES}
        for control in CONTROLS for pace in PACES
    ]  # fmt: skip
    complaints = [f"{side}: {complaint}" for side, hand in hands.items() for complaint in hand.complaints]
    return {"about": about, "rows": rows, "missed": [m for row in rows for m in report.goals(row)] + complaints}


async def rounds(hands: dict[str, Hand], chosen: argparse.Namespace) -> dict[tuple[str, str, str], lag.Series]:
    """All blocks, both sides in turn."""
    found = {(side, c.name, pace): lag.Series() for side in SIDES for c in CONTROLS for pace in PACES}
    order = list(SIDES)
    for _, control, pace in product(range(ROUNDS), CONTROLS, PACES):
        order.reverse()
        for side in order:
            notes = await one_block(hands[side], control, pace, chosen)
            found[side, control.name, pace].blocks.append(lag.block(notes))
    return found


async def one_block(hand: Hand, control: Control, pace: str, chosen: argparse.Namespace) -> dict[str, Any]:
    if pace == "stream":
        return await hand.stream(control, chosen.seconds)
    return await hand.isolated(control, chosen.inputs // ROUNDS)


def main(arguments: list[str]) -> None:
    chosen = options(arguments)
    chromium = find()
    if chromium is None:
        sys.exit("No Chromium found. Install one with `python -m tests.browser.chromium`, or set CHROMIUM to its path.")
    port = free_port()
    with serving("app.py", "--port", str(port), port=port) as process:
        result = asyncio.run(measure(f"http://localhost:{port}", chosen, chromium))
        if process.poll() is not None:
            sys.exit(f"The server ended during the run (code {process.returncode}); these numbers would mean nothing.")
    print(report.text(result))
    chosen.json.parent.mkdir(parents=True, exist_ok=True)
    chosen.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Opening the lesson: when its text is there, when its figures answer, and how much is moved."""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from playwright.async_api import Browser, BrowserContext, CDPSession

from .plan import Plan

HERE = Path(__file__).parent
CACHES = ("cold", "warm")
TIMES = ("first_text", "first_figure", "all_figures")
PATIENCE = 30_000  # ms

# All figures, as a reader who scrolls on as soon as a figure answers meets them.
SCROLL = """async () => {
  const sleep = ms => new Promise(done => setTimeout(done, ms))
  for (const figure of opening.figures()) {
    figure.scrollIntoView({behavior: "instant"})
    while (!(figure.dataset.figure in opening.ready)) await sleep(5)
  }
}"""
TOLD = """() => ({
  first_text: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity,
  first_figure: Math.min(...Object.values(opening.ready)),
  all_figures: Math.max(...Object.values(opening.ready)),
})"""


@dataclass
class Moved:
    """Bytes that came over the wire, by kind, compressed where they were sent so."""

    bytes: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    kinds: dict[str, str] = field(default_factory=dict)

    async def listen(self, wire: CDPSession) -> None:
        await wire.send("Network.enable")
        wire.on("Network.responseReceived", self._known)
        wire.on("Network.loadingFinished", self._done)
        wire.on("Network.webSocketFrameReceived", self._frame)

    def _known(self, event: dict[str, Any]) -> None:
        self.kinds[event["requestId"]] = event["type"].lower()

    def _done(self, event: dict[str, Any]) -> None:
        if size := event["encodedDataLength"]:  # none where the cache has it
            self.bytes[self.kinds.get(event["requestId"], "other")] += int(size)
            self.requests += 1

    def _frame(self, event: dict[str, Any]) -> None:
        self.bytes["websocket"] += len(event["response"]["payloadData"].encode())  # not compressed on the wire


async def run(browser: Browser, server: str, plan: Plan) -> dict[str, Any]:
    found: dict[str, list[dict[str, Any]]] = {cache: [] for cache in CACHES}
    end, notes = time.monotonic() + plan.limits["opening"], []
    wanted = 2 if plan.quick else 9
    await (await _visit(browser, server))[1].close()  # the server makes its pages at the first visit
    for number in range(wanted):
        if number and time.monotonic() > end:
            notes.append(f"{number} of {wanted} rounds, then the time was over")
            break
        cold, context = await _visit(browser, server)
        found["cold"].append(cold)
        found["warm"].append(await _open(context, server))  # a second page of the same visitor
        await context.close()
    return {"rows": [summary(cache, visits) for cache, visits in found.items()], "notes": notes}


async def _visit(browser: Browser, server: str) -> tuple[dict[str, Any], BrowserContext]:
    """A visitor who was never here before."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    await context.add_init_script(path=HERE / "opening.js")
    return await _open(context, server), context


async def _open(context: BrowserContext, server: str) -> dict[str, Any]:
    page = await context.new_page()
    page.set_default_timeout(PATIENCE)
    moved = Moved()
    await moved.listen(await context.new_cdp_session(page))
    await page.goto(server, wait_until="commit")
    await page.wait_for_function("Object.keys(opening.ready).length > 0")
    first = moved.bytes.total()
    await page.evaluate(SCROLL)
    told = await page.evaluate(TOLD)
    await page.close()
    return told | {"bytes": dict(moved.bytes), "first_bytes": first, "requests": moved.requests}


def summary(cache: str, visits: list[dict[str, Any]]) -> dict[str, Any]:
    """Medians of several visits.

    >>> visit = {"first_text": 1.0, "first_figure": 2.0, "all_figures": 3.0, "first_bytes": 5, "requests": 2}
    >>> summary("cold", [visit | {"bytes": {"script": 7}}, visit | {"bytes": {"script": 9, "font": 1}}])["bytes"]
    {'font': 0.5, 'script': 8.0}
    """
    kinds = sorted({kind for visit in visits for kind in visit["bytes"]})
    names = (*TIMES, "first_bytes", "requests")
    return {
        "cache": cache,
        **{name: median(v[name] if v[name] is not None else math.inf for v in visits) for name in names},
        "bytes": {kind: median(v["bytes"].get(kind, 0) for v in visits) for kind in kinds},
    }

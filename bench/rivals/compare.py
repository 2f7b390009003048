"""The matrix figure four times: its floor, ours, and in two other frameworks."""

from __future__ import annotations

import contextlib
import json
import math
import time
from pathlib import Path
from typing import Any

from playwright.async_api import Browser

from figures.matrix import TOKENS, K, Q

from .. import floor, latency
from ..controls import Control
from ..hand import Hand
from ..lag import Series
from ..plan import Plan
from ..serving import Server, serving
from .drawing import SETTING
from .places import Unavailable, python

HERE = Path(__file__).parent
BLOCKS = (("slider", "isolated"), ("slider", "stream"), ("toggle", "isolated"))
SLIDE = "input.slide[data-knob=beta]"
CAUSAL = ("label:has(input[data-knob=causal])",) * 2
OURS = {"slider": Control("slider", "beta", (SLIDE, SLIDE)), "toggle": Control("toggle", "causal", CAUSAL)}


class Dash(Hand):
    """A hand on the page of another framework."""

    name = "dash"
    command: tuple[str, ...] = ("-m", "bench.rivals.dash_app", "{port}")
    track = Control("track", "beta", ("[role=slider]", ".dash-slider-root"))
    checkbox = "input[type=checkbox]"

    def control(self, kind: str, pace: str) -> Control:
        # Told by the click: not every framework changes its checkbox in the way of the browser.
        return Control("button", "causal", (self.checkbox,) * 2) if kind == "toggle" else self.track

    async def prepare(self, control: Control) -> None:
        """A fresh page: there is no button that resets it."""
        await self.page.reload()
        await self.page.wait_for_selector(".js-plotly-plot .gtitle", timeout=60_000)
        await self.page.wait_for_timeout(500)
        await self.page.evaluate((HERE / "rival.js").read_text())


class Streamlit(Dash):
    name = "streamlit"
    command = ("-m", "streamlit", "run", "bench/rivals/streamlit_app.py", "--server.port", "{port}",
               "--server.headless", "true", "--browser.gatherUsageStats", "false", "--server.fileWatcherType",
               "none")  # fmt: skip
    rail = "[data-testid=stSlider] [role=group] > [data-rac]"
    track = Control("track", "beta", (f"{rail} > [data-rac]", rail))
    checkbox = "[data-testid=stCheckbox] label"

    def control(self, kind: str, pace: str) -> Control:
        """Its slider tells the server nothing before it is let go, so one input is a key."""
        if kind == "slider" and pace == "isolated":
            return Control("key", "beta", ("[data-testid=stSlider] input",))
        return super().control(kind, pace)


async def run(browser: Browser, server: str, plan: Plan) -> dict[str, Any]:
    notes: list[str] = []
    async with contextlib.AsyncExitStack() as stack:
        hands: dict[str, Hand] = {}
        for side, path in (("served", "/matrix"), ("floor", f"{floor.PREFIX}matrix")):
            hands[side] = await latency.open_page(browser, server + path, plan.seconds)
        for kind in (Dash, Streamlit):
            try:
                rival = stack.enter_context(serve(kind))
                hands[kind.name] = await open_rival(browser, rival, kind, plan)
            except (Unavailable, RuntimeError) as problem:
                notes.append(str(problem))
        for control in OURS.values():
            await hands["floor"].prepare(control)
            await hands["floor"].rehearse(control)
        found = await rounds(hands, plan, notes)
        notes += [f"{side}: {c}" for side, hand in hands.items() for c in dict.fromkeys(hand.complaints)]
        for hand in hands.values():
            await hand.page.context.close()
    rows = [{"kind": kind, "pace": pace} | {side: found[side, kind, pace].summary() for side in hands}
            for kind, pace in BLOCKS]  # fmt: skip
    return {"rows": rows, "notes": notes}


def serve(kind: type[Dash]) -> contextlib.AbstractContextManager[Server]:
    scores = {"tokens": list(TOKENS), "scores": (Q @ K.T / math.sqrt(Q.shape[-1])).tolist()}
    return serving([python(kind.name), *kind.command], variables={SETTING: json.dumps(scores)})


async def open_rival(browser: Browser, server: Server, kind: type[Dash], plan: Plan) -> Dash:
    context = await browser.new_context(viewport=latency.VIEW)  # type: ignore[arg-type]
    await context.add_init_script(path=latency.HERE / "probe.js")
    page = await context.new_page()
    await page.goto(server.address)
    return kind(page, await context.new_cdp_session(page), plan.seconds)


async def rounds(hands: dict[str, Hand], plan: Plan, notes: list[str]) -> dict[tuple[str, str, str], Series]:
    """All sides in turn; the order turns round from block to block."""
    found = {(side, kind, pace): Series() for side in hands for kind, pace in BLOCKS}
    order, end = list(hands), time.monotonic() + plan.limits["rivals"]
    for number in range(plan.rounds):
        if number and time.monotonic() > end:
            notes.append(f"{number} of {plan.rounds} rounds, then the time was over")
            break
        for kind, pace in BLOCKS:
            order.reverse()
            for side in order:
                hand = hands[side]
                control = hand.control(kind, pace) if isinstance(hand, Dash) else OURS[kind]
                await hand.prepare(control)
                block = hand.stream(control) if pace == "stream" else hand.isolated(control, plan.inputs)
                found[side, kind, pace].add(await block)
    return found

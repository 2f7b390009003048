"""Lag of every input of every figure, beside the floor of that very figure."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Error

from figures import BY_SLUG, Figure

from . import floor
from .controls import Control, controls
from .hand import Hand, enough
from .lag import Series
from .plan import Plan

HERE = Path(__file__).parent
SIDES = ("served", "floor")
PACES = ("isolated", "stream")
VIEW = {"width": 1280, "height": 1600}  # a whole figure: what is out of view is not painted


async def run(browser: Browser, server: str, plan: Plan) -> dict[str, Any]:
    kinds = [kind for slug, kind in BY_SLUG.items() if not plan.figures or slug in plan.figures]
    rows: list[dict[str, Any]] = []
    notes: list[str] = []
    end = time.monotonic() + plan.limits["latency"]
    for kind in kinds:
        if time.monotonic() > end:
            notes.append(f"{kind.slug}: not measured, the time was over")
            continue
        measured = await Measured.open(browser, server, kind, plan.seconds)
        try:
            share = len(controls(kind)) / sum(len(controls(each)) for each in kinds)
            await measured.rounds(plan, until=time.monotonic() + share * plan.limits["latency"])
        except Error as problem:  # of the page; the other figures are measured all the same
            notes.append(f"{kind.slug}: not measured to the end, {problem.message.splitlines()[0]}")
        rows += measured.rows()
        notes += measured.notes(plan)
        await measured.close()
    return {"rows": rows, "notes": notes}


@dataclass
class Measured:
    """One figure, open on both sides."""

    kind: type[Figure]
    hands: dict[str, Hand]
    found: dict[tuple[str, Control, str], Series]
    done: int = 0

    @classmethod
    async def open(cls, browser: Browser, server: str, kind: type[Figure], seconds: float) -> Measured:
        paths = {"served": f"/{kind.slug}", "floor": f"{floor.PREFIX}{kind.slug}"}
        hands = {side: await open_page(browser, server + path, seconds) for side, path in paths.items()}
        found = {(side, c, pace): Series() for side in SIDES for c in controls(kind) for pace in PACES}
        return cls(kind, hands, found)

    async def rounds(self, plan: Plan, until: float) -> None:
        """Blocks of both sides in turn, and who begins alternates; after the first round, as long as there is time."""
        begun = time.monotonic()
        for control in controls(self.kind):
            await self._warm_up(control)
        order = list(SIDES)
        for number in range(plan.rounds):
            now = time.monotonic()
            if number and now + (now - begun) / number > until:
                return
            for control, pace in product(controls(self.kind), PACES):
                order.reverse()
                for side in order:
                    hand = self.hands[side]
                    await hand.prepare(control)
                    block = (hand.stream(control) if pace == "stream"
                             else hand.isolated(control, enough(plan.inputs, control)))  # fmt: skip
                    self.found[side, control, pace].add(await block)
            self.done += 1

    async def _warm_up(self, control: Control) -> None:
        """Both pages meet the control; the floor hears every answer that it will give."""
        await self.hands["served"].prepare(control)
        await self.hands["served"].isolated(control, enough(4, control))
        await self.hands["floor"].prepare(control)
        await self.hands["floor"].rehearse(control)

    def rows(self) -> list[dict[str, Any]]:
        return [
            {"figure": self.kind.slug, "kind": control.kind, "input": control.name, "pace": pace}
            | {side: self.found[side, control, pace].summary() for side in SIDES}
            for control in controls(self.kind) for pace in PACES
        ]  # fmt: skip

    def notes(self, plan: Plan) -> list[str]:
        slug = self.kind.slug
        said = [f"{slug}, {side}: {c}" for side, hand in self.hands.items() for c in dict.fromkeys(hand.complaints)]
        if self.done < plan.rounds:
            said.append(f"{slug}: {self.done} of {plan.rounds} rounds, then the time was over")
        return said

    async def close(self) -> None:
        for hand in self.hands.values():
            await hand.page.context.close()


async def open_page(browser: Browser, address: str, seconds: float) -> Hand:
    """A new visitor's page, with the probe in it."""
    context = await browser.new_context(viewport=VIEW)  # type: ignore[arg-type]
    await context.add_init_script(path=HERE / "probe.js")
    if floor.PREFIX in address:
        await floor.install(context)
    page = await context.new_page()
    await page.goto(address)
    await page.wait_for_selector('[data-ready="true"]')
    await page.evaluate((HERE / "ours.js").read_text())
    return Hand(page, await context.new_cdp_session(page), seconds)

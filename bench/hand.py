"""The hand: holds a control with the mouse and moves it, one input at a time or as a stream."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.async_api import CDPSession, Page

Place = tuple[float, float]
RATE = 60  # inputs a second of a stream
PATIENCE = 5000  # ms that a page may take to come to rest
QUIET = {"isolated": 60, "stream": 200}  # ms without painting that count as rest
_chance = random.Random(1)


@dataclass(frozen=True)
class Control:
    """Something that the hand can hold.

    Parameters
    ----------
    name
        Name in the report.
    grip
        What the hand takes hold of, and the box within which it moves (selectors).
    event
        After this event the page has heard the move.
    path
        Where the hand is, as shares of the box, when a share from 0 to 1 of its way is done. It meets no place twice.
    """

    name: str
    grip: tuple[str, str]
    event: str
    path: Callable[[float], Place]


def spiral(done: float) -> Place:
    """Five turns outwards over the plane, short of its bounds."""
    angle, radius = 10 * math.pi * done, 0.1 + 0.3 * done
    return 0.5 + radius * math.cos(angle), 0.5 + radius * math.sin(angle)


def sweep(done: float) -> Place:
    """Along the track; its cold end is left out, where the weights hardly change any more."""
    return 0.4 + 0.55 * done, 0.5


CONTROLS = (
    Control("drag query", (".handles-query .handle", "[data-plot=keys]"), "pointermove", spiral),
    Control("slide tau", ("input.slide[data-knob=tau]", "input.slide[data-knob=tau]"), "input", sweep),
)


class Hand:
    """A mouse on one page."""

    def __init__(self, page: Page, wire: CDPSession):
        self.page = page
        self.wire = wire
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(f"error in the page: {error}"))
        page.on("console", lambda m: self.complaints.append(f"console: {m.text}") if m.type == "error" else None)

    async def isolated(self, control: Control, inputs: int) -> dict[str, Any]:
        """Move, wait until the page is at rest, move again."""
        way = await self._take_hold(control, inputs)
        for x, y in way:
            await self._move(x, y)
            if not await self._rest("isolated"):
                break  # the next ones would only wait as long again
            await asyncio.sleep(_chance.uniform(0, 2 / RATE))  # any moment between two frames is as likely
        return await self._let_go()

    async def stream(self, control: Control, seconds: float) -> dict[str, Any]:
        """Move by the clock, whatever the page does, then wait until it is at rest."""
        way = await self._take_hold(control, round(RATE * seconds))
        clock = asyncio.get_running_loop()
        begin, moves = clock.time(), []
        for i, (x, y) in enumerate(way):
            await asyncio.sleep(max(0.0, begin + i / RATE - clock.time()))
            moves.append(asyncio.create_task(self._move(x, y)))
        await asyncio.gather(*moves)
        await self._rest("stream")
        return await self._let_go()

    async def _take_hold(self, control: Control, steps: int) -> list[Place]:
        """Press on the control; returns where to go from there, in pixels of the window."""
        grip, within = control.grip
        await self.page.locator(grip).scroll_into_view_if_needed()
        held, box = await self.page.locator(grip).bounding_box(), await self.page.locator(within).bounding_box()
        assert held is not None
        assert box is not None
        way = [control.path(i / steps) for i in range(steps + 1)]
        places = [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in way]
        on_track = grip == within  # a slider's thumb comes to where its track is pressed, a handle must be met
        start = places[0] if on_track else (held["x"] + held["width"] / 2, held["y"] + held["height"] / 2)
        await self.page.mouse.move(*start)
        await self.page.mouse.down()
        await self.page.mouse.move(*places[0])
        await asyncio.sleep(0.3)
        await self.page.evaluate("event => probe.start(event)", control.event)
        return places[1:]

    async def _move(self, x: float, y: float) -> None:
        move = {"type": "mouseMoved", "x": x, "y": y, "button": "left", "buttons": 1}
        await self.wire.send("Input.dispatchMouseEvent", move)

    async def _rest(self, pace: str) -> bool:
        rested = await self.page.evaluate("limits => probe.idle(...limits)", [QUIET[pace], PATIENCE])
        if not rested:
            notice = await self.page.locator("[data-connection]").text_content()
            self.complaints.append(f"no rest within {PATIENCE} ms; the page says {notice!r}")
        return rested

    async def _let_go(self) -> dict[str, Any]:
        notes = await self.page.evaluate("() => probe.take()")
        await self.page.mouse.up()
        return notes

"""The hand: moves a control with the mouse or presses it, one input at a time or as a stream."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import cycle, islice
from typing import Any

from playwright.async_api import CDPSession, Page

from .controls import EVENTS, GRID, Control, Place

RATE = 60  # inputs a second of a stream
PATIENCE = 5000  # ms that a page may take to come to rest
QUIET = {"isolated": 50, "stream": 200}  # ms without painting that count as rest
_chance = random.Random(1)


class Hand:
    """A mouse on one page."""

    def __init__(self, page: Page, wire: CDPSession, seconds: float = 2.0):
        self.page = page
        self.wire = wire
        self.way = min(round(RATE * seconds), GRID)  # inputs of a stream
        self.at: Place = (0.0, 0.0)
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(f"error in the page: {error}"))
        page.on("console", lambda m: self.complaints.append(f"console: {m.text}") if m.type == "error" else None)

    async def prepare(self, control: Control) -> None:
        """The state from which every block begins."""
        await self.page.mouse.move(2, 2)
        await self.page.click("[data-do=reset]")
        await self.rest("stream")
        if control.when:
            await self.page.click(f"label:has(input[type=checkbox][data-knob={control.when}])")
            await self.rest("stream")

    async def isolated(self, control: Control, inputs: int) -> dict[str, Any]:
        """One input, wait until the page is at rest, the next one."""
        acts = await self._acts(control, inputs, isolated=True)
        await self._start(control)
        for act in acts:
            await act()
            if not await self.rest("isolated"):
                break  # the next ones would only wait as long again
            await asyncio.sleep(_chance.uniform(0, 2 / RATE))  # any moment between two frames is as likely
        return await self._let_go(control)

    async def stream(self, control: Control) -> dict[str, Any]:
        """By the clock, whatever the page does, then wait until it is at rest."""
        acts = await self._acts(control, self.way)
        clock = asyncio.get_running_loop()
        await self._start(control)
        begin, under_way = clock.time(), []
        for i, act in enumerate(acts):
            await asyncio.sleep(max(0.0, begin + i / RATE - clock.time()))
            under_way.append(asyncio.ensure_future(act()))
        await asyncio.gather(*under_way)
        if control.moves:
            await self._mouse("mouseReleased", self.at)
        await self.rest("stream")
        return await self._let_go(control)

    async def rehearse(self, control: Control) -> None:
        """Everything that isolated inputs and streams will ask for, once."""
        acts = await self._acts(control, self.way if control.moves else len(control.spots), isolated=not control.moves)
        for act in acts:
            await act()
            await self.page.evaluate("limits => probe.idle(...limits)", [0, PATIENCE])
        await self._let_go(control)

    async def _acts(self, control: Control, count: int, isolated: bool = False) -> list[Callable[[], Awaitable[None]]]:
        """What the hand will do, in order; a control that moves is held by then."""
        if control.kind == "key":
            await self.page.focus(control.spots[0])
            return [self._right] * count
        if control.moves:
            stride = max(1, self.way // count) if isolated and not control.stops else 1
            way = (await self._take_hold(control))[stride::stride][:count]
            return [partial(self._move, to) for to in way]
        if isolated:
            return [partial(self._find_and_press, spot) for spot in islice(cycle(control.spots), count)]
        # A stream presses one or two that stay where they are, and asks the page nothing meanwhile.
        spots = [await self._middle(spot) for spot in control.spots[:2]]
        return [partial(self._press, at) for at in islice(cycle(spots), count)]

    async def _take_hold(self, control: Control) -> list[Place]:
        """Press on the control; returns its whole way, in pixels of the window."""
        grip, within = control.spots
        at, box = await self._middle(grip), await self._box(within)
        way = [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in control.places()]
        await self.page.mouse.move(*(way[0] if grip == within else at))  # a thumb comes to where its track is pressed
        await self.page.mouse.down()
        await self.page.mouse.move(*way[0])
        self.at = way[0]
        await asyncio.sleep(0.1)
        await self.rest("stream")
        return way

    async def _start(self, control: Control) -> None:
        await self.page.evaluate("events => probe.start(...events)", EVENTS[control.kind])

    async def _let_go(self, control: Control) -> dict[str, Any]:
        notes = await self.page.evaluate("() => probe.take()")
        if control.moves:
            await self._mouse("mouseReleased", self.at)
        return notes

    async def _move(self, to: Place) -> None:
        self.at = to
        await self._mouse("mouseMoved", to)

    async def _right(self) -> None:
        """Press the arrow to the right."""
        for kind in ("keyDown", "keyUp"):
            arrow = {"type": kind, "key": "ArrowRight", "code": "ArrowRight", "windowsVirtualKeyCode": 39}
            await self.wire.send("Input.dispatchKeyEvent", arrow)

    async def _find_and_press(self, spot: str) -> None:
        await self._press(await self._middle(spot))

    async def _press(self, at: Place) -> None:
        await asyncio.gather(self._mouse("mousePressed", at), self._mouse("mouseReleased", at))

    async def _mouse(self, kind: str, to: Place) -> None:
        x, y = to
        event = {"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": int(kind != "mouseMoved")}
        await self.wire.send("Input.dispatchMouseEvent", event)

    async def _middle(self, spot: str) -> Place:
        box = await self._box(spot)
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    async def _box(self, spot: str) -> dict[str, float]:
        return await self.page.evaluate(BOX, spot)

    async def rest(self, pace: str) -> bool:
        rested = await self.page.evaluate("limits => probe.idle(...limits)", [QUIET[pace], PATIENCE])
        if not rested:
            self.complaints.append(f"no rest within {PATIENCE} ms")
        return rested


BOX = """spot => {
  const {x, y, width, height} = document.querySelector(spot).getBoundingClientRect()
  if (!width || y < 0 || y + height > innerHeight) throw new Error(`${spot} is not in view`)
  return {x, y, width, height}
}"""


def enough(inputs: int, control: Control) -> int:
    """Isolated inputs of one block: at least one for everything that is pressed."""
    return max(inputs, 0 if control.moves else len(control.spots))

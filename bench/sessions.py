"""What sessions cost the server: CPU, memory, and how many of them one process carries."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
import psutil

from figures import BY_SLUG, Figure
from figures.knobs import Real

from .lag import percentile
from .plan import Plan
from .serving import Server, ours
from .visitor import Visitor

MB = 1e6
AT_ONCE = 4  # sessions that are opened at the same time
CROWD_PACE = 0.5  # seconds between two events of a session
ENOUGH = 100.0  # ms that the p95 of a crowd may reach
CLOSED = 40  # seconds after which the server has let go of closed sessions (Bokeh looks every 17 s for those of 15 s)


async def run(plan: Plan) -> dict[str, Any]:
    """All on a server of its own, so that no other part leaves anything in it."""
    end, notes = time.monotonic() + plan.limits["sessions"], []
    with ours() as server:
        watch = psutil.Process(server.process.pid)
        for slug in BY_SLUG:  # what is made once a process
            (await Visitor.arrive(server.address, slug)).leave()
        memory = await _memory(server, watch, plan)  # first: memory that sessions gave back would be used again
        cpu = [await _cpu(server, watch, kind, plan) for kind in BY_SLUG.values()]
    with ours() as server:
        crowds, passed = await _crowds(server, end, plan)
    if not passed:
        notes.append(f"no more than {crowds[-1]['sessions']} sessions were tried; their p95 was under {ENOUGH:.0f} ms")
    return {
        "cpu": cpu,
        "memory": memory,
        "crowds": crowds,
        "carries": carries(crowds),
        "passed": passed,
        "notes": notes,
    }


def wishes(kind: type[Figure]) -> Iterator[dict[str, Any]]:
    """Events as a hand on the first slider makes them; of a figure without, presses of its presets."""
    knobs = {name: knob for name, knob in kind.knobs().items() if isinstance(knob, Real)}
    for i in count():
        if knobs:
            name, knob = next(iter(knobs.items()))
            low, high = knob.bounds
            yield {"knobs": {name: knob.write(float(round(low + (high - low) * (0.1 + i % 80 / 100), 3)))}}
        else:
            yield {"preset": list(kind.presets)[i % len(kind.presets)]}


async def _cpu(server: Server, watch: psutil.Process, kind: type[Figure], plan: Plan) -> dict[str, Any]:
    """CPU of a session until its figure is ready, and of an event."""
    sessions, events = (5, 50) if plan.quick else (20, 200)
    used = _seconds(watch)
    visitors = [await Visitor.arrive(server.address, kind.slug) for _ in range(sessions)]
    opened = _seconds(watch)
    asked = [await visitors[0].ask(wish) for wish, _ in zip(wishes(kind), range(events), strict=False)]
    spent = _seconds(watch)
    for visitor in visitors:
        visitor.leave()
    return {"figure": kind.slug, "session": (opened - used) / sessions, "event": (spent - opened) / events,
            "answer_p50": 1000 * percentile(asked, 50), "answer_p95": 1000 * percentile(asked, 95)}  # fmt: skip


def _seconds(watch: psutil.Process) -> float:
    times = watch.cpu_times()
    return times.user + times.system


async def _memory(server: Server, watch: psutil.Process, plan: Plan) -> dict[str, float]:
    """Memory of the server with no session, with many, and after they have come and gone."""
    many, open_ones, pause = (20, 10, 4) if plan.quick else (200, 40, CLOSED)
    before = await _settled(watch, pause)
    held = await _arrive(server, open_ones)
    full = _rss(watch)
    for visitor in held:
        visitor.leave()
    for _ in range(0, many - open_ones, AT_ONCE):
        for visitor in await _arrive(server, AT_ONCE):
            visitor.leave()
    after = await _settled(watch, pause)
    return {"before": before, "session": (full - before) / open_ones, "after": after, "closed": many}


async def _settled(watch: psutil.Process, seconds: float) -> float:
    """Memory in MB once the server has had the time to let go of sessions."""
    await asyncio.sleep(seconds)
    return _rss(watch)


def _rss(watch: psutil.Process) -> float:
    return watch.memory_info().rss / MB


async def _arrive(server: Server, number: int) -> list[Visitor]:
    """Visitors of all figures in turn."""
    slugs, visitors = list(BY_SLUG), []
    for first in range(0, number, AT_ONCE):
        some = range(first, min(number, first + AT_ONCE))
        visitors += await asyncio.gather(*(Visitor.arrive(server.address, slugs[i % len(slugs)]) for i in some))
    return visitors


async def _crowds(server: Server, end: float, plan: Plan) -> tuple[list[dict[str, Any]], bool]:
    """Larger and larger crowds, until answers come too late."""
    visitors: list[Visitor] = []
    crowds: list[dict[str, Any]] = []
    for size in (4, 8) if plan.quick else (10, 20, 40, 60, 80, 120, 160):
        if crowds and time.monotonic() > end:
            break
        visitors += await _arrive(server, size - len(visitors))
        seconds = 2 if plan.quick else 8
        waits = [w for each in await asyncio.gather(*(_use(v, seconds) for v in visitors)) for w in each]
        crowds.append({"sessions": size, "p50": percentile(waits, 50), "p95": percentile(waits, 95)})
        if crowds[-1]["p95"] > ENOUGH:
            break
    for visitor in visitors:
        visitor.leave()
    return crowds, crowds[-1]["p95"] > ENOUGH


async def _use(visitor: Visitor, seconds: float) -> list[float]:
    """Events by the clock, as a page makes them: while one is on its way, the next one waits. Lags in ms."""
    clock, lags = asyncio.get_running_loop(), []
    begin = clock.time() + random.uniform(0, CROWD_PACE)
    for i, wish in zip(range(int(seconds / CROWD_PACE)), wishes(BY_SLUG[visitor.slug]), strict=False):
        due = begin + i * CROWD_PACE
        await asyncio.sleep(max(0.0, due - clock.time()))
        await visitor.ask(wish)
        lags.append(1000 * (clock.time() - due))
    return lags


def carries(crowds: list[dict[str, Any]]) -> int:
    """Sessions at which p95 passes `ENOUGH`, between the last crowd below and the first above.

    >>> carries([{"sessions": 10, "p95": 20.0}, {"sessions": 20, "p95": 180.0}])
    15
    """
    sizes, lags = [c["sessions"] for c in crowds], [c["p95"] for c in crowds]
    if len(crowds) == 1 or lags[-1] <= ENOUGH:
        return int(sizes[-1] if lags[-1] <= ENOUGH else 0)
    return int(np.interp(ENOUGH, lags[-2:], sizes[-2:]))

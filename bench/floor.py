"""The floor of a figure: its own page, with answers that the browser holds already.

No server computes and nothing is sent: a script (`replay.js`) puts the recorded answer of `core` into the sources and
the HTML at once. All that is left is what the browser itself needs, for every figure alike.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Route

from figures import BY_SLUG, Figure
from figures.base import written
from figures.live import Live
from figures.page import environment
from lesson.page import TEMPLATE, page_words

HERE = Path(__file__).parent
PREFIX = "/floor-"  # the browser gets these pages from us, everything that they link from the server


def html(kind: type[Figure]) -> str:
    """The page as a static site has it; it stands beside the pages of the server, so assets are where theirs are."""
    return environment.get_template(TEMPLATE).render(**page_words(kind(), [], boot={"floor": "here"}), docs=[])


def answer(slug: str, texts: dict[str, str], wish: dict[str, Any]) -> dict[str, Any]:
    """What `core` says to a wish in a state: the whole answer, and all columns of the picture."""
    figure = BY_SLUG[slug]()
    live = Live([figure])
    live.hear(json.dumps({"seq": 0, "figures": {slug: {"state": texts}}}))
    heard = live.hear(json.dumps({"seq": 1, "figures": {slug: wish | {"everything": True}}}))
    if heard["problem"]:
        raise RuntimeError(f"{slug}: {wish}: {heard['problem']}")
    columns = {f"{slug}.{source}": written(data) for source, data in figure.shown.items()}
    return {"answer": heard["figures"][slug], "columns": columns}


async def install(context: BrowserContext) -> None:
    """Make floor pages known to a browser."""
    for slug, kind in BY_SLUG.items():
        await context.route(f"**{PREFIX}{slug}", given(html(kind), "text/html"))
    await context.route("**/js/alone.js*", given((HERE / "replay.js").read_text(), "text/javascript"))
    await context.expose_function("rehearse", answer)


def given(body: str, kind: str) -> Callable[[Route], Awaitable[None]]:
    async def fulfil(route: Route) -> None:
        await route.fulfill(body=body, content_type=kind)

    return fulfil

"""Pieces that several figures share: numbers as text, marks, what labels, rings and hull are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from html import escape

import numpy as np

from .knobs import MINUS

Point = tuple[float, float]

RING = 36 / 320  # radius of the ring of weight 1, as a share of the width of the plane
FIXED_FROM, FIXED_TO = 5e-4, 1e6  # outside of this, a number with 3 decimals would be "0.000" or too wide


def num(value: float, places: int = 3) -> str:
    """A number as the figures show it: 3 decimals, a real minus sign, never "0.000" for what is not 0.

    >>> num(0.6333), num(-1.5), num(2.14e-7), num(0.0), num(float("nan")), num(float("-inf"))
    ('0.633', '−1.500', '2.1e−7', '0.000', 'NaN', '−∞')
    """
    value = float(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else MINUS + "∞"
    if value and not FIXED_FROM <= abs(value) < FIXED_TO:
        mantissa, exponent = f"{value:.1e}".split("e")
        text = f"{mantissa}e{int(exponent)}"
    else:
        # Ties away from zero, as in the browser, so that a number never reads 0.062 here and 0.063 there.
        rounded = Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
        text = str(rounded if rounded else abs(rounded))  # no "−0.00"
    return text.replace("-", MINUS)


def short(value: float) -> str:
    """A number as a person would write it down: no zeros at the end.

    >>> short(1.0), short(-0.25), short(10.0), short(0.0)
    ('1', '−0.25', '10', '0')
    """
    return num(value).rstrip("0").rstrip(".") if FIXED_FROM <= abs(value) < FIXED_TO or not value else num(value)


# The shape that goes with each meaning, so that nothing hangs on colour alone. Drawn in a box of 12 by 12.
_MARKS = {
    "query": '<circle cx="6" cy="6" r="5"/><circle class="dot" cx="6" cy="6" r="1.6"/>',
    "key": '<path d="M6 0 12 6 6 12 0 6Z"/>',
    "value": '<path d="M1 1H11V11H1Z"/>',
    "output": '<circle class="halo" cx="6" cy="6" r="5.3"/><circle cx="6" cy="6" r="3.2"/>',
    "masked": '<path d="M1 1H11V11H1Z"/><path class="hatch" d="M1 7 7 1M3 11 11 3"/>',
}


def mark(meaning: str) -> str:
    """The small shape of a meaning, for text and tables.

    >>> mark("key")
    '<svg class="mark mark-key" viewBox="0 0 12 12" aria-hidden="true"><path d="M6 0 12 6 6 12 0 6Z"/></svg>'
    """
    return f'<svg class="mark mark-{meaning}" viewBox="0 0 12 12" aria-hidden="true">{_MARKS[meaning]}</svg>'


def sentence(text: str) -> str:
    """A description as HTML: names in quotes become bold, the first query, key, value and output wear their mark.

    >>> sentence("The key of 'cat' wins.").count("<svg"), "<b>cat</b>" in sentence("The key of 'cat' wins.")
    (1, True)
    """
    words, seen = [], set()
    for word in escape(text, quote=False).split(" "):
        bare = word.strip(".,;:()")
        meaning = bare.removesuffix("s") if bare.lower() not in ("queries",) else "query"
        if bare.startswith("'") and bare.endswith("'") and len(bare) > 2:
            word = word.replace(bare, f"<b>{bare[1:-1]}</b>")
        elif meaning in _MARKS and meaning not in seen:
            seen.add(meaning)
            word = f'<span class="nowrap">{mark(meaning)}{word}</span>'
        words.append(word)
    return symbols(" ".join(words))


def symbols(html: str) -> str:
    """Set the ``d_k`` of a text with an index; what can be copied or read aloud stays the same.

    >>> symbols("d_k = 64")
    '<i>d</i><span class="sr">_</span><sub>k</sub> = 64'
    """
    return html.replace("d_k", '<i>d</i><span class="sr">_</span><sub>k</sub>')


def go(slug: str, query: str, words: str) -> str:
    """A link that puts a figure into a state; the page gives it its address (assets/js/figure.js).

    >>> go("lookup", "tau=0.5", "a small temperature")
    '<a class="show" href="lookup?tau=0.5" data-go="lookup" data-query="tau=0.5">a small temperature</a>'
    """
    query = escape(query)
    return f'<a class="show" href="{slug}?{query}" data-go="{slug}" data-query="{query}">{escape(words)}</a>'


def readings(rows: Sequence[tuple[str, str]]) -> str:
    """Read-outs: a name (HTML) and a number beside it."""
    return '<dl class="reads">' + "".join(f"<div><dt>{n}</dt><dd>{v}</dd></div>" for n, v in rows) + "</dl>"


def tick_columns(two: str = "2") -> dict[str, list]:
    """The ticks of a plane at 2 units, left, right, below and above, and what they say."""
    texts = [f"{MINUS}{two}", two]
    return {
        "x": [-2, 2, 0, 0], "y": [0, 0, -2, 2], "text": texts * 2, "dx": [0, 0, -6, -6], "dy": [6, 6, 0, 0],
        "align": ["center", "center", "right", "right"], "baseline": ["top", "top", "middle", "middle"],
    }  # fmt: skip


def label_columns(points: Sequence[Point], around: Point = (0.0, 0.0), away: float = 12.0) -> dict[str, list]:
    """Labels above or under their points, on the side that looks away from ``around``; beside them, a narrow plane
    would cut them off."""
    up = [y >= around[1] for _, y in points]
    return {"dy": [-away if u else away for u in up], "baseline": ["bottom" if u else "top" for u in up]}


def hull(points: Sequence[Point]) -> list[Point]:
    """Corners of the convex hull, counter-clockwise (Andrew's monotone chain).

    >>> hull([(0.0, 0.0), (2.0, 0.0), (1.0, 0.5), (1.0, 2.0)])
    [(0.0, 0.0), (2.0, 0.0), (1.0, 2.0)]
    """
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered

    def chain(along: Sequence[Point]) -> list[Point]:
        kept: list[Point] = []
        for p in along:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], p) <= 0:
                kept.pop()
            kept.append(p)
        return kept[:-1]

    return chain(ordered) + chain(ordered[::-1])


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def mix_columns(values: np.ndarray, weights: np.ndarray, output: np.ndarray, names: Sequence[str],
                radius: float) -> dict[str, dict[str, list]]:  # fmt: skip
    """What the sources of `draw.mix` hold."""
    points = [(float(x), float(y)) for x, y in values]
    corners = hull(points)
    centre = (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))
    x, y = (list(c) for c in zip(*points, strict=True))
    return {
        "hull": {"x": [c[0] for c in corners], "y": [c[1] for c in corners]},
        "values": {
            "x": x, "y": y, "text": list(names), **label_columns(points, centre),
            "radius": (RING * 2 * radius * np.sqrt(weights)).tolist(), "alpha": (0.2 + 0.8 * weights).tolist(),
            "ox": [float(output[0])] * len(points), "oy": [float(output[1])] * len(points),
        },
        "output": {"x": [float(output[0])], "y": [float(output[1])]},
    }  # fmt: skip

"""Colours along a scale, for heatmaps, as colour tokens mixed in equal steps. assets/js/ramp.js does the same."""

from __future__ import annotations

from collections.abc import Mapping

STEPS = 101


def palette(stops: str, colours: Mapping[str, str]) -> list[str]:
    """Colours from the first to the last of the stops, which are token names with ``>`` between them.

    With ``on:`` before the stops it gives, for each of these colours, black or white: what reads better on it.

    >>> palette("paper>output", {"paper": "#ffffff", "output": "#3a67a7"})[::50]
    ['#ffffff', '#9db3d3', '#3a67a7']
    >>> palette("on:paper>output", {"paper": "#ffffff", "output": "#3a67a7"})[::100]
    ['#000000', '#ffffff']
    """
    if stops.startswith("on:"):
        return ["#000000" if readable(c) else "#ffffff" for c in palette(stops.removeprefix("on:"), colours)]
    points = [channels(colours[token]) for token in stops.split(">")]
    mixed = []
    for step in range(STEPS):
        at = step * (len(points) - 1) / (STEPS - 1)
        left = min(int(at), len(points) - 2)
        pair = zip(points[left], points[left + 1], strict=True)
        mixed.append("#" + "".join(f"{int(a + (b - a) * (at - left) + 0.5):02x}" for a, b in pair))
    return mixed


def channels(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in channels(colour))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast of two colours, as WCAG 2 defines it.

    >>> contrast("#000000", "#ffffff")
    21.0
    """
    dark, light = sorted((luminance(one), luminance(other)))
    return round((light + 0.05) / (dark + 0.05), 9)


def readable(colour: str) -> bool:
    """Does black read better on this colour than white?"""
    return contrast("#000000", colour) > contrast("#ffffff", colour)

"""Heatmaps: what the cells on the canvas hold, and what the grid of HTML over them says."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import parts
from .base import Columns

SIZE, SIZE_LONG, SIZE_INFINITE = "11.75px", "10.5px", "15px"


# Name after that of a heatmap → hatch. Bokeh makes a pattern anew for each cell when any column of its source changes,
# so hatches have sources of their own, which change with the mask only.
HATCHES = {"lines": "right_diagonal_line", "crosses": "diagonal_cross"}


def heat_columns(
    name: str, shades: np.ndarray, texts: Sequence[Sequence[str]], allowed: np.ndarray
) -> dict[str, Columns]:
    """What the sources of `draw.heat` hold: one cell a row, the first row of the matrix on top."""
    held = _cells(np.where(allowed, shades, np.nan), texts)
    return {name: held, **_hatched(name, held, ~allowed, np.zeros_like(allowed))}


def marked_columns(
    name: str, shades: np.ndarray, texts: Sequence[Sequence[str]], hidden: np.ndarray
) -> dict[str, Columns]:
    """What the sources of `draw.heat` hold where a hidden cell may have a number and a shade all the same.

    A shade of NaN is the tint of masked cells; the text "NaN" gets a cross hatch and is bold.
    """
    held = _cells(shades, texts)
    held["size"] = [SIZE if text.isalpha() else _size(text) for text in held["text"]]
    held["style"] = ["bold" if text == "NaN" else "normal" for text in held["text"]]
    crossed = np.array([text == "NaN" for text in held["text"]], dtype=bool).reshape(hidden.shape)
    return {name: held, **_hatched(name, held, hidden & ~crossed, crossed)}


def _cells(shades: np.ndarray, texts: Sequence[Sequence[str]]) -> Columns:
    rows, columns = shades.shape
    flat = [text for row in texts for text in row]
    return {
        "x": [j + 0.5 for _ in range(rows) for j in range(columns)],
        "y": [rows - i - 0.5 for i in range(rows) for _ in range(columns)],
        "shade": shades.ravel().tolist(),
        "text": flat,
        "size": [_size(text) for text in flat],
    }


def _hatched(name: str, held: Columns, *which: np.ndarray) -> dict[str, Columns]:
    """The places of the cells that wear each hatch, in the order of `HATCHES`."""
    found = {}
    for kind, wear in zip(HATCHES, which, strict=True):
        cells = np.flatnonzero(wear).tolist()
        found[f"{name} {kind}"] = {axis: [held[axis][i] for i in cells] for axis in ("x", "y")}
    return found


def _size(text: str) -> str:
    """Numbers of 7 characters would touch their neighbours; the sign of infinity is a small one in most fonts."""
    return SIZE_INFINITE if "∞" in text else SIZE_LONG if len(text) >= 7 or "e" in text else SIZE


def cell_num(value: float) -> str:
    """A number that fits in a cell: as everywhere, but very small ones with one digit.

    >>> cell_num(0.5), cell_num(2.14e-7), cell_num(-19.4561)
    ('0.500', '2e−7', '−19.456')
    """
    text = parts.num(value)
    return parts.num(float(f"{value:.0e}")).replace(".0e", "e") if re.search(r"e", text) else text


def cells(
    tokens: Sequence[str], lines: Sequence[Sequence[Sequence[str]]], sums: dict[str, list[str]], **more: Any
) -> str:
    """The part "cells", as JSON: names of rows and columns, what each cell says, sums beside the rows by plot.

    A line comes in pieces, which the page sets side by side; ``q_4`` in them is a letter with an index. ``heads`` are
    names of these columns by plot ("sum" if there are none), ``marks`` says which of their entries stand out.
    """
    content: dict[str, Any] = {"tokens": tokens, "lines": lines, "sums": sums, **more}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")

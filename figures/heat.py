"""Heatmaps: what the cells on the canvas hold, and what the grid of HTML over them says."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import parts

SIZE, SIZE_LONG, SIZE_INFINITE = "11.75px", "10.5px", "15px"


def heat_columns(shades: np.ndarray, texts: Sequence[Sequence[str]], allowed: np.ndarray) -> dict[str, list]:
    """What the source of `draw.heat` holds: one cell a row, the first row of the matrix on top."""
    rows, columns = shades.shape
    flat = [text for row in texts for text in row]
    return {
        "x": [j + 0.5 for _ in range(rows) for j in range(columns)],
        "y": [rows - i - 0.5 for i in range(rows) for _ in range(columns)],
        "shade": np.where(allowed, shades, np.nan).ravel().tolist(),
        "text": flat,
        "size": [_size(text) for text in flat],
        "hatch": ["blank" if seen else "right_diagonal_line" for seen in allowed.ravel()],
    }


def marked_columns(shades: np.ndarray, texts: Sequence[Sequence[str]], hidden: np.ndarray) -> dict[str, list]:
    """What the source of `draw.heat` holds where a hidden cell may have a number and a shade all the same.

    A shade of NaN is the tint of masked cells; the text "NaN" gets a cross hatch and is bold.
    """
    held = heat_columns(shades, texts, np.ones_like(hidden))
    marks = zip(held["text"], hidden.ravel(), strict=True)
    held["hatch"] = ["diagonal_cross" if t == "NaN" else "right_diagonal_line" if off else "blank" for t, off in marks]
    held["size"] = [SIZE if text.isalpha() else _size(text) for text in held["text"]]
    held["style"] = ["bold" if text == "NaN" else "normal" for text in held["text"]]
    return held


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

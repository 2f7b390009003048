"""Heatmaps: cells and their numbers on a canvas, and what the grid of HTML over them says."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, LinearColorMapper, Plot, Rect, Text

from . import parts
from .theme import CANVAS_FONT, ink

GAP = 0.034  # share of a cell that stays empty, so that cells stand apart
SIZE, SIZE_LONG, SIZE_INFINITE = "11.75px", "10.5px", "15px"


def heat_plot(rows: int, columns: int, ramp: str, low: float) -> tuple[Plot, ColumnDataSource]:
    """A heatmap of ``rows`` by ``columns`` cells; data come from `heat_columns`.

    Parameters
    ----------
    rows, columns
        The first row stands on top.
    ramp
        Colour tokens from ``low`` to 1, see `figures.ramp.palette`. NaN stands for a masked cell.
    low
        The shade that gets the first colour.
    """
    plot = parts.picture((0, columns), (0, rows))
    source = ColumnDataSource({name: [] for name in ("x", "y", "shade", "text", "size", "hatch")})
    fill, over = (
        ink(LinearColorMapper(low=low, high=1), palette=stops, nan_color=nan)
        for stops, nan in ((ramp, "masked-tint"), (f"on:{ramp}", "ink"))
    )
    cell = Rect(x="x", y="y", width=1 - GAP, height=1 - GAP, border_radius=2, line_width=0.75,
                fill_color={"field": "shade", "transform": fill},
                hatch_pattern="hatch", hatch_alpha=0.3, hatch_scale=9, hatch_weight=1)  # fmt: skip
    parts.draw(plot, source, cell, line_color="line", hatch_color="masked")
    plot.add_glyph(source, Text(
        x="x", y="y", text="text", text_align="center", text_baseline="middle", text_font=CANVAS_FONT,
        text_font_size="size", text_font_style={"value": "normal"}, text_color={"field": "shade", "transform": over},
        syncable=False,
    ))  # fmt: skip
    return plot, source


def heat_columns(shades: np.ndarray, texts: Sequence[Sequence[str]], allowed: np.ndarray) -> dict[str, list]:
    """What the source of `heat_plot` holds: one cell a row, the first row of the matrix on top."""
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


def cells(tokens: Sequence[str], lines: Sequence[Sequence[Sequence[str]]], sums: dict[str, list[str]]) -> str:
    """The part "cells", as JSON: names of rows and columns, what each cell says, sums beside the rows by plot.

    A line comes in pieces, which the page sets side by side; ``q_4`` in them is a letter with an index.
    """
    content: dict[str, Any] = {"tokens": tokens, "lines": lines, "sums": sums}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")

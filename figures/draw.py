"""What Bokeh draws. Figures import this module only to draw; computing needs no Bokeh (see export/inside.py)."""

from __future__ import annotations

import math
from typing import Any

from bokeh.models import (
    Circle,
    ColumnDataSource,
    FixedTicker,
    Glyph,
    Grid,
    LinearColorMapper,
    Patch,
    Plot,
    Range1d,
    Rect,
    Scatter,
    Segment,
    Span,
    Text,
)

from .knobs import MINUS
from .theme import CANVAS_FONT, ink

Sources = dict[str, ColumnDataSource]

GAP = 0.034  # share of a cell that stays empty, so that cells stand apart


def sources(columns: dict[str, dict[str, list]]) -> Sources:
    """A Bokeh source for each dictionary of columns."""
    return {name: ColumnDataSource(held) for name, held in columns.items()}


def put(source: ColumnDataSource, columns: dict[str, list]) -> None:
    """Set columns, and send no more than those. Where their length changes, all must go together."""
    if any(len(source.data[name]) != len(column) for name, column in columns.items()):
        source.data = {**source.data, **columns}
    else:
        source.data.update(columns)


def picture(across: tuple[float, float], up: tuple[float, float]) -> Plot:
    """A bare plot that fills its place: no axes, tools or title, which would cost each reader time and bytes."""
    return Plot(
        x_range=Range1d(*across), y_range=Range1d(*up), width=320, height=320, sizing_mode="stretch_both", min_border=0,
        toolbar_location=None, title=None, outline_line_color=None,
        background_fill_alpha=0, border_fill_alpha=0,
    )  # fmt: skip


def plane(radius: float) -> Plot:
    """An empty plane from -radius to radius in both directions, with a line for each unit.

    The frame fills the whole picture, so a point of the plane has the same place in the HTML over it (the handles).
    """
    plot = picture((-radius, radius), (-radius, radius))
    units = list(range(-math.floor(radius), math.floor(radius) + 1))
    for axis, length in ((0, "width"), (1, "height")):
        plot.add_layout(ink(Grid(dimension=axis, ticker=FixedTicker(ticks=units)), grid_line_color="grid"))
        plot.add_layout(ink(Span(location=0, dimension=length, level="underlay"), line_color="axis"))
    ticks = ColumnDataSource({
        "x": [-2, 2, 0, 0], "y": [0, 0, -2, 2], "text": [f"{MINUS}2", "2", f"{MINUS}2", "2"],
        "dx": [0, 0, -6, -6], "dy": [6, 6, 0, 0],
        "align": ["center", "center", "right", "right"], "baseline": ["top", "top", "middle", "middle"],
    })  # fmt: skip
    text(plot, ticks, token="ink-2", size="12px", x_offset="dx", y_offset="dy", text_align="align",
         text_baseline="baseline")  # fmt: skip
    return plot


def draw(plot: Plot, source: ColumnDataSource, glyph: Glyph, **tokens: str) -> None:
    """Add one glyph in the colours of the theme.

    The methods of a Bokeh figure would add two more glyphs each, for selections that we do not have.
    """
    plot.add_glyph(source, ink(glyph, **tokens))


def text(plot: Plot, source: ColumnDataSource, *, token: str = "ink", size: str = "12.75px", **fields: Any) -> None:
    """Text with a halo in the colour of the paper, so that lines under it do not disturb.

    Bokeh strokes an outline over the letters, so the halo is a text of its own under them.
    """
    common = {"x": "x", "y": "y", "text": "text", "text_font": CANVAS_FONT, "text_font_size": size, **fields}
    draw(plot, source, Text(text_outline_width=4, **common), text_color="paper", text_outline_color="paper")
    draw(plot, source, Text(**common), text_color=token)


def labels(plot: Plot, source: ColumnDataSource) -> None:
    """The names of points, placed by `label_columns`."""
    text(plot, source, y_offset="dy", text_align="center", text_baseline="baseline")


def keys(radius: float, source: ColumnDataSource) -> Plot:
    """The plane of keys: an arrow from the origin to each, and its name."""
    plot = plane(radius)
    draw(plot, source, Segment(x0=0, y0=0, x1="x", y1="y", line_width=1.5, line_alpha=0.85), line_color="key")
    diamond = Scatter(x="x", y="y", marker={"value": "diamond"}, size=15)
    draw(plot, source, diamond, fill_color="key", line_color="paper")
    labels(plot, source)
    return plot


def mix(radius: float, sources: Sources) -> Plot:
    """The plane of values: their hull, a ring and a line for each weight, the output. Columns: `parts.mix_columns`."""
    plot = plane(radius)
    values, output = sources["values"], sources["output"]
    draw(plot, sources["hull"], Patch(x="x", y="y", fill_alpha=0.09, line_dash=[4, 4]),
         fill_color="value", line_color="value")  # fmt: skip
    draw(
        plot,
        values,
        Segment(x0="x", y0="y", x1="ox", y1="oy", line_width=2.25, line_alpha="alpha"),
        line_color="output",
    )
    draw(plot, values, Circle(x="x", y="y", radius="radius", fill_alpha=0.12, line_width=1.5),
         fill_color="output", line_color="output")  # fmt: skip
    draw(
        plot, values, Scatter(x="x", y="y", marker={"value": "square"}, size=9), fill_color="value", line_color="paper"
    )
    labels(plot, values)
    draw(plot, output, Scatter(x="x", y="y", size=20, fill_alpha=0.75, line_width=1.5),
         fill_color="paper", line_color="output")  # fmt: skip
    draw(plot, output, Scatter(x="x", y="y", size=11), fill_color="output", line_color="output")
    return plot


def heat(source: ColumnDataSource, rows: int, columns: int, ramp: str, low: float) -> Plot:
    """A heatmap of ``rows`` by ``columns`` cells; columns: `heat.heat_columns`.

    Parameters
    ----------
    rows, columns
        The first row stands on top.
    ramp
        Colour tokens from ``low`` to 1, see `figures.ramp.palette`. NaN stands for a masked cell.
    low
        The shade that gets the first colour.
    """
    plot = picture((0, columns), (0, rows))
    fill, over = (
        ink(LinearColorMapper(low=low, high=1), palette=stops, nan_color=nan)
        for stops, nan in ((ramp, "masked-tint"), (f"on:{ramp}", "ink"))
    )
    cell = Rect(x="x", y="y", width=1 - GAP, height=1 - GAP, border_radius=2, line_width=0.75,
                fill_color={"field": "shade", "transform": fill},
                hatch_pattern="hatch", hatch_alpha=0.3, hatch_scale=9, hatch_weight=1)  # fmt: skip
    draw(plot, source, cell, line_color="line", hatch_color="masked")
    marked: dict[str, Any] = {"text_font_style": {"value": "normal"}}
    if "style" in source.data:  # a number may stand on hatch and shade (`heat.marked_columns`): no line goes through it
        marked = {"text_font_style": "style", "padding": 1, "border_radius": 2,
                  "background_fill_color": {"field": "shade", "transform": fill}}  # fmt: skip
    plot.add_glyph(source, Text(
        x="x", y="y", text="text", text_align="center", text_baseline="middle", text_font=CANVAS_FONT,
        text_font_size="size", text_color={"field": "shade", "transform": over}, syncable=False, **marked,
    ))  # fmt: skip
    return plot

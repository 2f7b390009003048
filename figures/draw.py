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
    Line,
    LinearColorMapper,
    Patch,
    Plot,
    Range1d,
    Rect,
    Scatter,
    Segment,
    Span,
    Text,
    VArea,
    VBar,
)

from . import parts
from .axes import TOP
from .heat import HATCHES
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


def plane(radius: float, ticks: ColumnDataSource | None = None) -> Plot:
    """An empty plane from -radius to radius in both directions, with a line for each unit.

    The frame fills the whole picture, so a point of the plane has the same place in the HTML over it (the handles).
    """
    plot = picture((-radius, radius), (-radius, radius))
    units = list(range(-math.floor(radius), math.floor(radius) + 1))
    for axis, length in ((0, "width"), (1, "height")):
        plot.add_layout(ink(Grid(dimension=axis, ticker=FixedTicker(ticks=units)), grid_line_color="grid"))
        plot.add_layout(ink(Span(location=0, dimension=length, level="underlay"), line_color="axis"))
    ticks = ticks or ColumnDataSource(parts.tick_columns())
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
    plot = plane(radius, sources.get("ticks"))
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


def heat(sources: Sources, name: str, rows: int, columns: int, ramp: str, low: float) -> Plot:
    """A heatmap of ``rows`` by ``columns`` cells; columns: `heat.heat_columns`.

    Parameters
    ----------
    name
        Of its source; those of its hatches have it in their names.
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
    source = sources[name]
    cell: dict[str, Any] = {"x": "x", "y": "y", "width": 1 - GAP, "height": 1 - GAP, "border_radius": 2}
    shaded = Rect(**cell, line_width=0.75, fill_color={"field": "shade", "transform": fill})
    draw(plot, source, shaded, line_color="line")
    for kind, pattern in HATCHES.items():
        hatch = Rect(**cell, fill_color=None, line_color=None, hatch_pattern={"value": pattern}, hatch_alpha=0.3,
                     hatch_scale=9, hatch_weight=1)  # fmt: skip
        draw(plot, sources[f"{name} {kind}"], hatch, hatch_color="masked")
    marked: dict[str, Any] = {"text_font_style": {"value": "normal"}}
    if "style" in source.data:  # a number may stand on hatch and shade (`heat.marked_columns`): no line goes through it
        marked = {"text_font_style": "style", "padding": 1, "border_radius": 2,
                  "background_fill_color": {"field": "shade", "transform": fill}}  # fmt: skip
    plot.add_glyph(source, Text(
        x="x", y="y", text="text", text_align="center", text_baseline="middle", text_font=CANVAS_FONT,
        text_font_size="size", text_color={"field": "shade", "transform": over}, syncable=False, **marked,
    ))  # fmt: skip
    return plot


# -- figure 3 ----------------------------------------------------------------------------------------------------------

# One line a scaling: colour and dashes. Each is also named, at its end or in the table beside the pictures.
LINES: dict[str, tuple[str, dict[str, Any]]] = {
    "d_k": ("ink-2", {"line_dash": [2, 3], "line_width": 2.25}),
    "none": ("ink", {"line_dash": [7, 4], "line_width": 2.25}),
    "sqrt": ("output", {"line_width": 2.5}),
}
FOOT = -0.2  # lower edge of a picture whose axis goes from 0 to 1: room for numbers and a name


def _frame(left: float, right: float, across: float) -> Plot:
    """A picture whose axis goes from 0 to 1, over a ground line from 0 to ``across``."""
    plot = picture((left, right), (FOOT, TOP))
    draw(plot, ColumnDataSource({"x": [0]}), Segment(x0="x", y0=0, x1=across, y1=0), line_color="axis")
    return plot


def _numbers(plot: Plot, columns: dict[str, list], **fields: Any) -> None:
    """Small quiet text that never changes."""
    text(plot, ColumnDataSource(columns), token="ink-2", size="12px", **fields)


def bars(sources: Sources) -> Plot:
    """The weights of one query, as bars or as outlines; columns: `Scaling.columns`."""
    plot = _frame(-0.13, 1.01, 1)
    ticks = ColumnDataSource({"x": [0.0] * 3, "y": [0.0, 0.5, 1.0], "text": ["0", "0.5", "1"], "end": [1.0] * 3})
    draw(plot, ticks, Segment(x0="x", y0="y", x1="end", y1="y"), line_color="grid")
    _numbers(plot, dict(ticks.data), x_offset=-7, text_align="right", text_baseline="middle")
    _numbers(plot, {"x": [0.5], "y": [FOOT + 0.02], "text": ["keys, the largest weight first"]},
             text_align="center", text_baseline="bottom")  # fmt: skip
    _numbers(plot, {"x": [0], "y": [TOP], "text": ["weight"]}, text_baseline="top")
    bar = VBar(x="x", top="top", bottom=0, width="width", line_alpha=0)
    draw(plot, sources["bars"], bar, fill_color="output", line_color="output")
    for name, (token, style) in LINES.items():
        draw(plot, sources[f"outline {name}"], Line(x="x", y="y", **style), line_color=token)
    diamond = Scatter(x="x", y="y", marker={"value": "diamond"}, size=13)
    draw(plot, sources["first key"], diamond, fill_color="key", line_color="paper")
    return plot


def curves(sources: Sources, sizes: tuple[int, ...]) -> Plot:
    """A norm against the head size, one line and one band a scaling; columns: `Scaling.columns`."""
    last = len(sizes) - 1
    plot = _frame(-2.9, last + 2.7, last)
    draw(plot, sources["ticks"], Segment(x0=0, y0="y", x1=last, y1="y"), line_color="grid")
    text(plot, sources["ticks"], token="ink-2", size="12px", x=0, x_offset=-7, text_align="right",
         text_baseline="middle")  # fmt: skip
    text(plot, sources["name"], token="ink-2", size="12px", text_baseline="top")
    shown = list(range(0, last + 1, 2))
    _numbers(plot, {"x": shown, "y": [-0.03] * len(shown), "text": [str(sizes[i]) for i in shown]},
             text_align="center", text_baseline="top")  # fmt: skip
    _numbers(plot, {"x": [last / 2], "y": [FOOT + 0.02], "text": ["head size"]}, text_align="center",
             text_baseline="bottom")  # fmt: skip
    draw(plot, sources["here"], Segment(x0="x", y0=0, x1="x", y1=1), line_color="axis")
    for name, (token, style) in LINES.items():
        draw(plot, sources[name], VArea(x="x", y1="low", y2="high", fill_alpha=0.11), fill_color=token)
        draw(plot, sources[name], Line(x="x", y="median", **style), line_color=token)
    ends: dict[str, Any] = {"x": last + 2.3, "y": "y", "text_baseline": "middle"}
    text(plot, sources["ends"], text_align="right", **ends)
    index = Text(text="sub", text_font=CANVAS_FONT, text_font_size="9px", y_offset=4, **ends)  # no halo: d is near
    draw(plot, sources["ends"], index, text_color="ink")
    dots = sources["dots"]
    draw(plot, dots, Scatter(x="x", y="y", size=15), fill_color="query-edge", line_color="paper")
    for size, token in ((11.5, "query"), (5, "query-edge")):
        draw(plot, dots, Scatter(x="x", y="y", size=size, line_alpha=0), fill_color=token, line_color=token)
    text(plot, sources["here"], x_offset="dx", y_offset=-9, text_align="align", text_baseline="bottom")
    return plot

"""A heatmap too large for cells with numbers: one picture, and hatches over what is masked. The browser fills it in."""

from __future__ import annotations

from bokeh.models import ColumnDataSource, Image, Plot, Quad

from .draw import draw


def under(plot: Plot, name: str) -> None:
    """Lay a picture under the cells of `draw.heat`, empty until the browser puts one there (assets/js/map.js).

    The picture holds shades as the cells do, and wears their colours. Its source has this ``name``, that of the hatches
    the same with "hatch" after it.
    """
    picture = ColumnDataSource({"image": [], "size": []}, name=name)
    hatches = ColumnDataSource({n: [] for n in ("left", "right", "bottom", "top", "pattern")}, name=f"{name} hatch")
    colours = plot.renderers[0].glyph.fill_color["transform"]
    draw(plot, picture, Image(image="image", x=0, y=0, dw="size", dh="size", origin="top_left", color_mapper=colours))
    draw(plot, hatches, Quad(left="left", right="right", bottom="bottom", top="top", fill_color=None, line_color=None,
                             hatch_pattern="pattern", hatch_alpha=0.3, hatch_scale=9, hatch_weight=1),
         hatch_color="masked")  # fmt: skip
    plot.renderers = plot.renderers[-2:] + plot.renderers[:-2]

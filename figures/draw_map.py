"""A heatmap too large for cells with numbers: one picture, and hatches over what is masked. The browser fills it in."""

from __future__ import annotations

from bokeh.models import ColumnDataSource, Image, LinearColorMapper, Plot, Quad

from .draw import draw
from .ramp import STEPS
from .theme import ink


def under(plot: Plot, name: str, ramp: str) -> None:
    """Lay a picture under the cells of a heatmap, empty until the browser puts one there (assets/js/map.js).

    Parameters
    ----------
    name
        Of the source of the picture; that of the hatches has "hatch" after it.
    ramp
        Colour tokens, see `figures.ramp.palette`. The picture holds steps of it; what lies beyond the last is masked.
    """
    picture = ColumnDataSource({"image": [], "size": []}, name=name)
    hatches = ColumnDataSource({n: [] for n in ("left", "right", "bottom", "top", "pattern")}, name=f"{name} hatch")
    steps = ink(LinearColorMapper(low=-0.5, high=STEPS - 0.5), palette=ramp, high_color="masked-tint")
    draw(plot, picture, Image(image="image", x=0, y=0, dw="size", dh="size", origin="top_left", color_mapper=steps))
    draw(plot, hatches, Quad(left="left", right="right", bottom="bottom", top="top", fill_alpha=0, line_alpha=0,
                             hatch_pattern="pattern", hatch_alpha=0.45, hatch_scale=9, hatch_weight=1),
         hatch_color="masked")  # fmt: skip
    plot.renderers = plot.renderers[-2:] + plot.renderers[:-2]

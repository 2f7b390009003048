"""HTML of a figure: real text, there before any script runs; only the planes wait for Bokeh."""

from __future__ import annotations

import json
import math
from typing import Any

import bokeh
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

import assets

from . import parts, theme
from .base import Figure
from .formulas import TEX, formula
from .knobs import Choice, Points, Real, Switch, Whole, plain
from .live import snapshot
from .own_files import LARGEST
from .working import BRACKETS

KINDS = {Real: "real", Switch: "switch", Points: "points", Choice: "choice", Whole: "whole"}

environment = Environment(
    loader=FileSystemLoader(assets.FOLDER / "templates"),
    autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
)  # fmt: skip
environment.globals |= {
    "asset": assets.url,
    "modules": assets.modules,
    "scripts": sorted(name for name in assets.Files.__css__ if name.startswith("js/")),
    "tokens": lambda: Markup(theme.css()),
    "mark": lambda meaning: Markup(parts.mark(meaning)),
    "formula": lambda name: Markup(formula(name)),
    "symbols": lambda text: Markup(parts.symbols(str(escape(text)))),
    "sentence": lambda text: Markup(parts.sentence(text)),
    "num": parts.num,
    "short": parts.short,
    "brackets": [Markup(side) for side in BRACKETS],
    "plain": plain,
    "home": "./",
    "bokeh_url": f"static/js/bokeh.min.js?v={bokeh.__version__}",
    "python_from": "",  # the host that sends Python to the browser, where it is another one
    "boot": None,  # in a static site, what the browser needs to boot Python
    "pages": "%",  # address of the page of a figure, seen from its neighbours; % is the slug
    "from_json": json.loads,
    "largest": LARGEST,  # bytes of a file that a reader may load
}


def percent(value: float, radius: float) -> float:
    """Where a coordinate stands in a plane, in percent from its left or lower edge."""
    return 50 * (1 + value / radius)


def track(knob: Real, value: float) -> dict[str, float]:
    """A slider's track: its ends and where the value stands; a logarithmic knob slides over log10."""
    if knob.log:
        low, high, at = (math.log10(v) for v in (*knob.bounds, value))
        return {"min": low, "max": high, "at": at}
    return {"min": knob.bounds[0], "max": knob.bounds[1], "at": value}


def knob_view(figure: Figure, name: str) -> dict[str, Any]:
    """Everything the template says about a knob, from its declaration."""
    knob, value = figure.knobs()[name], getattr(figure, name)
    view = {"name": name, "kind": KINDS[type(knob)], "label": knob.label, "doc": knob.doc, "text": knob.write(value),
            "idle": figure.idle().get(name, "")}  # fmt: skip
    if isinstance(knob, Real):
        view |= {"symbol": knob.symbol, "ends": knob.ends, "log": knob.log, "signed": knob.signed, "wears": knob.wears,
                 "fine": knob.fine, "shown": parts.num(value), "low": plain(knob.bounds[0]),
                 "high": plain(knob.bounds[1]), **track(knob, value),
                 "tick": None if knob.tick is None else track(knob, knob.tick)["at"]}  # fmt: skip
    if isinstance(knob, Switch):
        view |= {"on": value, "note": knob.note}
    if isinstance(knob, Points):
        view |= {"symbol": knob.symbol, "rows": value, "fine": knob.fine, "bounds": knob.bounds}
    if isinstance(knob, Choice):
        words = {v: Markup(formula(said)) if said in TEX else said for v, said in knob.words.items()}
        view |= {"value": value, "words": words}
    if isinstance(knob, Whole):
        low, high = knob.bounds
        view |= {"value": value, "buttons": knob.buttons, "low": low, "high": high}
        if knob.few:
            view |= {"kind": "choice", "value": str(value), "words": {str(n): str(n) for n in range(low, high + 1)}}
        if knob.stops:
            names = [f"{n}, {stop}" for n, stop in enumerate(knob.stops, low)]
            view |= {"kind": "stops", "names": names, "at": (value - low) / (high - low)}
        if knob.steps:
            view |= {"kind": "steps", "symbol": knob.symbol, "steps": knob.steps, "at": knob.steps.index(value)}
    return view


def handle_groups(figure: Figure, plot: str) -> list[dict[str, Any]]:
    """The movable points of one plot, with their places now."""
    groups = []
    for group in figure.handles:
        if group.plot != plot:
            continue
        pair = len(group.knobs) == 2
        points = [tuple(getattr(figure, name) for name in group.knobs)] if pair else figure.places()[group.knobs[0]]
        names = (group.wears,) if pair else tuple(f"{group.wears} of {name}" for name in figure.names())
        spare = group.most - len(points)
        filled = [*zip(names, points, strict=True), *[("", (0.0, 0.0))] * spare]
        first = figure.knobs()[group.knobs[0]]
        spec = {"knobs": group.knobs, "low": first.bounds[0], "high": first.bounds[1], "radius": figure.radius}
        groups.append({
            "spec": json.dumps(spec), "wears": group.wears, "when": group.when, "knob": "" if pair else group.knobs[0],
            "shown": not group.when or getattr(figure, group.when),
            "points": [
                {"name": name, "x": x, "y": y, "shown": i < len(points),
                 "left": percent(x, figure.radius), "bottom": percent(y, figure.radius)}
                for i, (name, (x, y)) in enumerate(filled)
            ],
        })  # fmt: skip
    return groups


def coordinates(figure: Figure) -> dict[str, Any] | None:
    """The table of typed coordinates: for each group of points that a switch sets free, a pair of fields a point."""
    groups = [g for g in figure.handles if g.when]
    if not groups:
        return None
    columns = [{"knob": g.knobs[0], "wears": g.wears, "points": figure.places()[g.knobs[0]]} for g in groups]
    return {"when": groups[0].when, "shown": getattr(figure, groups[0].when), "names": figure.names(),
            "most": groups[0].most, "columns": columns}  # fmt: skip


def figure_html(figure: Figure, problems: list[str], heading: str = "h1") -> Markup:
    """A figure as HTML; scripts draw its plots into the elements that carry their names."""
    html = environment.get_template("figure.html").render(
        figure=figure, shows=snapshot(figure), problems=problems, heading=heading,
        knob=lambda name: knob_view(figure, name), handles=lambda plot: handle_groups(figure, plot),
        coordinates=coordinates(figure),
    )  # fmt: skip
    return Markup(html)

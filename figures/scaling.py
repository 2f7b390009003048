"""Figure 3: why the scores are divided by the root of the head size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.scaling import SCALINGS, Curve, draw
from core.softmax import softmax, softmax_jacobian_log_norm, softmax_jacobian_max, softmax_vjp

from . import axes, challenges, parts, scaling_code
from .base import Figure, Panel
from .formulas import formula
from .knobs import Choice, Real, Switch, Whole
from .scaling_draws import DRAWS, NAMES, SIZES, curve, upstream

LARGEST_NORM = 0.5  # of any softmax Jacobian: two equal weights reach it


@dataclass(frozen=True)
class Drawn:
    """One random query under the scalings shown. Shapes: S scalings, J keys, the largest score first."""

    shown: tuple[str, ...]  # (S,)
    factors: np.ndarray  # (S, 1)
    scores: np.ndarray  # (J,) q·k_j, not scaled
    first: int  # where in this order k_1 stands, the key that rho makes similar to q
    weights: np.ndarray  # (S, J)
    spread: np.ndarray  # (S,) standard deviation of the logits
    norm: np.ndarray  # (S,) Frobenius norm of the Jacobian
    log_norm: np.ndarray  # (S,) its logarithm, which never underflows
    largest: np.ndarray  # (S,) largest |J_ij|
    share: np.ndarray  # (S,) of the weights below 0.001
    gradient: np.ndarray  # (S,) norm of the gradient at the query
    curves: dict[str, Curve]  # of the scalings shown
    medians: dict[str, float]  # at this d_k, of every scaling


class Scaling(Figure):
    """One random query and many: what a growing head size does to the softmax, with and without scaling."""

    slug = "scaling"
    number = 3
    title = "Why divide by sqrt(d_k)"
    summary = "Random queries meet random keys: how a large head size saturates the softmax, and what dividing changes."
    first = "Move the head size. Watch what it does to the weights, with and without scaling."
    layout = "curves"
    coded = ("weights", "norm", "largest")

    d_k = Whole(64, bounds=(1, 1024), steps=SIZES, symbol="d_k", label="head size",
                doc="Number of entries of the query and of each key.")  # fmt: skip
    seed = Whole(0, bounds=(0, 9999), label="draw", buttons=("New draw", "First draw"),
                 doc="Which random query and keys are drawn. 0 is the first draw.")  # fmt: skip
    keys = Choice("16", words={"16": "16", "128": "128"}, label="Keys", doc="Number of keys.")
    scaling = Choice("compare", label="Scaling",
                     words={"none": "none", "sqrt": "scaling.sqrt", "d_k": "scaling.d_k", "compare": "compare"},
                     doc="What the scores are multiplied by before the softmax.")  # fmt: skip
    axis = Choice("linear", words={"linear": "linear", "log": "log"}, label="Axis",
                  doc="Vertical axis of the curves: linear or logarithmic.")  # fmt: skip
    gradient = Switch(False, label="Gradient at the query", note="instead of the norm of the Jacobian",
                      doc="Shows the norm of the gradient that reaches the query.")  # fmt: skip
    sigma = Real(1.0, bounds=(0.25, 4.0), symbol="sigma", label="size of the entries", log=True, tick=1.0,
                 ends=("0.25", "4"), doc="Standard deviation of the entries of query and keys.")  # fmt: skip
    rho = Real(0.0, bounds=(0.0, 1.0), symbol="rho", label="likeness of the first key", ends=("0, random", "1, equal"),
               doc="Correlation of the first key with the query: at 1 they are equal.")  # fmt: skip

    panels = (
        Panel("Draw", "weights of one query", plot="weights", label="Sorted weights of one random query",
              knobs=("d_k", "seed", "keys")),
        Panel("Curve", "median of many queries", plot="curve", below=("note",),
              label="The median norm against the head size, with a band from 10 to 90 percent",
              knobs=("scaling", "axis", "gradient")),
        Panel("Read", "this query", part="numbers", knobs=("sigma", "rho")),
    )  # fmt: skip
    presets: ClassVar = {
        "no scaling": {"scaling": "none"},
        "it first rises": {"d_k": 8},
        "collapse": {"scaling": "none", "d_k": 1024, "axis": "log"},
        "scaled": {"scaling": "sqrt", "d_k": 1024},
        "128 keys": {"keys": "128"},
        "key equals query": {"rho": 1.0},
        "gradient": {"gradient": True},
    }
    goals = challenges.SCALING

    def compute(self) -> Drawn:
        keys = int(self.keys)
        one = draw(self.d_k, keys, self.seed, self.sigma, self.rho)
        order = np.argsort(-one.scores, kind="stable")
        scores, k = one.scores[order], one.keys[order]
        shown = tuple(NAMES) if self.scaling == "compare" else (self.scaling,)
        factors = np.array([[SCALINGS[NAMES[name]](self.d_k)] for name in shown])
        logits = factors * scores  # (S, J)
        weights, log_norm = softmax(logits), softmax_jacobian_log_norm(logits)
        g = upstream(self.d_k, keys, self.seed)[order]
        d_q = factors * softmax_vjp(weights, g - g[0]) @ k  # (S, d_k); J takes no notice of the shift, digits do
        ask = (self.gradient, keys, self.sigma, self.rho)
        curves = {name: curve(*ask, name) for name in shown}
        at = SIZES.index(self.d_k)
        medians = {name: float(curves[name].median[at] if name in curves else curve(*ask, name, (self.d_k,)).median[0])
                   for name in NAMES}  # fmt: skip
        return Drawn(
            shown, factors, scores, int(np.flatnonzero(order == 0)[0]), weights, logits.std(axis=-1), np.exp(log_norm),
            log_norm, softmax_jacobian_max(logits), (weights < 1e-3).mean(axis=-1), np.linalg.norm(d_q, axis=-1),
            curves, medians,
        )  # fmt: skip

    def numpy_code(self) -> str:
        return scaling_code.numpy_code(self.result, self.d_k, [NAMES[name] for name in self.result.shown])

    def torch_code(self) -> str:
        return scaling_code.torch_code(self.result, self.d_k, [NAMES[name] for name in self.result.shown])

    # -- words ---------------------------------------------------------------------------------------------------------

    def describe(self, result: Drawn) -> str:
        return f"{self._one(result)} {self._many(result.medians)}"

    def _one(self, result: Drawn) -> str:
        """The draw above."""
        texts = [self._text(result, i) for i in range(len(result.shown))]
        what = f"the {'gradient that reaches' if self.gradient else 'Jacobian of'} this query has norm"
        if len(texts) > 1:
            return f"At d_k = {self.d_k} {what} {texts[0]} unscaled and {texts[1]} with 1/sqrt(d_k)."
        how = {"none": "without scaling", "sqrt": "with 1/sqrt(d_k)", "d_k": "with 1/d_k"}[self.scaling]
        top = "" if self.gradient else f"the largest weight is {parts.num(result.weights[0, 0])} and "
        return f"At d_k = {self.d_k} {how}, {top}{what} {texts[0]}."

    def _text(self, result: Drawn, i: int) -> str:
        return axes.small(result.gradient[i]) if self.gradient else axes.from_log(result.log_norm[i])

    def _many(self, medians: dict[str, float]) -> str:
        """What many draws say: the medians of this head size, and why they differ."""
        none, sqrt, d_k = (medians[name] for name in NAMES)
        if self.d_k == 1:
            return "With one entry there is nothing to divide: all scalings agree."
        if self.rho and d_k > 1.5 * sqrt:
            alike = "equals the query" if self.rho == 1 else "resembles the query"
            return (f"The first key {alike}, so its score grows like d_k: median {axes.about(sqrt)} with "
                    f"1/sqrt(d_k), {axes.about(d_k)} with 1/d_k.")  # fmt: skip
        if self.scaling == "d_k" and not self.gradient:
            equal = math.sqrt(int(self.keys) - 1) / int(self.keys)
            return (f"The median is {axes.about(d_k)}, against {axes.about(sqrt)} with 1/sqrt(d_k); equal weights "
                    f"would give {parts.num(equal)}.")  # fmt: skip
        ratio = none / sqrt if sqrt else 1.0
        pair = f"{axes.about(none)} unscaled, {axes.about(sqrt)} scaled"
        if 0.97 <= ratio <= 1.03:
            return f"Over many draws the two medians hardly differ: {pair}."
        return f"Over many draws the median is {pair}{self._why(ratio)}."

    def _why(self, ratio: float) -> str:
        if self.gradient and ratio > 1:
            return ": larger, since scaling puts the factor 1/sqrt(d_k) into this gradient, too"
        if self.gradient:
            return ": saturation takes more than the missing factor 1/sqrt(d_k) gives"
        if ratio > 1:
            return ": here the unscaled one is even larger"
        return ": without scaling it has collapsed" if ratio < 0.05 else ""

    # -- pictures ------------------------------------------------------------------------------------------------------

    def build(self) -> None:
        from . import draw as pictures

        self.sources = pictures.sources(self.shown)
        self.plots = {"weights": pictures.bars(self.sources), "curve": pictures.curves(self.sources, SIZES)}

    def heights(self, result: Drawn) -> np.ndarray:
        """What the dots of this query show (S,)."""
        return result.gradient if self.gradient else result.norm

    def y_axis(self, result: Drawn) -> axes.Axis:
        """Room for the medians and the dots; a wide band may leave the picture, and then the note says so."""
        seen = [*self.heights(result).tolist(), *(v for c in result.curves.values() for v in c.median.tolist())]
        if self.axis == "log":
            return axes.logarithmic(seen, None if self.gradient else 1.0)
        return axes.linear(seen) if self.gradient else axes.Axis(0.0, LARGEST_NORM, False, 5)

    def columns(self, result: Drawn) -> dict[str, dict[str, list]]:
        axis, at = self.y_axis(result), math.log2(self.d_k)
        heights, texts = axis.ticks()
        dots = [axis.place(v) for v in self.heights(result)]
        ends = axes.apart([axis.place(c.median[-1]) for c in result.curves.values()], 0.075)
        labels = {"none": ("none", ""), "sqrt": ("1/√d", "k"), "d_k": ("1/d", "k")}
        names, subscripts = ([labels[name][i] for name in result.shown] for i in (0, 1))
        name = "norm of the gradient at the query" if self.gradient else "norm of the Jacobian"
        return {
            "name": {"x": [0], "y": [axes.TOP], "text": [name]},
            "ticks": {"y": heights, "text": texts},
            "dots": {"x": [at] * len(dots), "y": dots},
            "here": {"x": [at], "y": [max(dots)], "text": ["this query"], "align": ["left" if at < 7 else "right"],
                     "dx": [9 if at < 7 else -9]},
            "ends": {"y": ends, "text": names, "sub": subscripts},
            **{name: self._curve_columns(result, name, axis) for name in NAMES},
            **self._weight_columns(result),
        }  # fmt: skip

    def _curve_columns(self, result: Drawn, name: str, axis: axes.Axis) -> dict[str, list]:
        if name not in result.shown:
            return {"x": [], "median": [], "low": [], "high": []}
        found = result.curves[name]
        lines = {line: [axis.place(v) for v in getattr(found, line)] for line in ("median", "low", "high")}
        return {"x": np.log2(found.d_k).tolist(), **lines}

    def _weight_columns(self, result: Drawn) -> dict[str, dict[str, list]]:
        """Bars where one scaling is shown, else the outline of the bars of each."""
        count, alone = result.scores.size, len(result.shown) == 1
        middles = [(i + 0.5) / count for i in range(count)]
        edges = [e for i in range(count) for e in (i / count, (i + 1) / count)]
        outlines = {
            f"outline {name}": {"x": edges, "y": np.repeat(result.weights[result.shown.index(name)], 2).tolist()}
            if not alone else {"x": [], "y": []}
            for name in NAMES
        }  # fmt: skip
        bars = {"x": middles, "top": result.weights[0].tolist(), "width": [0.8 / count] * count}
        key = [middles[result.first]] if self.rho else []
        return {
            "bars": bars if alone else {"x": [], "top": [], "width": []},
            **outlines,
            "first key": {"x": key, "y": [-0.045] * len(key)},
        }

    # -- text beside the pictures --------------------------------------------------------------------------------------

    def parts(self, result: Drawn) -> dict[str, str]:
        return {"numbers": self._numbers(result), "note": self._note(result)}

    def _numbers(self, result: Drawn) -> str:
        size = range(len(result.shown))
        rows = [
            ("standard deviation of the logits", [parts.num(v) for v in result.spread]),
            ("largest weight", [parts.num(v) for v in result.weights[:, 0]]),
            ("weights below 0.001", [f"{100 * v:.0f}&#8239;%" for v in result.share]),
            (formula("J"), [axes.from_log(v) for v in result.log_norm]),
            (f"largest {formula('J_ij')}", [axes.small(v) for v in result.largest]),
            (f"gradient {formula('dq')}", [axes.small(v) for v in result.gradient]),
        ]
        heads = {"none": "none", "sqrt": formula("scaling.sqrt"), "d_k": formula("scaling.d_k")}
        head = "".join(f'<th scope="col"><span class="nowrap">{_dash(n)}{heads[n]}</span></th>' for n in result.shown)
        body = "".join(
            f'<tr><th scope="row">{name}</th>{"".join(f"<td>{texts[i]}</td>" for i in size)}</tr>'
            for name, texts in rows
        )
        return (f'<table class="compare"><thead><tr><th scope="col">scaling</th>{head}</tr></thead>'
                f"<tbody>{body}</tbody></table>")  # fmt: skip

    def _note(self, result: Drawn) -> str:
        what = f"gradient {formula('dq')}" if self.gradient else formula("J")
        text = f"Line: median {what} of {DRAWS[int(self.keys)]} draws; band: 10 to 90&#8239;%."
        axis, curves, dots = self.y_axis(result), result.curves.values(), self.heights(result).tolist()
        highest = max(float(c.high.max()) for c in curves)
        if highest > (10.0**axis.high if axis.log else axis.high):
            text += f" The band goes on up to {axes.about(highest)}."
        if axis.log and min(*(float(c.low.min()) for c in curves), *dots) < 10.0**axis.low:
            text += f" At the bottom edge: below {axis.ticks()[1][0]}."
        return f'<p class="note">{text}</p>'

    def table(self, result: Drawn) -> list[tuple]:
        header = ("what", "scaling", "at", "value", "low_10", "high_90")
        at = str(self.d_k)
        lines: list[tuple] = []
        for i, name in enumerate(result.shown):
            lines += [("weight", NAMES[name], str(n + 1), w, "", "") for n, w in enumerate(result.weights[i])]
            lines += [
                (what, NAMES[name], at, value, "", "")
                for what, value in (
                    ("standard deviation of the logits", result.spread[i]),
                    ("norm of J", axes.from_log(result.log_norm[i]) if result.norm[i] < axes.LEAST else result.norm[i]),
                    ("largest |J_ij|", _or_below(result.largest[i])),
                    ("share below 0.001", result.share[i]),
                    ("norm of dq", _or_below(result.gradient[i])),
                )
            ]
            found, what = result.curves[name], "median norm of " + ("dq" if self.gradient else "J")
            lines += [
                (what, NAMES[name], str(size), *map(_or_below, values))
                for size, *values in zip(found.d_k, found.median, found.low, found.high, strict=True)
            ]
        return [header, *lines]  # fmt: skip


def _or_below(value: float) -> float | str:
    return float(value) if value >= axes.LEAST else axes.small(value)


def _dash(name: str) -> str:
    """How the line of a scaling is drawn, for text."""
    return f'<svg class="dash dash-{name}" viewBox="0 0 22 4" aria-hidden="true"><path d="M0 2H22"/></svg>'

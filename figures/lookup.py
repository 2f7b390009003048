"""Figure 1: one query looks things up in a soft dictionary."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from bokeh.models import ColumnDataSource, Scatter, Segment

from core.attention import attention

from . import parts
from .base import Figure, Handles, Panel
from .formulas import formula
from .knobs import Points, Real, Switch

NAMES = ("cat", "dog", "fox", "bus", "oak")
KEYS = ((2.7, 0.8), (1.2, 2.7), (-1.7, 2.3), (-2.7, -1.0), (0.8, -2.6))
VALUES = ((-1.6, 2.6), (2.2, 3.1), (3.6, -0.6), (0.9, -3.0), (-3.3, -1.5))


@dataclass(frozen=True)
class Found:
    """What one query finds. Shapes: J items, d_k = d_v = 2."""

    products: np.ndarray  # (J,) q·k
    scores: np.ndarray  # (J,) q·k / (sqrt(d_k)·tau)
    weights: np.ndarray  # (J,)
    output: np.ndarray  # (2,)
    length: float  # |q|
    angle: float | None  # degrees from the first axis, none at q = 0
    effective: float  # exp(entropy of the weights): how many items count
    nearest: int  # item whose value is nearest to the output
    distance: float  # from the output to that value
    keys: np.ndarray  # (J, 2)
    values: np.ndarray  # (J, 2)


class Lookup(Figure):
    """One query, five keys, five values: the query's direction picks a key, its length says how sharply."""

    slug = "lookup"
    number = 1
    title = "One query looks things up"
    summary = (
        "Drag a query and watch which of five keys it matches, how much weight each gets, and where the output lands."
    )
    first = "Drag the yellow handle. Watch which key wins, and by how much."

    q_x = Real(1.3, bounds=(-4.5, 4.5), symbol="q_x", label="query, across", signed=True, wears="query",
               doc="First coordinate of the query.")  # fmt: skip
    q_y = Real(0.5, bounds=(-4.5, 4.5), symbol="q_y", label="query, up", signed=True, wears="query",
               doc="Second coordinate of the query.")  # fmt: skip
    tau = Real(1.0, bounds=(0.05, 5.0), symbol="tau", label="temperature", log=True, ends=("0.05, hard", "5, flat"),
               doc="Temperature: the scores are divided by it. Small is sharp.")  # fmt: skip
    move = Switch(False, label="Move keys and values", doc="Lets keys and values be dragged and typed, too.")
    keys = Points(KEYS, wears="key", label="key", doc="The keys of cat, dog, fox, bus and oak.")
    values = Points(VALUES, wears="value", label="value", doc="The values of cat, dog, fox, bus and oak.")

    panels = (
        Panel("Compare", "query with every key", plot="keys", label="Plane with the five keys and the query",
              knobs=("q_x", "q_y")),
        Panel("Weigh", formula("lookup.weigh"), part="weights", knobs=("tau", "move")),
        Panel("Mix", formula("lookup.mix"), plot="mix", below="readings",
              label="Plane with the five values, their hull and the output"),
    )  # fmt: skip
    handles = (
        Handles("keys", ("keys",), NAMES, "key", when="move"),
        Handles("mix", ("values",), NAMES, "value", when="move"),
        Handles("keys", ("q_x", "q_y"), ("query",), "query"),
    )
    presets = {
        "short query": {"q_x": 0.3, "q_y": 0.12},
        "long query": {"q_x": 3.9, "q_y": 1.5},
        "hard lookup": {"tau": 0.05},
        "uniform": {"q_x": 0.0, "q_y": 0.0},
        "between two keys": {"q_x": 1.9, "q_y": 1.5},
    }

    def compute(self) -> Found:
        q, keys, values = np.array([self.q_x, self.q_y]), np.array(self.keys), np.array(self.values)
        result = attention(q[None], keys, values, scale=1 / (math.sqrt(q.size) * self.tau))
        weights, output = result.weights[0], result.output[0]
        present = weights[weights > 0]
        distances = np.hypot(*(values - output).T)
        nearest = int(distances.argmin())
        return Found(
            products=keys @ q, scores=result.scores[0], weights=weights, output=output,
            length=float(np.hypot(*q)), angle=math.degrees(math.atan2(q[1], q[0])) if q.any() else None,
            effective=float(np.exp(-(present * np.log(present)).sum())),
            nearest=nearest, distance=float(distances[nearest]), keys=keys, values=values,
        )  # fmt: skip

    def describe(self, result: Found) -> str:
        order = np.argsort(-result.weights.round(12), kind="stable")  # rounding noise must not break a tie
        first, second = (f"'{NAMES[i]}'" for i in order[:2])
        top, next_ = result.weights[order[:2]]
        if np.ptp(result.weights) < 1e-9:
            match = f"No key matches better than another: every weight is {parts.num(top)}."
        elif top - next_ < 1e-9:
            match = f"The query matches {first} and {second} equally well ({parts.num(top)} each)."
        elif next_ < parts.FIXED_FROM:
            match = f"The query takes almost everything from {first} ({parts.num(top)}): nearly a hard lookup."
        else:
            match = f"The query matches {first} best ({parts.num(top)}), then {second} ({parts.num(next_)})."
        near = f"'{NAMES[result.nearest]}'"
        if result.distance < 0.005:
            place = f"The output lies on the value of {near}."
        elif result.distance < 0.5:
            place = f"The output lies close to the value of {near}."
        else:
            place = f"The output is a mixture; the nearest value is that of {near}, {parts.num(result.distance)} away."
        return f"{match} {place}"

    def numpy_code(self) -> str:
        return f"""import numpy as np

{self._given("np.array")}
scores = q @ K.T * (1 / (np.sqrt(2) * tau))  # (1, J)
weights = np.exp(scores - scores.max())  # (1, J)
weights = weights / weights.sum()
output = weights @ V  # (1, d_v)
print(weights.round(3), output.round(3))
"""

    def torch_code(self) -> str:
        return f"""import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
{self._given("torch.tensor")}
scale = 1 / (2**0.5 * tau)
weights = torch.softmax(q @ K.T * scale, dim=-1)  # (1, J)
output = F.scaled_dot_product_attention(q, K, V, scale=scale)  # (1, d_v)
print(weights, output)
"""

    def _given(self, array: str) -> str:
        def rows(points: tuple) -> str:
            return "[" + ", ".join(f"[{x!r}, {y!r}]" for x, y in points) + "]"

        return (
            f"# keys and values of {', '.join(NAMES)}\n"
            f"q = {array}([[{self.q_x!r}, {self.q_y!r}]])  # (1, d_k)\n"
            f"K = {array}({rows(self.keys)})  # (J, d_k)\n"
            f"V = {array}({rows(self.values)})  # (J, d_v)\n"
            f"tau = {self.tau!r}\n"
        )

    # -- pictures ------------------------------------------------------------------------------------------------------

    def build(self) -> None:
        self.plots["keys"] = plot = parts.plane(self.radius)
        columns = self.columns(self.result)
        source = ColumnDataSource(columns["keys"])
        parts.draw(plot, source, Segment(x0=0, y0=0, x1="x", y1="y", line_width=1.5, line_alpha=0.85), line_color="key")
        parts.draw(plot, source, Scatter(x="x", y="y", marker={"value": "diamond"}, size=15),
                   fill_color="key", line_color="paper")  # fmt: skip
        parts.labels(plot, source)
        self.plots["mix"], mix = parts.mix_plot(self.radius)
        self.sources = {"keys": source, **mix}
        for name, held in mix.items():
            held.data = columns[name]

    def columns(self, result: Found) -> dict[str, dict[str, list]]:
        points = [(float(x), float(y)) for x, y in result.keys]
        x, y = (list(c) for c in zip(*points, strict=True))
        keys = {"x": x, "y": y, "text": list(NAMES), **parts.label_columns(points)}
        return {"keys": keys, **parts.mix_columns(result.values, result.weights, result.output, NAMES, self.radius)}

    def parts(self, result: Found) -> dict[str, str]:
        angle = "–" if result.angle is None else f"{result.angle:.1f}°".replace("-", parts.MINUS)
        return {
            "weights": self._weights(result),
            "readings": parts.readings([
                (f"length {formula('abs_q')}", parts.num(result.length)),
                ("angle", angle),
                ("largest weight", parts.num(result.weights.max())),
                ("effective number of items", parts.num(result.effective)),
                ("output to nearest value", parts.num(result.distance)),
            ]),
        }  # fmt: skip

    @staticmethod
    def _weights(result: Found) -> str:
        rows = "".join(
            f'<tr><th scope="row">{parts.mark("key")}{name}</th><td>{parts.num(product)}</td>'
            f'<td>{parts.num(score)}</td><td class="w">{parts.num(w)}</td>'
            f'<td class="bar"><span><i style="width:{100 * w:.2f}%"></i></span></td></tr>'
            for name, product, score, w in zip(NAMES, result.products, result.scores, result.weights, strict=True)
        )
        return (
            '<table class="weights"><colgroup><col class="c1"><col><col><col><col class="c5"></colgroup>'
            '<thead><tr><th scope="col">key</th><th scope="col"><span class="sr">query times key</span>'
            f'<span aria-hidden="true">{formula("q.k")}</span></th><th scope="col">score</th>'
            f'<th scope="col">weight</th><td></td></tr></thead><tbody>{rows}</tbody><tfoot><tr>'
            f'<th scope="row" colspan="3">sum of the weights</th><td class="w">{parts.num(result.weights.sum())}</td>'
            "<td></td></tr></tfoot></table>"
        )

    def table(self, result: Found) -> list[tuple]:
        header = ("item", "key_x", "key_y", "value_x", "value_y", "q.k", "score", "weight")
        rows = zip(NAMES, *result.keys.T, *result.values.T, result.products, result.scores, result.weights, strict=True)
        return [header, *rows, ("query", self.q_x, self.q_y), ("output", "", "", *result.output)]

"""Figure 1: one query looks things up in a soft dictionary."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.attention import attention

from . import challenges, parts
from .base import Figure, Handles, Panel
from .formulas import formula
from .knobs import Choice, Points, Real, Switch
from .sentence import TOKENS, K, V

NAMES = ("cat", "dog", "fox", "bus", "oak")
KEYS = ((2.7, 0.8), (1.2, 2.7), (-1.7, 2.3), (-2.7, -1.0), (0.8, -2.6))
VALUES = ((-1.6, 2.6), (2.2, 3.1), (3.6, -0.6), (0.9, -3.0), (-3.3, -1.5))


@dataclass(frozen=True)
class Items:
    """What can be looked up: names, and where their keys and values are to begin with."""

    names: tuple[str, ...]  # one an item, all different
    keys: tuple[tuple[float, float], ...]
    values: tuple[tuple[float, float], ...]
    labels: tuple[str, ...] = ()  # in the plane, where two items may share a place


def _points(rows: np.ndarray) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in rows)


def _twice(token: str) -> bool:
    return TOKENS.count(token) > 1


ITEMS = {
    "words": Items(NAMES, KEYS, VALUES, NAMES),
    "tokens": Items(
        tuple(f"{token} {i}" if _twice(token) else token for i, token in enumerate(TOKENS, start=1)),
        _points(K), _points(V), TOKENS,
    ),
}  # fmt: skip


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
    items = Choice("words", words={"words": "5 words", "tokens": "6 tokens of figure 2"}, label="Items",
                   doc="What can be looked up: five words, or the six tokens of figure 2.")  # fmt: skip
    move = Switch(False, label="Move keys and values", doc="Lets keys and values be dragged and typed, too.")
    keys = Points((), wears="key", label="key", doc="The keys of the items, where they have been moved.")
    values = Points((), wears="value", label="value", doc="The values of the items, where they have been moved.")

    panels = (
        Panel("Compare", "query with every key", plot="keys", label="Plane with the five keys and the query",
              knobs=("q_x", "q_y")),
        Panel("Weigh", formula("lookup.weigh"), part="weights", knobs=("tau", "items", "move")),
        Panel("Mix", formula("lookup.mix"), plot="mix", below=("readings",),
              label="Plane with the five values, their hull and the output"),
    )  # fmt: skip
    handles = (
        Handles("keys", ("keys",), "key", when="move", most=6),
        Handles("mix", ("values",), "value", when="move", most=6),
        Handles("keys", ("q_x", "q_y"), "query"),
    )
    presets = {
        "short query": {"q_x": 0.3, "q_y": 0.12},
        "long query": {"q_x": 3.9, "q_y": 1.5},
        "hard lookup": {"tau": 0.05},
        "uniform": {"q_x": 0.0, "q_y": 0.0},
        "between two keys": {"q_x": 1.9, "q_y": 1.5},
    }
    goals = challenges.LOOKUP

    @classmethod
    def fit(cls, settings: dict[str, Any], changed: Collection[str]) -> tuple[dict[str, Any], list[str]]:
        """Moved keys and values must be as many as there are items; unmoved ones are not worth a word in a link."""
        items, fitting, problems = ITEMS[settings["items"]], dict(settings), []
        for knob, natural in (("keys", items.keys), ("values", items.values)):
            points = settings[knob]
            if points and len(points) != len(natural) and knob in changed:
                problems.append(f"{knob}: expected {len(natural)} points, one an item, got {len(points)}")
            if points == natural or len(points) != len(natural):
                fitting[knob] = ()
        return fitting, problems

    def names(self) -> tuple[str, ...]:
        return ITEMS[self.items].names

    def places(self) -> dict[str, Any]:
        items = ITEMS[self.items]
        return {"keys": self.keys or items.keys, "values": self.values or items.values}

    def compute(self) -> Found:
        places = self.places()
        q, keys, values = np.array([self.q_x, self.q_y]), np.array(places["keys"]), np.array(places["values"])
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
        names = self.names()
        first, second = (f"'{names[i]}'" for i in order[:2])
        top, next_ = result.weights[order[:2]]
        if np.ptp(result.weights) < 1e-9:
            match = f"No key matches better than another: every weight is {parts.num(top)}."
        elif top - next_ < 1e-9:
            match = f"The query matches {first} and {second} equally well ({parts.num(top)} each)."
        elif next_ < parts.FIXED_FROM:
            match = f"The query takes almost everything from {first} ({parts.num(top)}): nearly a hard lookup."
        else:
            match = f"The query matches {first} best ({parts.num(top)}), then {second} ({parts.num(next_)})."
        near = f"'{names[result.nearest]}'"
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
            f"# keys and values of {', '.join(self.names())}\n"
            f"q = {array}([[{self.q_x!r}, {self.q_y!r}]])  # (1, d_k)\n"
            f"K = {array}({rows(self.places()['keys'])})  # (J, d_k)\n"
            f"V = {array}({rows(self.places()['values'])})  # (J, d_v)\n"
            f"tau = {self.tau!r}\n"
        )

    # -- pictures ------------------------------------------------------------------------------------------------------

    def build(self) -> None:
        from . import draw

        self.sources = draw.sources(self.shown)
        self.plots = {
            "keys": draw.keys(self.radius, self.sources["keys"]),
            "mix": draw.mix(self.radius, self.sources),
        }

    def columns(self, result: Found) -> dict[str, dict[str, list]]:
        points = [(float(x), float(y)) for x, y in result.keys]
        x, y = (list(c) for c in zip(*points, strict=True))
        keys = {"x": x, "y": y, "text": self._labels(result.keys), **parts.label_columns(points)}
        return {
            "keys": keys,
            **parts.mix_columns(result.values, result.weights, result.output, self._labels(result.values), self.radius),
        }

    def _labels(self, points: np.ndarray) -> list[str]:
        """Names in the plane; items of one name at one place share a label."""
        labels, places = ITEMS[self.items].labels, [tuple(p) for p in points.tolist()]
        spots = list(zip(labels, places, strict=True))
        return [
            "" if spot in spots[:i] else f"{spot[0]} ×{spots.count(spot)}" if spots.count(spot) > 1 else spot[0]
            for i, spot in enumerate(spots)
        ]

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

    def _weights(self, result: Found) -> str:
        rows = "".join(
            f'<tr><th scope="row">{parts.mark("key")}{name}</th><td>{parts.num(product)}</td>'
            f'<td>{parts.num(score)}</td><td class="w">{parts.num(w)}</td>'
            f'<td class="bar"><span><i style="width:{100 * w:.2f}%"></i></span></td></tr>'
            for name, product, score, w in zip(
                self.names(), result.products, result.scores, result.weights, strict=True
            )
        )
        return (
            '<table class="weights"><colgroup><col class="c1"><col><col><col><col class="c5"></colgroup>'
            '<thead><tr><th scope="col">key</th><th scope="col">'
            f'{formula("q.k")}</th><th scope="col">score</th>'
            f'<th scope="col">weight</th><td></td></tr></thead><tbody>{rows}</tbody><tfoot><tr>'
            f'<th scope="row" colspan="3">sum of the weights</th><td class="w">{parts.num(result.weights.sum())}</td>'
            "<td></td></tr></tfoot></table>"
        )

    def table(self, result: Found) -> list[tuple]:
        header = ("item", "key_x", "key_y", "value_x", "value_y", "q.k", "score", "weight")
        rows = zip(
            self.names(), *result.keys.T, *result.values.T, result.products, result.scores, result.weights, strict=True
        )
        return [header, *rows, ("query", self.q_x, self.q_y), ("output", "", "", *result.output)]

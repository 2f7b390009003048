"""Figure 2: six tokens read from each other, all queries at once."""

from __future__ import annotations

import binascii
import math
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, ClassVar

import numpy as np

from core.attention import attention
from core.masks import causal as causal_mask

from . import challenges, heat, parts
from .base import Figure, Panel
from .formulas import formula
from .knobs import Real, Switch, Whole, plain
from .own_view import OwnHead
from .sentence import ASKS, TOKENS, K, Q, V, permutation

SCORES = "neg>neg-2>paper>pos-2>pos"
WEIGHTS = "paper>output"
HALF = 1.5  # a score of this size gets half of the full colour; beyond, colours grow ever slower, so beta = 8 has room
LEAST_BETA = 0.2  # its temperature 1/beta is the highest that figure 1 knows
COUNT = ("no", "one", "two", "three", "four", "five", "six")


@dataclass(frozen=True)
class Attended:
    """What all queries find. Shapes: T = 6 tokens in the order shown, d_k = d_v = 2."""

    order: np.ndarray  # (T,) place in the sentence of each token shown
    tokens: tuple[str, ...]
    q: np.ndarray  # (T, d_k)
    k: np.ndarray  # (T, d_k)
    v: np.ndarray  # (T, d_v)
    allowed: np.ndarray  # (T, T), True: may read
    products: np.ndarray  # (T, T) QK^T
    scores: np.ndarray  # (T, T), scaled, before the mask
    weights: np.ndarray  # (T, T)
    output: np.ndarray  # (T, d_v)
    weights_gap: float  # largest |A' - P A P^T|; 0 where nothing is shuffled
    output_gap: float  # largest |O' - P O|
    twins: tuple[int, int]  # the two rows of the same word


def _or_own(method: Callable[..., Any]) -> Callable[..., Any]:
    """While a head of the reader's own is loaded, that head answers."""

    @wraps(method)
    def chosen(self: Matrix, *result: Any) -> Any:
        return getattr(self.own, method.__name__)(self, *result) if self.own else method(self, *result)

    return chosen


class Matrix(Figure):
    """Self-attention of six tokens: each row is one soft lookup, and the matrix holds all of them."""

    slug = "matrix"
    number = 2
    title = "All queries at once"
    summary = "Six words read from each other: every score, every weight and every output of one attention head."
    first = "Pick a row: click it, or use the arrow keys. The word on the left reads from the words along the top."
    layout = "maps"

    beta = Real(1.0, bounds=(0.0, 8.0), symbol="beta", label="sharpness", ends=("0, uniform", "8, sharp"), tick=1.0,
                doc="Multiplies the scores. 1 is the standard scaling, 0 makes all scores equal.")  # fmt: skip
    causal = Switch(False, label="Causal mask", note="a word reads only from itself and from words before it",
                    doc="Hides the words that come later.")  # fmt: skip
    row = Whole(4, bounds=(1, 6), label="picked row", doc="The row whose output is shown, as the rows stand now.")
    shuffle = Whole(0, bounds=(0, 9999), label="order of the tokens", buttons=("Shuffle tokens", "Undo shuffle"),
                    doc="Seed of the order of the tokens. 0 leaves the sentence as it is.")  # fmt: skip

    panels = (
        Panel("Scores", formula("matrix.scores"), plot="scores", grid=True, label="Heatmap of the scores",
              knobs=("beta",)),
        Panel("Weights", f"{formula('matrix.weights')}, row by row", plot="weights", grid=True,
              label="Heatmap of the weights", knobs=("causal", "shuffle")),
        Panel("Output", "of the picked row", plot="mix", below=("sum", "as query"),
              label="Plane with the values, their hull and the output of the picked row"),
    )  # fmt: skip
    by_picture = ("row",)
    loads = (".npz", ".npy", ".csv", ".json")
    own: OwnHead | None = None  # no knob: it is not in the address, and no preset or reset takes it away
    presets: ClassVar = {
        "uniform": {"beta": 0.0},
        "standard": {},
        "sharp": {"beta": 8.0},
        "causal": {"causal": True},
        "shuffled": {"shuffle": 7},
        "shuffled, causal": {"shuffle": 7, "causal": True},
    }
    goals = challenges.MATRIX

    @_or_own
    def compute(self) -> Attended:
        order = permutation(self.shuffle) if self.shuffle else np.arange(len(TOKENS))
        q, k, v = Q[order], K[order], V[order]
        allowed = causal_mask(len(TOKENS)) if self.causal else np.ones((len(TOKENS), len(TOKENS)), dtype=bool)
        scale = self.beta / math.sqrt(q.shape[-1])
        here = attention(q, k, v, allowed, scale=scale)
        home = attention(Q, K, V, allowed, scale=scale) if self.shuffle else here  # the same, not shuffled
        tokens = tuple(TOKENS[i] for i in order)
        twin = next(token for token in tokens if tokens.count(token) == 2)
        first = tokens.index(twin)
        return Attended(
            order, tokens, q, k, v, allowed, q @ k.T, here.scores, here.weights, here.output,
            weights_gap=float(np.abs(here.weights - home.weights[np.ix_(order, order)]).max()),
            output_gap=float(np.abs(here.output - home.output[order]).max()),
            twins=(first, tokens.index(twin, first + 1)),
        )  # fmt: skip

    @_or_own
    def numpy_code(self) -> str:
        mask = "allowed = np.tri(len(Q), dtype=bool)  # (T, T), True: may read\n" * self.causal
        mask += f"masked = {'np.where(allowed, scores, -np.inf)' if self.causal else 'scores'}\n"
        return f"""import numpy as np

{self._given("np.array")}
scores = Q @ K.T * (beta / np.sqrt(2))  # (T, T)
{mask}weights = np.exp(masked - masked.max(axis=1, keepdims=True))  # (T, T)
weights = weights / weights.sum(axis=1, keepdims=True)
output = weights @ V  # (T, d_v)
print(weights.round(3), output.round(3), sep="\\n")
"""

    @_or_own
    def torch_code(self) -> str:
        causal = ", is_causal=True" if self.causal else ""
        mask = "scores = scores.masked_fill(~torch.ones(len(Q), len(Q)).tril().bool(), float('-inf'))\n" * self.causal
        return f"""import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
{self._given("torch.tensor")}
scale = beta / 2**0.5
scores = Q @ K.T * scale  # (T, T)
{mask}weights = torch.softmax(scores, dim=-1)
output = F.scaled_dot_product_attention(Q, K, V, scale=scale{causal})  # (T, d_v)
print(weights, output, sep="\\n")
"""

    def _given(self, array: str) -> str:
        result = self.result
        rows = "".join(f"{n} = {array}({m.tolist()})\n" for n, m in (("Q", result.q), ("K", result.k), ("V", result.v)))
        return f"# {' '.join(result.tokens)}\n{rows}beta = {self.beta!r}\n"

    # -- a head of the reader's own ------------------------------------------------------------------------------------

    def receive(self, wish: dict[str, Any]) -> tuple[bool, list[str] | None]:
        """``load``: a file, ``unload``: back to the sentence, ``own_row``: the row picked in the file's head."""
        before, refused = self.own, None
        if load := wish.get("load"):
            try:
                content = b64decode(load["content"], validate=True)
                self.own, refused = OwnHead.load(str(load["name"]), content, load.get("id")), []
            except binascii.Error:
                refused = ["file: expected bytes in base64, got something else."]
            except ValueError as problem:
                refused = [f"{problem}."]
        if wish.get("unload"):
            self.own, refused = None, []
        if self.own and (row := wish.get("own_row")):
            self.own = replace(self.own, row=min(max(int(row), 1), len(self.own.head.tokens)))
        return self.own is not before, refused

    @_or_own
    def short_table(self, result: Attended) -> list[tuple]:
        return self.table(result)

    @_or_own
    def field(self, _result: Attended) -> dict[str, str]:
        return {}

    # -- words ---------------------------------------------------------------------------------------------------------

    @_or_own
    def describe(self, result: Attended) -> str:
        return f"{self._reads(result)} {self._remark(result)}"

    def _reads(self, result: Attended) -> str:
        """Who reads mostly from whom."""
        i = self.row - 1
        token, weights, seen = result.tokens[i], result.weights[i], int(result.allowed[i].sum())
        row = f"Row {self.row}, '{token}',"
        if seen == 1:
            return f"{row} sees only itself, so its own weight is {parts.num(weights[i])}."
        if np.ptp(weights[result.allowed[i]]) < 1e-9:
            words = f"all {COUNT[seen]} words" + (" that it sees" if self.causal else "")
            why = "" if self.shuffle else ": with β = 0 all scores are 0"
            return f"{row} reads alike from {words} ({parts.num(weights[i])} each){why}."
        first, second = (int(j) for j in np.argsort(-weights.round(12), kind="stable")[:2])
        top, next_ = parts.num(weights[first]), parts.num(weights[second])
        if not self.shuffle:
            row += f" sees {COUNT[seen]} words and" if self.causal else f" {ASKS[token]}: it"
        if result.tokens[first] == result.tokens[second]:
            return f"{row} reads mostly from both words '{result.tokens[first]}' ({top} each)."
        if weights[first] > 0.99:
            return f"{row} takes almost everything from '{result.tokens[first]}' ({top})."
        return f"{row} reads mostly from '{result.tokens[first]}' ({top}) and '{result.tokens[second]}' ({next_})."

    def _remark(self, result: Attended) -> str:
        """What else is worth saying, the most surprising thing only."""
        i, (first, second) = self.row - 1, result.twins
        if self.shuffle and self.causal:
            return (f"The mask goes by place, so words see others than before: A′ is not PAPᵀ, weights differ by up to "
                    f"{parts.num(result.weights_gap)} and outputs by {parts.num(result.output_gap)}.")  # fmt: skip
        if self.shuffle:
            gap = max(result.weights_gap, result.output_gap)
            moved = "stayed there" if result.order[i] == i else f"was row {result.order[i] + 1}"
            return (f"It {moved}. Rows and columns moved together, A′ = PAPᵀ, and the outputs moved along, "
                    f"{f'to within {parts.num(gap)}' if gap else 'exactly'}.")  # fmt: skip
        if i in result.twins:
            same = f"Row {(second if i == first else first) + 1} is the same word"
            if not self.causal:
                return f"{same}. Nothing tells the two apart, so their weights and outputs are equal."
            apart = float(np.hypot(*(result.output[first] - result.output[second])))
            sees = "sees more words" if i == first else "sees fewer words"
            return f"{same} but {sees}, so their outputs lie {parts.num(apart)} apart."
        if self.causal:
            return "Hidden words get the weight 0, and the row still sums to 1."
        if self.beta >= 4:
            least = result.weights.max(axis=1).min()
            return f"A large β is sharp: in every row the largest weight is at least {parts.num(least)}."
        return "The output mixes their values in these shares."

    def _line(self, result: Attended, i: int, j: int) -> list[str]:
        """What the cell in row i and column j (from 0) says, in pieces."""
        reader, read = result.tokens[i], result.tokens[j]
        whom = "itself" if i == j else f"the other {read}" if read == reader else read
        seen = result.allowed[i, j]
        q, k = (f"({parts.num(x, 2)}, {parts.num(y, 2)})" for x, y in (result.q[i], result.k[j]))
        return [
            f"row {i + 1}, column {j + 1}",
            f"{reader} reads from {whom}" if seen else f"{reader} may not read from {whom}",
            f"q_{i + 1} = {q}", f"k_{j + 1} = {k}", f"q_{i + 1} · k_{j + 1} = {parts.num(result.products[i, j])}",
            f"score {parts.num(result.scores[i, j])}" + ("" if seen else f", masked to {parts.MINUS}∞"),
            f"weight {parts.num(result.weights[i, j]) if seen else 'exactly 0'}",
        ]  # fmt: skip

    # -- pictures ------------------------------------------------------------------------------------------------------

    def build(self) -> None:
        from . import draw, draw_map

        self.sources = draw.sources(self.shown)
        size = len(TOKENS)
        self.plots = {
            "scores": draw.heat(self.sources, "scores", size, size, SCORES, low=-1),
            "weights": draw.heat(self.sources, "weights", size, size, WEIGHTS, low=0),
            "mix": draw.mix(self.radius, self.sources),
        }
        draw_map.under(self.plots["scores"], "matrix.map scores")
        draw_map.under(self.plots["weights"], "matrix.map weights")

    @staticmethod
    def shade(scores: np.ndarray) -> np.ndarray:
        """From -1 to 1: where scores stand on their ramp of colours."""
        return scores / (np.abs(scores) + HALF)

    @_or_own
    def columns(self, result: Attended) -> dict[str, dict[str, list]]:
        allowed, scores = result.allowed, result.scores
        hidden = {"scores": f"{parts.MINUS}∞", "weights": "0"}
        texts = {
            name: [[heat.cell_num(x) if seen else hidden[name] for x, seen in zip(*pair, strict=True)]
                   for pair in zip(matrix, allowed, strict=True)]
            for name, matrix in (("scores", scores), ("weights", result.weights))
        }  # fmt: skip
        first, second = result.twins  # their values are one point, so one label serves both
        names = [f"{t} ×2" if i == first else "" if i == second else t for i, t in enumerate(result.tokens)]
        picked = self.row - 1
        return {
            "ticks": parts.tick_columns(),
            **heat.heat_columns("scores", self.shade(scores), texts["scores"], allowed),
            **heat.heat_columns("weights", result.weights, texts["weights"], allowed),
            **parts.mix_columns(result.v, result.weights[picked], result.output[picked], names, self.radius),
        }

    @_or_own
    def parts(self, result: Attended) -> dict[str, str]:
        size = range(len(TOKENS))
        lines = [[self._line(result, i, j) for j in size] for i in size]
        sums = [parts.num(total) for total in result.weights.sum(axis=1)]
        return {"cells": heat.cells(result.tokens, lines, {"weights": sums}), "sum": self._sum(result),
                "as query": self._as_query(result)}  # fmt: skip

    def _sum(self, result: Attended) -> str:
        """The picked row written out: o_4 = 0.024 v_1 + …; hidden words are no part of it."""
        i = self.row - 1
        visible = np.flatnonzero(result.allowed[i])
        terms = [f"{parts.num(result.weights[i, j])}&#8239;{_letter('v', j + 1)}" for j in visible.tolist()]
        x, y = result.output[i]
        pieces = [f"{_letter('o', i + 1)} = {terms[0]}", *(f"+ {term}" for term in terms[1:]),
                  f"= ({parts.num(x)}, {parts.num(y)})"]  # fmt: skip
        return '<p class="written">' + " ".join(f"<span>{piece}</span>" for piece in pieces) + "</p>"

    def _as_query(self, result: Attended) -> str:
        """A way to figure 1, where the picked row is one query (temperature 1/β)."""
        if self.beta < LEAST_BETA:
            return f'<p class="go">Below β = {LEAST_BETA} figure 1 cannot show this row: its temperature ends at 5.</p>'
        q_x, q_y = result.q[self.row - 1].tolist()
        query = f"items=tokens&q_x={plain(q_x)}&q_y={plain(q_y)}&tau={plain(1 / self.beta)}"
        note = " The causal mask stays here: figure 1 shows all six keys." if self.causal else ""
        return f'<p class="go">{parts.go("lookup", query, f"Open row {self.row} as a query")}.{note}</p>'

    @_or_own
    def table(self, result: Attended) -> list[tuple]:
        header = ("row", "column", "query", "key", "q_x", "q_y", "k_x", "k_y", "v_x", "v_y", "q.k", "score", "visible",
                  "weight", "output_x", "output_y")  # fmt: skip
        size = range(len(TOKENS))
        return [header, *(
            (i + 1, j + 1, result.tokens[i], result.tokens[j], *result.q[i], *result.k[j], *result.v[j],
             result.products[i, j], result.scores[i, j], bool(result.allowed[i, j]), result.weights[i, j],
             *result.output[i])
            for i in size for j in size
        )]  # fmt: skip


def _letter(name: str, index: int) -> str:
    return f"<i>{name}</i><sub>{index}</sub>"

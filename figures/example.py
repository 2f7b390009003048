"""The worked example of the lesson: three tokens, two features, and every line of the working live."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from core.attention import attention
from core.masks import causal as causal_mask
from core.softmax import softmax_jacobian, softmax_jacobian_max

from . import parts
from .base import Columns, Figure, Panel
from .formulas import formula
from .knobs import MINUS, Points, Switch, Whole
from .words import listed
from .working import factor, letter, matrix, number, vector, written

START = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0))
TWINS = ((1.0, 0.0), (1.0, 0.0), (0.0, 1.0))
LONG = ((1.0, 0.0), (0.0, 1.0), (3.0, 3.0))
EQUAL = 1e-9  # weights nearer than this are equal: rounding must not break a tie
SATURATED = 0.01  # below, hardly any gradient gets through


@dataclass(frozen=True)
class Worked:
    """Every line of the working. Shapes: T = 3 tokens, d_k = d_v = 2, Q = K = V = X."""

    x: np.ndarray  # (T, d_k)
    products: np.ndarray  # (T, T) QK^T
    scores: np.ndarray  # (T, T), scaled, before the mask
    allowed: np.ndarray  # (T, T), True: may read
    powers: np.ndarray  # (T, T) exponentials of the scores, 0 where hidden
    sums: np.ndarray  # (T,) of the exponentials of each row
    weights: np.ndarray  # (T, T)
    output: np.ndarray  # (T, d_v)
    jacobian: np.ndarray  # (T, T) of the softmax in the row written out
    steepest: float  # its largest entry, with all digits


class Example(Figure):
    """Attention of three tokens, with all that stands between the numbers of X and the output."""

    slug = "example"
    title = "Three tokens, two features"
    summary = "Attention of three tokens with all its steps: change a number and every line of the working follows."
    first = "Change any number of X, by typing, by the arrow keys or by pulling it sideways. Every line follows."
    layout = "example"

    X = Points(START, bounds=(-4.0, 4.0), count=3, symbol="X", label="entry of X",
               doc="The three tokens, one a row, with two features each.")  # fmt: skip
    causal = Switch(False, label="Causal mask", note="a token reads only from itself and from tokens before it",
                    doc="Hides the tokens that come later.")  # fmt: skip
    row = Whole(1, bounds=(1, 3), few=True, label="Row written out", doc="The row whose sums are written out.")

    panels = (
        Panel("Tokens", formula("example.tokens"), knobs=("X", "causal", "row")),
        Panel("Compare", formula("example.scores"), part="products", below=("scores", "dots")),
        Panel("Weigh", formula("example.weights"), part="powers", below=("weights", "shares")),
        Panel("Mix", formula("example.output"), part="output", below=("sum",)),
        Panel("Gradient", formula("example.jacobian"), part="jacobian", below=("left",)),
    )
    presets: ClassVar = {
        "as in the text": {},
        "causal": {"causal": True, "row": 2},
        "two equal tokens": {"X": TWINS},
        "one long token": {"X": LONG, "row": 3},
    }
    coded = ("weights", "output", "jacobian")

    @classmethod
    def kicker(cls) -> str:
        return "Worked example"

    def places(self) -> dict[str, Any]:
        return {"X": self.X}

    def compute(self) -> Worked:
        x = np.array(self.X)
        T = len(x)
        allowed = causal_mask(T) if self.causal else np.ones((T, T), dtype=bool)
        found = attention(x, x, x, allowed)
        powers = np.where(allowed, np.exp(found.scores), 0.0)
        return Worked(
            x, x @ x.T, found.scores, allowed, powers, powers.sum(axis=1), found.weights, found.output,
            jacobian=softmax_jacobian(found.weights[self.row - 1]),
            steepest=float(softmax_jacobian_max(np.where(allowed, found.scores, -np.inf)[self.row - 1])),
        )  # fmt: skip

    # -- words ---------------------------------------------------------------------------------------------------------

    def describe(self, result: Worked) -> str:
        i = self.row - 1
        seen = np.flatnonzero(result.allowed[i])
        weights = result.weights[i, seen]
        if len(seen) == 1:
            reads = f"Row {self.row} sees only itself, so it reads its own value with the weight 1"
        elif np.ptp(weights) < EQUAL:
            reads = f"Row {self.row} reads alike from the {len(seen)} tokens it sees, {number(weights[0])} each"
        else:
            shares = listed([f"{number(w)} from token {j + 1}" for j, w in zip(seen, weights, strict=True)])
            reads = f"Row {self.row} reads {shares}"
        return f"{reads}. Its output is {vector(result.output[i])}. {self._remark(result)}"

    def _remark(self, result: Worked) -> str:
        """What else is worth saying, the most surprising thing only."""
        later = [str(j + 1) for j in range(self.row, len(result.x))]
        if self.causal and later:
            return f"Token {' and token '.join(later)} could be anything: the row would stay as it is."
        twins = [j + 1 for j, x in enumerate(result.x) if (x == result.x[self.row - 1]).all()]
        if len(twins) > 1 and not self.causal:
            return f"Tokens {listed([str(j) for j in twins])} are equal, so nothing tells them apart."
        steepest = number(result.steepest)
        if result.steepest < SATURATED:
            return f"One weight takes almost everything, so hardly any gradient gets through ({steepest} at most)."
        return f"The largest entry of its Jacobian is {steepest}."

    # -- code ----------------------------------------------------------------------------------------------------------

    def numpy_code(self) -> str:
        mask = "allowed = np.tri(3, dtype=bool)  # (T, T), True: may read\n" * self.causal
        mask += f"masked = {'np.where(allowed, scores, -np.inf)' if self.causal else 'scores'}\n"
        return f"""import numpy as np

X = np.array({self._rows()})  # (T, d_k)
Q = K = V = X  # W_Q = W_K = W_V = I
scores = Q @ K.T * (1 / np.sqrt(2))  # (T, T)
{mask}# A shift by the largest score changes no weight, and no exponential can overflow.
powers = np.exp(masked - masked.max(axis=1, keepdims=True))  # (T, T)
weights = powers / powers.sum(axis=1, keepdims=True)
output = weights @ V  # (T, d_v)
p = weights[{self.row - 1}]  # row {self.row}
jacobian = p[:, None] * (np.eye(3) - p)  # diag(p) - p p^T
print(weights.round(3), output.round(3), jacobian.round(3), sep="\\n")
"""

    def torch_code(self) -> str:
        causal = ", is_causal=True" if self.causal else ""
        mask = "scores = scores.masked_fill(~torch.ones(3, 3).tril().bool(), float('-inf'))\n" * self.causal
        return f"""import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
X = torch.tensor({self._rows()})  # (T, d_k)
Q = K = V = X  # W_Q = W_K = W_V = I
scores = Q @ K.T / 2**0.5  # (T, T)
{mask}weights = torch.softmax(scores, dim=-1)
output = F.scaled_dot_product_attention(Q, K, V{causal})  # (T, d_v)
p = weights[{self.row - 1}]  # row {self.row}
jacobian = torch.diag(p) - torch.outer(p, p)
print(weights, output, jacobian, sep="\\n")
"""

    def _rows(self) -> str:
        return str([list(point) for point in self.X])

    # -- the working ---------------------------------------------------------------------------------------------------

    def build(self) -> None:
        """Nothing for Bokeh to draw: every line is HTML."""

    def columns(self, result: Worked) -> dict[str, Columns]:
        return {}

    def parts(self, result: Worked) -> dict[str, str]:
        i, hidden = self.row - 1, ~result.allowed
        gone = hidden[i][:, None] | hidden[i]  # a key that is hidden has no gradient
        return {
            "products": matrix("<i>QK</i><sup>T</sup>", "Q times K transposed", result.products, picked=i),
            "scores": matrix("<i>S</i>", "Scores S", result.scores, hidden=hidden, hides=f"{MINUS}∞", picked=i),
            "dots": self._dots(result),
            "powers": matrix("<i>e</i><sup><i>S</i></sup>", "Exponentials of the scores, with the sum of each row",
                             result.powers, hidden=hidden, sums=result.sums, picked=i),
            "weights": matrix("<i>A</i>", "Weights A, with the sum of each row", result.weights, hidden=hidden,
                              sums=result.weights.sum(axis=1), picked=i),
            "shares": self._shares(result),
            "output": matrix("<i>O</i>", "Output O", result.output, picked=i),
            "sum": self._sum(result),
            "jacobian": matrix(f"{letter('J', self.row)}", f"Jacobian of the softmax in row {self.row}",
                               result.jacobian, hidden=gone),
            "left": self._left(result),
        }  # fmt: skip

    def _seen(self, result: Worked) -> list[int]:
        return np.flatnonzero(result.allowed[self.row - 1]).tolist()

    def _dots(self, result: Worked) -> str:
        """The row of QK^T, each entry a dot product of two rows of X."""
        i = self.row - 1
        return "".join(
            written(f"{letter('q', self.row)} · {letter('k', j + 1)}",
                    "= " + " + ".join(f"{factor(q)} · {factor(k)}" for q, k in zip(result.x[i], key, strict=True)),
                    f"= {number(result.products[i, j])}")
            for j, key in enumerate(result.x)
        )  # fmt: skip

    def _shares(self, result: Worked) -> str:
        """How the exponentials of the row become its weights."""
        i, seen = self.row - 1, self._seen(result)
        total, powers = number(result.sums[i]), [number(result.powers[i, j]) for j in seen]
        added = written(powers[0], *(f"+ {power}" for power in powers[1:]), f"= {total}")
        return added * (len(seen) > 1) + "".join(
            written(f"{power} / {total}", f"= {number(result.weights[i, j])}")
            for power, j in zip(powers, seen, strict=True)
        )

    def _sum(self, result: Worked) -> str:
        """The row of the output as a sum of rows of V."""
        i = self.row - 1
        terms = [f"{number(result.weights[i, j])}&#8239;({', '.join(map(parts.short, result.x[j]))})"
                 for j in self._seen(result)]  # fmt: skip
        return written(f"{letter('o', self.row)} = {terms[0]}", *(f"+ {term}" for term in terms[1:]),
                       f"= {vector(result.output[i])}")  # fmt: skip

    def _left(self, result: Worked) -> str:
        """What the Jacobian comes to, by how many weights are left."""
        seen = self._seen(result)
        if len(seen) == 1:
            return '<p class="note">One key is left. Its weight is 1 whatever its score, so no gradient comes back.</p>'
        if len(seen) == 3:
            return '<p class="note">Rows and columns sum to 0: the same shift of all scores changes no weight.</p>'
        first, second = (letter("p", j + 1) for j in seen)
        product = number(-result.jacobian[seen[0], seen[1]])
        signs = f'<span class="nowrap">with + or {MINUS}.</span>'
        return f'<p class="note">Two weights are left, so every entry is {first}{second} = {product}, {signs}</p>'

    def table(self, result: Worked) -> list[tuple]:
        header = ("row", "column", "q_x", "q_y", "k_x", "k_y", "q.k", "score", "visible", "exponential", "row_sum",
                  "weight", "output_x", "output_y", f"jacobian_{self.row}")  # fmt: skip
        size = range(len(result.x))
        return [header, *(
            (i + 1, j + 1, *result.x[i], *result.x[j], result.products[i, j], result.scores[i, j],
             bool(result.allowed[i, j]), result.powers[i, j], result.sums[i], result.weights[i, j], *result.output[i],
             result.jacobian[i, j])
            for i in size for j in size
        )]  # fmt: skip

"""Figure 4: masks, every right and wrong way of laying them on, and the names of the known bugs."""

from __future__ import annotations

from html import escape
from typing import Any, ClassVar

import numpy as np

from . import challenges, heat, mask_code, parts
from .base import Figure, Panel
from .formulas import formula
from .knobs import MINUS, Choice, Whole
from .masking import ROUNDING, Laid, Setup, T, lay, shown_mask
from .matrix import HALF, SCORES, WEIGHTS
from .verdicts import Diagnosis, rows, verdicts

WORDS = {"may": "may read", "hidden": "hidden"}
BLOCKED = {"-inf": f"{MINUS}∞", "-1e9": f"{MINUS}1e9", "-1e4": f"{MINUS}1e4", "min": "finite min"}
PRECISIONS = ("float64", "float32", "float16")
LEFT = {"side": "left"}  # causal and left padding: the first rows see no key
KINDS = {"right": "Right", "fragile": "Right on paper, fragile", "bug": "Known bug"}
FULL = 2.0  # an output that moves this far fills the bar of the leak meter


class Masks(Figure):
    """Lay a mask on in any way, right or wrong, and see what comes out and what it is called."""

    slug = "masks"
    number = 4
    title = "Mask bugs"
    summary = "Lay an attention mask on in every right and wrong way, and see which rows break and which keys leak."
    first = "Choose a bug, or build one below. Rows are queries: each reads from the keys along the top."
    layout = "masks"

    mask = Choice("both", words={"none": "none", "causal": "causal", "padding": "padding", "both": "causal + padding"},
                  label="Mask", doc="What is to be hidden: later keys, filler keys, both or nothing.")  # fmt: skip
    side = Choice("right", words={"right": "right", "left": "left"}, label="Padding",
                  doc="Where the filler stands.")  # fmt: skip
    padded = Whole(2, bounds=(0, 4), few=True, label="Padded", doc="How many of the five tokens are filler.")
    says = Choice("may", words=WORDS, label="Array: True =", doc="What True means to who writes the boolean array.")
    reads = Choice("may", words=WORDS, label="Reader: True =", doc="What True means to the function that reads it.")
    blocked = Choice(
        "-inf",
        words=BLOCKED,
        label="Blocked",
        doc="The number for a hidden key; finite min is the smallest finite number of the precision.",
    )
    how = Choice("fill", words={"fill": "fill in", "add": "add"}, label="How",
                 doc="Put the blocked value in the place of a logit, or add it to the logit.")  # fmt: skip
    precision = Choice("float64", words={p: p for p in PRECISIONS}, label="Precision",
                       doc="The type of all numbers; every step is computed in it.")  # fmt: skip
    where = Choice("before", words={"before": "before the softmax", "after": "after it",
                                    "after-renormalised": "after it, then renormalised"},
                   label="Laid on", doc="Where the mask is laid on: before the softmax is right.")  # fmt: skip
    axis = Choice("rows", words={"rows": "rows", "columns": "columns"}, label="Softmax over",
                  doc="The axis along which the weights share 1: over rows is right.")  # fmt: skip
    row = Whole(1, bounds=(1, T), label="picked row", doc="The row whose output is written out.")

    panels = (
        Panel("Mask", f"{formula('masks.mask')}, as the code sees it", plot="mask", grid=True,
              label="Heatmap of the mask", knobs=("mask", "side", "padded"), below=("idle mask",)),
        Panel("Masked logits", "what goes into the softmax", plot="logits", grid=True,
              label="Heatmap of the masked logits", knobs=("says", "reads", "blocked", "how"), below=("idle logits",)),
        Panel("Weights", f"{formula('masks.weights')}; hatched cells must stay 0", plot="weights", grid=True,
              label="Heatmap of the weights", knobs=("where", "axis", "precision")),
        Panel("Outcome", "", part="verdict", below=("leak",)),
    )  # fmt: skip
    by_picture = ("row",)
    presets: ClassVar = {
        "causal": {"mask": "causal"},
        "right padding": {"mask": "padding"},
        "left padding + causal": LEFT,
        "masked after the softmax": {"mask": "causal", "where": "after"},
        "flipped convention": {"mask": "causal", "reads": "hidden"},
        f"{MINUS}1e9 filled into an empty row": LEFT | {"blocked": "-1e9"},
        f"{MINUS}1e9 added to an empty row": LEFT | {"blocked": "-1e9", "how": "add"},
        f"{MINUS}1e9 in float16": LEFT | {"blocked": "-1e9", "precision": "float16"},
        "two masks added": LEFT | {"blocked": "min", "how": "add"},
    }
    goals = challenges.MASKS

    def compute(self) -> Laid:
        settings = self.settings()
        del settings["row"]
        return lay(Setup(**settings))

    def idle(self) -> dict[str, str]:
        why: dict[str, str] = {}
        if self.mask in ("none", "causal"):
            why |= dict.fromkeys(("side", "padded"), "This mask knows no padding.")
        if self.where != "before":
            reason = "After the softmax a mask just multiplies by 0."
            why |= dict.fromkeys(("blocked", "how"), reason)
        return why

    def numpy_code(self) -> str:
        return mask_code.numpy_code(self.result)

    def torch_code(self) -> str:
        return mask_code.torch_code(self.result)

    # -- words ---------------------------------------------------------------------------------------------------------

    def describe(self, result: Laid) -> str:
        return f"{_setup_in_words(result.setup)} {_outcome_in_words(result, verdicts(result)[0])}"

    def _line(self, result: Laid, i: int, j: int) -> list[str]:
        """What the cell in row i and column j (from 0) says, in pieces."""
        reader, read = result.tokens[i], result.tokens[j]
        whom = "itself" if i == j else read
        meant, visible, weight = result.meant[i, j], result.visible[i, j], result.weights[i, j]
        code = "" if meant == visible else ", but the code lets it" if visible else ", but the code hides it"
        return [
            f"row {i + 1}, column {j + 1}",
            f"{reader} {'may read' if meant else 'may not read'} from {whom}{code}",
            f"logit {_exact(result.scores[i, j])}",
            f"into the softmax {_exact(result.logits[i, j])}",
            f"weight {'exactly 0' if weight == 0 else parts.num(weight)}",
        ]

    # -- pictures ------------------------------------------------------------------------------------------------------

    def build(self) -> None:
        from . import draw

        self.sources = draw.sources(self.shown)
        self.plots = {
            name: draw.heat(self.sources, name, T, T, ramp, low=low)
            for name, ramp, low in (("mask", WEIGHTS, 0), ("logits", SCORES, -1), ("weights", WEIGHTS, 0))
        }

    def columns(self, result: Laid) -> dict[str, dict[str, list]]:
        code = ~result.visible
        masked = code if result.setup.before else np.zeros_like(code)
        logits = np.where(masked, 0, result.logits.astype(np.float64))
        weights = result.weights.astype(np.float64)
        return {
            **heat.marked_columns("mask", np.where(code, np.nan, 0.0), _texts(shown_mask(result)), code),
            **heat.marked_columns(
                "logits",
                np.where(masked, np.nan, logits / (np.abs(logits) + HALF)),
                _texts(result.logits, "0.000"),
                masked,
            ),
            **heat.marked_columns(
                "weights",
                np.where(~result.meant & (weights == 0), np.nan, weights),
                _texts(result.weights),
                ~result.meant,
            ),
        }

    def parts(self, result: Laid) -> dict[str, str]:
        lines = [[self._line(result, i, j) for j in range(T)] for i in range(T)]
        sums = {"mask": [str(n) for n in result.visible.sum(axis=1)], "weights": [parts.num(s) for s in result.sums]}
        marks = {"mask": result.empty.tolist(), "weights": result.broken.tolist()}
        idle = self.idle()
        return {
            "cells": heat.cells(
                [f"{i} {token}" for i, token in enumerate(result.tokens, start=1)],
                lines,
                sums,
                heads={"mask": "visible", "weights": "sum"},
                marks=marks,
            ),
            "idle mask": f'<p class="idle">{idle.get("side", "")}</p>',
            "idle logits": f'<p class="idle">{idle.get("blocked", "")}</p>',
            "verdict": _verdict(result),
            "leak": _leak_meter(result, self.row - 1),
        }

    def table(self, result: Laid) -> list[tuple]:
        header = ("row", "column", "query", "key", "meant visible", "visible to the code", "logit", "into the softmax",
                  "weight", "row sum", "output_x", "output_y", "leak")  # fmt: skip
        yes = {True: "yes", False: "no"}
        return [header, *(
            (i + 1, j + 1, result.tokens[i], result.tokens[j], yes[bool(result.meant[i, j])],
             yes[bool(result.visible[i, j])], result.scores[i, j], result.logits[i, j], result.weights[i, j],
             result.sums[i], *result.output[i], result.leak[i])
            for i in range(T) for j in range(T)
        )]  # fmt: skip


def _exact(value: Any) -> str:
    """All digits of a number: −999999998.75 is not −1e9, and that is the point."""
    value = float(value)
    return (
        repr(value).removesuffix(".0").replace("e+", "e").replace("-", MINUS)
        if np.isfinite(value)
        else parts.num(value)
    )


def _texts(matrix: np.ndarray, zero: str = "0") -> list[list[str]]:
    return [[_text(value, zero) for value in row] for row in matrix]


def _text(value: Any, zero: str = "0") -> str:
    """A number that fits in a cell; a weight that is exactly 0 says so by its shortness.

    >>> [_text(x) for x in np.array([0.0, 0.25, -1e9, -9998.75, -20000.0, -np.inf])]
    ['0', '0.250', '−1e9', '−9998.8', '−20000', '−∞']
    >>> _text(np.finfo("float16").min), _text(np.True_)
    ('min', 'True')
    """
    if value.dtype.kind != "f":
        return str(value)
    if value == np.finfo(value.dtype).min:
        return "min"
    value = float(value)
    if not np.isfinite(value) or abs(value) < 1000:
        return zero if value == 0 else heat.cell_num(value)
    if abs(value) < 1e6:
        return f"{value:.{0 if abs(value) >= 1e4 else 1}f}".replace("-", MINUS)
    return parts.num(value).replace(".0e", "e")


def _setup_in_words(setup: Setup) -> str:
    pads = f"{setup.side} padding ({setup.padded})"
    what = {"none": "A mask that hides nothing", "causal": "The causal mask", "padding": f"A mask for {pads}",
            "both": f"The causal mask with {pads}"}[setup.mask]  # fmt: skip
    value = "the smallest finite number" if setup.blocked == "min" else BLOCKED[setup.blocked]
    way = {"before": f"{'is filled in' if setup.how == 'fill' else 'is added'} as {value} before the softmax",
           "after": "comes after the softmax",
           "after-renormalised": "comes after the softmax, and the weights are renormalised"}[setup.where]  # fmt: skip
    return f"{what} {way}, in {setup.precision}."


def _outcome_in_words(laid: Laid, verdict: Diagnosis) -> str:
    if verdict.kind == "right":
        return "That is right: every row sums to 1, and what is hidden has no effect."
    if verdict.kind == "fragile":
        most = float(np.nanmax(laid.leak, initial=0))
        moves = f"what is hidden moves an output by {parts.num(most)}" if most else "what is hidden has no effect here"
        return f"Right on paper, but fragile: {moves}."
    name = verdict.name[0].lower() + verdict.name[1:]
    return f"Known bug, {name}: {_symptoms(laid)}."


def _symptoms(laid: Laid) -> str:
    """What the numbers show, in words; every bug shows something."""
    uneven, signs = laid.broken & ~laid.nan, []
    for which, verb in ((laid.nan, ("is NaN", "are NaN")), (uneven, ("does not sum to 1", "do not sum to 1"))):
        if which.any():
            signs.append(f"{rows(which)} {verb[int(which.sum() > 1)]}")
    if laid.leaks.any():
        many = int(laid.leaks.sum() > 1)
        signs.append(
            f"{rows(laid.leaks)} {'leak' if many else 'leaks'}, by {'up to ' * many}{parts.num(np.nanmax(laid.leak))}"
        )
    if not signs and laid.astray > ROUNDING * laid.eps:
        signs.append(f"weights are off by up to {parts.num(laid.astray)}")
    if not signs:
        signs.append("by luck, it changes no weight here")
    return ", ".join(signs[:-1]) + " and " * (len(signs) > 1) + signs[-1]


_ICONS = {
    "bug": '<path d="M8 2 14.6 13.6H1.4ZM8 6.4v3.4M8 11.7v.3"/>',
    "fragile": '<circle cx="8" cy="8" r="6.3"/><path d="M8 4.6v4.2M8 11v.3"/>',
    "right": '<circle cx="8" cy="8" r="6.3"/><path d="m5 8.2 2.2 2.2 4-4.4"/>',
}


def _verdict(laid: Laid) -> str:
    """The outcome in words: what it is called, why it happens, how to repair it."""
    first, *others = verdicts(laid)
    also = f'<p class="v-also">Also here: {"; ".join(other.name for other in others)}.</p>' if others else ""
    fix = f"<p><b>Repair</b> {first.repair}</p>" if first.repair else ""
    icon = f'<svg viewBox="0 0 16 16" aria-hidden="true">{_ICONS[first.kind]}</svg>'
    return (f'<div class="verdict verdict-{first.kind}"><p class="v-kind">{icon}{KINDS[first.kind]}</p>'
            f'<p class="v-name">{first.name}</p><p>{first.why(laid)}</p>{fix}{also}</div>')  # fmt: skip


def _leak_meter(laid: Laid, picked: int) -> str:
    body = "".join(
        f'<tr class="{"picked" if i == picked else ""}"><th scope="row">{parts.mark("query")}{i + 1} {escape(token)}'
        f'</th><td class="who">{_columns(~laid.meant[i])}</td>'
        f'<td class="w{" broken" if laid.leaks[i] or laid.nan[i] else ""}">{_leak(laid.leak[i])}</td>'
        f'<td class="bar"><span><i style="width:{_share(laid.leak[i]):.1f}%"></i></span></td></tr>'
        for i, token in enumerate(laid.tokens)
    )
    return (
        '<table class="leak"><caption><b>Leak meter</b> Tokens that must stay hidden from a row get another key and '
        'value. Its output must not move.</caption><thead><tr><th scope="col">row</th>'
        '<th scope="col">keys to hide</th><th scope="col" colspan="2">output moves by</th></tr></thead>'
        f"<tbody>{body}</tbody></table>"
        f'<p class="moved">Output of row {picked + 1}: {_moved(laid, picked)}</p>'
    )


def _moved(laid: Laid, i: int) -> str:
    """The output of a row, before and after the tokens that it must not see are replaced."""
    if laid.nan[i]:
        return "NaN, whatever is put in."
    if laid.meant[i].all():
        return f"{_point(laid.output[i])}. Nothing is to be hidden from it."
    return f"{_point(laid.output[i])}, with those tokens replaced: {_point(laid.swapped[i])}."


def _point(output: np.ndarray) -> str:
    return f'<span class="nowrap">({", ".join(parts.num(x) for x in output)})</span>'


def _columns(hidden: np.ndarray) -> str:
    return rows(hidden).split(" ", 1)[1] if hidden.any() else "none"


def _leak(value: float) -> str:
    return "–" if np.isnan(value) else "0" if value == 0 else parts.num(value)


def _share(value: float) -> float:
    return 0.0 if np.isnan(value) else 100 * min(1.0, value / FULL)

"""What figure 2 says about a head of the reader's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import parts

if TYPE_CHECKING:
    from .matrix import Matrix
    from .own_view import OwnHead, Shown

TERMS = 6  # largest terms of a row written out


def describe(figure: Matrix, view: OwnHead, result: Shown) -> str:
    return f"{_reads(view, result)} {_remark(figure, view, result)}"


def _reads(view: OwnHead, result: Shown) -> str:
    """Who reads mostly from whom."""
    i, named = view.row - 1, "tokens" in view.head.keys
    weights, seen = result.weights[i], int(result.allowed[i].sum())
    row = f"Row {i + 1}, '{result.tokens[i]}'," if named else f"Row {i + 1}"

    def column(j: int) -> str:
        return (
            f"'{result.tokens[j]}' in column {j + 1}" if named else f"column {j + 1}"
        ) + f" ({parts.num(weights[j])})"

    if not seen:
        return f"{row} may read from no key, so its weights are 0/0: NaN."
    if seen == 1:
        return f"{row} sees one key only: {column(int(result.allowed[i].argmax()))}."
    if np.ptp(weights[result.allowed[i]]) < 1e-9:
        return f"{row} reads alike from all {seen} keys that it sees ({parts.num(weights[result.allowed[i]][0])} each)."
    first, second = (int(j) for j in np.argsort(-weights.round(12), kind="stable")[:2])
    return f"{row} sees {seen} keys and reads mostly from {column(first)} and {column(second)}."


def _remark(figure: Matrix, view: OwnHead, result: Shown) -> str:
    i, empty = view.row - 1, np.flatnonzero(result.empty)
    if empty.size and not result.empty[i]:
        which = f"Row {empty[0] + 1} sees" if empty.size == 1 else f"{empty.size} rows see"
        return f"{which} no key, so the weights there are NaN."
    if empty.size:
        return "A query needs at least one key that it may see."
    if figure.shuffle and figure.causal:
        return (f"The causal mask goes by place, so tokens see others than before: A′ is not PAPᵀ, weights differ by "
                f"up to {parts.num(result.weights_gap)}.")  # fmt: skip
    if figure.shuffle:
        moved = "It stayed there" if result.order[i] == i else f"It was row {result.order[i] + 1}"
        gap = max(result.weights_gap, result.output_gap)
        return f"{moved}. A′ = PAPᵀ, {f'to within {parts.num(gap)}' if gap else 'exactly'}."
    weights = result.weights[i][result.weights[i] > 0]
    spread = float(np.exp(-(weights * np.log(weights)).sum()))
    return f"The row is as spread out as {parts.num(spread, 1)} equal weights."


def written(view: OwnHead, result: Shown) -> str:
    """The picked row as a sum: its largest terms, and how much weight the others have."""
    i = view.row - 1
    if result.empty[i]:
        return f'<p class="written"><span>{_letter("o", i + 1)} = NaN</span></p>'
    weights = result.weights[i]
    order = np.argsort(-weights, kind="stable")
    order = order[result.allowed[i][order]].tolist()
    terms = [f"{parts.num(weights[j])}&#8239;{_letter('v', j + 1)}" for j in order[:TERMS]]
    if rest := order[TERMS:]:
        less = f"{len(rest)} smaller terms" if len(rest) > 1 else "1 smaller term"
        terms.append(f"… ({less}, together {parts.num(weights[rest].sum())})")
    width = result.output.shape[1]
    numbers = f"({', '.join(parts.num(x) for x in result.output[i])})" if width <= 3 else f"a vector of {width} numbers"
    pieces = [f"{_letter('o', i + 1)} = {terms[0]}", *(f"+ {term}" for term in terms[1:]), f"= {numbers}"]
    return '<p class="written">' + " ".join(f"<span>{piece}</span>" for piece in pieces) + "</p>"


def _letter(name: str, index: int) -> str:
    return f"<i>{name}</i><sub>{index}</sub>"

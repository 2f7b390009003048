"""Figure 5 as HTML: each number is one cell that keeps its node and only gets a new place, so that it can travel."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from .trace import Step, Traced

HEADS = "ABCDEF"
SENTENCES = (("our", "cat", "saw", "the", "big", "dog"), ("his", "pup", "ate", "raw", "egg", "now"))  # other initials
PER_LINE = 12  # numbers of memory in one line
TOP = 0.62  # room above a block for its names, in rows
CUT, APART, BESIDE = 0.25, 0.6, 1.7  # gaps in columns: a cut, between blocks, between sequences with names at the left

Label = tuple[float, float, str]


def word(traced: Traced, number: int) -> str:
    """The token that a number came from."""
    return SENTENCES[traced.sequence[number]][traced.token[number]]


def stacked(traced: Traced) -> int:
    """How many blocks stand above each other at step 2: two, or three where two sequences need the width."""
    return 3 if len(traced.blocks) == 3 and traced.steps[0].array.ndim == 3 else min(2, len(traced.blocks))


def place(step: int, traced: Traced) -> tuple[np.ndarray, np.ndarray]:
    """Where each number stands in the picture of a step, in columns and rows of cells."""
    *_, T, _ = traced.steps[0].shape
    index = traced.steps[step].index
    b = index[:, 0] if len(traced.steps[0].shape) == 3 else np.zeros(len(index), dtype=int)
    down = TOP + b * (T + TOP + 0.1)
    if step in (0, 4):
        return index[:, -1].astype(float), down + index[:, -2]
    *_, H, d_k = traced.steps[1].shape
    if step == 1:
        return index[:, -2] * (d_k + CUT) + index[:, -1], down + index[:, -3]
    h, t, i = index[:, -3], index[:, -2], index[:, -1]
    if step == 3 or H == 1:
        return h * (d_k + APART) + i, down + t
    column, row = h // stacked(traced), h % stacked(traced)
    across = b * ((H - 1) // stacked(traced) * (d_k + APART) + d_k + BESIDE)
    return across + column * (d_k + APART) + i, TOP + row * (T + TOP + 0.1) + t


def size(traced: Traced) -> tuple[float, float]:
    """Columns and rows that the largest of the steps needs, so that nothing below moves from step to step."""
    xs, ys = zip(*(place(step, traced) for step in range(5)), strict=True)
    return max(float(x.max()) for x in xs) + 1, max(float(y.max()) for y in ys) + 1


def labels(step: int, traced: Traced) -> tuple[list[Label], list[Label]]:
    """Names above the columns or blocks, and names at the left of the rows, each with its place.

    Rows are named as the next layer takes them: row 2 counts as token 2, whatever stands in it.
    """
    x, y = place(step, traced)
    index, shape = traced.steps[step].index, traced.steps[step].shape
    token_axis = {0: -2, 1: -3, 2: -2, 3: -2, 4: -2}[step]
    above, left = {}, {}
    for n in range(len(index)):
        at, (cx, cy) = index[n], (float(x[n]), float(y[n]))
        sequence = at[0] if len(traced.steps[0].shape) == 3 else 0
        if at[token_axis] == 0:
            if step in (0, 4):
                above[cx, cy] = str(at[-1] + 1)
            elif at[-1] == 0:
                above[cx + (shape[-1] - 1) / 2, cy] = HEADS[at[-2 if step == 1 else -3]]
        if at[-1] == 0 and _at_left(step, at, traced):
            left[cx, cy] = SENTENCES[sequence][at[token_axis]]
    return [(*p, text) for p, text in above.items()], [(*p, text) for p, text in left.items()]


def _at_left(step: int, at: np.ndarray, traced: Traced) -> bool:
    """Whether the block of this index has nothing at its left that bears the names of the rows."""
    if step in (0, 4):
        return True
    head = at[-2] if step == 1 else at[-3]
    return head < stacked(traced) if step == 2 else head == 0


# -- HTML --------------------------------------------------------------------------------------------------------------


def stage(step: int, traced: Traced, held: Iterable[tuple[str, str]], heading: str) -> str:
    """The cells at their places in this step, with the names round them and, below, what each block or row holds."""
    columns, rows = size(traced)
    x, y = place(step, traced)
    above, left = labels(step, traced)
    blocks = "" if step in (0, 4) else " letters"
    names = "".join(
        f'<span class="{kind}" style="--x:{cx:g};--y:{cy:g}">{text}</span>'
        for kind, all_ in ((f"above{blocks}", above), ("left", left)) for cx, cy, text in all_
    )  # fmt: skip
    cells = "".join(_cell(n, x[n], y[n], step, traced) for n in range(len(x)))
    dense = " dense" if columns > 9.5 else ""
    of = f"Numbers of Q at step {step}. Arrow keys go from cell to cell."
    return (
        f'{_holds(heading, held, traced)}<div class="stage{dense}" style="--cols:{columns:g};--rows:{rows:g}">'
        f'<div aria-hidden="true">{names}</div><div class="pieces" role="listbox" aria-label="{of}">{cells}</div></div>'
    )


def _cell(n: int, x: float, y: float, step: int, traced: Traced) -> str:
    token, head, feature = word(traced, n), HEADS[traced.head[n]], traced.feature[n] + 1
    said = f"{token} {feature}, head {head}: {spot(step, traced.steps[step], traced, n)}"
    return (f'<span class="piece h-{head.lower()}" role="option" tabindex="-1" aria-selected="false" '
            f'aria-label="{said}" style="--x:{x:g};--y:{y:g}"><b>{token[0]}<u>{token[1:]}</u></b>'
            f"<i>{feature}{head}</i></span>")  # fmt: skip


def _holds(heading: str, held: Iterable[tuple[str, str]], traced: Traced) -> str:
    *_, T, _ = traced.steps[0].shape
    lines = "".join(
        f'<div><dt>{chip(name) if name in HEADS else f"row {name}"}</dt><dd>{escape(text)}</dd></div>'
        for name, text in held
    )  # fmt: skip
    pairs = " pairs" if traced.steps[0].array.ndim == 2 else ""  # short enough to stand side by side
    return (
        f'<div class="holds{pairs}" style="--lines:{max(T, len(traced.blocks))}"><p>{heading}</p><dl>{lines}</dl></div>'
    )


def chip(head: str) -> str:
    """The letter of a head on its colour."""
    return f'<span class="chip h-{head.lower()}">{head}</span>'


def spot(step: int, at: Step, traced: Traced, n: int) -> str:
    """Where a number stands at a step, in words; counted from 1, as everywhere on the page."""
    index = at.index[n]
    if step in (0, 4):
        words = f"row {index[-2] + 1}, column {index[-1] + 1}"
    elif step == 1:
        words = f"row {index[-3] + 1}, piece {HEADS[index[-2]]}, column {index[-1] + 1}"
    else:
        words = f"block {HEADS[index[-3]]}, row {index[-2] + 1}, column {index[-1] + 1}"
    return f"sequence {index[0] + 1}, {words}" if len(traced.steps[0].shape) == 3 else words


def line(traced: Traced, n: int) -> list[str]:
    """One number on its way, in pieces."""
    first, last = traced.steps[0], traced.steps[4]
    of = f", sequence {traced.sequence[n] + 1}" if len(first.shape) == 3 else ""
    spots = [spot(k, step, traced, n).removeprefix(f"sequence {traced.sequence[n] + 1}, ")
             for k, step in enumerate(traced.steps)]  # fmt: skip
    stays = first.offset[n] == last.offset[n]
    lies = f"offset {first.offset[n]} in memory" + ("" if stays else f", at step 4 offset {last.offset[n]}")
    return [
        f"{word(traced, n)} {traced.feature[n] + 1}",
        f"token {traced.token[n] + 1}, feature {traced.feature[n] + 1}, head {HEADS[traced.head[n]]}{of}",
        f"step 0: {spots[0]}", f"step 1: {spots[1]}", f"steps 2 and 3: {spots[2]}", f"step 4: {spots[4]}", lies,
    ]  # fmt: skip


def steps(names: Sequence[tuple[str, str]], traced: Traced) -> str:
    """Five small pictures, one a step, that are also the buttons to go there."""
    columns, rows = size(traced)
    buttons = "".join(
        f'<button type="button" class="stop" data-step="{step}"><svg viewBox="0 {TOP} {columns:g} {rows - TOP:g}" '
        f'preserveAspectRatio="xMinYMin" aria-hidden="true">{_tiny(step, traced)}'
        '<rect class="here" width="1" height="1"/></svg>'
        f'<span class="stop-name"><b>{step}</b> {_short(name)}</span><span class="stop-shape">{shape}</span></button>'
        for step, (name, shape) in enumerate(names)
    )
    return f'<div class="stops" role="group" aria-label="Go to a step">{buttons}</div>'


def _short(name: str) -> str:
    """A name whose further words narrow screens can do without."""
    first, _, more = name.partition(" ")
    return f"{first} <span>{more}</span>" if more else first


def _tiny(step: int, traced: Traced) -> str:
    """All cells of a step as one path a head."""
    x, y = place(step, traced)
    paths = []
    for h in range(len(traced.blocks)):
        corners = zip(x[traced.head == h], y[traced.head == h], strict=True)
        squares = "".join(f"M{cx + 0.06:.4g} {cy + 0.06:.4g}h.88v.88h-.88z" for cx, cy in corners)
        paths.append(f'<path class="h-{HEADS[h].lower()}" d="{squares}"/>')
    return "".join(paths)


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Names and what is to be said of them, as HTML."""
    said = "".join(f"<div><dt>{name}</dt><dd>{html}</dd></div>" for name, html in rows)
    return f'<dl class="facts">{said}</dl>'


def memory(step: Step, traced: Traced) -> str:
    """All numbers in the order in which they lie in memory. A view has the same, so it is not sent again."""
    where = np.argsort(step.memory)
    tiles = "".join(
        f'<span class="tile h-{HEADS[traced.head[n]].lower()}" style="--x:{where[n] % PER_LINE};'
        f'--y:{where[n] // PER_LINE}">{word(traced, n)[0]}{traced.feature[n] + 1}<i>{HEADS[traced.head[n]]}</i></span>'
        for n in range(len(where))
    )  # fmt: skip
    offsets = "".join(
        f'<span class="offset" style="--x:{k % PER_LINE};--y:{k // PER_LINE}">{k}</span>' for k in range(len(where))
    )
    lines = -(-len(where) // PER_LINE)
    return (f'<div class="memory" style="--lines:{lines};--per:{PER_LINE}" role="img" '
            f'aria-label="Numbers in memory order: {_order(step, traced)}">{offsets}{tiles}</div>')  # fmt: skip


def _order(step: Step, traced: Traced) -> str:
    return ", ".join(f"{word(traced, n)} {traced.feature[n] + 1}" for n in step.memory)


def followed(traced: Traced, divisors: Sequence[int]) -> str:
    """What the page needs to follow any number without asking: its line, and its place in each small picture."""
    count = len(traced.token)
    xs, ys = zip(*(place(step, traced) for step in range(5)), strict=True)
    route = [" ".join(f"{c:.4g}" for x, y in zip(xs, ys, strict=True) for c in (x[n], y[n])) for n in range(count)]
    lines = [line(traced, n) for n in range(count)]
    *_, T, D = traced.steps[0].shape
    start = min(1, T - 1) * D + min(4, D - 1)
    data = {"lines": lines, "route": route, "divisors": list(divisors), "start": start}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("&", "&amp;").replace("'", "&#39;")
    spans = " ".join(f"<span>{piece}</span>" for piece in lines[start])
    return f"""<p class="cell-line trail" data-trail='{text}'>{spans}</p>"""

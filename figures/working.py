"""Lines of a calculation as HTML: matrices in brackets, vectors, sums."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from . import parts
from .heat import cell_num

# Drawn as pictures, not by borders, so that a saved picture of the figure has them, too.
_FILLED = 'preserveAspectRatio="{}" aria-hidden="true">'
BRACKETS = tuple(
    f'<svg class="bracket {side}" viewBox="0 0 5 100" {_FILLED.format("none")}<path d="{line}"/></svg>'
    for side, line in (("left", "M5 0H0V100H5"), ("right", "M0 0H5V100H0"))
)
_LINES = "".join(f"M{x} 28l28-28" for x in range(-28, 64, 8))
HATCH = (
    f'<svg class="veil" viewBox="0 0 64 28" {_FILLED.format("xMidYMid slice")}'
    f'<path class="tint" d="M0 0H64V28H0Z"/><path d="{_LINES}"/></svg>'
)


def number(value: float) -> str:
    """A number of at most seven characters, so that columns keep their width.

    >>> number(5.0563), number(-22.6274), number(327747.9), number(6.63e9), number(-3.4e-14)
    ('5.056', '−22.627', '327748', '6.6e9', '−3e−14')
    """
    if abs(value) < parts.FIXED_FROM:
        return cell_num(value)
    return parts.num(value, 0 if 1000 <= abs(value) < parts.FIXED_TO else 3)


def vector(values: Iterable[float]) -> str:
    """
    >>> vector([0.802, -0.6])
    '(0.802, −0.600)'
    """
    return f"({', '.join(map(number, values))})"


def matrix(
    name: str, says: str, values: np.ndarray, *, hidden: np.ndarray | None = None, hides: str = "0",
    sums: np.ndarray | None = None, picked: int = -1,
) -> str:  # fmt: skip
    """A matrix in brackets after its name (HTML); ``says`` names it for screen readers.

    Entries that are ``hidden`` are hatched and say ``hides``. ``sums`` stand at the right of the rows; the row
    ``picked`` stands out.
    """
    rows, columns = values.shape
    lines = []
    for i in range(rows):
        cells = [_cell(values[i, j], None if hidden is None or not hidden[i, j] else hides) for j in range(columns)]
        if i == 0:
            cells[0] = cells[0].replace(">", f">{BRACKETS[0]}", 1)
            cells[-1] = cells[-1].replace(">", f">{BRACKETS[1]}", 1)
        cells += [f'<td class="total">{number(sums[i])}</td>'] if sums is not None else []
        lines.append(f'<tr class="picked">{"".join(cells)}</tr>' if i == picked else f"<tr>{''.join(cells)}</tr>")
    head = f'<thead><tr><td colspan="{columns}"></td><th scope="col">sum</th></tr></thead>' if sums is not None else ""
    table = f"{head}<tbody>{''.join(lines)}</tbody>"
    return (
        f'<div class="working"><span class="lhs" style="--rows:{rows}"><span>{name} =</span></span>'
        f'<table class="mat" aria-label="{says}" style="--rows:{rows}">{table}</table></div>'
    )


def _cell(value: float, hides: str | None) -> str:
    if hides is None:
        return f"<td>{number(value)}</td>"
    return f'<td class="off">{HATCH}<span class="sr">hidden, </span><b>{hides}</b></td>'


def letter(name: str, index: int) -> str:
    """
    >>> letter("o", 1)
    '<i>o</i><sub>1</sub>'
    """
    return f"<i>{name}</i><sub>{index}</sub>"


def written(*pieces: str) -> str:
    """A line that breaks between its pieces only."""
    return '<p class="written">' + " ".join(f"<span>{piece}</span>" for piece in pieces) + "</p>"


def factor(value: float) -> str:
    """
    >>> factor(0.5), factor(-1.0)
    ('0.5', '(−1)')
    """
    return f"({parts.short(value)})" if value < 0 else parts.short(value)

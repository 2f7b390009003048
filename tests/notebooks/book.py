"""The notebook as tests see it: its cells by name, and with the solutions in their places."""

from __future__ import annotations

import copy
import re
from types import SimpleNamespace

from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from notebooks import build

BOOK = build.notebook()
CELLS = {cell.id: cell for cell in BOOK.cells}
CHECKS = [name for name in CELLS if name.endswith(("-check", "-plot"))]

# Solution cells hold Python, except the last, which is an explanation in words.
SOLUTIONS = {
    name.removesuffix("-solution"): found[1]
    for name, cell in CELLS.items()
    if name.endswith("-solution") and (found := re.search(r"^```python\n(.*?)^```$", cell.source, re.M | re.S))
}


def solved() -> NotebookNode:
    """A copy with each stub replaced by its solution."""
    book = copy.deepcopy(BOOK)
    for cell in book.cells:
        cell.source = SOLUTIONS.get(cell.id, cell.source)
    return book


def right() -> SimpleNamespace:
    """The solutions as functions."""
    names: dict = {}
    for code in SOLUTIONS.values():
        exec(compile(code, "solution", "exec"), names)
    return SimpleNamespace(**names)


def run(book: NotebookNode, *more: str, without: tuple[str, ...] = ()) -> dict[str, str]:
    """What each cell prints, and `more-0` … for cells added at the end; an error stops here."""
    book = copy.deepcopy(book)
    hide = f"import sys; sys.modules.update(dict.fromkeys({without!r}))"
    book.cells.insert(0, new_code_cell(hide, id="hide"))
    book.cells += [new_code_cell(code, id=f"more-{i}") for i, code in enumerate(more)]
    NotebookClient(book, timeout=120).execute()
    printed = {}
    for cell in book.cells:
        if cell.cell_type == "code":
            assert all(o.output_type in ("stream", "display_data") for o in cell.outputs), cell.outputs
            assert not any(o.get("name") == "stderr" for o in cell.outputs), cell.outputs
            printed[cell.id] = "".join(o.get("text", "") for o in cell.outputs)
    return printed

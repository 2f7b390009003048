"""`python -m notebooks.build`: write attention.ipynb from attention.py and the checks. `make notebook` calls it."""

from __future__ import annotations

import ast
from pathlib import Path

import jupytext
import nbformat

FOLDER = Path(__file__).parent
SOURCE, TARGET = FOLDER / "attention.py", FOLDER / "attention.ipynb"
CHECKS = ("verdict", "attention", "variance", "gradients", "heads", "order")  # each needs only those before it

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
    "colab": {"name": TARGET.name, "provenance": [], "toc_visible": True},
}
# Folded in Jupyter, and a form with a title in Colab.
FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form"}
TITLE = "#@title Run this cell first: it holds the checks"


def brought_along() -> str:
    """The checks as one program: modules one after the other, without what only a package needs."""
    imports: dict[str, None] = {}
    bodies = []
    for name in CHECKS:
        code = (FOLDER / "checks" / f"{name}.py").read_text()
        lines = code.splitlines()
        tree = ast.parse(code).body
        for node in tree:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            if not (isinstance(node, ast.ImportFrom) and (node.level or node.module == "__future__")):
                imports[ast.unparse(node)] = None
        last = max(node.end_lineno or 0 for node in tree if isinstance(node, ast.Import | ast.ImportFrom))
        heading = (ast.get_docstring(ast.parse(code)) or "").splitlines()[0]
        bodies.append(f"# {heading}\n\n" + "\n".join(lines[last:]).strip())
    return "\n\n\n".join(["\n".join(imports), *bodies])


def notebook() -> nbformat.NotebookNode:
    """The notebook; a cell's id is its title in the source, so that it stays when cells are added."""
    book = jupytext.reads(SOURCE.read_text(), fmt="py:percent")
    book.metadata = nbformat.from_dict(METADATA)
    for cell in book.cells:
        cell.id, cell.metadata = cell.metadata.pop("title"), nbformat.from_dict({})
        if cell.id == "setup":
            greeting = cell.source.split("\n\n", 1)[1]  # after the import, whose place the checks take
            cell.source = f"{TITLE}\n{brought_along()}\n\n\n{greeting}"
            cell.metadata = nbformat.from_dict(FOLDED)
    book.nbformat, book.nbformat_minor = 4, 5
    nbformat.validate(book)
    return book


def text() -> str:
    return nbformat.writes(notebook(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text())
    print(f"{len(notebook().cells)} cells written to {TARGET.name}")

"""The mathematics never imports the screen."""

import ast
import sys
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "core"
ALLOWED = {"numpy", "core"} | set(sys.stdlib_module_names)


def imported(source: str) -> set[str]:
    """The top-level packages that a module imports anywhere, inside functions too."""
    nodes = list(ast.walk(ast.parse(source)))
    plain = {alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names}
    named = {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom) and n.level == 0}
    return {module.split(".")[0] for module in plain | named}


@pytest.mark.parametrize("path", sorted(CORE.glob("**/*.py")), ids=lambda p: p.name)
def test_core_imports_numpy_only(path):
    assert imported(path.read_text()) <= ALLOWED


def test_there_is_something_to_look_at():
    assert {"softmax.py", "masks.py", "attention.py", "heads.py", "scaling.py", "cost.py"} <= {
        p.name for p in CORE.iterdir()
    }


def test_a_foreign_import_is_seen():
    assert imported("def f():\n    from panel.io import x\n    import bokeh.models as m") == {"panel", "bokeh"}

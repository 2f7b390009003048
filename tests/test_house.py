"""Imports go one way, and documentation names what is there."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FLOORS = ["core", "figures", "lesson", "export", "app"]  # each may import those before it


def imported(path: Path) -> set[str]:
    """Top-level packages that a file imports; relative imports count as its own package."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module.split(".")[0])
    return names


def files(floor: str) -> list[Path]:
    return sorted((ROOT / floor).rglob("*.py")) if (ROOT / floor).is_dir() else [ROOT / f"{floor}.py"]


@pytest.mark.parametrize("floor", [f for f in FLOORS if (ROOT / f).exists() or (ROOT / f"{f}.py").exists()])
def test_imports_go_one_way(floor):
    above = set(FLOORS[FLOORS.index(floor) + 1 :]) | {"tests", "bench", "notebooks"}
    for path in files(floor):
        assert not imported(path) & above, path


def test_core_imports_numpy_only():
    for path in files("core"):
        assert imported(path) - set(sys.stdlib_module_names) <= {"numpy", "core"}, path


def test_figures_need_no_pandas_and_no_server():
    """The static site carries figures without them."""
    for path in files("figures"):
        assert not imported(path) & {"pandas", "panel", "tornado"}, path


LEFT_OUT = ("bokeh", "panel", "pandas", "tornado", "jinja2", "markupsafe", "PIL", "requests", "yaml", "contourpy")

ALONE = """
import json, sys
sys.modules.update(dict.fromkeys({left_out}))
from export import inside
from figures import BY_SLUG
for slug, kind in BY_SLUG.items():
    inside.open(slug)
    preset = next(name for name, knobs in kind.presets.items() if knobs)
    wish = {{"preset": preset, "code": True, "csv": True, "numbers": True}}
    answer = json.loads(inside.hear(json.dumps({{"seq": 1, "figures": {{slug: wish}}}})))
    assert answer["problem"] == "" and (answer["columns"] or not kind().shown) and answer["figures"][slug]["csv"], slug
    assert all(name.startswith(slug + ".") for name in answer["columns"])
print("alone")
"""


def test_figures_answer_without_the_modules_that_a_static_site_leaves_out():
    program = ALONE.format(left_out=LEFT_OUT)
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert run.stdout == "alone\n", run.stderr

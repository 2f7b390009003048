"""What the documents say is there: commands, files, options, figures, knobs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app import OPTIONS
from figures import PAGES

ROOT = Path(__file__).parents[1]
DOCS = [
    ROOT / "README.md",
    ROOT / "figures" / "README.md",
    ROOT / "notebooks" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


@pytest.mark.parametrize("path", DOCS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_lead_to_files(path):
    prose = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#]+)\)", prose)
    for link in links:
        assert link.startswith("http") or (path.parent / link).exists(), link


@pytest.mark.parametrize("path", DOCS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_make_targets_exist(path):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"make ([a-z][\w-]*)", path.read_text())) <= targets


def test_readme_names_every_option_and_every_figure():
    text = (ROOT / "README.md").read_text()
    for name in OPTIONS:
        assert f"`--{name}`" in text
        assert f"`ATTENTION_LAB_{name.upper().replace('-', '_')}`" in text
    for figure in PAGES:
        assert f"`/{figure.slug}`" in text


def test_figures_readme_names_every_room():
    text = (ROOT / "figures" / "README.md").read_text()
    rooms = {p.name for p in (ROOT / "figures").glob("*.py")} - {"__init__.py"}
    assert rooms <= set(re.findall(r"[\w]+\.py", text))


def test_example_of_the_figures_readme_is_true():
    import doctest

    text = (ROOT / "figures" / "README.md").read_text()
    example = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    test = doctest.DocTestParser().get_doctest(example, {}, "README", None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0

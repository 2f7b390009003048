"""The notebook as a file, and run from top to bottom: untouched, with its solutions, and with a wrong answer."""

from __future__ import annotations

import ast
import re
import sys

import pytest

from notebooks import build

from .book import BOOK, CELLS, CHECKS, SOLUTIONS, run, solved

CODE = {name: cell.source for name, cell in CELLS.items() if cell.cell_type == "code"}
OPENING = dict.fromkeys(CHECKS, "Passed. ") | {"largest-weight-plot": "Without scaling, "}
WITHOUT = ("torch", "matplotlib", "matplotlib.pyplot")  # the same run, whatever happens to be installed


def defined(code: str) -> set[str]:
    """Names that a cell makes, at its top level."""
    names: set[str] = set()
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {name.id for t in targets for name in ast.walk(t) if isinstance(name, ast.Name)}
    return names


def test_the_file_is_what_the_source_gives():
    assert build.TARGET.read_text() == build.text(), "run `make notebook`"


def test_cells_have_names_that_stay_and_no_output():
    assert len(CELLS) == len(BOOK.cells)
    assert all(re.fullmatch(r"[a-z0-9-]{2,64}", name) for name in CELLS)
    assert all(not cell.outputs and cell.execution_count is None for cell in BOOK.cells if cell.cell_type == "code")
    assert BOOK.metadata.kernelspec.name == "python3"


def test_it_needs_numpy_and_nothing_of_this_repository():
    for code in CODE.values():
        for node in ast.walk(ast.parse(code)):
            modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            modules += ["." * node.level + (node.module or "")] if isinstance(node, ast.ImportFrom) else []
            assert {m.split(".")[0] for m in modules} <= {"numpy", *sys.stdlib_module_names}
    assert not re.search(r"https?://|/home|/tmp|pip install", build.text())


def test_setup_is_folded_in_jupyter_and_in_colab():
    cell = CELLS["setup"]
    assert cell.metadata.jupyter.source_hidden
    assert cell.metadata.cellView == "form"
    assert cell.source.startswith("#@title ")


def test_names_of_the_setup_and_of_the_student_do_not_meet():
    mine = set().union(*(defined(code) for code in SOLUTIONS.values()))
    assert len(mine) > 10
    assert mine & defined(CODE["setup"]) == {"np"}


def test_each_part_has_a_task_a_stub_a_check_and_a_solution():
    assert [cell.source.splitlines()[0][3:5] for name, cell in CELLS.items() if name.startswith("exercise-")] == [
        "1 ", "2 ", "3 ", "4 ", "5 "
    ]  # fmt: skip
    stubs = [name for name, code in CODE.items() if "raise NotImplementedError" in code and name != "setup"]
    assert stubs == list(SOLUTIONS)
    for name in stubs:
        assert defined(CODE[name]) == defined(SOLUTIONS[name])
        assert f"{name}-check" in CODE
    for name, cell in CELLS.items():
        if name.endswith("-solution"):  # blank lines inside make Markdown of what is folded
            assert re.fullmatch(r"<details>\n<summary>\w+</summary>\n\n.*\n\n</details>", cell.source, re.S)


@pytest.fixture(scope="module")
def untouched():
    return run(BOOK, without=WITHOUT)


@pytest.fixture(scope="module")
def with_solutions():
    unscaled = SOLUTIONS["attention"].replace(" / np.sqrt(Q.shape[-1])", "")
    return run(solved(), unscaled, CODE["attention-check"], CODE["shuffle-check"], without=WITHOUT)


def test_untouched_every_check_says_not_yet(untouched):
    assert untouched["setup"] == "Ready. Go on with exercise 1.\n"
    for name in CHECKS:
        assert re.fullmatch(r"Not yet: `\w+` is still empty\. .*\n", untouched[name]), name


def test_with_the_solutions_every_check_passes(with_solutions):
    for name in CHECKS:
        assert with_solutions[name].startswith(OPENING[name]), with_solutions[name]
        assert "PyTorch" not in with_solutions[name]


def test_it_says_the_numbers_of_the_lesson(with_solutions):
    assert "[0.401, 0.198, 0.401]" in with_solutions["attention-check"]
    assert "from 0.223 to 0.000335" in with_solutions["largest-slope-check"]
    free, masked = map(float, re.findall(r"(?:gap|it) is (\d\S*\d)", with_solutions["shuffle-check"]))
    assert free < 1e-12 < 0.1 < masked


def test_a_wrong_answer_is_named(with_solutions):
    assert with_solutions["more-1"] == "Look again at A. The scores are not scaled: divide them by sqrt(d_k).\n"
    assert with_solutions["more-2"].startswith("Passed. ")  # equivariance does not depend on the scale


@pytest.mark.torch
def test_pytorch_agrees():
    printed = run(solved(), without=WITHOUT[1:])
    for name in CHECKS:
        assert printed[name].startswith(OPENING[name]), printed[name]
    asked = [name for name in CHECKS if "PyTorch agrees." in printed[name]]
    assert asked == ["attention-check", "backward-check", "heads-check"]

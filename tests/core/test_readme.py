"""The table of names is complete and its example runs."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "core" / "README.md").read_text()
MODULES = ("softmax", "masks", "attention", "heads", "scaling", "cost")


@pytest.mark.parametrize("name", MODULES)
def test_every_public_function_is_named(name):
    module = importlib.import_module(f"core.{name}")
    functions = [n for n, f in inspect.getmembers(module, inspect.isfunction) if f.__module__ == module.__name__]
    # softmax_in_place overwrites its argument: a tool of this package, not a name for others
    public = [n for n in functions if not n.startswith("_") and n != "softmax_in_place"]
    assert public
    assert [n for n in public if not re.search(rf"\b{n}\b", README)] == []


def test_the_example_runs():
    space: dict = {}
    exec(re.search(r"```python\n(.*?)```", README, re.S).group(1), space)
    assert space["result"].weights.round(3).tolist() == [[1, 0, 0], [0.33, 0.67, 0], [0.248, 0.248, 0.503]]

"""Listings are run, and print what the page says."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
from importlib import import_module

import pytest

from lesson.blocks import source

from .text import FENCE, WORDS

PROGRAMS = []
for name, text in WORDS.items():
    fences = [found.groups() for found in FENCE.finditer(text)]
    for (kind, code), (after, output) in zip(fences, [*fences[1:], ("", "")], strict=False):
        if kind.startswith("python"):
            marks = [pytest.mark.torch] if kind == "python torch" else []
            PROGRAMS.append(pytest.param(code, after, output, id=f"{name}: {code.splitlines()[-1]}", marks=marks))

LISTED = [
    name for text in WORDS.values() for names in re.findall(r"^::: listing (.*)$", text, re.M) for name in names.split()
]


@pytest.mark.parametrize(("code", "after", "output"), PROGRAMS)
def test_program_prints_what_stands_under_it(code, after, output):
    assert after == "output"
    assert max(map(len, code.splitlines())) <= 66  # fits the column of text
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "lesson", "exec"), {})
    assert printed.getvalue() == output


@pytest.mark.parametrize("name", LISTED)
def test_listing_is_the_source_without_its_documentation(name):
    module, _, function = name.rpartition(".")
    whole, shown = inspect.getsource(getattr(import_module(module), function)), source(name)
    assert '"""' not in shown
    lines = iter(whole.splitlines())
    assert all(line in lines for line in shown.splitlines())  # in this order
    assert shown.splitlines()[-1] == whole.rstrip().splitlines()[-1]
    compile(shown, name, "exec")

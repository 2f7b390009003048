"""Every computed number of the text is what `core` gives, to the last digit written."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from lesson import numbers
from lesson.markdown import NUMBER

from .text import FENCE, WORDS

CLAIMS = [
    pytest.param(*found.groups(), id=f"{name}: {found[0]}")
    for name, text in WORDS.items()
    for found in NUMBER.finditer(text)
]

# Sizes that the text chooses, and names: they are given, not computed.
GIVEN = {
    "04-worked-example.md": {"0.707", "2.028", "5.056", "3.028", "0.198", "0.401", "0.999", "0.503", "0.504"},
    "11-watch-and-read.md": {"12.2", "12.3", "12.7", "12.8", "3.2"},  # sections of books
    "03-definitions-and-results.md": {"11.3", "0.001"},
    "05-in-code.md": {"100,000"},
}


def rows(written: str) -> list[list[str]]:
    """The numbers of a list or a matrix, "0.4 & 0.2" or "0.6, 0.2"; a comma without a space is part of a number."""
    return [re.split(r"&|,\s", row) for row in written.split(r"\\")]


def agrees(written: str, how: str, value: Any) -> bool:
    """Whether ``value``, rounded to the digits written, is what is written."""
    if isinstance(value, tuple):
        sizes = tuple(int(n) for n in re.findall(r"\d+", written))
        return sizes == value
    array = np.atleast_2d(np.asarray(value, float))
    cells = rows(written.strip("()").removesuffix("%"))
    if (len(cells), len(cells[0])) != array.shape:
        return False
    return all(
        same(cell.strip(), how, float(number))
        for line, numbers_ in zip(cells, array, strict=True)
        for cell, number in zip(line, numbers_, strict=True)
    )


def same(written: str, how: str, number: float) -> bool:
    digits = written.replace(",", "")
    places = len(digits.partition(".")[2])
    if how == "≈":  # zeros at the end of a whole number are not meant as digits
        places = len(digits.rstrip("0")) - len(digits)
    return float(digits) == round(number, places)


@pytest.mark.parametrize(("written", "how", "source"), CLAIMS)
def test_number(written, how, source):
    value = eval(source, dict(vars(numbers)))
    assert agrees(written, how, value), f"the text says {written}, core says {value}"


@pytest.mark.parametrize(
    ("written", "how", "value"),
    [
        ("0.83", "=", 0.8221), ("60,000", "=", 59874.1), ("61,000", "≈", 59874.1), ("0.6, 0.3", "=", [0.6, 0.2]),
        ("1 & 0 \\\\ 0 & 2", "=", [[1, 0], [0, 1]]), ("(2, 4)", "=", (2, 5)), ("0.60, 0.20", "=", [0.6, 0.2, 0.2]),
        ("8", "=", 8.6), ("1,050,625", "=", 1050624), ("96%", "=", 94.98),
    ],
)  # fmt: skip
def test_a_wrong_number_is_found(written, how, value):
    assert not agrees(written, how, value)


@pytest.mark.parametrize("name", WORDS)
def test_no_number_stands_without_its_source(name):
    """A fraction or a number of four digits and more is a result, unless it is listed above or computed nearby."""
    text = FENCE.sub("", NUMBER.sub("", WORDS[name]))
    text = re.sub(r"\]\([^)]*\)", "]", text)
    found = set(re.findall(r"\d+(?:,\d{3})+|\d*\.\d+", text))
    assert found <= GIVEN.get(name, set())


@pytest.mark.parametrize("name", GIVEN)
def test_given_numbers_are_still_in_the_text(name):
    assert all(number in WORDS[name] for number in GIVEN[name])


def test_numbers_that_are_repeated_agree_with_their_first_place():
    """The worked example takes up numbers that it has just computed."""
    text = WORDS["04-worked-example.md"]
    computed = " ".join(found["written"] for found in NUMBER.finditer(text))
    repeated = GIVEN["04-worked-example.md"] - {"0.999", "0.504"}
    assert all(number in computed for number in repeated)
    assert round(sum(round(w, 3) for w in numbers.free.weights[2]), 3) == 0.999

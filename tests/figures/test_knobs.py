"""Knobs as text, and the sentences for what is no value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from figures import state
from figures.knobs import plain, read_number
from figures.lookup import KEYS, Lookup


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_plain_gives_the_same_float_back(number):
    assert read_number(plain(number)) == number
    assert plain(number) != "-0"


@pytest.mark.parametrize(
    "text", ["", " ", "nan", "inf", "-Infinity", "1e999", "one", "1,2,3", "1.2,3", "1_000", "0x10"]
)
def test_what_is_no_number(text):
    with pytest.raises(ValueError):  # noqa: PT011  (the sentence is the knob's, below)
        read_number(text)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("q_x", "4.51", "q_x: expected a number from −4.5 to 4.5, got '4.51'"),
        ("tau", "0", "tau: expected a number from 0.05 to 5, got '0'"),
        ("tau", "x" * 60, "tau: expected a number from 0.05 to 5, got '" + "x" * 40 + "…'"),
        ("move", "maybe", "move: expected true or false, got 'maybe'"),
        ("keys", "1,2;3", "keys: expected points x,y from −4.5 to 4.5, such as '1.2,0.5;-2,1;…', got '1,2;3'"),
        ("values", "9,9;" * 4 + "1,1", "values: expected points x,y from −4.5 to 4.5"),
    ],
)
def test_refusals_name_knob_expectation_and_text(name, text, sentence):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        Lookup.knobs()[name].read(text)
    assert str(caught.value).startswith(sentence)


def test_refused_values_change_nothing():
    figure = Lookup()
    for bad in ({"q_x": 9.0}, {"keys": ((1.0, 20.0),)}, {"keys": "1,2"}, {"tau": float("nan")}, {"move": "yes"}):
        with pytest.raises(ValueError):  # noqa: PT011
            figure.param.update(**bad)
        assert figure.settings() == Lookup().settings()


def test_knob_by_knob_one_bad_value_does_not_take_the_good_ones_along():
    good, bad = state.read(Lookup, "q_x=2&tau=hot&q_y=1&theme=dark")
    assert good == {"q_x": 2.0, "q_y": 1.0}
    assert len(bad) == 1


def test_only_what_differs_is_written_and_short():
    assert state.write(Lookup(tau=0.2, move=False)) == "tau=0.2"
    moved = ((1.0, -0.5), *KEYS[1:])
    assert state.write(Lookup(keys=moved)) == "keys=1,-0.5;1.2,2.7;-1.7,2.3;-2.7,-1;0.8,-2.6"


def test_prefix_keeps_figures_apart():
    assert state.read(Lookup, "lookup.tau=0.2&matrix.tau=3&tau=4", prefix="lookup.") == ({"tau": 0.2}, [])


def test_points_must_be_as_many_as_items():
    """Keys moved among five words have no meaning among six tokens: they are given up, and named if just asked for."""
    five, six = "1,1;" * 4 + "1,1", "1,1;" * 5 + "1,1"
    good, bad = state.read(Lookup, f"keys={six}&tau=2")
    assert (good, bad) == ({"tau": 2.0}, ["keys: expected 5 points, one an item, got 6"])
    good, bad = state.read(Lookup, f"keys={six}&items=tokens")
    assert not bad
    assert len(Lookup(**good).places()["keys"]) == 6
    moved = Lookup(keys=Lookup.knobs()["keys"].read(five))
    assert moved.read({"items": "tokens"}, around=moved.settings()) == ({"items": "tokens", "keys": ()}, [])
    with pytest.raises(ValueError, match="keys: expected 5 points, one an item, got 2"):
        Lookup(keys=((1.0, 1.0), (2.0, 2.0)))


def test_points_at_their_own_places_are_not_written():
    assert state.write(Lookup(keys=KEYS)) == ""

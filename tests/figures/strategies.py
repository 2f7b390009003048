"""Random states of any figure, from the declarations of its knobs."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from figures import Figure
from figures.knobs import Choice, Points, Real, Switch, Whole


def value_of(knob: Any) -> st.SearchStrategy:
    if isinstance(knob, Switch):
        return st.booleans()
    if isinstance(knob, Points):
        coordinate = st.floats(*knob.bounds, allow_nan=False)
        point = st.tuples(coordinate, coordinate)
        return st.sampled_from([knob.count] if knob.count else [0, 5, 6]).flatmap(lambda n: st.tuples(*[point] * n))
    if isinstance(knob, Choice):
        return st.sampled_from(list(knob.words))
    if isinstance(knob, Whole):
        return st.sampled_from(knob.steps) if knob.steps else st.integers(*knob.bounds)
    if isinstance(knob, Real):
        return st.floats(*knob.bounds, allow_nan=False)
    raise TypeError(f"no strategy for {knob!r}: add one, so that the contract covers this kind of knob")


def states(figure: type[Figure]) -> st.SearchStrategy[dict[str, Any]]:
    """Any of the knobs, each at any value of its range, as far as they fit together."""
    knobs = st.fixed_dictionaries({}, optional={name: value_of(knob) for name, knob in figure.knobs().items()})
    return knobs.map(lambda chosen: figure.fit(figure.defaults() | chosen, ())[0])

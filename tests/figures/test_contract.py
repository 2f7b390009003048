"""What every figure of the registry promises, in every preset and in random states."""

from __future__ import annotations

import html
import json
import math
import re

import numpy as np
import pytest
from bokeh.document import Document
from hypothesis import given
from hypothesis import strategies as st

from figures import BY_SLUG, FIGURES, PAGES, Figure, state
from figures.base import written
from figures.drawing import drawing
from figures.live import Live, as_csv, snapshot
from lesson.page import fill

from .strategies import states

EACH_PRESET = [pytest.param(f, name, id=f"{f.slug}-{name}") for f in PAGES for name in ("", *f.presets)]
each_figure = pytest.mark.parametrize("kind", PAGES, ids=lambda f: f.slug)


def at(kind: type[Figure], preset: str) -> Figure:
    figure = kind()
    figure.ensure_built()
    if preset:
        figure.apply(preset)
    return figure


def first_preset(kind: type[Figure]) -> str:
    """One that is not the start itself."""
    return next(name for name, knobs in kind.presets.items() if knobs)


def held(figure: Figure) -> dict:
    return {name: dict(source.data) for name, source in figure.sources.items()}


def plain_text(fragment: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", fragment))


def test_slugs_are_the_routes():
    assert list(BY_SLUG) == [f.slug for f in PAGES]
    assert [f.number for f in FIGURES] == list(range(1, len(FIGURES) + 1))
    assert len({f.kicker() for f in PAGES}) == len(PAGES)


@pytest.mark.parametrize(("kind", "preset"), EACH_PRESET)
def test_sources_hold_what_a_fresh_figure_computes(kind, preset):
    """After any change the picture is the one that this state would have had from the start."""
    figure = at(kind, preset)
    fresh = kind(**figure.settings())
    fresh.ensure_built()
    np.testing.assert_equal(held(figure), held(fresh))
    np.testing.assert_equal(held(figure), figure.columns(figure.compute()))


def shown(sources: dict) -> dict:
    """What a page shows of them, which has no NaN on the way."""
    return {f: {c: [math.nan if v is None else v for v in column] for c, column in s.items()}
            for f, s in sources.items()}  # fmt: skip


@pytest.mark.parametrize(("kind", "preset"), EACH_PRESET)
def test_a_page_shows_the_numbers_of_its_state_at_first_and_after_a_message(kind, preset):
    """Drawn once for all readers, changed by columns: what that comes to is what `core` says of this state."""
    knobs = kind.presets[preset] if preset else {}
    fresh = kind(**knobs)
    wanted = {f"{kind.slug}.{name}": columns for name, columns in fresh.columns(fresh.compute()).items()}
    first = {f"{kind.slug}.{name}": columns for name, columns in drawing(kind).columns.items()}

    def after(news: dict) -> dict:
        return {source: {**columns, **shown(news).get(source, {})} for source, columns in first.items()}

    np.testing.assert_equal(after(drawing(kind).behind(kind(**knobs))), wanted)
    wish = {"state": state_texts(kind, knobs)}
    answer = Live([kind()]).hear(json.dumps({"seq": 1, "figures": {kind.slug: wish}}))
    np.testing.assert_equal(after(json.loads(json.dumps(answer["columns"], allow_nan=False))), wanted)


def state_texts(kind: type[Figure], knobs: dict) -> dict[str, str]:
    return {name: kind.knobs()[name].write(value) for name, value in knobs.items()}


@each_figure
def test_the_picture_is_made_once_and_knows_no_reader(kind):
    before = json.dumps(drawing(kind).document)
    live = Live([kind(**kind.presets[first_preset(kind)])])
    live.hear(json.dumps({"seq": 1, "figures": {kind.slug: {"reset": True, "picture": True}}}))
    assert json.dumps(drawing(kind).document) == before
    names = [root["attributes"]["name"] for root in drawing(kind).document["roots"]]
    assert names == [f"{kind.slug}/{p.plot}" for p in kind.panels if p.plot]


@each_figure
def test_who_was_cut_off_gets_the_whole_picture(kind):
    live = Live([kind()])
    answer = live.hear(json.dumps({"seq": 1, "figures": {kind.slug: {"picture": True}}}))
    np.testing.assert_equal(shown(answer["columns"]), {f"{kind.slug}.{n}": c for n, c in kind().shown.items()})


@pytest.mark.parametrize(("kind", "preset"), EACH_PRESET)
def test_columns_are_lists_of_one_length(kind, preset):
    """NumPy columns travel as buffers, which Bokeh drops when it reconnects."""
    for source in held(at(kind, preset)).values():
        assert all(isinstance(column, list) for column in source.values())
        assert len({len(column) for column in source.values()}) == 1
        json.dumps(source)  # and no NumPy scalars inside


@pytest.mark.parametrize(("kind", "preset"), EACH_PRESET)
def test_description_is_plain_sentences(kind, preset):
    figure = at(kind, preset)
    text = figure.describe(figure.result)
    assert text.endswith(".") and len(text) > 40
    assert not re.search(r"nan|None|inf\b|np\.|  |<", text)
    assert plain_text(snapshot(figure)["sentence"]) == text.replace("'", "")


@pytest.mark.parametrize(("kind", "preset"), EACH_PRESET)
def test_preset_is_recognised_and_reset_returns_to_the_start(kind, preset):
    figure, start = at(kind, preset), at(kind, "")
    assert figure.preset() == (preset or next((n for n, knobs in kind.presets.items() if not knobs), ""))
    figure.reset()
    np.testing.assert_equal(held(figure), held(start))
    assert snapshot(figure) == snapshot(start)


@pytest.mark.parametrize(("kind", "preset"), EACH_PRESET)
def test_preset_round_trips_through_the_address(kind, preset):
    figure = at(kind, preset)
    knobs, problems = state.read(kind, state.write(figure))
    assert not problems
    assert kind(**knobs).settings() == figure.settings()


@each_figure
def test_random_states_compute_describe_draw_and_round_trip(kind):
    figure = kind()
    figure.ensure_built()

    @given(states(kind))
    def check(knobs):
        figure.reset()
        figure.param.update(**knobs)
        np.testing.assert_equal(held(figure), figure.columns(kind(**knobs).result))
        assert figure.describe(figure.result)
        assert all("nan" not in part for part in figure.parts(figure.result).values())
        assert as_csv(figure).count("\n") > 2
        json.dumps({name: written(columns) for name, columns in held(figure).items()}, allow_nan=False)
        read, problems = state.read(kind, state.write(figure))
        assert not problems
        assert kind(**read).settings() == figure.settings()

    check()


@each_figure
def test_any_text_gives_a_value_or_one_sentence(kind):
    names = list(kind.knobs())

    @given(
        st.dictionaries(st.sampled_from(names), st.text(max_size=30) | st.sampled_from(["nan", "inf", "1e999", "1_0"]))
    )
    def check(texts):
        good, problems = kind.read(texts)
        assert len(good) + len(problems) == len(texts)
        kind(**good)
        for problem in problems:
            assert re.match(rf"({'|'.join(names)}): expected .+, got ", problem, re.DOTALL)

    check()


@each_figure
def test_knobs_are_documented(kind):
    for name, knob in kind.knobs().items():
        assert knob.doc.endswith("."), name
        assert knob.label != knob.name, name


@each_figure
def test_everything_a_figure_makes_has_its_place_in_a_panel(kind):
    figure = at(kind, "")
    assert set(figure.plots) == {p.plot for p in kind.panels if p.plot}
    placed = {n for p in kind.panels for n in (p.part, *p.below, p.grid and "cells") if n}
    assert set(figure.parts(figure.result)) == placed
    on_panels = [name for p in kind.panels for name in p.knobs]
    by_handles = [name for group in kind.handles for name in group.knobs]
    assert set(on_panels) | set(by_handles) | set(kind.by_picture) == set(kind.knobs())
    assert len(on_panels) == len(set(on_panels))
    assert all(p.label.strip() for p in kind.panels if p.plot)


@each_figure
def test_many_knobs_are_one_refresh(kind, monkeypatch):
    figure, calls = kind(), []
    compute = kind.compute
    monkeypatch.setattr(kind, "compute", lambda self: calls.append(1) or compute(self))
    figure.apply(first_preset(kind))
    assert len(calls) == 1


@each_figure
def test_unchanged_columns_are_not_sent(kind):
    """Only what differs travels: a state set twice sends nothing the second time."""
    live = Live([kind()])
    figure = live.figures[kind.slug]
    ask = json.dumps({"seq": 1, "figures": {kind.slug: {"preset": first_preset(kind)}}})
    assert live.hear(ask)["columns"] or not figure.shown  # a figure whose picture is HTML has no sources
    assert live.hear(ask)["columns"] == {}


@each_figure
def test_instances_share_nothing(kind):
    one, two = at(kind, ""), at(kind, "")
    one.apply(first_preset(kind))
    assert (held(one), snapshot(one)) != (held(two), snapshot(two))
    assert not {id(s) for s in one.sources.values()} & {id(s) for s in two.sources.values()}


@each_figure
def test_unknown_preset_names_the_known_ones(kind):
    with pytest.raises(ValueError, match=f"expected one of .*{next(iter(kind.presets))}.*, got 'no such'"):
        kind().apply("no such")


@each_figure
def test_page_shows_the_state_of_the_address(kind):
    name = first_preset(kind)
    knobs = kind.presets[name]
    doc = Document()
    live = fill(doc, kind, state.write(kind(**knobs)).split("&") and [
        tuple(pair.split("=")) for pair in state.write(kind(**knobs)).split("&")
    ])  # fmt: skip
    assert live.figures[kind.slug].preset() == name

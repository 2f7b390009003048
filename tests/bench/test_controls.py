"""The hand finds every input of every figure, and what the floor answers is what the server answers."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from bench import floor
from bench.controls import controls
from figures import BY_SLUG
from figures.live import Live


@pytest.mark.parametrize("slug", BY_SLUG)
def test_every_knob_is_moved_by_some_control(slug):
    kind = BY_SLUG[slug]
    spots = " ".join(spot for control in controls(kind) for spot in control.spots)
    handled = {name for group in kind.handles for name in group.knobs}
    typed = {name for name, knob in kind.knobs().items() if getattr(knob, "count", 0)}
    for name in set(kind.knobs()) - handled - typed - set(kind.by_picture) - set(kind().idle()):
        assert f"={name}]" in spots, name


@pytest.mark.parametrize("slug", BY_SLUG)
def test_a_hand_never_asks_twice_for_the_same(slug):
    for control in controls(BY_SLUG[slug]):
        if control.moves:
            assert all(a != b for a, b in pairwise(control.places()))
            assert all(0 < x < 1 and 0 < y < 1 for x, y in control.places())


@pytest.mark.parametrize("slug", BY_SLUG)
def test_a_recorded_answer_is_that_of_the_server(slug):
    kind = BY_SLUG[slug]
    preset = list(kind.presets)[-1]
    live = Live([kind()])
    said = live.hear(json.dumps({"seq": 1, "figures": {slug: {"preset": preset, "everything": True}}}))["figures"][slug]
    recorded = floor.answer(slug, kind.default_texts(), {"preset": preset})
    assert recorded["answer"] == said
    json.dumps(recorded)


def test_floor_page_holds_its_document_and_asks_no_server_for_it():
    html = floor.html(BY_SLUG["matrix"])
    assert '"boot": {"floor": "here"}' in html
    assert '"name": "matrix/scores"' in html and '"wire": null' in html

"""From notes of a page to lags, and from lags to medians."""

from __future__ import annotations

import math

import pytest

from bench.lag import Block, Series, block, percentile, ratio


def notes(inputs: list[tuple[float, object]], paints: list[tuple[float, object]]) -> dict:
    return {
        "inputs": [{"time": t, "key": k} for t, k in inputs],
        "paints": [{"time": t, "key": k} for t, k in paints],
    }


def test_a_frame_shows_its_input_and_all_before():
    found = block(notes([(0, 1), (10, 2), (20, 3)], [(50, 2), (60, 3)]))
    assert found.lags == [50, 40, 40]
    assert found.staleness == 40
    assert found.rate == 100


def test_an_older_frame_after_a_newer_one_changes_nothing():
    assert block(notes([(0, 1), (10, 2)], [(30, 2), (90, 1), (95, 2)])).lags == [30, 20]


def test_an_input_that_is_never_shown_is_no_fast_one():
    found = block(notes([(0, 1), (10, 2)], [(30, 1)]))
    assert found.lags == [30, math.inf]
    assert percentile(found.lags, 95) == math.inf


def test_a_key_that_comes_again_is_not_shown_before_it_was_asked_for():
    assert block(notes([(0, "on"), (100, "off"), (200, "on")], [(50, "on"), (150, "off"), (260, "on")])).lags == [
        50,
        50,
        60,
    ]


def test_frames_of_another_question_do_not_count():
    assert block(notes([(0, 1)], [(5, None), (9, 7), (40, 1)])).lags == [40]


def test_a_block_without_inputs_is_none():
    assert block(notes([], [(5, 1)])) is None


def test_one_bad_block_of_three_does_not_move_the_median():
    series = Series([Block([10.0, 20.0, 30.0], 60), Block([11.0, 21.0, 31.0], 60), Block([500.0, 900.0, math.inf], 60)])
    summary = series.summary()
    assert (summary["p50"], summary["p95"], summary["staleness"]) == (21, 31, 31)
    assert summary["inputs"] == 9
    assert summary["never_painted"] == 1


def test_nothing_measured_is_infinite():
    assert Series().summary()["p50"] == math.inf


@pytest.mark.parametrize(
    ("ours", "theirs", "times"), [(30, 20, 1.5), (math.inf, 20, math.inf), (20, math.inf, 0), (20, 0, math.inf)]
)
def test_ratio(ours: float, theirs: float, times: float):
    assert ratio(ours, theirs) == times


def test_two_that_never_answer_have_no_ratio():
    assert math.isnan(ratio(math.inf, math.inf))

"""What the browser asks and what it gets back, without a browser."""

from __future__ import annotations

import json
import logging

from bokeh.document import Document

from figures.live import Live
from figures.lookup import Lookup


def talk(live: Live, seq: int = 1, **wish) -> dict:
    live.hear(json.dumps({"seq": seq, "figures": {"lookup": wish}}))
    answer = json.loads(live.wire.down)
    assert answer["seq"] == seq
    return answer


def test_knobs_presets_and_reset():
    live = Live([Lookup()], Document())
    answer = talk(live, knobs={"tau": "0.5"})["figures"]["lookup"]
    assert answer["knobs"]["tau"] == "0.5" and answer["query"] == "tau=0.5" and answer["problems"] == []
    answer = talk(live, preset="uniform")["figures"]["lookup"]
    assert answer["preset"] == "uniform" and answer["knobs"]["tau"] == "1"
    answer = talk(live, reset=True, knobs={"q_x": "2"})["figures"]["lookup"]
    assert answer["query"] == "q_x=2"


def test_bad_values_are_named_and_good_ones_beside_them_count():
    live = Live([Lookup()], Document())
    answer = talk(live, knobs={"tau": "hot", "q_x": "2", "colour": "red"})["figures"]["lookup"]
    assert [p.split(":")[0] for p in answer["problems"]] == ["colour", "tau"]
    assert answer["knobs"]["q_x"] == "2" and answer["knobs"]["tau"] == "1"


def test_an_answer_to_no_change_says_nothing_about_problems():
    """The first answer of a page once wiped out what the page had to say about its address."""
    live = Live([Lookup()], Document())
    assert talk(live, everything=True)["figures"]["lookup"]["problems"] is None
    assert talk(live, reset=True)["figures"]["lookup"]["problems"] == []


def test_only_changed_parts_travel_until_everything_is_asked_for():
    live = Live([Lookup()], Document())
    assert set(talk(live)["figures"]["lookup"]["parts"]) == {"weights", "readings"}
    assert talk(live)["figures"]["lookup"]["parts"] == {}
    assert set(talk(live, everything=True)["figures"]["lookup"]["parts"]) == {"weights", "readings"}


def test_a_message_that_makes_no_sense_is_answered_and_logged(caplog):
    """The browser waits for an answer before it sends again: silence would lock the page."""
    live = Live([Lookup()], Document())
    with caplog.at_level(logging.ERROR):
        live.hear('{"seq": 5, "figures": {"nothing": {}}}')
    assert json.loads(live.wire.down)["seq"] == 5
    assert "did not count" in json.loads(live.wire.down)["problem"]
    assert "no answer to" in caplog.text
    assert talk(live, 6, knobs={"tau": "2"})["problem"] == ""


def test_all_changes_are_made_together():
    log = []

    class Together:
        def __enter__(self):
            log.append("open")

        def __exit__(self, *_):
            log.append("closed")

    doc = Document()
    live = Live([Lookup()], doc, Together)
    doc.on_change(lambda event: log.append(type(event).__name__))
    talk(live, preset="uniform")
    assert log[0] == "open" and log[-1] == "closed" and log.count("open") == 1
    assert "ColumnDataChangedEvent" in log

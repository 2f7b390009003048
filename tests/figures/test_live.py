"""What the browser asks and what it gets back, without a browser."""

from __future__ import annotations

import json
import logging

from bokeh.document import Document

from figures import BY_SLUG
from figures.live import Live
from figures.lookup import Lookup
from figures.wire import tie


def talk(live: Live, seq: int = 1, **wish) -> dict:
    answer = live.hear(json.dumps({"seq": seq, "figures": {"lookup": wish}}))
    assert answer["seq"] == seq
    return answer


def test_knobs_presets_and_reset():
    live = Live([Lookup()])
    answer = talk(live, knobs={"tau": "0.5"})["figures"]["lookup"]
    assert answer["knobs"]["tau"] == "0.5" and answer["query"] == "tau=0.5" and answer["problems"] == []
    answer = talk(live, preset="uniform")["figures"]["lookup"]
    assert answer["preset"] == "uniform" and answer["knobs"]["tau"] == "1"
    answer = talk(live, reset=True, knobs={"q_x": "2"})["figures"]["lookup"]
    assert answer["query"] == "q_x=2"


def test_bad_values_are_named_and_good_ones_beside_them_count():
    live = Live([Lookup()])
    answer = talk(live, knobs={"tau": "hot", "q_x": "2", "colour": "red"})["figures"]["lookup"]
    assert [p.split(":")[0] for p in answer["problems"]] == ["colour", "tau"]
    assert answer["knobs"]["q_x"] == "2" and answer["knobs"]["tau"] == "1"


def test_an_answer_to_no_change_says_nothing_about_problems():
    """The first answer of a page once wiped out what the page had to say about its address."""
    live = Live([Lookup()])
    assert talk(live, everything=True)["figures"]["lookup"]["problems"] is None
    assert talk(live, reset=True)["figures"]["lookup"]["problems"] == []


def test_only_changed_parts_travel_until_everything_is_asked_for():
    live = Live([Lookup()])
    assert set(talk(live)["figures"]["lookup"]["parts"]) == {"weights", "readings"}
    assert talk(live)["figures"]["lookup"]["parts"] == {}
    assert set(talk(live, everything=True)["figures"]["lookup"]["parts"]) == {"weights", "readings"}


def test_a_message_that_makes_no_sense_is_answered_and_logged(caplog):
    """The browser waits for an answer before it sends again: silence would lock the page."""
    live = Live([Lookup()])
    with caplog.at_level(logging.ERROR):
        answer = live.hear('{"seq": 5, "figures": {"nothing": {}}}')
    assert answer["seq"] == 5
    assert "did not count" in answer["problem"]
    assert "no answer to" in caplog.text
    assert talk(live, 6, knobs={"tau": "2"})["problem"] == ""


def test_an_answer_is_one_message_with_all_that_changes():
    doc, sent = Document(), []
    wire = tie(Live([Lookup()]), doc)
    doc.on_change(sent.append)
    wire.up = json.dumps({"seq": 1, "figures": {"lookup": {"preset": "uniform"}}})
    answer = json.loads(wire.down)
    assert answer["figures"]["lookup"]["preset"] == "uniform"
    assert answer["columns"]["lookup.values"]
    assert [event.attr for event in sent if event.attr != "up"] == ["down"]


def test_one_wish_is_one_refresh():
    """A preset and a knob in one message once refreshed twice, and the page got columns of two lengths."""
    figure, refreshed = BY_SLUG["scaling"](scaling="compare"), []
    live = Live([figure])
    figure.param.watch(refreshed.append, "scaling")
    live.hear(json.dumps({"seq": 1, "figures": {"scaling": {"preset": "no scaling", "knobs": {"scaling": "d_k"}}}}))
    assert figure.scaling == "d_k"
    assert len(refreshed) == 1


def test_knobs_that_hang_on_one_another_count_in_the_order_they_were_set():
    live = Live([BY_SLUG["heads"]()])
    answer = live.hear('{"seq": 1, "figures": {"heads": {"knobs": {"T": "3", "H": "4", "D": "6"}}}}')["figures"][
        "heads"
    ]
    assert answer["problems"] == []
    assert (answer["knobs"]["D"], answer["knobs"]["T"]) == ("6", "3")
    assert 6 % int(answer["knobs"]["H"]) == 0


def test_a_page_that_comes_back_brings_its_state_and_what_still_waits():
    live = Live([Lookup()])
    answer = talk(live, state={"tau": "3", "q_x": "2"}, knobs={"tau": "0.5"}, everything=True)["figures"]["lookup"]
    assert answer["query"] == "q_x=2&tau=0.5"
    answer = talk(live, state={"tau": "3"}, preset="uniform")["figures"]["lookup"]
    assert answer["preset"] == "uniform"


def test_seq_must_be_a_number():
    assert Live([Lookup()]).hear('{"seq": NaN, "figures": {}}')["problem"]

"""Recall cards into the deck, and the review of the deck: by keyboard, in two tabs, from a file, without a server."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from lesson import deck as scheduler

from .conftest import on_shelf

NOW = datetime.now(UTC).replace(microsecond=0)
IDS = [f"card-{n}" for n in range(1, 11)]


def stamp(**ahead: float) -> str:
    return scheduler.stamp(NOW + timedelta(**ahead))


def entry(**changes: Any) -> dict[str, Any]:
    known = {"state": 2, "step": None, "stability": 9.0, "difficulty": 5.0}
    return known | {"due": stamp(hours=-1), "last_review": stamp(days=-9)} | changes


def stored(page: Page, name: str = "deck") -> Any:
    return on_shelf(page, name)


def store(page: Page, text: str) -> None:
    page.evaluate("text => localStorage.setItem('attention-lab.deck', text)", text)
    page.reload()


def hold(page: Page, **cards: dict[str, Any]) -> None:
    """A deck with these cards."""
    store(page, json.dumps({"v": 1, "data": {"cards": {name.replace("_", "-"): card for name, card in cards.items()}}}))


def cards(page: Page) -> dict[str, dict[str, Any]]:
    return stored(page)["data"]["cards"]


@pytest.fixture
def review(visit):
    return lambda **options: visit("/review", wait=False, **options)


def said(page: Page, words: str | re.Pattern) -> None:
    expect(page.locator("[data-said]")).to_have_text(words)


def grade(page: Page, name: str) -> None:
    page.get_by_role("button", name="Show the answer").click()
    page.get_by_role("button", name=re.compile(f"^{name} in ")).click()


def test_cards_of_the_lesson_go_into_the_deck_and_out(visit):
    page = visit("/", wait=False, reduced_motion="reduce")
    link = page.locator("[data-review]")
    expect(link).to_have_text("Open the review")
    fold = page.locator("#card-3")
    fold.locator("summary").click()
    button = fold.get_by_role("button", name="Add to my deck")
    button.click()
    button = fold.get_by_role("button", name="In my deck", pressed=True)
    expect(link).to_have_text("Open the review: 1 card is due")
    expect(fold.locator("summary")).to_contain_text("in your deck, due now")
    before = cards(page)
    button.click()
    assert cards(page) == {}
    fold.get_by_role("button", name="Undo").click()
    expect(button).to_be_focused()
    assert cards(page) == before

    page.get_by_role("button", name="Add all ten").click()
    expect(page.get_by_text("9 cards are new in your deck.")).to_be_visible()
    expect(page.get_by_role("button", name="Add all ten")).to_be_hidden()
    assert list(cards(page)) == ["card-3", *(name for name in IDS if name != "card-3")]
    assert cards(page)["card-3"] == before["card-3"]
    link.click()
    expect(page.get_by_text("10 of 10 cards are due.")).to_be_visible()
    expect(page.locator("[data-which]")).to_have_text("Card 3, 9 more due")
    page.get_by_role("link", name="Back to the lesson").click()
    expect(page.get_by_role("heading", name="Recall cards")).to_be_in_viewport()


def test_a_review_by_keyboard_alone(review):
    page = review()
    expect(page.get_by_text("Your deck is empty.")).to_be_visible()
    page.get_by_role("button", name="Add all ten").focus()
    page.keyboard.press("Enter")
    question, answer = page.locator("[data-question]"), page.locator(".ans")
    expect(question).to_be_focused()
    expect(answer).to_be_hidden()
    page.keyboard.press("3")  # no grade before the answer
    for i, (key, words) in enumerate([("1", "in 1 min"), ("2", "in 6 min"), ("3", "in 10 min"), ("4", "in 8 days")]):
        page.keyboard.press("Space" if i % 2 else "Enter")
        expect(answer).to_be_focused()
        expect(page.locator("[data-grade] small").nth(i)).to_have_text(words)
        page.keyboard.press(key)
        said(page, re.compile(f"^(Again|Hard|Good|Easy): card {i + 1} comes back {words}.$"))
        expect(question).to_be_focused()
    waits = [datetime.fromisoformat(c["due"]) - datetime.fromisoformat(c["last_review"])
             for c in map(cards(page).get, IDS[:4])]  # fmt: skip
    assert waits == [timedelta(minutes=1), timedelta(minutes=5.5), timedelta(minutes=10), timedelta(days=8)]

    for n in (4, 3):  # steps back, one by one
        page.keyboard.press("u")
        said(page, re.compile(f"^Taken back: .* for card {n}.$"))
        expect(page.locator("[data-which]")).to_contain_text(f"Card {n}, ")
        assert cards(page)[f"card-{n}"]["last_review"] is None
    for _ in range(8):
        page.keyboard.press("Space")
        expect(answer).to_be_focused()
        page.keyboard.press("4")
        expect(answer).to_be_hidden()
    expect(page.locator("[data-rest]")).to_contain_text("Done for now. The next card comes back in 1 min")
    expect(page.locator("[data-rest] .ask")).to_be_focused()
    assert page.locator(".forecast li .sr").all_text_contents()[0] == "Today: 2"
    assert page.locator(".forecast li .sr").nth(8).text_content().endswith(": 8")

    page.clock.install(time=datetime.now(UTC) + timedelta(minutes=2))
    page.reload()
    expect(page.get_by_text("1 of 10 cards is due.")).to_be_visible()
    page.clock.fast_forward("05:00")
    expect(page.get_by_text("2 of 10 cards are due.")).to_be_visible()


def test_order_and_words_of_what_comes_next(review):
    page = review()
    hold(page, card_1=entry(due=stamp(days=3)), card_2=entry(), card_9=entry(due=stamp(days=-3)),
         card_5=entry(due=stamp(days=4)))  # fmt: skip
    expect(page.locator("[data-count]")).to_have_text("2 of 4 cards are due.")
    expect(page.locator("[data-which]")).to_have_text("Card 9, 1 more due")
    rows = page.locator("[data-ahead] tbody tr")
    assert [a.get_attribute("href").split("#")[1] for a in rows.locator("a").all()] == [
        "card-9", "card-2", "card-1", "card-5"]  # fmt: skip
    assert rows.locator("td:last-child").all_text_contents()[:2] == ["due now", "due now"]
    grade(page, "Easy")
    grade(page, "Easy")
    expect(page.locator("[data-next]")).to_have_text(
        re.compile(r"^The next card comes back in 3 days: \w+ \d+ \w+, \d\d:\d\d\.$")
    )
    page.get_by_role("button", name="Review anyway").click()
    for n in (1, 5, 9, 2):
        expect(page.locator("[data-which]")).to_have_text(f"Card {n}")
        grade(page, "Good")
    expect(page.locator("[data-rest]")).to_be_visible()


def test_dates_are_those_of_the_reader(review):
    """In New York, clocks go forward on 8 March 2026; that day has 23 hours."""
    page = review(timezone_id="America/New_York")
    found = page.evaluate("""async () => {
        const script = document.querySelector('script[src*="review.js"]').src
        const {days, inWords, when} = await import(script.replace('review.js', 'dates.js'))
        const now = new Date('2026-03-08T04:00:00Z')
        const later = ms => new Date(now.getTime() + ms), minute = 60e3, day = 86400e3
        return {
            words: [0, 20e3, 90e3, 59 * minute, 60 * minute, 23.6 * 60 * minute, 8 * day, 90 * day, 1000 * day]
                .map(ms => inWords(now, later(ms))),
            whens: [minute, 2 * 60 * minute, 2 * day, 400 * day].map(ms => when(now, later(ms))),
            days: [59 * minute, 61 * minute, 24 * 60 * minute, 47.5 * 60 * minute].map(ms => days(now, later(ms))),
        } }""")
    assert found["words"] == [
        "now", "in 1 min", "in 2 min", "in 59 min", "in 1 hour", "in 1 day", "in 8 days", "in 3 months", "in 3 years",
    ]  # fmt: skip
    assert found["whens"] == ["today, 23:01", "tomorrow, 01:00", "Tue 10 Mar, 00:00", "12 Apr 2027"]
    assert found["days"] == [0, 1, 2, 2]


def test_two_tabs_do_not_grade_a_card_twice(review):
    page = review()
    hold(page, card_2=entry(), card_7=entry(due=stamp(minutes=-1)))
    other = page.context.new_page()
    other.goto(page.url)
    for tab in (page, other):
        expect(tab.locator("[data-which]")).to_have_text("Card 2, 1 more due")
    other.get_by_role("button", name="Show the answer").click()
    expect(other.get_by_role("button", name="Good in")).to_be_visible()
    grade(page, "Hard")
    said(other, "Card 2 was changed in another tab.")
    expect(other.locator("[data-which]")).to_have_text("Card 7")
    expect(other.locator(".ans")).to_be_hidden()
    once = cards(page)["card-2"]
    grade(other, "Easy")
    said(page, "Card 7 was changed in another tab.")
    assert cards(page)["card-2"] == once
    page.keyboard.press("u")  # each tab takes back what it did
    said(page, "Taken back: Hard for card 2.")
    expect(other.locator("[data-which]")).to_have_text("Card 2")
    # Even when the other tab heard nothing: under the lock, the card must be as it was shown.
    result = page.evaluate(
        """async entry => {
        const script = document.querySelector('script[src*="review.js"]').src
        const {Deck} = await import(script.replace('review.js', 'deck.js'))
        return new Deck().grade('card-2', {...entry, due: '2026-01-01T00:00:00.000Z'}, entry, 'late') }""",
        once,
    )
    assert result == []


def test_broken_storage_loses_no_good_card(review):
    page = review()
    store(page, "{no json")
    expect(page.get_by_text("Your deck is empty.")).to_be_visible()
    hold(page, card_1=entry(), card_2=entry(due="soon"), card_3="rubbish", card_4=entry(stability=-1))  # type: ignore[arg-type]
    expect(page.locator("[data-count]")).to_have_text("1 of 1 card is due.")
    assert stored(page, "deck.broken")["data"]["cards"]["card-3"] == "rubbish"
    grade(page, "Good")
    expect(page.locator("[data-rest]")).to_be_visible()
    assert list(cards(page)) == ["card-1"]


BAD = [
    entry(state=4), entry(step=1), entry(state=1), entry(stability=None), entry(stability=1e7), entry(difficulty=0),
    entry(due="soon"), entry(due="1999-01-01T00:00:00.000Z"), entry(last_review=None), entry(state=3, step=10),
    entry(state=2, stability=None, difficulty=None, last_review=None), entry(state=1, step=0.5),
]  # fmt: skip


def test_a_deck_travels_as_a_file(review, tmp_path: Path):
    page = review()
    hold(page, card_1=entry(), card_2=entry(last_review=stamp(days=-2)))
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the deck").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert re.fullmatch(r"attention-lab-deck-\d{4}-\d\d-\d\d\.json", path.name)
    kept = cards(page)

    page.get_by_role("button", name="Empty the deck").click()
    page.keyboard.press("Escape")
    assert cards(page) == kept
    page.get_by_role("button", name="Empty the deck").click()
    page.get_by_role("dialog").get_by_role("button", name="Empty the deck").click()
    said(page, "Your deck is empty.")
    assert cards(page) == {}
    page.get_by_role("button", name="Undo").click()
    assert cards(page) == kept
    store(page, json.dumps({"v": 1, "data": {"cards": {}}}))
    page.set_input_files("[data-file]", path)
    said(page, "Loaded 2 cards.")
    assert cards(page) == kept

    later = entry(last_review=stamp(days=-1), due=stamp(days=5))
    other = {"card-1": later, "card-2": entry(last_review=stamp(days=-3)), "card-6": entry()}
    wrong = {"card-11": entry(), "card-7": entry(due="soon")}
    path.write_text(json.dumps({"format": "attention-lab-deck", "version": 1, "cards": other | wrong}))
    page.set_input_files("[data-file]", path)
    said(page, "Loaded 2 cards; 1 card not, because here is no older review; refused: card-11 (the lesson has no such "
               "card), card-7 (due is no date).")  # fmt: skip
    assert cards(page) == {"card-1": later, "card-2": kept["card-2"], "card-6": entry()}
    page.keyboard.press("u")
    said(page, "Taken back: Imported.")
    assert cards(page) == kept

    for chunk in (BAD[:10], BAD[10:]):
        bad = dict(zip(IDS, chunk, strict=False))
        path.write_text(json.dumps({"format": "attention-lab-deck", "version": 1, "cards": bad}))
        page.set_input_files("[data-file]", path)
        more = f" and {len(chunk) - 3} more" if len(chunk) > 3 else ""
        said(page, re.compile(f"^Loaded 0 cards; refused: card-1 .*, card-2 .*{more}.$"))
    assert all("problem" in scheduler.hear(json.dumps({"cards": {"c": {"now": stamp(), "card": b}}})) for b in BAD)
    for text in ("no json", "[]", '{"cards": {}}'):
        path.write_text(text)
        page.set_input_files("[data-file]", path)
        said(page, "This file is no deck of Attention Lab; nothing was changed.")
    assert cards(page) == kept


def test_a_grade_without_a_server_gets_its_date_later(browser, server):
    """A page of its own: a browser that is cut off complains in the console."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(server + "/review")
    hold(page, card_4=entry(), card_8=entry(due=stamp(minutes=-1)))
    context.set_offline(True)
    for name in ("Good", "Again"):
        page.get_by_role("button", name="Show the answer").click()
        expect(page.locator("[data-grade=good] small")).to_have_text("date follows")
        page.get_by_role("button", name=name).click()
        said(page, re.compile(f"^{name} is noted for card [48].$"))
    waiting = page.locator("[data-waiting]")
    expect(waiting).to_have_text("No answer comes. 2 grades are kept here and will get their dates when one does.")
    expect(page.locator("[data-next]")).to_have_text("Your cards wait for their dates.")
    kept = cards(page)
    assert [kept[name]["pending"]["grade"] for name in ("card-4", "card-8")] == ["good", "again"]

    context.set_offline(False)
    page.reload()  # nothing hangs on the open page
    expect(waiting).to_be_hidden()
    for name, pending in ((n, c["pending"]) for n, c in kept.items()):
        asked = {"now": pending["at"], "card": entry(due=kept[name]["due"])}
        outcome = scheduler.hear(json.dumps({"cards": {name: asked}}))["cards"][name][pending["grade"]]
        assert cards(page)[name] == outcome
    context.close()


def test_a_grade_that_waited_can_be_taken_back(review):
    """Something answers, but it is not our server: as in the network of a hotel."""
    page = review()
    hold(page, card_4=entry())
    before = cards(page)
    page.route("**/review/schedule", lambda route: route.fulfill(body="<p>Please log in.</p>"))
    page.keyboard.press("Space")
    page.keyboard.press("2")
    said(page, "Hard is noted for card 4.")
    page.unroute("**/review/schedule")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("[data-waiting]")).to_be_hidden()
    assert "pending" not in cards(page)["card-4"]
    page.get_by_role("button", name="Undo").click()
    said(page, "Taken back: Hard for card 4.")
    assert cards(page) == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_sticks_out(review, scheme):
    page = review(width=320 if scheme == "dark" else 1280, color_scheme=scheme)

    def check() -> None:
        results = Axe().run(page)
        assert results.violations_count == 0, results.generate_report()

    def fits() -> None:
        for width in (1280, 768, 360, 320):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width

    if scheme == "dark":
        check()
        fits()
    page.get_by_role("button", name="Add all ten").click()
    for _ in range(3):
        grade(page, "Good")
    page.get_by_role("button", name="Show the answer").click()
    expect(page.locator("[data-grade=good] small")).to_have_text("in 10 min")
    check()
    fits()
    if scheme == "light":
        page.get_by_role("button", name="Empty the deck").click()
        check()

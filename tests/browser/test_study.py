"""Working through the lesson: predictions, checks, self-checks, progress, videos; kept in the browser only."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from .conftest import on_shelf

KEY = "attention-lab.study"


@pytest.fixture
def lesson(visit):
    return lambda path="/", **options: visit(path, wait=False, reduced_motion="reduce", **options)


def stored(page):
    return (on_shelf(page, "study") or {}).get("data")


def status(form):
    return form.get_by_role("status")


def test_prediction_is_kept_and_met_again_beside_the_truth(lesson):
    page = lesson()
    form, answer = page.locator("#prediction-1"), page.locator("#prediction-1-answer")
    expect(answer.get_by_text("A score has standard deviation 8")).to_be_hidden()
    expect(answer.get_by_text("You have not predicted yet.")).to_be_visible()
    form.get_by_role("button", name="Keep my prediction").click()
    expect(status(form)).to_have_text("Choose an answer first.")
    form.get_by_role("radio", name="The scores stay around 1").check()
    form.get_by_role("button", name="Keep my prediction").click()
    expect(status(form)).to_have_text("Say how sure you are.")
    form.get_by_role("radio", name="fairly sure").check()
    form.get_by_role("textbox").fill("<b>sums</b> of ones")
    form.get_by_role("button", name="Keep my prediction").click()
    expect(status(form)).to_contain_text("You can change it")
    form.get_by_role("radio", name="The scores are around 64").check()
    expect(status(form)).to_have_text("Changed, not kept yet.")
    form.get_by_role("button", name="Keep my prediction").click()
    expect(status(form)).to_contain_text("You can change it")
    page.reload()
    expect(form.get_by_role("radio", name="The scores are around 64")).to_be_checked()
    expect(form.get_by_role("textbox")).to_have_value("<b>sums</b> of ones")
    answer.scroll_into_view_if_needed()
    expect(answer.locator(".yours")).to_contain_text("The scores are around 64")
    expect(answer.locator(".yours")).to_contain_text("You were fairly sure. Your reason: “<b>sums</b> of ones”")
    expect(answer.locator(".truth")).to_contain_text("Not quite.")
    expect(answer.get_by_text("It does not remove the size of the scores")).to_be_visible()
    expect(answer.get_by_text("One product of two entries")).to_be_hidden()  # said to another choice
    expect(form.get_by_role("radio").first).to_be_disabled()
    expect(status(form)).to_contain_text("You have seen the answer")
    # the other question can be skipped, and stays skipped
    other = page.locator("#prediction-2-answer")
    other.get_by_role("button", name="Skip and show the answer").click()
    expect(other.get_by_text("The outputs are the same vectors")).to_be_visible()
    assert stored(page)["predictions"]["2"] == {"skipped": True}


def test_right_prediction_is_called_right(lesson):
    page = lesson()
    form, answer = page.locator("#prediction-2"), page.locator("#prediction-2-answer")
    form.get_by_role("radio", name="They are the same vectors").check()
    form.get_by_role("radio", name="sure", exact=True).check()
    form.get_by_role("button", name="Keep my prediction").click()
    expect(answer.locator(".judged")).to_have_text("You were right.")


def test_check_judges_on_the_button_only_and_remembers_the_first_answer(lesson):
    page = lesson()
    form = page.locator("#check-1")
    wrong = form.get_by_text("A score of 0 does not mean a weight of 0")
    form.get_by_role("button", name="Check").click()
    expect(status(form)).to_have_text("Choose an answer first.")
    form.get_by_role("radio").first.focus()
    page.keyboard.press("ArrowDown")
    expect(form.get_by_role("radio").nth(1)).to_be_checked()
    expect(form.locator(".why:visible")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(wrong).to_be_visible()
    expect(form.locator(".why:visible")).to_contain_text("Not yet.")
    expect(status(form)).to_contain_text("Not yet.")
    form.get_by_role("radio").first.check()
    form.get_by_role("button", name="Check").click()
    expect(form.locator(".why[data-right]")).to_contain_text("Right.")
    expect(status(form)).to_have_text("Right after 2 tries.")
    page.reload()
    expect(wrong).to_be_visible()
    expect(form.locator(".first:visible")).to_have_count(1)
    expect(
        form.locator(".option", has=page.get_by_text("A score of 0 does not mean a weight of 0")).locator(".first")
    ).to_be_visible()
    expect(form.get_by_role("radio").first).to_be_checked()
    expect(page.locator(".toc-foot")).to_contain_text("1 of 5 checks")


def test_progress_start_over_and_undo(lesson):
    page = lesson()
    contents = page.get_by_role("navigation", name="Contents")
    expect(contents.locator(".toc-foot")).to_be_hidden()
    page.locator("#self-4 summary").click()
    page.locator("#self-4").get_by_role("button", name="Not yet").click()
    expect(page.locator("#self-4").get_by_role("button", name="Not yet")).to_have_attribute("aria-pressed", "true")
    page.evaluate("document.querySelector('#predict-first').scrollIntoView()")
    page.evaluate("document.querySelector('#the-picture').scrollIntoView()")  # only jumped past
    page.wait_for_timeout(300)
    page.evaluate("document.querySelector('#why-it-matters ~ .end').scrollIntoView({block: 'center'})")
    expect(contents.get_by_role("link", name="Why it matters").get_by_role("img", name="read")).to_be_visible()
    foot = contents.locator(".toc-foot")
    expect(foot).to_contain_text("1 of 12 sections, 0 of 2 predictions, 0 of 5 checks, 1 of 6 self-checks")
    page.wait_for_timeout(700)
    before = stored(page)
    page.goto(page.url.split("#")[0])
    go_on = page.locator(".go-on")
    expect(go_on).to_have_text("Go on at: Why it matters")
    foot.get_by_role("button", name="Start over").click()
    expect(foot.get_by_role("button", name="Yes, forget")).to_be_focused()
    foot.get_by_role("button", name="Yes, forget").click()
    expect(contents.get_by_role("img", name="read")).to_have_count(0)
    foot.get_by_role("button", name="Undo").click()
    expect(contents.get_by_role("img", name="read")).to_have_count(1)
    assert stored(page) == before
    page.goto(page.url + "#masks")
    page.reload()
    expect(page.locator(".toc [aria-current]")).to_have_count(1)
    expect(go_on).to_have_count(0)  # the place in the address wins


def test_what_is_kept_is_mended_entry_by_entry_and_tabs_agree(lesson):
    page = lesson()
    data = {
        "predictions": {
            "1": {"choice": "gone", "sure": "sure", "words": ""},
            "2": {"choice": "moved", "sure": "guess", "words": ""},
        },
        "checks": {"1": ["gone", "fifths"], "2": ["gone"], "9": ["x"]},
        "selves": {"1": "had", "2": "perhaps"},
        "read": ["masks", 7],
        "place": "gone",
    }
    page.evaluate("([key, data]) => localStorage.setItem(key, JSON.stringify({v: 1, data}))", [KEY, data])
    page.reload()
    page.locator("#self-3 summary").click()
    page.locator("#self-3").get_by_role("button", name="I had it").click()
    expect(page.locator(".toc-foot")).to_contain_text("1 of 2 predictions, 1 of 5 checks, 2 of 6 self-checks")
    data = stored(page)
    assert (list(data["predictions"]), data["checks"], data["read"]) == (["2"], {"1": ["fifths"]}, ["masks"])
    other = page.context.new_page()
    other.goto(page.url)
    other.locator("#check-3").get_by_role("radio", name="8 and 1").check()
    other.locator("#check-3").get_by_role("button", name="Check").click()
    expect(page.locator("#check-3").get_by_text("The variance is its square.")).to_be_visible()


@pytest.mark.parametrize("width", [320, 1280])
def test_axe_finds_nothing_in_what_was_answered(lesson, width):
    page = lesson(width=width, color_scheme="dark" if width == 320 else "light")
    for n in (1, 2):
        page.locator(f"#check-{n} .option").first.get_by_role("radio").check()
        page.locator(f"#check-{n}").get_by_role("button", name="Check").click()
    page.locator("#prediction-1-answer [data-skip]").click()
    page.locator("#self-1 summary").click()
    page.locator("#prediction-2").get_by_role("radio").nth(1).check()
    page.locator("#prediction-2").get_by_role("radio", name="a guess").check()
    page.locator("#prediction-2").get_by_role("button").click()
    expect(page.locator("#prediction-2-answer .judged")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    page.get_by_role("button", name="Report a mistake").click()
    expect(page.get_by_role("dialog").get_by_role("textbox")).to_have_value(
        re.compile(rf"Section: .*\nLink: http.*\nWindow: {width} × ")
    )
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Report a mistake")).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.type("softmax")
    expect(page.get_by_role("option").first).to_be_visible()
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


def test_present_by_key_and_in_the_address(lesson):
    page = lesson("/?lookup.tau=0.5#masks")
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Present")).to_have_attribute("aria-pressed", "true")
    assert page.url.endswith("/?lookup.tau=0.5&present#masks")
    page.keyboard.press("Escape")
    assert page.url.endswith("/?lookup.tau=0.5#masks")
    page.locator("#prediction-1").get_by_role("textbox").press("p")  # letters belong to whoever types
    assert "present" not in page.url


@pytest.mark.parametrize("reachable", [True, False])
def test_video_is_asked_for_when_pressed_and_not_before(browser, server, reachable):
    context = browser.new_context()
    page = context.new_page()
    asked = []

    def elsewhere(route):
        asked.append(route.request.url)
        route.fulfill(body="<p>a player</p>", content_type="text/html") if reachable else route.abort()

    context.route(lambda url: not url.startswith(server), elsewhere)
    page.goto(server + "/")
    card = page.locator(".video").nth(2)
    card.scroll_into_view_if_needed()
    page.wait_for_load_state("networkidle")
    assert asked == []
    card.get_by_role("button", name="Play here").click()
    if reachable:
        expect(card.frame_locator("iframe").get_by_text("a player")).to_be_visible()
    else:
        expect(card.get_by_role("status")).to_contain_text("could not be loaded")
        expect(card.get_by_role("button", name="Play here")).to_be_visible()
    embed = "https://www.youtube-nocookie.com/embed/kCc8FmEb1nY?start=3720&autoplay=1"
    assert asked and set(asked) == {embed}
    expect(card.get_by_role("link")).to_have_attribute("href", "https://www.youtube.com/watch?v=kCc8FmEb1nY&t=3720s")
    context.close()

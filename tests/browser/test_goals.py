"""Goals in the browser: reached by keys, told once, kept, forgotten."""

from __future__ import annotations

import json

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from .conftest import on_shelf, settled

KEY = "attention-lab.goals"
ANOTHER = "q_x=-0.4&q_y=2.9"
REST = 1100  # ms, after which a figure is at rest


def goal(page: Page, name: str, slug: str = "lookup"):
    return page.locator(f'[data-figure={slug}] [data-goal="{name}"]')


def kept(page: Page) -> dict:
    return (on_shelf(page, KEY.split(".")[1]) or {"data": {}})["data"]


def open_list(page: Page):
    button = page.locator("#figure-lookup [data-do=goals]")
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    return button


def reach_another(page: Page) -> None:
    """Type a query that gives dog and fox the same weight."""
    for name, text in (("query, across", "-0.4"), ("query, up", "2.9")):
        page.locator("#figure-lookup").get_by_role("textbox", name=f"{name}, number").fill(text)
        page.keyboard.press("Enter")
    expect(page.locator("#figure-lookup")).to_have_attribute("data-query", ANOTHER)


def test_a_goal_reached_by_keys_is_told_at_rest_and_kept(visit):
    page = visit("/lookup", reduced_motion="reduce")
    page.wait_for_timeout(REST)
    assert kept(page) == {}, "who only looks has tried nothing"
    button, land = open_list(page), goal(page, "Land on dog")
    expect(button).to_have_text("0 of 3 goals")
    expect(land).to_contain_text("not reached yet")
    expect(land.locator("[data-now]")).to_have_text("does not count yet")
    expect(land.locator("[data-again]")).to_be_hidden()
    height = page.evaluate("document.querySelector('.fig').offsetHeight")
    page.evaluate("""() => { window.told = []; const said = document.querySelector('[data-said]')
        new MutationObserver(() => told.push(said.textContent)).observe(said, {childList: true}) }""")
    for slider, key, times in (("query, across", "ArrowLeft", 10), ("query, up", "ArrowRight", 4)):
        page.get_by_role("slider", name=slider).focus()
        for _ in range(times):
            page.keyboard.press(key)
        settled(page)
    expect(land.locator("[data-now]")).to_have_text("1.296 away")  # at once, long before the figure rests
    page.get_by_role("slider", name="temperature").focus()
    page.keyboard.press("Home")
    expect(land.locator("[data-state]")).to_have_text("reached")
    expect(button).to_have_text("1 of 3 goals")
    assert page.evaluate("told") == []
    expect(page.locator("[data-said]")).to_have_text("Goal reached: Land on dog.")
    assert page.evaluate("document.querySelector('.fig').offsetHeight") == height
    best = land.locator("[data-best]").text_content()
    page.keyboard.press("End")  # worse again, and no reason to tell anything
    expect(land.locator("[data-now]")).not_to_have_text(best)
    page.wait_for_timeout(REST)
    expect(land.locator("[data-best]")).to_have_text(best)
    assert [text for text in page.evaluate("told") if text] == ["Goal reached: Land on dog."]
    assert kept(page)["lookup"]["Land on dog"]["query"] == "q_x=0.3&q_y=0.9&tau=0.05"

    page.goto(page.url.split("?")[0])  # another day
    page.wait_for_selector('[data-ready="true"]')
    expect(page.locator("[data-do=goals]")).to_have_text("1 of 3 goals")
    open_list(page)
    expect(land.locator("[data-best]")).to_have_text(best)
    land.locator("[data-again]").press("Enter")
    expect(page.locator("#figure-lookup")).to_have_attribute("data-query", "q_x=0.3&q_y=0.9&tau=0.05")
    expect(land.locator("[data-now]")).to_have_text(best)
    page.get_by_role("button", name="Forget my attempts").press("Enter")
    expect(page.locator("[data-do=goals]")).to_have_text("0 of 3 goals")
    expect(land.locator("[data-best]")).to_have_text("–")
    assert kept(page) == {}


def test_a_broken_entry_costs_no_other_and_two_tabs_agree(visit):
    page = visit("/health", wait=False, color_scheme="dark")
    good = {"value": 0.1, "score": "0.100 away", "reached": True, "query": "tau=0.1"}
    data = {"lookup": {"Land on dog": good, "Dog and fox alike": {"value": "many"}, "Nearly all equal": 7},
            "matrix": "nothing", "heads": {"Two wrongs": good, "Renamed since": good}}  # fmt: skip
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, json.dumps({"v": 1, "data": data})])
    page.goto(page.url.replace("/health", "/lookup"))
    page.wait_for_selector('[data-ready="true"]')
    expect(page.locator("[data-do=goals]")).to_have_text("1 of 3 goals")
    expect(goal(page, "Land on dog").locator("[data-best]")).to_have_text("0.100 away")
    open_list(page)
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector('[data-ready="true"]')
    reach_another(other)
    expect(goal(page, "Dog and fox alike").locator("[data-state]")).to_have_text("reached")  # told by the other tab
    assert set(kept(page)["lookup"]) == {"Land on dog", "Dog and fox alike", "Nearly all equal"}
    assert set(kept(page)["heads"]) == {"Two wrongs", "Renamed since"}


def test_storage_that_is_forbidden_leaves_goals_for_the_visit(visit):
    page = visit("/health", wait=False)
    page.add_init_script("""Object.defineProperty(window, 'localStorage', {get() { throw new Error('forbidden') }})""")
    page.goto(page.url.replace("/health", "/lookup"))
    page.wait_for_selector('[data-ready="true"]')
    reach_another(page)
    expect(page.locator("[data-do=goals]")).to_have_text("1 of 3 goals")
    page.wait_for_timeout(REST)
    expect(page.locator("[data-do=goals]")).to_have_text("1 of 3 goals")


def test_in_the_lesson_an_attempt_is_shown_again_in_place(visit):
    page = visit("/", wait=False, reduced_motion="reduce")
    page.wait_for_selector('[data-figure=lookup][data-ready="true"]')
    reach_another(page)
    open_list(page)
    expect(goal(page, "Dog and fox alike").locator("[data-state]")).to_have_text("reached")
    page.locator("#figure-lookup [data-do=reset]").click()
    expect(page.locator("#figure-lookup")).to_have_attribute("data-query", "")
    goal(page, "Dog and fox alike").get_by_role("link", name="show again").click()
    expect(page.locator("#figure-lookup")).to_have_attribute("data-query", ANOTHER)
    assert page.evaluate("location.pathname") == "/"
    expect(page.locator("[data-do=goals]")).to_have_text([f"{n} of 3 goals" for n in (1, 0, 0, 0, 0)])

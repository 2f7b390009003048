"""The search of the lesson: opened by key and button, driven by keyboard, without a connection."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect


@pytest.fixture
def page(visit):
    return visit("/", wait=False, reduced_motion="reduce")


def test_search_opens_finds_leads_and_gives_the_focus_back(page):
    button, field = page.get_by_role("button", name="Search"), page.get_by_role("combobox")
    page.wait_for_function("[...document.fonts].every(font => font.status === 'loaded')")
    page.context.set_offline(True)  # the index came with the page
    button.click()
    expect(field).to_be_focused()
    page.keyboard.type("n")
    expect(page.locator("#search").get_by_role("option")).to_have_count(0)
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("at least two letters")
    page.keyboard.type("an")
    first = page.locator("#search").get_by_role("option").first
    expect(first).to_have_attribute("aria-selected", "true")
    assert field.get_attribute("aria-activedescendant") == first.get_attribute("id")
    expect(page.locator("mark").first).to_have_text("nan", ignore_case=True)
    page.keyboard.press("ArrowDown")
    expect(page.locator("#search").get_by_role("option").nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    # Ctrl-K opens, too; Enter unfolds what was found and takes the focus there
    page.keyboard.press("Control+k")
    field.fill("backward pass")
    page.keyboard.press("Enter")
    fold = page.locator("#more-backward-pass-all-five-gradients")
    expect(fold).to_have_attribute("open", "")
    expect(fold.locator("summary")).to_be_focused()
    expect(fold).to_be_in_viewport()
    assert page.url.endswith("#more-backward-pass-all-five-gradients")


def test_slash_is_a_letter_where_one_types(page):
    words = page.locator("#prediction-1").get_by_role("textbox")
    words.press("/")
    expect(words).to_have_value("/")
    expect(page.get_by_role("dialog")).to_have_count(0)
    words.blur()
    page.keyboard.press("/")
    expect(page.get_by_role("combobox")).to_be_focused()


@pytest.mark.parametrize(
    ("query", "first"),
    [("sqrt", "Why divide by sqrt(d_k)"), ("√", "Why divide by sqrt(d_k)"), ("figure 4", "Figure 4: Mask bugs"),
     ("equivariance theorem", None), ("division by 8 repairs", None)],
)  # fmt: skip
def test_best_result_comes_first(page, query, first):
    page.keyboard.press("/")
    page.get_by_role("combobox").fill(query)
    found = page.get_by_role("dialog").get_by_role("status")
    if first is None:
        expect(found).to_contain_text("Nothing found")
    else:
        expect(page.locator(".result-title").first).to_have_text(first)

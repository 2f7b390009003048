"""Figure 4 under the hand: knobs, cells, keys, presets, links, narrow screens."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from figures.masks import Masks

from .conftest import column, settled


def agrees(page: Page, **knobs) -> None:
    """Pictures, words and sums are exactly what Python says for these knobs."""
    settled(page)
    figure = Masks(**knobs)
    for source, columns in figure.columns(figure.result).items():
        for name, expected in columns.items():
            shown = column(page, f"masks.{source}", name)
            if expected and isinstance(expected[0], str):
                assert shown == expected, name
            else:
                shown = [float("nan") if x is None else x for x in shown]
                np.testing.assert_array_equal(shown, expected, err_msg=f"{source}.{name}")
    expect(page.locator("[data-description]")).to_have_text(figure.describe(figure.result))
    cells = json.loads(figure.parts(figure.result)["cells"])
    for plot, marks in cells["marks"].items():
        sums = page.locator(f'[data-grid="{plot}"] [data-sum]')
        assert sums.all_text_contents() == cells["sums"][plot]
        classes = sums.evaluate_all("cells => cells.map(cell => cell.classList.contains('broken'))")
        assert classes == marks
    page.wait_for_timeout(250)  # names of cells follow when the figure rests
    said = page.locator("[data-grid=weights] .cell").evaluate_all("cells => cells.map(cell => cell.ariaLabel)")
    assert said == [", ".join(line) for row in cells["lines"] for line in row]
    off = page.locator("fieldset:disabled").evaluate_all("all => all.map(one => one.dataset.hide)")
    assert sorted(off) == sorted(figure.idle())


def choose(page: Page, knob: str, value: str) -> None:
    page.locator(f'fieldset[data-hide="{knob}"] label:has(input[value="{value}"])').click()


def test_presets_put_everything_in_place(visit):
    page = visit("/masks")
    agrees(page)
    for name, knobs in Masks.presets.items():
        button = page.get_by_role("button", name=name, exact=False).first
        button.click()
        agrees(page, **knobs)
        expect(button).to_have_attribute("aria-pressed", "true")


def test_knobs_with_the_mouse_and_a_link(visit):
    page = visit("/masks")
    for knob, value in (
        ("side", "left"),
        ("padded", "3"),
        ("blocked", "-1e9"),
        ("how", "add"),
        ("precision", "float32"),
    ):
        choose(page, knob, value)
    knobs = {"side": "left", "padded": 3, "blocked": "-1e9", "how": "add", "precision": "float32"}
    agrees(page, **knobs)
    page.wait_for_url(re.compile(r"\?side=left&padded=3&blocked=-1e9&how=add&precision=float32$"))
    agrees(visit(page.url[page.url.index("/masks") :]), **knobs)


def test_knobs_that_play_no_part_are_off_and_say_why(visit):
    page = visit("/masks?mask=causal")
    expect(page.get_by_text("This mask knows no padding.")).to_be_visible()
    expect(page.get_by_role("radio", name="left")).to_be_disabled()
    choose(page, "where", "after")
    expect(page.get_by_text("After the softmax a mask just multiplies by 0.")).to_be_visible()
    agrees(page, mask="causal", where="after")
    choose(page, "mask", "both")
    agrees(page, where="after")
    expect(page.get_by_text("This mask knows no padding.")).to_have_count(0)


def test_keys_alone_are_enough(visit):
    page = visit("/masks")
    page.get_by_role("radio", name="causal + padding").focus()
    page.keyboard.press("ArrowLeft")
    agrees(page, mask="padding")
    page.keyboard.press("ArrowLeft")
    agrees(page, mask="causal")
    for _ in range(30):  # Tab walks past the knobs that are off
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.knob") == "reads":
            break
    page.keyboard.press("ArrowRight")
    agrees(page, mask="causal", reads="hidden")
    page.locator("[data-grid=weights] [tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    agrees(page, mask="causal", reads="hidden", row=2)
    page.keyboard.press("End")
    expect(page.locator("[data-cell-line]")).to_contain_text("saw may not read from cat, but the code lets it")
    expect(page.locator(".leak .picked th")).to_have_text("2 saw")


def test_a_cell_says_what_it_holds(visit):
    page = visit("/masks?side=left")
    page.locator("[data-grid=logits] [data-row='0'] [data-column='3']").hover()
    expect(page.locator("[data-cell-line]")).to_contain_text("row 1, column 4 pad may not read from saw")
    expect(page.locator("[data-cell-line]")).to_contain_text("weight NaN")


@pytest.mark.parametrize("width", [320, 360, 768, 1024, 1280])
def test_no_width_scrolls_sideways_or_cuts_words(visit, width):
    page = visit("/masks?side=left&blocked=min&how=add", width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    cut = page.evaluate(
        """[...document.querySelectorAll('.choice legend, .choice span, .leak td, .leak th, .sum, .over, .beside')]
        .filter(el => el.scrollWidth > el.clientWidth + 1 && el.clientWidth).map(el => el.textContent.trim())"""
    )
    assert cut == []


def test_touch_picks_a_row_and_a_knob(visit):
    page = visit("/masks", width=360, has_touch=True)
    page.locator("[data-grid=mask] [data-row='2'] [data-column='1']").tap()
    agrees(page, row=3)
    page.locator('fieldset[data-hide="axis"] label:has(input[value="columns"])').tap()
    agrees(page, row=3, axis="columns")
    expect(page.locator(".v-name")).to_have_text("Softmax over columns")

"""Figure 3 under the hand: the head size with mouse, keys and typing, new draws, the choices, links to states."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from figures.scaling import Scaling
from figures.scaling_draws import SIZES

from .conftest import column, settled


def agrees(page: Page, **knobs) -> None:
    """Picture, sentence and numbers are exactly what Python says for these knobs."""
    settled(page)
    figure = Scaling(**knobs)
    for source, columns in figure.columns(figure.result).items():
        for name, expected in columns.items():
            shown = column(page, f"scaling.{source}", name)
            if expected and isinstance(expected[0], str):
                assert shown == expected, name
            else:
                np.testing.assert_array_equal(shown, expected, err_msg=f"{source}.{name}")
    expect(page.locator("[data-description]")).to_have_text(figure.describe(figure.result))
    table = page.locator("[data-part=numbers] table")
    assert table.locator("tbody tr").count() == 6
    assert table.locator("thead th").count() == 1 + len(figure.result.shown)


def test_first_sight(visit):
    agrees(visit("/scaling"))


def test_mouse_drags_the_head_size_through_the_powers(visit):
    page = visit("/scaling")
    slider = page.get_by_role("slider", name="head size")
    box = slider.bounding_box()
    y, left, right = box["y"] + box["height"] / 2, box["x"] + 10, box["x"] + box["width"] - 10
    page.mouse.move(left + (right - left) * 0.6, y)
    page.mouse.down()
    page.mouse.move(left + (right - left) * 0.75, y, steps=4)
    page.mouse.move(left + (right - left) * 0.9, y, steps=4)
    agrees(page, d_k=512)  # in the middle of the drag
    page.mouse.move(right + 30, y, steps=4)
    page.mouse.up()
    agrees(page, d_k=1024)
    expect(slider).to_have_attribute("aria-valuetext", "1024")
    expect(page.get_by_role("textbox", name="head size, number")).to_have_value("1024")
    page.wait_for_url(re.compile(r"\?d_k=1024$"))


def test_keys_and_typing_set_the_head_size(visit):
    page = visit("/scaling")
    slider = page.get_by_role("slider", name="head size")
    slider.focus()
    page.keyboard.press("ArrowRight")
    agrees(page, d_k=128)
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("ArrowLeft")
    agrees(page, d_k=32)
    page.keyboard.press("Home")
    agrees(page, d_k=1)
    page.keyboard.press("End")
    agrees(page, d_k=1024)
    field = page.get_by_role("textbox", name="head size, number")
    field.fill("65")
    field.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("d_k: expected one of 1, 2, 4")
    agrees(page, d_k=1024)
    field.fill("16")
    field.press("Enter")
    agrees(page, d_k=16)
    expect(page.get_by_role("alert")).to_be_hidden()
    expect(field).to_have_value("16")
    expect(slider).to_have_value(str(SIZES.index(16)))


def test_new_draws_at_the_pace_of_the_hand(visit):
    page = visit("/scaling?keys=128")
    button = page.get_by_role("button", name="New draw")
    for _ in range(8):
        button.click()
    agrees(page, keys="128", seed=8)
    page.get_by_role("button", name="First draw").click()
    agrees(page, keys="128")
    expect(button).to_be_focused()


def test_choices_and_switch(visit):
    page = visit("/scaling")
    page.get_by_role("group", name="Scaling").get_by_role("radio", name="none").check()
    agrees(page, scaling="none")
    page.get_by_role("radio", name="none").press("ArrowRight")
    agrees(page, scaling="sqrt")
    page.get_by_role("group", name="Axis").get_by_role("radio", name="log").check()
    page.get_by_role("switch", name="Gradient at the query").press("Space")
    agrees(page, scaling="sqrt", axis="log", gradient=True)
    page.get_by_role("group", name="Keys").get_by_role("radio", name="128").check()
    agrees(page, scaling="sqrt", axis="log", gradient=True, keys="128")
    page.get_by_role("button", name="Reset").click()
    agrees(page)


def test_likeness_slider_moves_all_curves(visit):
    page = visit("/scaling")
    page.get_by_role("slider", name="likeness of the first key").press("End")
    agrees(page, rho=1.0)
    expect(page.get_by_role("button", name="Key equals query")).to_have_attribute("aria-pressed", "true")


def test_link_to_a_state_and_to_a_bad_one(visit):
    page = visit("/scaling?scaling=none&d_k=1024&axis=log&sigma=2&seed=3")
    agrees(page, scaling="none", d_k=1024, axis="log", sigma=2.0, seed=3)
    page = visit("/scaling?d_k=100&rho=0.5")
    agrees(page, rho=0.5)
    expect(page.get_by_role("alert")).to_contain_text("d_k: expected one of 1, 2, 4")


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_fits_its_width(visit, width):
    page = visit("/scaling?axis=log&rho=1&sigma=4", width=width)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for button in page.locator(".choice label > span").all():
        box = button.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["height"] < 60


def test_swipe_scrolls_and_tap_sets_on_touch(visit):
    page = visit("/scaling", width=360, has_touch=True)
    assert page.get_by_role("slider", name="head size").evaluate("el => getComputedStyle(el).touchAction") == "pan-y"
    page.get_by_role("button", name="Collapse").tap()
    agrees(page, scaling="none", d_k=1024, axis="log")

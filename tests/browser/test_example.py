"""The worked example under the hand: typing, arrow keys, pulling, the mask, reset, links, refusals."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from figures.example import START, Example

from .conftest import settled


def entry(page: Page, row: int, column: int) -> Locator:
    return page.get_by_role("textbox", name=f"entry of X, row {row}, column {column}")


def agrees(page: Page, **knobs) -> None:
    """Every line, the sentence and the fields are exactly what Python says for these knobs."""
    settled(page)
    figure = Example(**knobs)
    said = page.evaluate(
        """parts => Object.entries(parts).map(([name, html]) => {
        const wanted = Object.assign(document.createElement("div"), {innerHTML: html})
        const shown = document.querySelector(`[data-part=${name}]`)
        const hatched = el => [...el.querySelectorAll("td")].map(cell => cell.className)
        return [name, shown.textContent.trim(), hatched(shown), wanted.textContent, hatched(wanted)] })""",
        figure.parts(figure.result),
    )
    for name, text, hatched, wanted, veiled in said:
        assert (text, hatched) == (wanted, veiled), name
    expect(page.locator("[data-description]")).to_have_text(figure.describe(figure.result))
    fields = page.locator(".entries input").evaluate_all("all => all.map(el => el.value.replace('−', '-'))")
    assert [float(text) for text in fields] == [pytest.approx(x, abs=5e-4) for point in figure.X for x in point]
    assert page.get_by_role("switch", name="Causal mask").is_checked() == figure.causal
    expect(page.get_by_role("group", name="Row written out").get_by_label(str(figure.row))).to_be_checked()


def changed(row: int, column: int, value: float) -> tuple:
    """The start with one entry changed."""
    return tuple(
        tuple(value if (i, j) == (row - 1, column - 1) else x for j, x in enumerate(point))
        for i, point in enumerate(START)
    )


def test_typed_number_moves_every_line_and_reset_returns(visit):
    page = visit("/example")
    agrees(page)
    entry(page, 3, 1).fill(" −1,25 ")
    entry(page, 3, 1).press("Enter")
    agrees(page, X=changed(3, 1, -1.25))
    expect(entry(page, 3, 1)).to_have_value("−1.25")
    page.wait_for_url(re.compile(r"\?X=1,0;0,1;-1\.25,1$"))
    page.get_by_role("switch", name="Causal mask").press("Space")
    page.get_by_role("group", name="Row written out").get_by_label("2").check()
    agrees(page, X=changed(3, 1, -1.25), causal=True, row=2)
    page.get_by_role("button", name="Reset").click()
    agrees(page)
    page.wait_for_url(re.compile(r"/example$"))


def test_arrow_keys_step_and_stop_at_the_bounds(visit):
    page = visit("/example?X=1,0;0,1;3.95,1")
    field = entry(page, 1, 2)
    field.focus()
    field.press("ArrowUp")
    agrees(page, X=((1.0, 0.1), (0.0, 1.0), (3.95, 1.0)))
    for _ in range(3):
        field.press("Shift+ArrowDown")
    agrees(page, X=((1.0, 0.07), (0.0, 1.0), (3.95, 1.0)))
    expect(field).to_be_focused()
    field.fill("0.5")  # what is typed already counts
    field.press("ArrowDown")
    agrees(page, X=((1.0, 0.4), (0.0, 1.0), (3.95, 1.0)))
    entry(page, 3, 1).press("ArrowUp")
    agrees(page, X=((1.0, 0.4), (0.0, 1.0), (4.0, 1.0)))
    entry(page, 3, 1).press("Tab")
    expect(entry(page, 3, 2)).to_be_focused()


def test_a_number_can_be_pulled_and_a_click_still_selects_it(visit):
    page = visit("/example")
    box = entry(page, 2, 1).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=6)
    agrees(page, X=changed(2, 1, 1.0))  # the button is still down
    page.mouse.move(x - 30, y, steps=6)
    page.mouse.up()
    page.mouse.move(x, y)  # and now it is up
    agrees(page, X=changed(2, 1, -0.5))
    expect(entry(page, 2, 1)).not_to_be_focused()
    page.mouse.click(x, y)
    expect(entry(page, 2, 1)).to_be_focused()
    assert page.evaluate("getSelection().toString()") == "−0.5"


def test_link_gives_the_state_and_a_refusal_keeps_it(visit):
    page = visit("/example?causal=1&row=2&X=0.5,0;0,1;2,-2")
    state = {"X": ((0.5, 0.0), (0.0, 1.0), (2.0, -2.0)), "causal": True, "row": 2}
    agrees(page, **state)
    problem = page.locator("[data-problem]")
    for typed, got in (("4.5", "0.5,4.5;0,1;2,-2"), ("one", "0.5,one;0,1;2,-2")):
        entry(page, 1, 2).fill(typed)
        entry(page, 1, 2).press("Enter")
        expect(problem).to_have_text(f"X: expected 3 pairs of numbers from −4 to 4, such as '1,0;0,1;1,1', got '{got}'")
        expect(entry(page, 1, 2)).to_have_attribute("aria-invalid", "true")
        expect(entry(page, 1, 1)).not_to_have_attribute("aria-invalid", "true")
        assert "0.500" in page.locator("[data-part=output]").inner_text()
    entry(page, 1, 2).press("Escape")
    expect(problem).to_be_hidden()
    agrees(page, **state)
    other = visit("/example?X=1,2,3&row=3")
    agrees(other, row=3)
    expect(other.locator("[data-problem]")).to_contain_text("That value of the address was left out.")


def test_saved_picture_and_numbers_hold_the_working(visit):
    page = visit("/example?causal=true")
    saved = {}
    for item in ("Picture (SVG)", "Numbers (CSV)"):
        page.get_by_role("button", name="Save").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=item).click()
        saved[item] = Path(download.value.path()).read_text()
    for piece in ("8.169", "0.503", "Gradient", "M5 0H0V100H5", "M-28 28l28-28"):
        assert piece in saved["Picture (SVG)"]
    header, *rows = csv.reader(io.StringIO(saved["Numbers (CSV)"]))
    result = Example(causal=True).result
    assert [float(row[header.index("weight")]) for row in rows] == result.weights.ravel().tolist()


def test_touch_targets_and_numbers_fit_on_a_phone(visit):
    """The widest numbers there are."""
    page = visit("/example?X=-3.25,-3.125;1,0.333;-4,-4&row=3", width=320, height=640, has_touch=True, is_mobile=True)
    assert entry(page, 1, 1).bounding_box()["height"] >= 36
    assert page.get_by_role("table", name="X, one row a token").get_by_role("row").first.bounding_box()["height"] >= 44
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    edge = page.locator(".fig").bounding_box()
    for table in page.locator(".mat").all():
        box = table.bounding_box()
        assert box["x"] + box["width"] <= edge["x"] + edge["width"] + 1
    for field in page.locator(".entries input").all():
        assert field.evaluate("el => el.scrollWidth <= el.clientWidth")

"""Figure 5 under the hand: steps by picture, slider and keys, one number followed, cells that travel, saving."""

from __future__ import annotations

import csv
import io
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from figures.heads import Heads
from figures.pieces import line, place

from .conftest import settled


def piece(page: Page, number: int) -> Locator:
    return page.locator(".piece").nth(number)


def agrees(page: Page, **knobs) -> None:
    """Sentence, cells, captions, memory and small pictures are exactly what Python says for these knobs."""
    settled(page)
    figure = Heads(**knobs)
    expect(page.locator("[data-description]")).to_have_text(figure.describe(figure.result).replace("'", ""))
    x, y = place(figure.step, figure.result)
    shown = page.locator(".piece").evaluate_all(
        "all => all.map(el => [+el.style.getPropertyValue('--x'), +el.style.getPropertyValue('--y')])"
    )
    assert shown == [[pytest.approx(a), pytest.approx(b)] for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    for name in ("stage", "array", "memory", "steps"):
        wanted = page.evaluate(
            "html => Object.assign(document.createElement('div'), {innerHTML: html}).textContent",
            figure.parts(figure.result)[name],
        )
        assert page.locator(f"[data-part={name}]").text_content().strip() == wanted.strip(), name
    expect(page.locator(f'[data-step="{figure.step}"]')).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".stop[aria-pressed=true]")).to_have_count(1)


def follows(page: Page, number: int, **knobs) -> None:
    """This number is marked in the picture, in memory and in all small pictures, and the line tells of it."""
    result = Heads(**knobs).result
    expect(page.locator("[data-trail]")).to_have_text(" ".join(line(result, number)))
    assert page.evaluate("[...document.querySelectorAll('.piece')].findIndex(el => el.matches('.at'))") == number
    assert page.evaluate("[...document.querySelectorAll('.tile')].findIndex(el => el.matches('.at'))") == number
    expect(page.locator(".at")).to_have_count(2)
    expect(piece(page, number)).to_have_attribute("aria-selected", "true")
    marks = page.locator(".here").evaluate_all("all => all.map(el => [+el.getAttribute('x'), +el.getAttribute('y')])")
    for step, (x, y) in enumerate(marks):
        xs, ys = place(step, result)
        assert (x, y) == (pytest.approx(xs[number], abs=0.006), pytest.approx(ys[number], abs=0.006))


def test_steps_by_picture_slider_and_keys(visit):
    page = visit("/heads")
    agrees(page)
    page.locator('[data-step="2"]').click()
    agrees(page, step=2)
    slider = page.get_by_role("slider", name="Step")
    slider.focus()
    page.keyboard.press("ArrowRight")
    agrees(page, step=3)
    expect(slider).to_have_attribute("aria-valuetext", "3, Blocks")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    agrees(page, step=4)
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 10, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.27, box["y"] + box["height"] / 2, steps=8)
    agrees(page, step=1)  # the button is still down
    page.mouse.up()


def test_ways_and_sizes(visit):
    page = visit("/heads?step=2")
    page.get_by_label("reshape directly (bug)").first.check()
    agrees(page, step=2, method="reshape")
    heads = page.get_by_role("group", name="H, heads")
    expect(heads.get_by_label("3", exact=True)).to_be_disabled()
    page.get_by_role("group", name="D, features").get_by_label("12").check()
    agrees(page, step=2, method="reshape", D=12)
    expect(heads.get_by_label("3", exact=True)).to_be_enabled()
    heads.get_by_label("6").focus()
    heads.get_by_label("6").check()
    agrees(page, step=2, method="reshape", D=12, H=6)
    page.get_by_role("group", name="D, features").get_by_label("9").check()
    agrees(page, step=2, method="reshape", D=9, H=3)  # 6 heads do not fit 9 features
    expect(heads.get_by_label("3", exact=True)).to_be_checked()
    page.get_by_role("group", name="B, sequences").get_by_label("2").check()
    agrees(page, step=2, method="reshape", D=9, H=3, batch=2)


@pytest.mark.parametrize("name", Heads.presets)
def test_presets(visit, name):
    page = visit("/heads?T=2&D=6&H=3")
    page.get_by_role("button", name=name.capitalize(), exact=True).click()
    agrees(page, **Heads.presets[name])


def test_deep_link_and_a_refused_number_of_heads(visit):
    agrees(visit("/heads?step=4&method=reshape&merge=reshape&H=6&T=6&D=12&batch=2"),
           step=4, method="reshape", merge="reshape", H=6, T=6, D=12, batch=2)  # fmt: skip
    page = visit("/heads?H=3&step=3")
    expect(page.locator("[data-problem]")).to_contain_text("H: expected a divisor of D = 8 (1 or 2 or 4), got '3'")
    agrees(page, step=3)


def test_a_number_is_followed_by_mouse(visit):
    page = visit("/heads?method=reshape")
    follows(page, 12, method="reshape")
    piece(page, 21).hover()
    follows(page, 21, method="reshape")
    page.locator("[data-description]").hover()
    follows(page, 12, method="reshape")
    piece(page, 21).click()
    page.locator('[data-step="2"]').click()
    agrees(page, step=2, method="reshape")
    page.locator("[data-description]").hover()
    follows(page, 21, step=2, method="reshape")


def test_a_number_is_followed_by_keys(visit):
    page = visit("/heads?step=2")
    assert page.locator(".piece[tabindex='0']").count() == 1
    piece(page, 12).focus()
    page.keyboard.press("ArrowRight")
    expect(piece(page, 13)).to_be_focused()
    follows(page, 13, step=2)
    page.keyboard.press("ArrowUp")
    expect(piece(page, 5)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(piece(page, 25)).to_be_focused()  # block A lies above block B here
    page.keyboard.press("Home")
    expect(piece(page, 24)).to_be_focused()
    page.keyboard.press("End")
    follows(page, 27, step=2)
    ring = piece(page, 27).evaluate(
        "el => [getComputedStyle(el).outlineStyle, parseFloat(getComputedStyle(el).outlineWidth)]"
    )
    assert ring[0] == "solid" and ring[1] >= 2
    page.get_by_role("slider", name="Step").focus()
    page.keyboard.press("ArrowRight")
    agrees(page, step=3)
    follows(page, 27, step=3)


def test_tap_and_swipe(visit):
    page = visit("/heads", width=360, height=640, has_touch=True, is_mobile=True)
    piece(page, 10).scroll_into_view_if_needed()
    piece(page, 10).tap()
    follows(page, 10)
    box, start = piece(page, 10).bounding_box(), page.evaluate("scrollY")
    client = page.context.new_cdp_session(page)
    for step in range(14):
        point = {"x": box["x"] + 8, "y": box["y"] + 8 - 15 * step}
        client.send("Input.dispatchTouchEvent", {"type": "touchMove" if step else "touchStart", "touchPoints": [point]})
        page.wait_for_timeout(16)
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(300)
    assert page.evaluate("scrollY") > start + 60
    follows(page, 10)


def journey(page: Page) -> list[float]:
    """How far down a cell is, frame by frame, while it goes to its place in step 2."""
    return page.evaluate("""async () => {
        const cell = document.querySelectorAll('.piece')[12], seen = []
        document.querySelector('[data-step="2"]').click()
        const end = performance.now() + 900
        while (performance.now() < end) {
            await new Promise(requestAnimationFrame)
            seen.push(cell.getBoundingClientRect().top + scrollY)
        }
        return seen
    }""")


def test_cells_travel_unless_motion_is_reduced(visit):
    assert len({round(y) for y in journey(visit("/heads"))}) > 4
    assert len({round(y) for y in journey(visit("/heads", reduced_motion="reduce"))}) <= 2


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_nothing_moves_below_and_nothing_sticks_out(visit, width):
    page = visit("/heads", width=width)
    tops = set()
    for name in ("Right", "Wrong reshape", "Wrong merge"):
        page.get_by_role("button", name=name, exact=True).click()
        for step in range(5):
            page.locator(f'[data-step="{step}"]').click()
            settled(page)
            tops.add(page.evaluate("document.querySelector('.actions').getBoundingClientRect().top + scrollY"))
    assert len(tops) == 1
    page = visit("/heads?step=2&T=6&D=12&H=3&batch=2", width=width)
    page.wait_for_timeout(500)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    right = page.locator(".stage").evaluate("el => el.getBoundingClientRect().right")
    assert (
        page.locator(".piece").evaluate_all("all => Math.max(...all.map(el => el.getBoundingClientRect().right))")
        <= right + 1
    )


@pytest.mark.parametrize("width", [320, 1280])
def test_text_stays_in_its_cell(visit, width):
    page = visit("/heads?step=4&T=6&D=12&H=6", width=width)
    over = page.locator(".piece, .tile").evaluate_all(
        "all => all.map(el => { const r = document.createRange(); r.selectNodeContents(el);"
        " return r.getBoundingClientRect().width - el.getBoundingClientRect().width })"
    )
    assert max(over) <= 0.5


def test_saved_numbers_and_picture(visit):
    page = visit("/heads?step=2&method=reshape")

    def saved(item: str) -> bytes:
        page.get_by_role("button", name="Save").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=item).click()
        return download.value.path().read_bytes()

    rows = list(csv.DictReader(io.StringIO(saved("Numbers (CSV)").decode())))
    assert rows[12]["step 2 place"] == "block A row 4 column 1"
    svg = saved("SVG").decode()
    assert svg.count(">cat<") + svg.count(">c<") >= 8 and svg.count(">5B<") == 4
    assert len(re.findall(r'fill="none" stroke=', svg)) >= 32
    assert saved("PNG").startswith(b"\x89PNG")

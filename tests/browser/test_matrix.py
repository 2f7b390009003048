"""Figure 2 under the hand: cells with mouse, finger and keys, the slider, the mask, shuffling, themes."""

from __future__ import annotations

import csv
import io
import json
import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from figures.matrix import SCORES, WEIGHTS, Matrix
from figures.ramp import palette
from figures.sentence import TOKENS
from figures.theme import DARK, LIGHT

from .conftest import column, settled


def cell(page: Page, grid: str, row: int, col: int) -> Locator:
    """A cell by its numbers as the reader counts them, from 1."""
    return page.locator(f'[data-grid="{grid}"] [data-row="{row - 1}"] [data-column="{col - 1}"]')


def lines(**knobs) -> list[list[list[str]]]:
    figure = Matrix(**knobs)
    return json.loads(figure.parts(figure.result)["cells"])["lines"]


def says(page: Page, row: int, col: int, **knobs) -> None:
    """The line under the figure speaks of this cell."""
    shown = " ".join(lines(**knobs)[row - 1][col - 1])
    expect(page.locator("[data-cell-line]")).to_have_text(re.sub(r"_(\d)", r"\1", shown))


def agrees(page: Page, **knobs) -> None:
    """Picture, sentence, sum and names of cells are exactly what Python says for these knobs."""
    settled(page)
    figure = Matrix(**knobs)
    for source, columns in figure.columns(figure.result).items():
        for name, expected in columns.items():
            shown = column(page, f"matrix.{source}", name)
            if expected and isinstance(expected[0], str):
                assert shown == expected, name
            else:
                shown = [float("nan") if x is None else x for x in shown]
                np.testing.assert_array_equal(shown, expected, err_msg=f"{source}.{name}")
    said = re.sub("'([a-z]+)'", r"\1", figure.describe(figure.result))
    expect(page.locator("[data-description]")).to_have_text(said)
    result = figure.parts(figure.result)
    assert page.locator("[data-part=sum]").inner_html() == result["sum"].replace("&#8239;", "\u202f")
    names = page.locator("[data-grid] .beside [data-token]").all_text_contents()
    assert names == [*figure.result.tokens] * 2
    page.wait_for_timeout(250)  # names of cells follow when the figure rests
    said = page.locator("[data-grid] .cell").evaluate_all("cells => cells.map(cell => cell.ariaLabel)")
    assert said == [", ".join(line).replace("_", " ") for row in lines(**knobs) for line in row] * 2
    picked = page.locator('[data-grid="scores"] .picked')
    expect(picked).to_have_attribute("data-row", str(figure.row - 1))


def test_hover_says_what_a_cell_holds(visit):
    page = visit("/matrix")
    says(page, 4, 2)
    cell(page, "scores", 3, 5).hover()
    says(page, 3, 5)
    cell(page, "weights", 6, 1).hover()
    says(page, 6, 1)
    for grid in ("scores", "weights"):
        expect(cell(page, grid, 6, 1)).to_have_class(re.compile(r"\bat\b"))
    agrees(page)  # looking changes nothing
    page.locator("[data-description]").hover()
    says(page, 4, 2)


def test_line_of_a_hovered_cell_follows_the_slider(visit):
    page = visit("/matrix")
    cell(page, "scores", 3, 5).click()
    page.get_by_role("slider", name="sharpness").focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    says(page, 3, 5, beta=1.1)


def test_click_picks_a_row(visit):
    page = visit("/matrix")
    cell(page, "weights", 5, 3).click()
    agrees(page, row=5)
    says(page, 5, 3)
    page.locator('[data-grid="scores"] [data-row="1"] [role=rowheader]').click()
    agrees(page, row=2)
    page.wait_for_url(re.compile(r"\?row=2$"))


def test_frame_stands_round_the_picked_row(visit):
    page = visit("/matrix?row=3")
    for grid in ("scores", "weights"):
        frame = page.locator(f'[data-grid="{grid}"] .picked-frame').bounding_box()
        first, last = cell(page, grid, 3, 1).bounding_box(), cell(page, grid, 3, 6).bounding_box()
        assert frame["x"] == pytest.approx(first["x"], abs=1)
        assert frame["y"] == pytest.approx(first["y"], abs=1)
        assert frame["x"] + frame["width"] == pytest.approx(last["x"] + last["width"], abs=1)
        assert frame["height"] == pytest.approx(last["height"], abs=1)
        canvas = page.locator(f'[data-plot="{grid}"]').bounding_box()
        assert canvas["x"] == pytest.approx(first["x"], abs=1)
        assert canvas["x"] + canvas["width"] == pytest.approx(last["x"] + last["width"], abs=1)
        assert canvas["y"] == pytest.approx(cell(page, grid, 1, 1).bounding_box()["y"], abs=1)
        foot = cell(page, grid, 6, 6).bounding_box()
        assert canvas["y"] + canvas["height"] == pytest.approx(foot["y"] + foot["height"], abs=1)


def test_keys_move_cell_and_row(visit):
    page = visit("/matrix")
    assert page.locator("[data-grid] [tabindex='0']").count() == 2  # one tab stop a grid
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('[data-grid]')?.dataset.grid") == "scores":
            break
    expect(cell(page, "scores", 4, 2)).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(cell(page, "scores", 4, 3)).to_be_focused()
    says(page, 4, 3)
    page.keyboard.press("ArrowUp")
    expect(cell(page, "scores", 3, 3)).to_be_focused()
    agrees(page, row=3)
    expect(cell(page, "scores", 3, 3)).to_be_focused()  # the answer of the server left the focus alone
    walk = {
        "Home": (3, 1),
        "ArrowLeft": (3, 1),
        "End": (3, 6),
        "PageDown": (6, 6),
        "ArrowDown": (6, 6),
        "PageUp": (1, 6),
    }
    for key, at in walk.items():
        page.keyboard.press(key)
        expect(cell(page, "scores", *at)).to_be_focused()
    agrees(page, row=1)
    page.keyboard.press("Tab")
    expect(page.get_by_role("textbox", name="sharpness, number")).to_be_focused()


def test_a_held_key_ends_where_it_points(visit):
    page = visit("/matrix?row=1")
    cell(page, "weights", 1, 1).focus()
    for _ in range(5):
        page.keyboard.press("ArrowDown")
    agrees(page, row=6)


def test_focused_cell_has_a_ring(visit):
    page = visit("/matrix")
    cell(page, "scores", 4, 2).focus()
    page.keyboard.press("ArrowRight")
    ring = cell(page, "scores", 4, 3).evaluate(
        "el => [getComputedStyle(el).outlineStyle, getComputedStyle(el).outlineWidth]"
    )
    assert ring[0] == "solid"
    assert float(ring[1].removesuffix("px")) >= 2


def test_tap(visit):
    page = visit("/matrix", width=360, height=640, has_touch=True, is_mobile=True)
    target = cell(page, "weights", 2, 3)
    target.scroll_into_view_if_needed()
    target.tap()
    agrees(page, row=2)
    says(page, 2, 3)
    box = cell(page, "scores", 1, 1).bounding_box()
    assert box["width"] >= 36
    assert box["height"] >= 40


def test_a_swipe_on_the_cells_scrolls_the_page(visit):
    page = visit("/matrix", width=360, height=640, has_touch=True, is_mobile=True)
    cell(page, "scores", 4, 4).scroll_into_view_if_needed()
    box, start = cell(page, "scores", 4, 4).bounding_box(), page.evaluate("scrollY")
    client = page.context.new_cdp_session(page)
    points = [[{"x": box["x"] + 10, "y": box["y"] + 10 - 15 * step}] for step in range(13)]
    for step, touches in enumerate([*points, []]):
        kind = "touchMove" if touches and step else "touchStart" if touches else "touchEnd"
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})
        page.wait_for_timeout(16)
    page.wait_for_timeout(300)
    assert page.evaluate("scrollY") > start + 60
    agrees(page)


def test_slider_drag_moves_the_pictures_before_the_button_is_up(visit):
    page = visit("/matrix")
    box = page.get_by_role("slider", name="sharpness").bounding_box()
    y = box["y"] + box["height"] / 2
    seen = {name: {page.locator(f"[data-plot={name}]").screenshot()} for name in ("scores", "weights", "mix")}
    page.mouse.move(box["x"] + box["width"] * 0.15, y)
    page.mouse.down()
    for step in (0.3, 0.5, 0.7):
        page.mouse.move(box["x"] + box["width"] * step, y, steps=3)
        settled(page)
        for name, pictures in seen.items():
            pictures.add(page.locator(f"[data-plot={name}]").screenshot())
    assert {name: len(pictures) for name, pictures in seen.items()} == dict.fromkeys(seen, 4)
    page.mouse.up()
    settled(page)
    agrees(page, beta=beta_of(page))


def beta_of(page: Page) -> float:
    settled(page)  # the address itself follows only at rest, and may still hold a state of the drag
    return float(re.search(r"beta=([\d.]+)", page.locator("[data-figure]").get_attribute("data-query"))[1])


def test_mask_and_shuffle_and_undo(visit):
    page = visit("/matrix")
    undo = page.get_by_role("button", name="Undo shuffle")
    expect(undo).to_be_disabled()
    mask = page.get_by_role("switch", name="Causal mask")
    expect(mask).to_have_accessible_description("a word reads only from itself and from words before it")
    mask.focus()
    page.keyboard.press("Space")
    agrees(page, causal=True)
    page.keyboard.press("Space")
    shuffle = page.get_by_role("button", name="Shuffle tokens")
    shuffle.click()
    agrees(page, shuffle=1)
    assert page.locator('[data-grid="scores"] .over').all_text_contents() != [*TOKENS]
    shuffle.click()
    agrees(page, shuffle=2)
    undo.focus()
    page.keyboard.press("Enter")
    agrees(page)
    expect(undo).to_be_disabled()
    expect(shuffle).to_be_focused()
    page.keyboard.press("Enter")
    agrees(page, shuffle=3)  # a new order, not the first one again


@pytest.mark.parametrize("name", Matrix.presets)
def test_presets(visit, name):
    page = visit("/matrix?row=2")
    page.get_by_role("button", name=name[0].upper() + name[1:], exact=True).click()
    agrees(page, **Matrix.presets[name])
    expect(page.locator("[aria-pressed=true]")).to_have_text(name[0].upper() + name[1:])


def test_deep_link(visit):
    agrees(visit("/matrix?beta=2&causal=true&row=4&shuffle=7"), beta=2.0, causal=True, row=4, shuffle=7)
    page = visit("/matrix?row=9&beta=2")
    expect(page.locator("[data-problem]")).to_contain_text("row: expected a whole number from 1 to 6, got '9'")
    agrees(page, beta=2.0)


def test_masked_cells_at_the_largest_beta(visit):
    page = visit("/matrix?beta=8&causal=true")
    agrees(page, beta=8.0, causal=True)
    texts = np.array(column(page, "matrix.scores", "text")).reshape(6, 6)
    assert (texts[~np.tril(np.ones((6, 6), dtype=bool))] == "−∞").all()
    cell(page, "weights", 1, 6).hover()
    expect(page.locator("[data-cell-line]")).to_contain_text("the may not read from run")


def palettes(page: Page) -> list[list[str]]:
    return page.evaluate(
        "Bokeh.documents.flatMap(doc => doc.roots()).flatMap(r => [...r.references()])"
        ".filter(m => m.type === 'LinearColorMapper').map(m => m.palette.map(String))"
    )


def test_themes_colour_the_cells(visit):
    page = visit("/matrix?causal=true", color_scheme="light")
    ramps = (SCORES, f"on:{SCORES}", WEIGHTS, f"on:{WEIGHTS}")
    shots = [b""]
    for tokens, scheme in ((LIGHT, "light"), (DARK, "dark"), (LIGHT, "light")):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(200)
        found = palettes(page)
        assert len(found) == 4
        for ramp in ramps:
            assert palette(ramp, tokens) in found
        shots.append(page.locator("[data-plot=scores]").screenshot())
    assert shots[1] != shots[2] != shots[3]


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_numbers_stay_in_their_cells(visit, width):
    """The longest numbers of both heatmaps, measured as the canvas writes them."""
    page = visit("/matrix?beta=8", width=width)
    for name in ("scores", "weights"):
        room = cell(page, name, 1, 1).bounding_box()["width"]
        texts, sizes = column(page, f"matrix.{name}", "text"), column(page, f"matrix.{name}", "size")
        widths = page.evaluate(
            "([texts, sizes]) => { const c = document.createElement('canvas').getContext('2d');"
            " return texts.map((t, i) => { c.font = `normal ${sizes[i]} Inter`; return c.measureText(t).width }) }",
            [texts, sizes],
        )
        assert max(widths) <= room - 0.5, (name, room)


def test_sentence_and_line_reserve_their_place(visit):
    """Nothing under the figure moves when its words change."""
    for width in (360, 1280):
        page = visit("/matrix", width=width)
        place = "document.querySelector('.actions').getBoundingClientRect().top + scrollY"
        tops = {page.evaluate(place)}
        for name in Matrix.presets:
            page.get_by_role("button", name=name[0].upper() + name[1:], exact=True).click()
            settled(page)
            for at in ((1, 1), (4, 1), (1, 6), (6, 6)):
                cell(page, "scores", *at).click()
                settled(page)
                tops.add(page.evaluate(place))
        assert len(tops) == 1, (width, tops)


def test_saved_numbers_and_picture(visit):
    page = visit("/matrix?beta=2&causal=true")

    def saved(item: str) -> bytes:
        page.get_by_role("button", name="Save").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=item).click()
        return download.value.path().read_bytes()

    rows = list(csv.DictReader(io.StringIO(saved("Numbers (CSV)").decode())))
    assert [float(r["weight"]) for r in rows] == Matrix(beta=2.0, causal=True).result.weights.ravel().tolist()
    svg = saved("SVG").decode()
    assert svg.count("1.000") >= 7  # the sums beside the canvas, and the first weight on it
    assert "−∞" in svg
    assert (
        len(re.findall('<rect [^>]*rx="2" fill="none"', svg)) == 4
    )  # the outlines of row and cell, which are not on the canvas
    assert saved("PNG").startswith(b"\x89PNG")


def test_works_from_row_to_row_under_the_reader_who_goes_fast(visit):
    """Clicks faster than answers: the last one counts, and no answer pulls it back."""
    page = visit("/matrix")
    for row in (1, 6, 2, 5, 3):
        cell(page, "scores", row, 2).click()
        expect(page.locator('[data-grid="scores"] .picked')).to_have_attribute("data-row", str(row - 1))
    agrees(page, row=3)

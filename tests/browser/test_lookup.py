"""Figure 1 under the hand: mouse, touch, keys, typing, links, saving."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from figures.lookup import KEYS, VALUES, Lookup

from .conftest import column, settled


def centre(page: Page, name: str) -> tuple[float, float]:
    box = page.get_by_role("slider", name=name, exact=True).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def query(page: Page) -> tuple[float, float]:
    return tuple(float(page.locator(f"input.slide[data-knob={k}]").input_value()) for k in ("q_x", "q_y"))


def agrees(page: Page, **knobs) -> None:
    """The picture in the browser holds exactly what `core` says for these knobs."""
    settled(page)
    figure = Lookup(**knobs)
    for source, columns in figure.columns(figure.result).items():
        for name, expected in columns.items():
            shown = column(page, f"lookup.{source}", name)
            if isinstance(expected[0], str):
                assert shown == expected
            else:
                np.testing.assert_array_equal(shown, expected, err_msg=f"{source}.{name}")


def test_mouse_drag_moves_the_output_before_the_button_is_up(visit):
    page = visit("/lookup")
    x, y = centre(page, "query")
    outputs, pictures = {tuple(column(page, "lookup.output", "x"))}, {page.locator("[data-plot=mix]").screenshot()}
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 6):
        page.mouse.move(x - 20 * step, y - 8 * step)
        settled(page)
        outputs.add(tuple(column(page, "lookup.output", "x")))
        pictures.add(page.locator("[data-plot=mix]").screenshot())
    assert len(outputs) == 6 and len(pictures) == 6  # still held down
    page.mouse.up()
    qx, qy = query(page)
    assert qx < 0.2
    agrees(page, q_x=qx, q_y=qy)


def test_press_and_hold_then_drag(visit):
    """Bokeh's PointDrawTool does nothing when the pointer rests before it moves."""
    page = visit("/lookup")
    x, y = centre(page, "query")
    page.mouse.move(x, y)
    page.mouse.down()
    page.wait_for_timeout(600)
    page.mouse.move(x - 60, y, steps=4)
    page.mouse.up()
    settled(page)
    assert query(page)[0] < 0


def test_drag_out_of_the_plane_stops_at_its_bounds(visit):
    page = visit("/lookup")
    x, y = centre(page, "query")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 900, y - 900, steps=5)
    page.mouse.up()
    settled(page)
    assert query(page) == (4.5, 4.5)


def test_tap_and_backspace_change_nothing(visit):
    page = visit("/lookup")
    page.mouse.click(*centre(page, "query"))
    page.keyboard.press("Backspace")
    page.locator("[data-plot=mix]").click(position={"x": 20, "y": 20})
    settled(page)
    agrees(page)


@pytest.fixture
def phone(visit):
    return visit("/lookup", width=360, height=640, has_touch=True, is_mobile=True)


def touch(page: Page, kind: str, x: float = 0, y: float = 0) -> None:
    session = getattr(page, "_touch", None) or page.context.new_cdp_session(page)
    page._touch = session
    points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def test_touch_drag_moves_the_handle_and_not_the_page(phone):
    x, y = centre(phone, "query")
    touch(phone, "touchStart", x, y)
    for step in range(1, 9):
        touch(phone, "touchMove", x - 4 * step, y + 3 * step)
    settled(phone)
    moved = column(phone, "lookup.output", "x")
    touch(phone, "touchEnd")
    assert query(phone)[0] < 1.3 and query(phone)[1] < 0.5
    assert moved != Lookup().columns(Lookup().result)["output"]["x"]
    assert phone.evaluate("scrollY") == 0


def test_swipe_beside_the_handle_scrolls_the_page(phone):
    box = phone.locator("[data-plot=mix]").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] - 10
    touch(phone, "touchStart", x, y)
    for step in range(1, 13):
        touch(phone, "touchMove", x, y - 15 * step)
        phone.wait_for_timeout(16)
    touch(phone, "touchEnd")
    phone.wait_for_timeout(300)
    assert phone.evaluate("scrollY") > 60
    agrees(phone)


def test_keyboard_alone(visit):
    page = visit("/lookup")
    handle = page.get_by_role("slider", name="query", exact=True)
    for _ in range(40):
        page.keyboard.press("Tab")
        if handle.evaluate("el => el === document.activeElement"):
            break
    expect(handle).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Shift+ArrowLeft")
    settled(page)
    assert query(page) == (1.39, 0.6)
    expect(handle).to_have_attribute("aria-valuetext", "across 1.39, up 0.60")
    page.keyboard.press("Home")
    agrees(page, q_x=0.0, q_y=0.0)


def test_sliders_with_mouse_and_keys(visit):
    page = visit("/lookup")
    slider = page.get_by_role("slider", name="temperature")
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.64, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2, steps=6)
    settled(page)
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] / 2, steps=6)  # still the same drag
    page.mouse.up()
    settled(page)
    tau = float(page.locator("[data-figure]").evaluate("el => 10 ** el.querySelector('[data-log]').value"))
    assert 0.1 < tau < 0.15
    slider.focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    after = float(page.locator("[data-figure]").evaluate("el => 10 ** el.querySelector('[data-log]').value"))
    assert after == pytest.approx(tau * 10**0.05, rel=0.01)


def test_typed_numbers(visit):
    page = visit("/lookup")
    field = page.get_by_role("textbox", name="temperature, number")
    field.fill("0,25")
    field.press("Enter")
    agrees(page, tau=0.25)
    expect(field).to_have_value("0.250")
    field.fill("hot")
    field.press("Enter")
    settled(page)
    expect(page.locator("[data-problem]")).to_have_text("tau: expected a number from 0.05 to 5, got 'hot'")
    expect(field).to_have_value("hot")
    agrees(page, tau=0.25)
    field.fill("0.5")
    field.press("Enter")
    expect(page.locator("[data-problem]")).to_be_hidden()
    agrees(page, tau=0.5)


def test_moving_keys_and_values(visit):
    page = visit("/lookup")
    dog = page.get_by_role("slider", name="value of dog", exact=True)
    expect(dog).to_be_hidden()
    page.get_by_role("switch", name="Move keys and values").focus()
    page.keyboard.press("Space")
    expect(dog).to_be_visible()
    dog.focus()
    page.keyboard.press("ArrowDown")
    field = page.get_by_role("textbox", name="key of oak, across")
    field.fill("-4")
    field.press("Enter")
    settled(page)
    keys = (*KEYS[:4], (-4.0, -2.6))
    values = (VALUES[0], (2.2, 3.0), *VALUES[2:])
    agrees(page, move=True, keys=keys, values=values)
    page.wait_for_url(re.compile("keys="))
    again = visit("/lookup?" + page.url.split("?")[1])
    agrees(again, move=True, keys=keys, values=values)


def test_presets_and_reset(visit):
    page = visit("/lookup")
    for name, knobs in Lookup.presets.items():
        button = page.get_by_role("button", name=name)
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        agrees(page, **knobs)
    page.get_by_role("button", name="Reset").click()
    agrees(page)
    assert page.locator("[aria-pressed=true]").count() == 0


def test_description_follows_and_is_announced_after_a_pause(visit):
    page = visit("/lookup")
    expect(page.locator("[data-description]")).to_contain_text("The query matches cat best (0.633), then dog (0.312).")
    page.get_by_role("button", name="Uniform").click()
    expect(page.locator("[data-description]")).to_contain_text("every weight is 0.200")
    assert page.locator("[data-announce]").text_content() == ""
    expect(page.locator("[data-announce]")).to_have_text(
        Lookup(q_x=0.0, q_y=0.0).describe(Lookup(q_x=0.0, q_y=0.0).result)
    )


def test_copied_link_gives_identical_numbers(visit):
    page = visit("/lookup?theme=dark", permissions=["clipboard-read", "clipboard-write"])
    x, y = centre(page, "query")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 31, y - 47, steps=3)
    page.mouse.up()
    settled(page)
    page.get_by_role("button", name="Link", exact=True).click()
    expect(page.get_by_text("Link copied.")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert "theme=dark" in link
    other = visit("/lookup?" + link.split("?")[1])
    for source in ("output", "values"):
        assert column(other, f"lookup.{source}", "x") == column(page, f"lookup.{source}", "x")
    assert column(other, "lookup.values", "radius") == column(page, "lookup.values", "radius")
    assert other.locator("[data-part=readings]").inner_text() == page.locator("[data-part=readings]").inner_text()
    page.wait_for_url(link)  # and the address bar says the same, without a new entry in the history
    assert page.evaluate("history.length") <= 2


def test_link_without_clipboard_is_shown_to_be_copied(visit):
    page = visit("/lookup?tau=0.5")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('denied')) }")
    page.get_by_role("button", name="Link", exact=True).click()
    expect(page.get_by_role("textbox", name="Link to this state")).to_have_value(re.compile("tau=0.5"))


def test_bad_values_of_an_address_are_named_and_good_ones_count(visit):
    page = visit("/lookup?q_x=far&tau=0.2&keys=1,2&q_y=-1")
    problem = page.locator("[data-problem]")
    expect(problem).to_contain_text("q_x: expected a number from −4.5 to 4.5, got 'far'")
    expect(problem).to_contain_text("keys: expected 5 points, one an item, got 1")
    agrees(page, tau=0.2, q_y=-1.0)


def test_two_visitors_have_states_of_their_own(visit):
    one, two = visit("/lookup"), visit("/lookup")
    one.get_by_role("button", name="Long query").click()
    agrees(one, **Lookup.presets["long query"])
    agrees(two)


def test_numbers_as_text_are_the_same_in_browser_and_python(visit):
    from figures.parts import num, short

    page = visit("/lookup")
    numbers = [0, -0.0, 1, -1.5, 0.6333, 2.14e-7, -3.3e-300, 5e-4, 4.99e-4, 0.0625, 1e6, 999999.4, 2e-10, 20, 100.5]
    shown = page.evaluate(
        "async numbers => { const here = document.querySelector('script[type=module]').src;"
        " const {num, short} = await import(new URL('text.js', here)); return numbers.map(n => [num(n), short(n)]) }",
        numbers,
    )  # fmt: skip
    assert shown == [[num(n), short(n)] for n in numbers]


def saved(page: Page, item: str) -> bytes:
    page.get_by_role("button", name="Save").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=item).click()
    return download.value.path().read_bytes()


def test_saved_numbers_are_exact(visit):
    page = visit("/lookup?q_x=2.5")
    rows = list(csv.DictReader(io.StringIO(saved(page, "Numbers (CSV)").decode())))
    result = Lookup(q_x=2.5).result
    assert [float(r["weight"]) for r in rows[:5]] == result.weights.tolist()
    assert [float(r["q.k"]) for r in rows[:5]] == result.products.tolist()


def test_saved_pictures_show_everything_seen(visit):
    page = visit("/lookup?tau=0.5")
    svg = saved(page, "SVG").decode()
    for text in ("One", "cat", "0.633"[:2], "query,", "temperature"):
        assert text in svg
    assert svg.count("arrow-edge") == 1 and "mark-query" in svg  # the handle and its arrow, which are not on the canvas
    assert "data:font/woff2" in svg and "http://localhost" not in svg
    png = saved(page, "PNG")
    assert png.startswith(b"\x89PNG") and len(png) > 20_000


def test_an_answer_does_not_wipe_out_what_is_being_typed(visit):
    page = visit("/lookup")
    field = page.get_by_role("textbox", name="temperature, number")
    field.fill("0.3")
    page.evaluate("document.querySelector('[data-preset=\"uniform\"]').click()")  # without taking the focus away
    settled(page)
    expect(field).to_have_value("0.3")
    field.press("Enter")
    agrees(page, q_x=0.0, q_y=0.0, tau=0.3)
    field.fill("9")
    field.press("Escape")
    expect(field).to_have_value("0.300")


def test_typed_coordinates_build_on_one_another_before_the_answer(visit):
    """On a slow line the second field once wiped out the first."""
    page = visit("/lookup?move=true")
    page.evaluate("""() => { for (const [name, value] of [["key of cat, across", "1"], ["key of cat, up", "-1"]]) {
        const field = document.querySelector(`[aria-label="${name}"]`)
        field.value = value
        field.dispatchEvent(new Event("change")) } }""")
    agrees(page, move=True, keys=((1.0, -1.0), *KEYS[1:]))


def test_only_the_wrong_field_is_marked(visit):
    page = visit("/lookup?move=true")
    field = page.get_by_role("textbox", name="key of oak, across")
    field.fill("abc")
    field.press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")
    assert page.locator("[aria-invalid]").count() == 1
    page.get_by_role("button", name="Code", exact=True).click()  # its answer sets nothing
    settled(page)
    expect(field).to_have_value("abc")
    expect(page.locator("[data-problem]")).to_contain_text("keys: expected")
    field.press("Escape")
    expect(field).to_have_value("0.80")
    expect(page.locator("[data-problem]")).to_be_hidden()
    assert page.locator("[aria-invalid]").count() == 0


def test_save_menu_closes_by_a_click_elsewhere(visit):
    page = visit("/lookup")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("button", name="Picture (PNG)")).to_be_visible()
    page.mouse.click(5, 300)
    expect(page.get_by_role("button", name="Picture (PNG)")).to_be_hidden()


def test_enter_sends_a_typed_number_once(visit):
    """Enter is followed by a change event: a refusal once came twice, the second after Escape had cleared the first."""
    page = visit("/health", wait=False)
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    page.goto(page.url.replace("/health", "/lookup"))
    page.wait_for_selector('[data-ready="true"]')
    field = page.get_by_role("textbox", name="temperature, number")
    field.fill("warm")
    field.press("Enter")
    expect(page.locator("[data-problem]")).to_contain_text("got 'warm'")
    field.blur()
    settled(page)
    assert len([frame for frame in sent if "warm" in frame]) == 1
    field.fill("warm")
    field.press("Enter")  # whoever types it again is told again
    settled(page)
    assert len([frame for frame in sent if "warm" in frame]) == 2

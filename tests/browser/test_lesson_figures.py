"""The figures inside of the lesson: alive where they stand, set by the text, their states in one address."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from figures import FIGURES, state
from figures.lookup import Lookup
from figures.masks import Masks
from figures.matrix import Matrix

from .conftest import column, free_port, serving, settled

STILL = {"reduced_motion": "reduce"}


@pytest.fixture
def lesson(visit):
    def opened(address: str = "/", **options) -> Page:
        page = visit(address, wait=False, **STILL, **options)
        ready(page, "lookup")
        return page

    return opened


def ready(page: Page, slug: str) -> None:
    page.wait_for_selector(f'[data-figure={slug}][data-ready="true"]')


def near(page: Page, slug: str) -> None:
    page.evaluate("slug => document.getElementById(`figure-${slug}`).scrollIntoView()", slug)
    ready(page, slug)
    settled(page)


def shows(page: Page, slug: str, query: str) -> None:
    expect(page.locator(f"[data-figure={slug}]")).to_have_attribute("data-query", query)


@pytest.mark.parametrize("width", [1280, 360])
def test_every_figure_wakes_when_it_comes_near_and_nothing_jumps(lesson, width):
    page = lesson(width=width)
    heights = "[...document.querySelectorAll('.place')].map(el => el.getBoundingClientRect().height)"
    before = page.evaluate(heights)
    asleep = [f.slug for f in FIGURES if page.locator(f'[data-figure={f.slug}][data-ready="false"]').count()]
    assert asleep[-3:] == ["scaling", "masks", "heads"]
    for figure in FIGURES:
        near(page, figure.slug)
        for source, columns in figure().shown.items():
            name = next(iter(columns))
            assert column(page, f"{figure.slug}.{source}", name) == pytest.approx(list(columns[name]), nan_ok=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(heights) == pytest.approx(before, abs=1)


def test_a_knob_moves_its_own_figure_only(lesson):
    page = lesson()
    near(page, "matrix")
    page.get_by_role("slider", name="sharpness").focus()
    page.keyboard.press("Home")
    settled(page)
    shows(page, "matrix", "beta=0")
    shows(page, "lookup", "")
    assert column(page, "matrix.weights", "text") == ["0.167"] * 36


def test_link_of_the_text_sets_the_figure_and_back_returns_to_the_text(lesson):
    page = lesson()
    link = page.get_by_role("link", name="a small temperature")
    link.scroll_into_view_if_needed()
    place = page.evaluate("scrollY")
    link.click()
    shows(page, "lookup", "tau=0.05")
    title = page.locator("#figure-lookup .fig-title")
    expect(title).to_be_in_viewport()
    expect(title).to_be_focused()
    assert column(page, "lookup.output", "x") == pytest.approx(list(Lookup(tau=0.05).shown["output"]["x"]))
    page.wait_for_url("**/?lookup.tau=0.05#figure-lookup")
    page.go_back()
    page.wait_for_function("place => Math.abs(scrollY - place) < 5", arg=place)
    page.wait_for_url("**/?lookup.tau=0.05")  # the address tells no lie about the figure


def test_link_to_a_figure_that_still_sleeps_wakes_it(lesson):
    page = lesson()
    page.locator("a[data-go=heads]").first.evaluate("link => link.click()")
    ready(page, "heads")
    shows(page, "heads", page.locator("a[data-go=heads]").first.get_attribute("data-query"))


def test_row_of_figure_2_opens_in_figure_1_above(lesson):
    page = lesson()
    near(page, "matrix")
    link = page.locator("#figure-matrix a[data-go=lookup]")
    knobs, _ = state.read(Lookup, link.get_attribute("data-query"))
    link.click()
    shows(page, "lookup", state.write(Lookup(**knobs)))
    assert page.evaluate("location.pathname") == "/"


def test_one_address_carries_several_figures_and_the_place(lesson):
    page = lesson("/?theme=dark&lookup.tau=0.2&masks.mask=causal&heads.T=7&heads.H=7&heads.D=7#figure-masks")
    ready(page, "masks")
    shows(page, "masks", "mask=causal")
    shows(page, "lookup", "tau=0.2")
    expect(page.locator("#figure-masks .fig-title")).to_be_in_viewport()
    made = Masks(mask="causal")
    assert page.locator("#figure-masks [data-description]").text_content() == made.describe(made.result)
    near(page, "matrix")
    page.locator("#figure-matrix").get_by_role("switch", name="Causal mask").check(force=True)
    shows(page, "matrix", "causal=true")
    page.wait_for_function("location.search.includes('matrix.causal')")
    query = page.evaluate("location.search")
    assert query.startswith("?theme=dark&lookup.tau=0.2&matrix.causal=true&masks.mask=causal&heads.")
    matrix = Matrix(causal=True)
    assert column(page, "matrix.weights", "text") == list(matrix.shown["weights"]["text"])


def test_what_the_address_asks_in_vain_is_said_at_the_figure(lesson):
    page = lesson("/?lookup.tau=warm&lookup.temp=1&lookup.q_x=2")
    problem = page.locator("#figure-lookup [data-problem]")
    expect(problem).to_contain_text("tau: expected a number from 0.05 to 5, got 'warm'")
    expect(problem).to_contain_text("temp: expected one of the knobs")
    shows(page, "lookup", "q_x=2")


def test_link_button_gives_the_lesson_at_this_figure(lesson):
    page = lesson(permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Long query").click()
    settled(page)
    page.locator("#figure-lookup [data-do=link]").click()
    expect(page.locator("#figure-lookup [data-said]")).to_have_text("Link copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.endswith("#figure-lookup") and "/?lookup.q_x=" in link


def test_a_figure_that_cannot_reach_the_server_waits_and_starts_by_itself(lesson):
    page = lesson(bears="ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    page.evaluate("document.getElementById('figure-scaling').scrollIntoView()")
    notice = page.locator("[data-connection]")
    expect(notice).to_contain_text("the figures wait and start by themselves")
    page.locator("main details summary").first.click()  # the text does not need the server
    assert page.locator("main details").first.get_attribute("open") is not None
    page.context.set_offline(False)
    ready(page, "scaling")
    expect(notice).to_be_hidden()


def test_server_that_comes_back_finds_the_figures_as_they_were(browser):
    port = free_port()
    page = browser.new_context(**STILL).new_page()
    try:
        with serving("app.py", "--port", str(port), port=port):
            page.goto(f"http://localhost:{port}/")
            ready(page, "lookup")
            page.get_by_role("button", name="Long query").click()
            settled(page)
            query = page.locator("#figure-lookup").get_attribute("data-query")
        expect(page.locator("[data-connection]")).to_contain_text("waits for the server")
        page.get_by_role("textbox", name="temperature, number").fill("0.5")
        page.keyboard.press("Enter")
        with serving("app.py", "--port", str(port), port=port):
            expect(page.locator("[data-connection]")).to_be_hidden(timeout=30_000)
            shows(page, "lookup", query + "&tau=0.5")
    finally:
        page.context.close()

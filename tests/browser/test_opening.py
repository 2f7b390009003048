"""What is seen first comes first (assets/js/opening.js), and what the browser has, it does not fetch again."""

from __future__ import annotations

import re

import pytest

from figures import PAGES

from .conftest import all_laid_out, ready

OPENING = "'opening' in document.documentElement.dataset"
SKIPPED = """[...document.querySelectorAll(".part.later")]
    .map(part => !part.firstElementChild.checkVisibility({contentVisibilityAuto: true}))"""
HOLD = re.compile("/lookup$")  # the session of the first figure


@pytest.fixture
def held(visit):
    """The lesson, whose first figure gets no session until `go` is called."""
    page, waiting = visit("/health", wait=False), []
    page.route(HOLD, lambda route: waiting.append(route))
    page.goto(page.url.replace("health", ""))
    page.wait_for_selector("[data-search]:not([hidden])")  # scripts are awake

    def go() -> None:
        page.wait_for_timeout(50)
        waiting.pop().continue_()

    return page, go


def test_while_the_lesson_opens_later_parts_are_not_laid_out(held):
    page, go = held
    assert page.evaluate(OPENING)
    assert all(page.evaluate(SKIPPED)) and len(page.evaluate(SKIPPED)) == 9
    go()
    ready(page)
    all_laid_out(page)
    assert page.evaluate("getComputedStyle(document.querySelector('.later')).contentVisibility") == "visible"


@pytest.mark.parametrize("act", ["key", "wheel", "press"])
def test_whatever_the_reader_does_ends_it(held, act):
    page, go = held
    assert page.evaluate(OPENING)
    if act == "key":
        page.keyboard.press("Tab")
    if act == "wheel":
        page.mouse.wheel(0, 200)
    if act == "press":
        page.mouse.click(2, 400)
    page.wait_for_function(f"!({OPENING})", timeout=1000)
    go()


def test_a_server_that_does_not_answer_does_not_keep_it_so(held):
    page, go = held
    page.wait_for_function(f"!({OPENING})", timeout=6000)
    go()


@pytest.mark.parametrize("way", ["a place in the address", "a page that was there before"])
def test_a_place_to_go_to_is_found_at_once(visit, way):
    """Heights above it must be the real ones."""
    page = visit("/health", wait=False)
    page.goto(page.url.replace("health", "#practice" if way.startswith("a place") else ""))
    if way.startswith("a page"):
        all_laid_out(page)
        page.reload()
    assert not page.evaluate(OPENING)


@pytest.mark.parametrize("path", ["/", "/review", *(f"/{figure.slug}" for figure in PAGES[:2])])
def test_a_second_visit_fetches_no_file_again(visit, path):
    page = visit(path, wait=path not in ("/", "/review"))
    page.wait_for_load_state("networkidle")
    other, responses = page.context.new_page(), []
    other.on("response", lambda response: responses.append(response))
    other.goto(page.url)
    other.wait_for_load_state("networkidle")
    files = [r for r in responses if "/components/" in r.url and "/katex/fonts/" not in r.url]
    assert len(files) > 5
    assert not [r.url for r in files if r.request.sizes()["responseBodySize"] > 0]  # from the cache it is below 0


@pytest.mark.parametrize("path", ["/", "/review", "/lookup"])
def test_every_script_is_asked_for_once_and_with_its_version(visit, path):
    """A link that fetches ahead under another address than the import would fetch twice."""
    page, asked = visit("/health", wait=False), []
    page.on("request", lambda request: asked.append(request.url) if ".js" in request.url else None)
    page.goto(page.url.replace("/health", path))
    page.wait_for_load_state("networkidle")
    assert len(asked) == len(set(asked)) > 5
    assert all("?v=" in address for address in asked)

"""The static site alive: Python in Chromium, every other host blocked, from a sub-folder of a plain file server."""

from __future__ import annotations

import base64
import contextlib
import functools
import io
import re
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, expect, sync_playwright

from export.pyodide import PUBLIC, Pyodide
from export.site import Site
from figures import BY_SLUG, FIGURES, PAGES

from ..browser.chromium import FLAGS, find
from ..browser.conftest import column, settled
from .fixture import fetch

pytestmark = pytest.mark.static
BOOT = 60_000  # ms; a busy machine needs a while to start Python in WebAssembly


class Quiet(SimpleHTTPRequestHandler):
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".wasm": "application/wasm", ".mjs": "text/javascript"}

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """A plain file server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def host(tmp_path_factory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("www")
    report = Site(folder / "courses" / "lab", Pyodide("./pyodide/", fetch())).write()
    assert "compiled by Pyodide's own Python" in report
    with served(folder) as address:
        yield address + "courses/lab/"


@pytest.fixture(scope="module")
def context() -> Iterator[BrowserContext]:
    path = find()
    assert path, "make test-static needs a Chromium: install one, or set CHROMIUM to its path"
    blocked = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, blocked])
        context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
        yield context
        browser.close()


@pytest.fixture
def visit(context, host):
    complaints, pages = [], []

    def opened(path: str, *, wait: bool = True) -> Page:
        page = context.new_page()
        pages.append(page)
        page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: complaints.append(f"page error: {e}"))
        page.on("request", lambda r: None if r.url.startswith((host, "blob:", "data:")) else complaints.append(r.url))
        page.goto(host + path)
        if wait:
            page.wait_for_selector('[data-ready="true"]', timeout=BOOT)
            settled(page)
        return page

    yield opened
    for page in pages:
        page.close()
    assert not complaints


def agrees(page: Page, slug: str, **knobs) -> None:
    """What the browser computed and drew is what `core` computes here (another NumPy: to the last few bits)."""
    settled(page)
    figure = BY_SLUG[slug](**knobs)
    for source, columns in figure.shown.items():
        for name, expected in columns.items():
            shown = column(page, f"{slug}.{source}", name)
            if expected and isinstance(expected[0], str):
                assert shown == expected, (source, name)
            else:
                np.testing.assert_allclose(shown, expected, rtol=1e-12, atol=1e-14, err_msg=f"{source}.{name}")


@pytest.mark.parametrize("figure", PAGES, ids=lambda f: f.slug)
def test_picture_first_then_alive_then_every_preset(visit, figure):
    page = visit(f"{figure.slug}.html", wait=False)
    page.wait_for_selector("[data-drawn]")
    assert page.locator("[data-ready=true]").count() == 0  # the picture does not wait for Python
    expect(page.locator("[data-progress]")).to_contain_text("Python is starting")
    for source, columns in figure().shown.items():
        name = next(iter(columns))
        assert column(page, f"{figure.slug}.{source}", name) == columns[name]
    page.wait_for_selector('[data-ready="true"]', timeout=BOOT)
    expect(page.locator("[data-progress]")).to_be_empty()
    for name, knobs in figure.presets.items():
        page.locator(f'[data-preset="{name}"]').click()
        agrees(page, figure.slug, **knobs)
        made = figure(**knobs)
        assert page.locator("[data-description]").text_content() == made.describe(made.result).replace("'", "")


def test_what_the_reader_does_before_python_is_there_is_kept(visit):
    page = visit("lookup.html", wait=False)
    page.wait_for_selector("[data-drawn]")
    handle = page.get_by_role("slider", name="query", exact=True)
    handle.focus()
    page.keyboard.press("Home")
    expect(handle).to_have_attribute("aria-valuetext", "across 0.00, up 0.00")
    assert page.locator("[data-ready=true]").count() == 0
    page.wait_for_selector('[data-ready="true"]', timeout=BOOT)
    agrees(page, "lookup", q_x=0.0, q_y=0.0)


def test_drag_and_slider_move_the_picture(visit):
    page = visit("lookup.html")
    box = page.get_by_role("slider", name="query", exact=True).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    before = column(page, "lookup.output", "x")
    page.mouse.move(x - 80, y - 30, steps=5)
    settled(page)
    assert column(page, "lookup.output", "x") != before  # still held down
    page.mouse.up()
    settled(page)
    q_x, q_y = (float(page.locator(f"input.slide[data-knob={k}]").input_value()) for k in ("q_x", "q_y"))
    agrees(page, "lookup", q_x=q_x, q_y=q_y)
    slider = page.get_by_role("slider", name="temperature")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    settled(page)
    assert "tau=" in page.evaluate("document.querySelector('[data-figure]').dataset.query")


def test_address_gives_the_state_and_follows_it(visit):
    page = visit("matrix.html?beta=2&causal=true&row=5&shuffle=99999")
    agrees(page, "matrix", beta=2.0, causal=True, row=5)
    expect(page.locator("[data-problem]")).to_contain_text(
        "shuffle: expected a whole number from 0 to 9999, got '99999'"
    )
    page.get_by_role("button", name="Reset").click()
    page.wait_for_url(re.compile(r"matrix\.html$"))


def test_code_numbers_and_files(visit):
    page = visit("lookup.html")
    page.get_by_role("button", name="Code", exact=True).click()
    expect(page.locator("[data-extra=code] code")).to_contain_text("import numpy as np")
    page.get_by_role("button", name="Numbers", exact=True).click()
    expect(page.locator(".numbers")).to_contain_text("0.633")
    for item, start in (("Numbers (CSV)", b"item,key_x"), ("Picture (SVG)", b"<svg"), ("Picture (PNG)", b"\x89PNG")):
        page.get_by_role("button", name="Save").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=item).click()
        assert Path(download.value.path()).read_bytes().startswith(start)


def test_link_from_a_row_leads_to_its_page(visit):
    page = visit("matrix.html")
    page.get_by_role("link", name="Open row 4 as a query").click()
    page.wait_for_url(re.compile(r"lookup\.html\?items=tokens"))
    page.wait_for_selector('[data-ready="true"]', timeout=BOOT)
    expect(page.locator("[data-part=weights]")).to_contain_text("0.561")


def test_a_boot_that_fails_is_said_and_the_picture_stays(context, host):
    apart = context.browser.new_context(service_workers="block")  # it would bring the file from an earlier visit
    page = apart.new_page()
    page.route("**/lab.tar", lambda route: route.fulfill(status=404))
    page.goto(host + "lookup.html")
    expect(page.locator("[data-connection]")).to_contain_text("Python could not start in this browser", timeout=BOOT)
    expect(page.locator("[data-description]")).to_contain_text("0.633")
    apart.close()


def near(page: Page, slug: str) -> None:
    page.locator(f"#figure-{slug}").scroll_into_view_if_needed()
    page.wait_for_selector(f'[data-figure={slug}][data-ready="true"]', timeout=BOOT)
    settled(page)


def test_lesson_is_alive_with_one_python_for_all_figures(visit):
    page = visit("index.html?matrix.beta=2&lookup.tau=warm", wait=False)
    near(page, "lookup")
    expect(page.locator("#figure-lookup [data-problem]")).to_contain_text("tau: expected a number from 0.05 to 5")
    near(page, "matrix")
    agrees(page, "matrix", beta=2.0)
    page.get_by_role("link", name="a small temperature").click()
    page.wait_for_url("**/index.html?lookup.tau=0.05&matrix.beta=2#figure-lookup")
    agrees(page, "lookup", tau=0.05)
    assert len(page.workers) == 1
    expect(page.locator("#figure-heads")).to_have_attribute("data-ready", "false")  # nobody has come near it


def test_second_visit_needs_no_connection(visit, context, host):
    page = visit("index.html")
    page.wait_for_function("navigator.serviceWorker.controller !== null", timeout=BOOT)  # all files are kept
    page.close()
    context.set_offline(True)
    try:
        page = visit("masks.html?mask=causal")
        agrees(page, "masks", mask="causal")
        page = visit("")
        near(page, "heads")
        page.get_by_role("button", name="Wrong reshape").click()
        agrees(page, "heads", **BY_SLUG["heads"].presets["wrong reshape"])
    finally:
        context.set_offline(False)


def test_review_is_dated_by_python_in_this_browser(visit):
    page = visit("review.html", wait=False)
    page.get_by_role("button", name="Add all ten").click()
    page.get_by_role("button", name="Show the answer").click()
    easy = page.locator("[data-grade=easy]")
    expect(easy).to_contain_text(re.compile(r"in \d+ days"), timeout=BOOT)
    easy.click()
    page.reload()
    expect(page.locator("[data-count]")).to_have_text("9 of 10 cards are due.")
    with page.expect_download() as download:
        page.get_by_role("link", name="Cards for Anki").click()
    assert Path(download.value.path()).read_bytes().startswith(b"PK")


def test_a_head_of_the_readers_own(visit):
    """The same bytes go to Python in the worker; pictures and numbers come back as on the server."""
    held, draw = io.BytesIO(), np.random.default_rng(4)
    q, k, v = draw.normal(size=(3, 128, 16))
    np.savez(held, Q=q, K=k, V=v)
    page = visit("matrix.html?causal=true")
    page.get_by_label("File with Q, K and V").set_input_files({
        "name": "head.npz", "mimeType": "application/zip", "buffer": held.getvalue(),
    })  # fmt: skip
    expect(page.locator("[data-own-says]")).to_contain_text("head.npz: 128 tokens, d_k = 16, d_v = 16.")
    page.locator(".map-cell").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("[data-cell-line]")).to_contain_text("query 2 reads from key 1")
    slider = page.get_by_role("slider", name="sharpness")
    slider.focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    figure = BY_SLUG["matrix"](causal=True, beta=1.1)
    figure.receive({"load": {"name": "head.npz", "content": base64.b64encode(held.getvalue()).decode()}, "own_row": 2})
    figure._refresh()
    assert page.locator("[data-description]").text_content() == figure.describe(figure.result)
    np.testing.assert_allclose(column(page, "matrix.values", "alpha"), figure.shown["values"]["alpha"], rtol=1e-10)
    page.get_by_label("File with Q, K and V").set_input_files({
        "name": "head.npz", "mimeType": "", "buffer": held.getvalue()[:-9],
    })  # fmt: skip
    expect(page.locator("[data-problem]")).to_contain_text("file: expected an archive of NumPy")


def test_python_from_its_public_address(context, tmp_path):
    """The distribution of the tests stands in for the public one, so only the wiring is tested."""
    Site(tmp_path, Pyodide(), FIGURES[:1]).write()
    asked = []

    def answer(route):
        asked.append(route.request.url)
        file = fetch() / route.request.url.removeprefix(PUBLIC)
        kind = {".wasm": "application/wasm", ".mjs": "text/javascript", ".js": "text/javascript"}.get(file.suffix)
        headers = {"Access-Control-Allow-Origin": "*"} | ({"Content-Type": kind} if kind else {})
        route.fulfill(body=file.read_bytes(), headers=headers)

    with served(tmp_path) as address:
        apart = context.browser.new_context(service_workers="block")
        apart.route(lambda url: not url.startswith(address), answer)
        page = apart.new_page()
        page.goto(address + "lookup.html?tau=0.2")
        page.wait_for_selector('[data-ready="true"]', timeout=BOOT)
        agrees(page, "lookup", tau=0.2)
        expect(page.locator(".foot")).to_contain_text("Python itself comes from cdn.jsdelivr.net")
        apart.close()
    assert {url.removeprefix(PUBLIC) for url in asked} >= {"pyodide.mjs", "pyodide.asm.wasm", "pyodide-lock.json"}
    assert all(url.startswith(PUBLIC) for url in asked)

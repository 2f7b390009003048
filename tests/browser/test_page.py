"""The page around a figure: routes, hooks, themes, connection, accessibility."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, WebSocketRoute, expect

from figures import BY_SLUG, PAGES
from figures.live import snapshot
from figures.lookup import Lookup
from figures.theme import DARK, LIGHT

from .conftest import column, ready, settled

SLUGS = [figure.slug for figure in PAGES]


def fetch(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_health(server):
    status, text = fetch(server + "/health")
    assert (status, json.loads(text)) == (200, {"status": "ok"})


def test_unknown_address_gets_a_page_that_leads_on(server):
    status, text = fetch(server + "/lookup/deeper")
    assert status == 404
    assert "/lookup/deeper" in text
    for slug in SLUGS:
        assert f'href="/{slug}"' in text


@pytest.mark.parametrize("path", [f"/{slug}" for slug in SLUGS])
def test_page_reads_without_any_script(server, path):
    """The text, the numbers and the sentence are in the HTML itself."""
    status, text = fetch(server + path)
    kind = BY_SLUG.get(path.strip("/"), PAGES[0])
    assert status == 200
    assert "data-description" in text and "<h1" in text and snapshot(kind())["sentence"] in text


@pytest.mark.parametrize("slug", SLUGS)
def test_hooks(visit, slug):
    page = visit(f"/{slug}")
    figure = page.locator(f'[data-figure="{slug}"]')
    expect(figure).to_have_attribute("data-ready", "true")
    assert page.evaluate("document.querySelector('[data-figure] [data-description]').textContent.length") > 20
    for control in figure.locator("input, button, [role=slider]").all():
        name = control.evaluate("el => el.ariaLabel || el.closest('label')?.textContent || el.textContent")
        assert name.strip(), control.evaluate("el => el.outerHTML")


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(visit, slug, scheme):
    page = visit(f"/{slug}", color_scheme=scheme)
    for name in ("Code", "Numbers"):
        page.get_by_role("button", name=name, exact=True).click()
    if page.locator("[data-do=goals]").count():  # the worked example has none
        page.locator("[data-do=goals]").click()
    settled(page)
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(200)
        results = Axe().run(page)
        assert results.violations_count == 0, results.generate_report()


@pytest.mark.parametrize("slug", SLUGS)
def test_nothing_is_wider_than_the_page(visit, slug):
    page = visit(f"/{slug}", width=1920)
    if page.locator("[data-do=goals]").count():  # the worked example has none
        page.locator("[data-do=goals]").click()
    for width in (1920, 1280, 768, 360, 320):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(150)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def canvas_colours(page) -> set[str]:
    return set(page.evaluate(
        "Bokeh.documents.flatMap(doc => doc.roots()).flatMap(r => [...r.references()])"
        ".filter(m => m.type === 'Segment').map(m => m.line_color.value ?? m.line_color)"
    ))  # fmt: skip


def test_themes_colour_page_and_canvas(visit):
    page = visit("/lookup", color_scheme="dark")
    body = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(body) == "rgb(20, 22, 26)"
    assert canvas_colours(page) == {DARK["key"], DARK["output"]}
    switch = page.get_by_role("button", name=re.compile("Theme"))
    expect(switch).to_have_text("Theme: as the system")
    switch.click()
    expect(switch).to_have_text("Theme: light")
    assert page.evaluate(body) == "rgb(255, 255, 255)"
    assert canvas_colours(page) == {LIGHT["key"], LIGHT["output"]}
    page.reload()
    ready(page)
    assert page.evaluate(body) == "rgb(255, 255, 255)"  # remembered
    other = visit("/lookup?theme=dark", color_scheme="light")
    assert other.evaluate(body) == "rgb(20, 22, 26)"


def cuttable(page: Page, path: str) -> list[WebSocketRoute]:
    """Open a page of ours through sockets that the test can close; one more for each time it connects."""
    sockets = []

    def relay(socket):
        sockets.append(socket)
        socket.connect_to_server()

    page.route_web_socket(re.compile("/lookup/ws"), relay)
    page.goto(page.url.replace("/health", path))
    ready(page)
    return sockets


def test_connection_lost_is_said_and_the_state_survives(visit):
    """Bokeh pulls a fresh document when it reconnects; the page ties it again and sends its state."""
    page = visit("/health", wait=False)
    sockets = cuttable(page, "/lookup")
    page.get_by_role("button", name="Long query").click()
    settled(page)
    before = column(page, "lookup.output", "x")
    notice = page.locator("[data-connection]")
    page.evaluate("""() => { window.said = []; const notice = document.querySelector('[data-connection]')
        new MutationObserver(() => said.push(notice.textContent)).observe(notice, {childList: true}) }""")
    sockets[0].close()
    page.wait_for_function("said.length >= 2")
    assert "waits for the server" in page.evaluate("said[0]")
    expect(notice).to_be_hidden()
    settled(page)
    assert len(sockets) == 2
    assert column(page, "lookup.output", "x") == before
    page.get_by_role("slider", name="query", exact=True).focus()
    page.keyboard.press("ArrowLeft")
    settled(page)
    assert column(page, "lookup.output", "x") != before


@pytest.mark.parametrize("act", ["preset", "reset", "typed"])
def test_what_is_done_while_the_connection_is_cut_counts_afterwards(visit, act):
    """The state that a page brings back once overwrote what the reader had done meanwhile."""
    page = visit("/health", wait=False)
    sockets = cuttable(page, "/lookup?tau=3")
    settled(page)
    page.evaluate(
        """act => {
        Bokeh.documents.find(doc => doc.get_model_by_name("wire")).on_event("connection_lost", () => {
            if (act === "preset") document.querySelector('[data-preset="uniform"]').click()
            if (act === "reset") document.querySelector('[data-do="reset"]').click()
            if (act === "typed") {
                const field = document.querySelector('[aria-label="temperature, number"]')
                field.value = "0.5"
                field.dispatchEvent(new Event("change"))
            } }) }""",
        act,
    )
    sockets[0].close()
    page.wait_for_function("Bokeh.documents.length > 2")
    settled(page)
    query = {"preset": "q_x=0&q_y=0", "reset": "", "typed": "tau=0.5"}[act]
    expect(page.locator("[data-figure]")).to_have_attribute("data-query", query)


def test_server_gone_for_good_is_said(visit):
    page = visit("/health", wait=False)
    sockets = []

    def relay(socket):
        sockets.append(socket)
        if len(sockets) == 1:
            socket.connect_to_server()
        else:
            socket.close()

    page.route_web_socket(re.compile("/lookup/ws"), relay)
    page.goto(page.url.replace("/health", "/lookup"))
    ready(page)
    page.evaluate("Bokeh.documents.find(doc => doc.get_model_by_name('wire')).config.reconnect_session = false")
    sockets[0].close()
    expect(page.locator("[data-connection]")).to_contain_text("The server does not answer.")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    page.get_by_role("slider", name="query", exact=True).focus()  # what the reader does meanwhile is kept
    page.keyboard.press("Home")
    assert page.locator("input.slide[data-knob=q_x]").input_value() == "0"


def test_a_connection_that_is_refused_from_the_start_is_said(visit):
    """As by a proxy that lets no websocket through; the picture and the text are there all the same."""
    page = visit("/health", wait=False, bears="bokeh")
    page.route_web_socket(re.compile("/lookup/ws"), lambda socket: socket.close())
    page.goto(page.url.replace("/health", "/lookup?tau=0.2"))
    expect(page.locator("[data-connection]")).to_contain_text("The server does not answer.")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    page.wait_for_selector('[data-drawn="true"]')
    alpha = Lookup(tau=0.2).shown["values"]["alpha"]
    assert column(page, "lookup.values", "alpha") == pytest.approx(alpha)


def test_frame_tells_its_height_and_takes_a_state(visit, server):
    page = visit("/health", wait=False)
    page.evaluate("""server => { window.heard = []
        addEventListener("message", event => { if (event.data.type) heard.push(event.data) })
        const frame = document.createElement("iframe")
        Object.assign(frame, {src: server + "/lookup", width: 900, height: 300})
        document.body.append(frame) }""", server)  # fmt: skip
    frame = page.frame_locator("iframe")
    expect(frame.locator("[data-ready=true]")).to_be_visible(timeout=20_000)
    heard = page.evaluate("heard.at(-1)")
    assert heard["type"] == "figure-height" and heard["slug"] == "lookup" and 600 < heard["height"] < 1600
    page.evaluate("frames[0].postMessage({type: 'figure-state', knobs: {q_x: 0, q_y: 0, tau: 'cold'}}, '*')")
    expect(frame.locator("[data-description]")).to_contain_text("every weight is 0.200")
    expect(frame.locator("[data-problem]")).to_contain_text("tau: expected a number from 0.05 to 5, got 'cold'")


def test_panel_serve_shows_the_same_page(browser):
    from .conftest import free_port, serving

    port = free_port()
    with serving("-m", "panel", "serve", "app.py", "--port", str(port), port=port, health="/app"):
        page = browser.new_page()
        page.goto(f"http://localhost:{port}/app?tau=0.5")
        ready(page)
        assert page.evaluate("document.fonts.check('500 13px Inter')")
        expect(page.get_by_role("textbox", name="temperature, number")).to_have_value("0.500")
        page.get_by_role("button", name="Uniform").click()
        expect(page.locator("[data-description]")).to_contain_text("every weight is 0.200")
        page.close()

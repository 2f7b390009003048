"""Figures in pages of another host: size, state, sandbox; the dialog with the code for it; a state as one file."""

from __future__ import annotations

import functools
import http.server
import re
import threading
import urllib.request
from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from .conftest import ROOT, settled


@pytest.fixture
def course(browser: Browser, tmp_path) -> Iterator[Callable[..., Page]]:
    """Open a course page with this body. It stands on 127.0.0.1, for a browser another site than localhost."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    (tmp_path / "favicon.ico").touch()
    host = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=host.serve_forever, daemon=True).start()
    context = browser.new_context(viewport={"width": 800, "height": 1700})
    complaints: list[str] = []

    def opened(body: str, *, bears: bool = False) -> Page:
        (tmp_path / "page.html").write_text(f"<!doctype html><title>Course</title><body style='margin:20px'>{body}")
        page = context.new_page()
        page.on(
            "console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") and not bears else None
        )
        page.goto(f"http://127.0.0.1:{host.server_port}/page.html")
        return page

    yield opened
    context.close()
    host.shutdown()
    host.server_close()
    assert not complaints


def test_the_script_has_a_short_address_and_every_page_may_frame(server):
    """Course pages keep the address for years, so it carries no version. (Named hosts only: tests/test_app.py.)"""
    with urllib.request.urlopen(f"{server}/embed.js") as answer:
        assert answer.headers["Content-Type"].startswith("text/javascript")
        assert answer.read() == (ROOT / "assets/js/embed.js").read_bytes()
    with urllib.request.urlopen(f"{server}/lookup") as answer:
        assert answer.headers["Content-Security-Policy"] is None


def alive(page: Page, frame: str) -> None:
    expect(page.frame_locator(frame).locator("[data-ready=true]")).to_be_visible(timeout=20_000)


def fits(page: Page, frame: str) -> float:
    """Wait until the frame is as high as what is in it, without a scroll bar; its height."""
    inner = page.query_selector(frame).content_frame()
    inner.wait_for_function(
        """() => { const {clientWidth, scrollWidth, scrollHeight} = document.documentElement
        return Math.ceil(document.body.getBoundingClientRect().height) === innerHeight
            && scrollHeight === innerHeight && clientWidth === innerWidth && scrollWidth === innerWidth }"""
    )
    return inner.evaluate("innerHeight")


def test_frames_are_as_high_as_their_figures(course, server, tmp_path):
    script = f'<script src="{server}/embed.js" async></script>'
    (tmp_path / "liar.html").write_text("<script>parent.postMessage({type: 'figure-height', height: 77}, '*')</script>")
    page = course(
        f'{script}<iframe id="one" src="{server}/lookup?tau=0.2" width="100%" height="300"></iframe>'
        f'<iframe id="two" width="100%" height="1200" src="{server}/matrix?beta=2&amp;caption=off&amp;hide=beta" '
        f'style="box-sizing:border-box; border:3px solid"></iframe>'
        f'<iframe id="liar" src="{server}/health"></iframe>{script}'
    )
    for frame in ("#one", "#two"):
        alive(page, frame)
    before, two = fits(page, "#one"), fits(page, "#two")
    assert before > 600 and 400 < two < 1200
    with page.expect_event("framenavigated"):  # a frame of ours that went to another host
        page.evaluate("document.querySelector('#liar').contentWindow.location = '/liar.html'")
    page.wait_for_timeout(300)
    assert page.evaluate("document.querySelector('#liar').style.height") == ""
    one = page.frame_locator("#one")
    for hidden in (".top > .course", ".foot", "[data-do=embed]", "[data-theme-switch]"):
        expect(one.locator(hidden)).to_be_hidden()

    code = one.get_by_role("button", name="Code", exact=True)
    code.click()
    expect(one.locator("[data-extra=code] code")).to_contain_text("import numpy")
    page.wait_for_function("old => document.querySelector('#one').offsetHeight > old + 100", arg=before)
    fits(page, "#one")
    code.click()
    page.wait_for_function("old => document.querySelector('#one').clientHeight === old", arg=before)
    page.set_viewport_size({"width": 400, "height": 1700})
    page.wait_for_function("old => document.querySelector('#one').clientHeight !== old", arg=before)
    fits(page, "#one")

    instrument = page.frame_locator("#two")
    for hidden in (".fig-first", ".actions", ".from", ".knob[data-hide=beta]"):
        expect(instrument.locator(hidden)).to_be_hidden()
    assert instrument.locator("[data-description]").bounding_box()["height"] <= 1  # for screen readers only
    expect(instrument.get_by_role("heading", name="All queries at once")).to_be_attached()
    expect(instrument.locator("input.typed[data-knob=beta]")).to_have_value("2.000")


def test_state_from_the_page_round_it_and_the_way_to_the_lesson(course, server):
    page = course(
        f'<iframe id="one" src="{server}/lookup?hide=items,tau&amp;theme=dark" width="700" height="500"></iframe>'
    )
    alive(page, "#one")
    frame, inner = page.frame_locator("#one"), page.query_selector("#one").content_frame()
    # The script comes when the frame has said its height already.
    page.add_script_tag(url=f"{server}/embed.js")
    fits(page, "#one")
    page.evaluate("frames[0].postMessage({type: 'figure-state', knobs: {tau: 0.5}}, '*')")
    expect(frame.locator("[data-figure]")).to_have_attribute("data-query", "tau=0.5")
    inner.wait_for_function("location.search === '?hide=items,tau&theme=dark&tau=0.5'")
    lesson = frame.get_by_role("link", name="Open in the lesson")
    expect(lesson).to_have_attribute("href", f"{server}/?lookup.tau=0.5#figure-lookup")
    inner.evaluate("postMessage({type: 'figure-state', knobs: {tau: 3}}, '*')")  # not from the page round it
    with page.context.expect_page() as opened:
        lesson.click()
    assert opened.value.url.startswith(f"{server}/?lookup.tau=0.5")
    expect(frame.locator("[data-figure]")).to_have_attribute("data-query", "tau=0.5")


def test_sandboxes(course, server):
    rights = {"good": "allow-scripts allow-same-origin", "opaque": "allow-scripts", "mute": ""}
    frames = (f'<iframe id="{name}" sandbox="{text}" src="{server}/lookup"></iframe>' for name, text in rights.items())
    page = course("".join(frames), bears=True)
    alive(page, "#good")
    expect(page.frame_locator("#good").locator("[data-problem]")).to_be_hidden()
    expect(page.frame_locator("#opaque").locator("[data-problem]")).to_have_text(
        "This figure cannot move here: the page that shows it must add allow-same-origin to the sandbox of its iframe."
    )
    mute = page.frame_locator("#mute")
    expect(mute.locator("noscript p")).to_contain_text("this page needs JavaScript")
    expect(mute.locator("[data-description]")).to_contain_text("cat")


def test_names_that_mean_nothing_are_said(visit):
    page = visit("/lookup?tau=0.3&hide=tau,nix,keys,link&caption=of&present")
    problem = page.locator("[data-problem]")
    expect(problem).to_contain_text("caption: expected off, got 'of'.")
    assert re.search(r"hide: expected some of .*tau.*presets.*, got 'nix'\.", problem.inner_text())
    assert "'keys'" not in problem.inner_text()
    expect(page.locator(".knob[data-hide=tau]")).to_be_hidden()
    expect(page.locator(".top .course")).to_be_visible()
    page.get_by_text("Move keys and values").click()
    settled(page)
    expect(page.locator(".handles-value")).to_be_visible()
    expect(page.locator(".handles-key")).to_be_hidden()
    page.wait_for_function("location.search === '?hide=tau,nix,keys,link&caption=of&present&tau=0.3&move=true'")


def test_dialog_gives_a_frame_that_works(visit, course, server):
    page = visit("/?lookup.tau=0.2", permissions=["clipboard-read", "clipboard-write"])  # the lesson
    figure = page.locator("#figure-lookup")
    button = figure.get_by_role("button", name="Embed")
    button.press("Enter")
    dialog = page.get_by_role("dialog", name="Embed this figure")
    expect(dialog.locator("[data-snippet=link]")).to_have_text(f"{server}/lookup?tau=0.2")
    expect(dialog.get_by_role("button", name="Close")).to_be_focused()
    assert Axe().run(page, "#figure-lookup dialog").violations_count == 0
    tall = int(re.search(r'height="(\d+)"', dialog.locator("[data-snippet=frame]").inner_text())[1])
    dialog.get_by_label("Title, sentence and buttons").press("Space")
    dialog.get_by_label("temperature").press("Space")
    dialog.get_by_label("dark", exact=True).press("Space")
    link = f"{server}/lookup?tau=0.2&hide=tau&caption=off&theme=dark"
    expect(dialog.locator("[data-snippet=link]")).to_have_text(link)
    dialog.get_by_role("button", name="Copy: Frame that grows with the figure").press("Enter")
    expect(dialog.get_by_role("status")).to_have_text("Copied.")
    lines = page.evaluate("navigator.clipboard.readText()")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(button).to_be_focused()
    assert lines.count("\n") == 1

    host = course(f"<div style='width:720px'>{lines}</div>")
    assert host.evaluate("document.querySelector('iframe').src") == link
    alive(host, "iframe")
    start = int(re.search(r'height="(\d+)"', lines)[1])
    assert start < tall
    assert start - 12 < fits(host, "iframe") <= start  # the first height was right already
    expect(host.frame_locator("iframe").locator("input.typed[data-knob=tau]")).to_have_value("0.200")


@pytest.mark.parametrize(("slug", "query", "scheme"), [("lookup", "?tau=0.5", "dark"), ("scaling", "", "light")])
def test_a_state_is_saved_as_one_page(visit, browser, tmp_path, slug, query, scheme):
    page = visit(f"/{slug}{query}", color_scheme=scheme)
    said = page.evaluate("document.querySelector('[data-figure]').dataset.query")
    page.get_by_role("button", name="Save").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Page (HTML)").click()
    path = tmp_path / f"{slug}.html"
    assert download.value.suggested_filename == path.name
    download.value.save_as(path)
    html = path.read_text()
    link = page.url.split("?")[0] + (f"?{said}" if said else "")
    assert "<script" not in html and "<link" not in html
    assert set(re.findall(r"https?://[^\s\"'<>)]+", html)) - {link} <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    paper = browser.new_page()
    asked: list[str] = []
    paper.on("request", lambda r: asked.append(r.url) if not r.url.startswith("data:") else None)
    paper.goto(path.as_uri())
    assert asked == [path.as_uri()]
    expect(paper.get_by_role("img", name=re.compile("^Figure"))).to_be_visible()
    expect(paper.get_by_role("link")).to_have_attribute("href", link)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", paper.locator("time").inner_text())
    assert paper.locator("tbody tr").count() > 6
    assert paper.evaluate("document.fonts.check('13px Inter')")
    # Bokeh measured its text with ordinary figures: with others, the parts of a label would lie on each other.
    assert paper.evaluate("getComputedStyle(document.querySelector('figure > svg')).fontVariantNumeric") == "normal"
    background = "getComputedStyle(document.body).backgroundColor"
    assert paper.evaluate(background) == page.evaluate(background)
    for size in ("A4", "Letter"):
        assert len(re.findall(rb"/Type\s*/Page\b", paper.pdf(format=size))) == 1
    paper.close()

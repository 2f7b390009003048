"""The lesson in a browser: readable at every width, with and without scripts, and asking nobody else."""

from __future__ import annotations

import gzip
import urllib.error
import urllib.request

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

OPEN_ALL = "document.querySelectorAll('main details').forEach(fold => { fold.open = true })"


@pytest.fixture
def lesson(visit):
    return lambda **options: visit("/", wait=False, **options)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (320, "light")])  # the others: test_study.py
def test_axe_finds_nothing(lesson, width, scheme):
    page = lesson(width=width, color_scheme=scheme)
    page.evaluate(OPEN_ALL)
    page.wait_for_timeout(300)
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


STICKING_OUT = """() => [...document.querySelectorAll('main *')].filter(el =>
    !el.closest('pre, .eq, .scroll, .katex-mathml, .katex svg, .sr') &&
    el.getBoundingClientRect().right > innerWidth + 1)
    .map(el => el.outerHTML.slice(0, 100))"""


def test_nothing_is_wider_than_the_page(lesson):
    page = lesson(width=1920)
    page.evaluate(OPEN_ALL)
    for width in (1920, 1440, 1280, 1024, 768, 360, 320):
        page.set_viewport_size({"width": width, "height": 800})
        for _ in range(20):  # the pieces of figure 5 travel to their new places
            page.wait_for_timeout(150)
            if not (found := page.evaluate(STICKING_OUT)):
                break
        assert found == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_lines_have_62_to_70_characters(lesson):
    """Of paragraphs without formulas: letters of full lines, on average."""
    page = lesson()
    per_line = page.evaluate("""() => {
        const counts = []
        for (const p of document.querySelectorAll('.part > p')) {
            if (p.querySelector('.katex, svg, code')) continue
            const lines = Math.round(p.getBoundingClientRect().height / parseFloat(getComputedStyle(p).lineHeight))
            if (lines >= 4) counts.push(p.textContent.length / (lines - 0.5))
        }
        return counts.reduce((a, b) => a + b) / counts.length }""")
    assert 60 < per_line < 71


def test_notes_stand_beside_the_text_and_meet_nothing(lesson):
    page = lesson()
    for folds in (False, True):
        if folds:
            page.evaluate(OPEN_ALL)
        meets = page.evaluate("""() => {
            const all = kind => [...document.querySelectorAll(kind)]
            const notes = all('.aside'), wide = all('.place, .listing')
            const box = el => {
                const range = document.createRange(); range.selectNodeContents(el)
                return range.getBoundingClientRect() }
            const meet = (a, b) => a.top < b.bottom && b.top < a.bottom
            const found = []
            notes.forEach((note, i) => {
                for (const other of [...notes.slice(i + 1), ...wide])
                    if (meet(box(note), box(other))) found.push(note.textContent.trim())
            })
            return found }""")
        assert meets == []


def test_contents_lead_to_their_headings_and_say_where_one_is(lesson):
    page = lesson()
    page.emulate_media(reduced_motion="reduce")
    contents = page.get_by_role("navigation", name="Contents")
    for title in ("Worked example", "Watch and read", "Predict first"):
        contents.get_by_role("link", name=title).click()
        heading = page.get_by_role("heading", name=title, level=2)
        expect(heading).to_be_in_viewport()
        expect(contents.locator(".open > a")).to_contain_text(title)
        expect(contents.locator("[aria-current]")).to_have_count(1)
    contents.get_by_role("link", name="The picture").click()
    expect(contents.get_by_role("link", name="One query: a soft lookup")).to_be_visible()


def test_contents_fold_on_a_phone(lesson):
    page = lesson(width=360)
    link = page.get_by_role("link", name="Worked example")
    expect(link).to_be_hidden()
    page.get_by_text("Contents", exact=True).click()
    link.click()
    expect(link).to_be_hidden()
    expect(page.get_by_role("heading", name="Worked example", level=2)).to_be_in_viewport()


def test_skip_link_is_the_first_stop(lesson):
    page = lesson()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the lesson")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_everything_reads_without_scripts(lesson):
    page = lesson(java_script_enabled=False)
    expect(page.get_by_role("heading", name="Worked example", level=2)).to_be_visible()
    expect(page.locator("main .katex").first).to_be_visible()
    answer = page.get_by_text("The exponentials are 3, 1 and 1")
    expect(answer).to_be_hidden()
    page.locator("#check-1").get_by_role("radio").first.check()  # a choice shows its reason by style alone
    expect(answer).to_be_visible()
    page.get_by_text("Why must the mask come before the softmax?").click()  # folds are plain HTML
    expect(page.get_by_text("Before it, hidden keys get the weight 0")).to_be_visible()
    expect(page.get_by_text("The outputs are the same vectors")).to_be_visible()
    expect(page.locator("button:visible:not(.trio button)")).to_have_count(
        1
    )  # nothing that only scripts could do, but the theme


def test_code_can_be_copied(lesson):
    page = lesson(permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").first.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").startswith("colours = {")


def test_notebook_is_downloaded_as_a_file(lesson):
    page = lesson()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the notebook").click()
    assert download.value.suggested_filename == "attention.ipynb"
    assert b"# Attention: practice" in download.value.path().read_bytes()


def test_paper_shows_the_answers(lesson):
    page = lesson()
    said = (
        "The exponentials are 3, 1 and 1",
        "A score has standard deviation 8",
        "Before it, hidden keys get the weight 0",
    )
    answers = [page.get_by_text(words) for words in said]
    for answer in answers:
        expect(answer).to_be_hidden()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for answer in answers:
        expect(answer).to_be_visible()
    expect(page.get_by_text("These are the scores, not the weights")).to_be_hidden()  # of a wrong choice
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    for answer in answers:
        expect(answer).to_be_hidden()


def test_the_page_travels_compressed_and_once(server):
    request = urllib.request.Request(server + "/", headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request) as answer:
        body, etag = answer.read(), answer.headers["ETag"]
        assert answer.headers["Content-Encoding"] == "gzip"
    assert len(body) < 120_000
    assert b"Worked example" in gzip.decompress(body)
    again = urllib.request.Request(server + "/", headers={"Accept-Encoding": "gzip", "If-None-Match": etag})
    with pytest.raises(urllib.error.HTTPError) as unchanged:
        urllib.request.urlopen(again)
    unchanged.value.close()
    assert unchanged.value.code == 304

"""What opens under a figure: code to copy, and the numbers as a table."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from figures import BY_SLUG, PAGES
from figures.live import as_html

from .conftest import settled

SLUGS = [figure.slug for figure in PAGES]


@pytest.mark.parametrize("slug", SLUGS)
def test_code_of_this_state_can_be_copied_and_follows(visit, slug):
    kind = BY_SLUG[slug]
    page = visit(f"/{slug}", permissions=["clipboard-read", "clipboard-write"])
    button = page.get_by_role("button", name="Code", exact=True)
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")
    shown = page.locator("[data-extra=code] code")
    expect(shown).to_have_text(kind().code("numpy"), use_inner_text=False)
    page.get_by_role("tab", name="NumPy").press("ArrowRight")
    expect(page.get_by_role("tab", name="PyTorch")).to_be_focused()
    expect(shown).to_have_text(kind().code("torch"))
    name = next(name for name, knobs in kind.presets.items() if knobs)
    page.locator(f'[data-preset="{name}"]').click()
    figure = kind()
    figure.apply(name)
    expect(shown).to_have_text(figure.code("torch"))
    page.get_by_role("button", name="Copy code").click()
    expect(page.get_by_text("Code copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == figure.code("torch")
    button.click()
    expect(shown).to_be_hidden()


@pytest.mark.parametrize("slug", SLUGS)
def test_numbers_of_this_state_are_a_table(visit, slug):
    page = visit(f"/{slug}")
    page.get_by_role("button", name="Numbers", exact=True).click()
    table = page.get_by_role("region", name="Numbers behind the picture").get_by_role("table")
    expect(table).to_be_visible()
    figure = BY_SLUG[slug]()
    assert (
        table.locator("tbody th, tbody td").count()
        == as_html(figure).count("<td>") + len(figure.table(figure.result)) - 1
    )
    before = table.inner_text()
    page.locator("[data-preset]").last.click()  # one that changes more than the view
    settled(page)
    page.wait_for_function("text => document.querySelector('.numbers').innerText !== text", arg=before)


def test_open_panels_do_not_travel_with_a_drag(visit):
    """They are asked for once the figure rests."""
    page = visit("/lookup")
    page.get_by_role("button", name="Code", exact=True).click()
    settled(page)
    page.evaluate("""() => { window.codes = 0
        const wire = Bokeh.documents.map(doc => doc.get_model_by_name('wire')).find(Boolean)
        wire.properties.down.change.connect(() => { codes += wire.down.includes('"code"') }) }""")
    page.get_by_role("slider", name="query", exact=True).focus()
    for _ in range(8):
        page.keyboard.press("ArrowRight")
        settled(page)
    assert page.evaluate("codes") == 0
    page.wait_for_function("codes === 1")
    page.wait_for_timeout(1200)
    assert page.evaluate("codes") == 1

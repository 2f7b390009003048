"""One glyph stands for all that Bokeh would keep in step (assets/js/lean.js)."""

from __future__ import annotations

import re

import pytest

from figures import PAGES
from figures.drawing import drawing

from .conftest import settled

DRAWN = [figure for figure in PAGES if drawing(figure).columns]
STATES = {
    "lookup": "?tau=0.3&items=tokens", "matrix": "?causal=true&beta=3", "scaling": "?rho=1",
    "masks": "?blocked=-1e9&mask=both",
}  # fmt: skip

PIXELS = """() => [...Bokeh.index].filter(view => view.repainted)
    .map(view => [view.model.name, view.export("png").ctx.canvas.toDataURL()]).sort()"""


@pytest.mark.parametrize("figure", DRAWN, ids=lambda f: f.slug)
def test_the_picture_is_bokehs_own_to_the_pixel(visit, figure):
    address = f"/{figure.slug}{STATES[figure.slug]}"
    ours = visit(address).evaluate(PIXELS)
    theirs = visit("/health", wait=False)
    theirs.route(re.compile("/js/lean.js"), lambda route: route.fulfill(
        body="export function lean() {}", content_type="text/javascript"))  # fmt: skip
    theirs.goto(theirs.url.replace("/health", address))
    settled(theirs)
    assert len(ours) == len([panel for panel in figure.panels if panel.plot])
    assert ours == theirs.evaluate(PIXELS)


def test_a_change_of_data_is_one_change_of_each_glyph(visit):
    """Bokeh's own renderer makes five."""
    page = visit("/matrix")
    page.evaluate("""() => {
        window.changes = new Map()
        const {GlyphView} = Bokeh.require("models/glyphs/glyph"), before = GlyphView.prototype.set_visuals
        GlyphView.prototype.set_visuals = function (...given) {
            changes.set(this.parent, (changes.get(this.parent) ?? 0) + 1)
            return before.apply(this, given)
        } }""")
    page.get_by_role("slider", name="sharpness").press("ArrowRight")
    settled(page)
    page.wait_for_timeout(200)
    counts = page.evaluate("[...changes.values()]")
    assert counts and set(counts) == {1}


RENDERERS = """() => Bokeh.documents.flatMap(doc => doc.roots()).flatMap(root => root.renderers ?? []).map(
    ({muted, hover_glyph, data_source}) =>
        [muted, hover_glyph, data_source.selected.indices.length, data_source.get_length() ?? 0])"""


@pytest.mark.parametrize("figure", DRAWN, ids=lambda f: f.slug)
def test_nothing_is_selected_muted_or_thinned_out(visit, figure):
    """What would need the glyphs that are not there."""
    page = visit(f"/{figure.slug}")
    renderers = page.evaluate(RENDERERS)
    assert renderers
    for muted, hover, selected, length in renderers:
        assert not muted and hover is None and not selected and length < 1000
    assert page.evaluate("[...Bokeh.index].flatMap(view => view.model.toolbar?.tools ?? []).length") == 0

"""The floor: figure `lookup` whose numbers a CustomJS callback computes, so that only Bokeh itself takes time."""

from __future__ import annotations

from pathlib import Path

from bokeh.document import Document
from bokeh.embed.util import standalone_docs_json_and_render_items
from bokeh.models import ColumnDataSource, CustomJS

from figures.lookup import Lookup
from figures.page import environment, figure_html
from figures.parts import RING
from figures.wire import show

HERE = Path(__file__).parent


def document(figure: Lookup) -> Document:
    """The plots of the figure, named as on the server, and the source ``wish`` whose change runs the callback."""
    doc = Document()
    show(figure, doc)
    wish = ColumnDataSource({"q_x": [figure.q_x], "q_y": [figure.q_y], "tau": [figure.tau]}, name="wish")
    known = {name: figure.sources[name] for name in ("keys", "values", "output")}
    code = (HERE / "floor_callback.js").read_text()
    wish.js_on_change("data", CustomJS(args=known | {"ring": RING * 2 * figure.radius}, code=code))
    doc.add_root(wish)
    return doc


def html() -> str:
    """The page, to be shown one level below the root of our server, where its scripts, fonts and style sheets live."""
    figure = Lookup()
    docs, (item,) = standalone_docs_json_and_render_items(document(figure))
    template = environment.from_string((HERE / "floor.html").read_text())
    return template.render(
        title="Floor", summary="", home="./", crumb="", page={"docs": docs, "items": [item.to_json()]},
        html=figure_html(figure, item.roots, []), wish=item.roots["wish"], script=(HERE / "floor.js").read_text(),
    )  # fmt: skip

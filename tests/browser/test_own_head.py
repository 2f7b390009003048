"""A head of the reader's own in figure 2: loading, reading, zooming, and what it leaves behind."""

from __future__ import annotations

import base64
import csv
import io
import re

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Page, expect

from figures.heat import cell_num
from figures.matrix import Matrix
from figures.parts import num

from .conftest import column, ready, settled

T = 128
rng = np.random.default_rng(5)
HELD = io.BytesIO()
np.savez(
    HELD, Q=2 * rng.normal(size=(T, 8)), K=2 * rng.normal(size=(T, 8)), V=rng.normal(size=(T, 5)),
    tokens=np.array([f"w{n}" for n in range(T - 1)] + ["<i>last</i>"]),
)  # fmt: skip
FILE = {"name": "head.npz", "mimeType": "application/zip", "buffer": HELD.getvalue()}
INVITES = "Links do not carry the file"


def figure_of(row: int = 1, **knobs) -> Matrix:
    figure = Matrix(**knobs)
    figure.receive({
        "load": {"name": FILE["name"], "content": base64.b64encode(FILE["buffer"]).decode()}, "own_row": row,
    })  # fmt: skip
    figure._refresh()
    return figure


def load(page: Page) -> None:
    page.get_by_label("File with Q, K and V").set_input_files(FILE)
    expect(page.locator("[data-own-says]")).to_contain_text("head.npz: 128 tokens, d_k = 8, d_v = 5.")
    settled(page)


def line(page: Page) -> str:
    return page.locator("[data-cell-line]").inner_text().replace("\n", " ")


def says(page: Page, row: int, col: int, **knobs) -> None:
    """The line under the figure speaks of this cell (from 1), with the numbers of `core`."""
    result, (i, j) = figure_of(**knobs).result, (row - 1, col - 1)
    seen = result.allowed[i, j]
    score = num(result.scores[i, j]) + ("" if seen else ", masked to −∞")
    weight = num(result.weights[i, j]) if seen else "exactly 0"
    whom = "itself" if i == j else result.tokens[j]
    said = [f"row {row}, column {col}", f"{result.tokens[i]} {'reads' if seen else 'may not read'} from {whom}",
            f"score {score}", f"weight {weight}"]  # fmt: skip
    expect(page.locator("[data-cell-line]")).to_have_text(" ".join(said))


def spot(page: Page, row: int, col: int, plot: str = "scores", size: int = T) -> tuple[float, float]:
    """Where a cell is in the window, counted from 1."""
    index = ["scores", "weights"].index(plot)
    box = page.locator(".map-grid").nth(index).bounding_box()
    return box["x"] + box["width"] * (col - 0.5) / size, box["y"] + box["height"] * (row - 0.5) / size


def image(page: Page, plot: str) -> np.ndarray:
    found = page.evaluate(
        "name => { const m = Bokeh.documents.map(d => d.get_model_by_name(name)).find(Boolean).data;"
        " return [[...m.image[0]].map(String), m.image[0].shape] }",
        f"matrix.map {plot}",
    )
    return np.array(found[0]).astype(float).reshape(found[1])


def agrees(page: Page, row: int, **knobs) -> None:
    """Pictures, plane and sentence are what Python says."""
    settled(page)
    figure = figure_of(row, **knobs)
    result, columns = figure.result, figure.columns(figure.result)
    for name, expected in columns["values"].items():
        assert column(page, "matrix.values", name) == expected, name
    expect(page.locator("[data-description]")).to_have_text(figure.describe(result).replace("'", ""))
    shades = {"scores": figure.shade(result.scores), "weights": np.sqrt(result.weights)}
    for plot, shade in shades.items():
        shown = image(page, plot)
        assert (np.isnan(shown) == ~result.allowed).all()
        assert np.abs(shown - shade)[result.allowed].max() < 0.0102


def test_load_read_pick_and_go_back(visit):
    page = visit("/matrix?beta=2")
    before = page.locator("[data-description]").inner_text()
    expect(page.locator("[data-own-says]")).to_contain_text(INVITES)
    load(page)
    agrees(page, 1, beta=2.0)
    expect(page.locator("[data-own-says]")).to_contain_text("Links to this figure do not carry it.")
    page.mouse.move(*spot(page, 31, 77))
    says(page, 31, 77, beta=2.0)
    page.mouse.click(*spot(page, 60, 128, "weights"))
    says(page, 60, 128, beta=2.0)  # with a name that looks like HTML, shown as text
    agrees(page, 60, beta=2.0)
    assert page.url.endswith("?beta=2")
    expect(page.locator("[data-part='as query']")).to_contain_text("two leading principal components of the values:")
    expect(page.locator("[data-part=sum]")).to_contain_text("122 smaller terms")
    page.get_by_role("switch", name="Causal mask").focus()
    page.keyboard.press("Space")
    agrees(page, 60, beta=2.0, causal=True)
    says(page, 60, 128, beta=2.0, causal=True)
    slider = page.get_by_role("slider", name="sharpness")
    slider.focus()
    page.keyboard.press("ArrowRight")
    agrees(page, 60, beta=2.1, causal=True)
    page.get_by_role("button", name="Shuffle tokens").click()
    agrees(page, 60, beta=2.1, causal=True, shuffle=1)
    page.get_by_role("button", name="Reset").click()
    agrees(page, 60)
    page.get_by_role("button", name="Back to the sentence").click()
    expect(page.locator("[data-own-says]")).to_contain_text(INVITES)
    expect(page.get_by_role("button", name="Load a file")).to_be_focused()
    settled(page)
    assert len(column(page, "matrix.scores", "x")) == 36 and column(page, "matrix.map scores", "image") == []
    assert page.locator("[data-description]").inner_text() != before  # the reset has counted
    page.locator('[data-grid=scores] [data-row="2"] [data-column="4"]').click()
    expect(page.locator("[data-cell-line]")).to_contain_text("saw reads from dog")


def test_a_bad_file_gets_one_sentence_and_the_picture_stays(visit):
    page = visit("/matrix")
    problem, said = page.locator("[data-problem]"), page.locator("[data-description]").inner_text()
    chooser = page.get_by_label("File with Q, K and V")
    chooser.set_input_files({"name": "head.csv", "mimeType": "text/csv", "buffer": b"Q,1,2\nK,1\nV,3"})
    expect(problem).to_have_text("K: expected (T, d_k) = (1, 2) like Q, got (1, 1).")
    assert page.locator("[data-description]").inner_text() == said
    load(page)
    expect(problem).to_be_hidden()
    chooser.set_input_files({"name": "head.npy", "mimeType": "", "buffer": b"no"})
    expect(problem).to_have_text("array: expected an array as np.save writes it, got something else.")
    chooser.set_input_files({"name": "large.npz", "mimeType": "", "buffer": bytes(4_100_000)})
    expect(problem).to_have_text("file: expected at most 4 MB, got 4.1 MB.")
    agrees(page, 1)


def test_paste_and_drop(visit):
    page = visit("/matrix")
    opener, field = page.get_by_role("button", name="Paste text"), page.get_by_label("Q, K and V as JSON or CSV")
    expect(field).to_be_hidden()
    opener.focus()
    page.keyboard.press("Enter")
    expect(field).to_be_focused()
    field.fill("tokens,a,b,c\n" + "\n".join(f"{name},{n},{n + 1}" for name in "QKV" for n in range(3)))
    page.get_by_role("button", name="Show it").click()
    expect(page.locator("[data-own-says]")).to_contain_text("pasted.csv: 3 tokens, d_k = 2, d_v = 2.")
    settled(page)
    expect(page.locator(".map-over").first).to_have_text("abc")
    assert len(column(page, "matrix.scores", "text")) == 9  # a small head shows its numbers
    expect(page.get_by_role("button", name="Zoom in")).to_be_disabled()
    data = page.evaluate_handle(
        "text => { const held = new DataTransfer(); const raw = Uint8Array.from(atob(text), c => c.charCodeAt(0));"
        " held.items.add(new File([raw], 'head.npz')); return held }",
        base64.b64encode(FILE["buffer"]).decode(),
    )
    page.dispatch_event("[data-figure]", "dragover", {"dataTransfer": data})
    expect(page.locator("[data-figure]")).to_have_class(re.compile("dropping"))
    page.dispatch_event("[data-figure]", "drop", {"dataTransfer": data})
    expect(page.locator("[data-own-says]")).to_contain_text("head.npz")
    expect(page.locator("[data-figure]")).not_to_have_class(re.compile("dropping"))
    agrees(page, 1)


def redness(page: Page, plot: str, rows: int, columns: int) -> float:
    """How much more red than green there is in the picture round this cell."""
    x, y = spot(page, rows, columns, plot)
    shot = page.screenshot(clip={"x": x - 12, "y": y - 12, "width": 24, "height": 24})
    red, green, _ = np.array(Image.open(io.BytesIO(shot)).convert("RGB")).reshape(-1, 3).mean(axis=0)
    return float(red - green)


def test_keys_and_zoom(visit):
    page = visit("/matrix?causal=true")
    load(page)
    assert redness(page, "weights", 20, 110) > 15 > redness(page, "weights", 110, 60)  # later keys are masked
    result = figure_of(causal=True).result
    page.mouse.click(*spot(page, 70, 50))
    cell = page.locator(".map-cell").first
    expect(cell).to_be_focused()
    for key, at in {"ArrowRight": (70, 51), "ArrowDown": (71, 51), "End": (71, 128), "PageDown": (128, 128),
                    "Home": (128, 1), "ArrowLeft": (128, 1), "PageUp": (1, 1)}.items():  # fmt: skip
        page.keyboard.press(key)
        says(page, *at, causal=True)
        expect(cell).to_have_attribute("aria-colindex", str(at[1]))
        expect(page.locator(".map-row").first).to_have_attribute("aria-rowindex", str(at[0]))
    expect(page.locator("[data-announce]")).to_contain_text("row 1, column 1, w0 reads from itself")
    agrees(page, 1, causal=True)
    for _ in range(6):
        page.keyboard.press("+")
    settled(page)
    expect(page.locator("[data-zoom-range]")).to_contain_text("Rows 1–6, columns 1–6.")
    for _ in range(7):
        page.keyboard.press("ArrowDown")
    says(page, 8, 1, causal=True)  # the window follows
    expect(page.locator("[data-zoom-range]")).to_contain_text("Rows 3–8, columns 1–6.")
    settled(page)
    page.wait_for_timeout(300)
    texts = np.array(column(page, "matrix.weights", "text")).reshape(6, 6)
    expected = [[cell_num(result.weights[i, j]) if j <= i else "0" for j in range(6)] for i in range(2, 8)]
    assert texts.tolist() == expected
    slider = page.get_by_role("slider", name="sharpness")
    slider.focus()
    page.keyboard.press("ArrowRight")  # numbers that can be seen follow
    settled(page)
    after = figure_of(causal=True, beta=1.1).result
    assert column(page, "matrix.weights", "text")[:1] == [cell_num(after.weights[2, 0])]
    page.get_by_role("button", name="Show all").click()
    expect(page.locator("[data-zoom-range]")).to_contain_text("All 128 rows.")
    page.mouse.move(*spot(page, 40, 20))
    page.mouse.down()
    page.mouse.move(*spot(page, 59, 30), steps=4)
    page.mouse.up()
    expect(page.locator("[data-zoom-range]")).to_contain_text("Rows 40–59, columns 20–39.")
    page.mouse.move(*spot(page, 2, 3, size=20))
    says(page, 41, 22, causal=True, beta=1.1)


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (1280, "dark")])
def test_axe_width_and_theme(visit, width, scheme):
    page = visit("/matrix?causal=true", width=width, color_scheme=scheme)
    load(page)
    page.get_by_role("button", name="Paste text").click()
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = page.locator(".map-grid").first.bounding_box()
    canvas = page.locator("[data-plot=scores]").bounding_box()
    for side in ("x", "y", "width", "height"):
        assert box[side] == pytest.approx(canvas[side], abs=1)
    assert box["width"] == pytest.approx(box["height"], abs=1)


def test_tap_and_swipe(visit):
    page = visit("/matrix", width=360, height=640, has_touch=True, is_mobile=True)
    load(page)
    page.locator(".map-grid").first.scroll_into_view_if_needed()
    page.touchscreen.tap(*spot(page, 90, 40))
    says(page, 90, 40)
    agrees(page, 90)


def test_numbers_code_and_picture(visit):
    page = visit("/matrix")
    load(page)
    page.get_by_role("button", name="Code", exact=True).click()
    expect(page.locator("[data-extra=code] code")).to_contain_text("np.load('head.npz', allow_pickle=False)")
    page.get_by_role("button", name="Numbers", exact=True).click()
    expect(page.locator(".numbers tbody tr")).to_have_count(T)

    def saved(item: str) -> bytes:
        page.get_by_role("button", name="Save").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=item).click()
        return download.value.path().read_bytes()

    rows = list(csv.DictReader(io.StringIO(saved("Numbers (CSV)").decode())))
    assert [float(row["weight"]) for row in rows] == figure_of().result.weights.ravel().tolist()
    svg = saved("SVG").decode()
    assert svg.count("<image") >= 2 and "data:image/png" in svg
    assert saved("PNG").startswith(b"\x89PNG")


def test_a_head_survives_a_cut_connection(visit):
    """The page sends the file again, whatever the server still knows."""
    page, sockets = visit("/health", wait=False), []

    def relay(socket):
        sockets.append(socket)
        socket.connect_to_server()

    page.route_web_socket(re.compile("/matrix/ws"), relay)
    page.goto(page.url.replace("/health", "/matrix?causal=true"))
    ready(page)
    load(page)
    page.mouse.click(*spot(page, 70, 50))
    settled(page)
    sockets[0].close()
    page.wait_for_function("Bokeh.documents.length > 2")
    settled(page)
    page.wait_for_timeout(500)
    agrees(page, 70, causal=True)
    page.reload()
    ready(page)
    expect(page.locator("[data-own-says]")).to_contain_text(INVITES)


def test_a_link_of_the_lesson_goes_back_to_the_sentence(visit):
    page = visit("/", wait=False)
    figure = page.locator("#figure-matrix")
    figure.scroll_into_view_if_needed()
    expect(figure).to_have_attribute("data-ready", "true", timeout=30_000)
    load(page)
    expect(figure.locator(".map").first).to_be_visible()
    page.get_by_role("link", name="sharpness 0").click()
    expect(figure.locator(".map").first).to_be_hidden()
    expect(figure.locator("[data-own-says]")).to_contain_text(INVITES)
    expect(figure.locator("[data-grid=scores]")).to_be_visible()

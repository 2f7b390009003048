"""The static site as files: what is in it, what is not, and what it refuses. (Alive in a browser: tests/static.)"""

from __future__ import annotations

import json
import marshal
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from export import pack
from export.pyodide import FILES, PUBLIC, Pyodide
from export.site import Site
from figures import FIGURES, PAGES, Figure

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def pyodide(tmp_path_factory) -> Path:
    """A folder that looks like a distribution; nothing in it runs."""
    folder = tmp_path_factory.mktemp("pyodide")
    for name in FILES:
        (folder / name).write_text("https://example.org/ is no business of ours")
    packages = {"numpy": {"file_name": "numpy.whl", "depends": ["openblas"]}, "pandas": {"file_name": "pandas.whl"}}
    (folder / "pyodide-lock.json").write_text(json.dumps({"info": {}, "packages": packages}))
    for name in ("numpy.whl", "pandas.whl"):
        (folder / name).write_text("wheel")
    return folder


@pytest.fixture(scope="module")
def written(pyodide, tmp_path_factory) -> Site:
    written = Site(tmp_path_factory.mktemp("site") / "deep" / "site", Pyodide("./pyodide/", pyodide))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pack, "compile_with", lambda *_: False)
        written.write()
    return written


@pytest.fixture
def out(written) -> Path:
    return written.out


def test_every_figure_has_its_page_and_the_lesson_is_the_index(out):
    assert {p.stem for p in out.glob("*.html")} == {"index", "review", *(f.slug for f in PAGES)}
    index = (out / "index.html").read_text()
    assert "Worked example" in index
    assert re.findall(r'<figure[^>]* data-figure="(\w+)"', index) == [f.slug for f in PAGES]


def test_no_address_of_another_host(written):
    assert written.foreign_addresses() == []


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://cdn.example.org/x.js"></script>',
        '<link rel="stylesheet" href="https://cdn.example.org/x.js">',
        '<a title="x" href="lookup.html">fetch("https://cdn.example.org/x.js")</a>',
    ],
)
def test_a_foreign_address_stops_the_export(written, html):
    page = written.out / "extra.html"
    page.write_text(html)
    try:
        assert written.foreign_addresses() == ["extra.html: https://cdn.example.org/x.js"]
    finally:
        page.unlink()


def test_a_link_to_read_more_is_no_request(written):
    page = written.out / "extra.html"
    page.write_text('<p><a class="x" href="https://arxiv.org/abs/1706.03762">paper</a></p>')
    try:
        assert written.foreign_addresses() == []
    finally:
        page.unlink()


def test_service_worker_keeps_every_file(out):
    script = (out / "sw.js").read_text()
    names = json.loads(re.search(r"const FILES = (\[.*?\])", script)[1])
    files = {f.relative_to(out).as_posix() for f in out.rglob("*") if f.is_file()} - {"sw.js", ".nojekyll"}
    assert set(names) == files | {"./"}
    assert re.search(r'VERSION = "[0-9a-f]{12}"', script)
    assert "@" not in re.sub(r"//.*", "", script)


def test_python_from_another_address_is_the_only_one_that_is_named(tmp_path):
    Site(tmp_path, Pyodide(), FIGURES[:1]).write()
    assert not (tmp_path / "pyodide").exists()
    session = re.search(r'id="session">(.*?)</script>', (tmp_path / "lookup.html").read_text(), re.DOTALL)[1]
    assert json.loads(session)["boot"]["pyodide"] == PUBLIC
    assert f'PYODIDE = "{PUBLIC}"' in (tmp_path / "sw.js").read_text()


def test_the_public_address_is_the_one_that_panel_names():
    from panel.io.convert import PYODIDE_URL

    assert PYODIDE_URL == PUBLIC + "pyodide.js"


def test_compiled_modules_run_and_keep_their_data():
    files = pack.compiled({"lab/__init__.py": b"", "lab/one.py": b"ONE = 1", "lab/data.json": b"{}"})
    assert set(files) == {"lab/__init__.pyc", "lab/one.pyc", "lab/data.json"}
    names: dict = {}
    exec(marshal.loads(files["lab/one.pyc"][16:]), names)
    assert names["ONE"] == 1


@pytest.mark.parametrize("name", ["index", "review", *(f.slug for f in PAGES)])
def test_page_names_only_files_that_are_there(out, name):
    """All of them relative, so that the site runs from any folder."""
    html = re.sub(r'href="(#|https://)[^"]*"', "", (out / f"{name}.html").read_text())
    named = re.findall(r'(?:src|href)="([^"]+)"', html) + re.findall(r"url\(([^)]+)\)", html)
    files = [name.split("?")[0].split("#")[0] for name in named if not name.startswith("data:")]
    assert len(files) > 8
    for name in files:
        assert not name.startswith("/"), name
        assert (out / name).is_file(), name
    for sheet in out.rglob("*.css"):
        for name in re.findall(r"url\(([^)]+)\)", sheet.read_text()):
            assert (sheet.parent / name.strip("\"'")).is_file(), (sheet, name)


@pytest.mark.parametrize("figure", PAGES, ids=lambda f: f.slug)
def test_page_reads_and_draws_before_python_runs(out, figure: type[Figure]):
    html = (out / f"{figure.slug}.html").read_text()
    assert "data-description" in html
    session = json.loads(re.search(r'<script type="application/json" id="session">(.*?)</script>', html, re.DOTALL)[1])
    names = {root["attributes"]["name"] for root in session["drawing"]["roots"]}
    assert names == {f"{figure.slug}/{panel.plot}" for panel in figure.panels if panel.plot}
    assert session["boot"] == {"pyodide": "./pyodide/", "archive": "./lab.tar", "offline": "./sw.js"}


def test_only_needed_modules_are_packed(out):
    with tarfile.open(out / "lab.tar") as archive:
        names = archive.getnames()
    assert {"core/attention.py", "export/inside.py", "figures/lookup.py", "figures/formulas.json"} <= set(names)
    assert not {"figures/draw.py", "figures/drawing.py", "figures/page.py", "figures/wire.py", "export/site.py"} & set(
        names
    )
    assert {name.split("/")[0] for name in names} == {
        "core",
        "export",
        "figures",
        "param",
        "lesson",
        "fsrs",
        "typing_extensions.py",
    }
    assert {n for n in names if n.startswith("lesson/")} == {"lesson/__init__.py", "lesson/deck.py"}
    assert max(map(len, names)) < 100  # the worker reads plain tar


def test_archive_is_the_same_for_the_same_files():
    assert pack.tar({"b": b"1", "a": b"2"}) == pack.tar({"a": b"2", "b": b"1"})


def test_pyodide_is_trimmed_to_numpy(out):
    assert {p.name for p in (out / "pyodide").iterdir()} == {*FILES, "numpy.whl"}
    lock = json.loads((out / "pyodide/pyodide-lock.json").read_text())
    assert list(lock["packages"]) == ["numpy"]
    assert lock["packages"]["numpy"]["depends"] == []


def test_only_chosen_figures(pyodide, tmp_path, monkeypatch):
    monkeypatch.setattr(pack, "compile_with", lambda *_: False)
    Site(tmp_path, Pyodide("./pyodide/", pyodide), FIGURES[:1]).write()
    assert {p.stem for p in tmp_path.glob("*.html")} == {"index", FIGURES[0].slug}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "the following arguments are required: out"),
        (["OUT", "--pyodide", "EMPTY"], f"EMPTY has no {', '.join(FILES)}."),
        (["OUT", "--pyodide", "EMPTY", "--figures", "lookup,none"], "got 'lookup,none'"),
        (["OUT", "--pyodide-url", "cdn.example.org"], "starts with https://, got 'cdn.example.org'"),
        (["OUT", "--base", "example.org"], "starts with https://, got 'example.org'"),
    ],
)  # fmt: skip
def test_what_cannot_be_exported_is_said_in_one_sentence(arguments, words, tmp_path):
    (tmp_path / "EMPTY").mkdir()
    given = [str(tmp_path / a) if a in ("OUT", "EMPTY") else a for a in arguments]
    run = subprocess.run([sys.executable, "-m", "export", *given], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode
    assert run.stderr.strip().splitlines()[-1].endswith(words)

"""The static site as files: what is in it, what is not, and what it refuses. (Alive in a browser: tests/static.)"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from export import pack, site
from figures import PAGES, Figure

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def pyodide(tmp_path_factory) -> Path:
    """A folder that looks like a distribution; nothing in it runs."""
    folder = tmp_path_factory.mktemp("pyodide")
    for name in site.PYODIDE_FILES:
        (folder / name).write_text("https://example.org/ is no business of ours")
    packages = {"numpy": {"file_name": "numpy.whl", "depends": ["openblas"]}, "pandas": {"file_name": "pandas.whl"}}
    (folder / "pyodide-lock.json").write_text(json.dumps({"info": {}, "packages": packages}))
    for name in ("numpy.whl", "pandas.whl"):
        (folder / name).write_text("wheel")
    return folder


@pytest.fixture(scope="module")
def out(pyodide, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "deep" / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pack, "compile_with", lambda *_: False)
        site.write(folder, pyodide, PAGES)
    return folder


def test_every_figure_has_its_page_and_the_first_is_the_index(out):
    assert {p.stem for p in out.glob("*.html")} == {"index", *(f.slug for f in PAGES)}
    assert (out / "index.html").read_text() == (out / f"{PAGES[0].slug}.html").read_text()


def test_no_address_of_another_host(out):
    assert site.foreign_addresses(out) == []


def test_a_foreign_address_stops_the_export(out):
    page = out / "extra.html"
    page.write_text('<script src="https://cdn.example.org/x.js"></script>')
    try:
        assert site.foreign_addresses(out) == ["extra.html: https://cdn.example.org/x.js"]
    finally:
        page.unlink()


@pytest.mark.parametrize("figure", PAGES, ids=lambda f: f.slug)
def test_page_names_only_files_that_are_there(out, figure):
    """All of them relative, so that the site runs from any folder."""
    html = (out / f"{figure.slug}.html").read_text()
    named = re.findall(r'(?:src|href)="([^"]+)"', html) + re.findall(r"url\(([^)]+)\)", html)
    files = [name.split("?")[0].split("#")[0] for name in named if not name.startswith("data:")]
    assert len(files) > 8
    for name in files:
        assert not name.startswith("/"), name
        assert (out / name).is_file() or name in {f"{f.slug}" for f in PAGES}, name
    for sheet in out.rglob("*.css"):
        for name in re.findall(r"url\(([^)]+)\)", sheet.read_text()):
            assert (sheet.parent / name.strip("\"'")).is_file(), (sheet, name)


@pytest.mark.parametrize("figure", PAGES, ids=lambda f: f.slug)
def test_page_reads_and_draws_before_python_runs(out, figure: type[Figure]):
    html = (out / f"{figure.slug}.html").read_text()
    assert "data-description" in html
    session = json.loads(re.search(r'<script type="application/json" id="session">(.*?)</script>', html, re.DOTALL)[1])
    (document,) = session["docs"].values()
    names = {root["attributes"]["name"] for root in document["roots"]}
    assert names == {f"{figure.slug}/{panel.plot}" for panel in figure.panels if panel.plot}
    assert session["boot"] == {"pyodide": "./pyodide/", "archive": "./lab.tar"}


def test_only_needed_modules_are_packed(out):
    with tarfile.open(out / "lab.tar") as archive:
        names = archive.getnames()
    assert {"core/attention.py", "export/inside.py", "figures/lookup.py", "figures/formulas.json"} <= set(names)
    assert not {"figures/draw.py", "figures/page.py", "figures/wire.py", "export/site.py"} & set(names)
    assert {name.split("/")[0] for name in names} == {"core", "export", "figures", "param"}
    assert max(map(len, names)) < 100  # the worker reads plain tar


def test_archive_is_the_same_for_the_same_files():
    assert pack.tar({"b": b"1", "a": b"2"}) == pack.tar({"a": b"2", "b": b"1"})


def test_pyodide_is_trimmed_to_numpy(out):
    assert {p.name for p in (out / "pyodide").iterdir()} == {*site.PYODIDE_FILES, "numpy.whl"}
    lock = json.loads((out / "pyodide/pyodide-lock.json").read_text())
    assert list(lock["packages"]) == ["numpy"]
    assert lock["packages"]["numpy"]["depends"] == []


def test_only_chosen_figures(pyodide, tmp_path, monkeypatch):
    monkeypatch.setattr(pack, "compile_with", lambda *_: False)
    site.write(tmp_path, pyodide, PAGES[:1])
    assert {p.stem for p in tmp_path.glob("*.html")} == {"index", PAGES[0].slug}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "the following arguments are required: out, --pyodide"),
        (["OUT", "--pyodide", "EMPTY"], f"EMPTY has no {', '.join(site.PYODIDE_FILES)}."),
        (["OUT", "--pyodide", "EMPTY", "--figures", "lookup,none"], "got 'lookup,none'"),
    ],
)  # fmt: skip
def test_what_cannot_be_exported_is_said_in_one_sentence(arguments, words, tmp_path):
    (tmp_path / "EMPTY").mkdir()
    given = [str(tmp_path / a) if a in ("OUT", "EMPTY") else a for a in arguments]
    run = subprocess.run([sys.executable, "-m", "export", *given], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode
    assert run.stderr.strip().splitlines()[-1].endswith(words)

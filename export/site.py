"""A folder that any web host can serve: pages with the picture drawn, and Python for the reader's browser."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import bokeh
from bokeh.document import Document
from bokeh.embed.util import standalone_docs_json_and_render_items

import assets
from figures import Figure
from figures.page import environment
from figures.wire import show
from lesson.page import TEMPLATE, page_words

from . import pack

PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
# Namespaces are names that look like addresses; nothing is ever fetched from them.
NAMESPACES = ("http://www.w3.org/",)


class CannotExport(Exception):
    """What is missing, in one sentence."""


def write(out: Path, pyodide: Path, figures: Sequence[type[Figure]]) -> str:
    """Write the site and say what was written."""
    out.mkdir(parents=True, exist_ok=True)
    copy_pyodide(pyodide, out / "pyodide")
    copy_assets(out)
    archive, compiled = pack.write(out / "lab.tar", pyodide, [figure.slug for figure in figures])
    for figure in figures:
        (out / f"{figure.slug}.html").write_text(page(figure))
    shutil.copy(out / f"{figures[0].slug}.html", out / "index.html")
    (out / ".nojekyll").touch()  # GitHub Pages would leave out files that start with an underscore
    if found := foreign_addresses(out):
        raise CannotExport(f"The site would ask other hosts: {'; '.join(found)}.")
    size = sum(f.stat().st_size for f in out.rglob("*") if f.is_file())
    kind = "compiled by Pyodide's own Python" if compiled else "not compiled (install Node.js to compile them)"
    return f"{out}: {len(figures)} pages, {size / 1e6:.1f} MB; {archive} Python modules, {kind}."


def page(kind: type[Figure]) -> str:
    """The page of a figure in its first state, the Bokeh document inside."""
    figure, doc = kind(), Document()
    show(figure, doc)
    docs, (item,) = standalone_docs_json_and_render_items(doc)
    return environment.get_template(TEMPLATE).render(
        **page_words([figure], {figure.slug: []}), docs_json=docs, docs=[item], roots=item.roots,
        asset=asset, bokeh_url="assets/bokeh.min.js", pages="%.html", home="./index.html",
        boot={"pyodide": "./pyodide/", "archive": "./lab.tar"},
    )  # fmt: skip


def asset(name: str) -> str:
    assets.url(name)  # refuses what is not there
    return f"assets/{name}?v={assets.version()}"


def copy_assets(out: Path) -> None:
    for name in assets.Files.__css__:
        target = out / "assets" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(assets.FOLDER / name, target)
    shutil.copy(Path(bokeh.__file__).parent / "server/static/js/bokeh.min.js", out / "assets/bokeh.min.js")


def copy_pyodide(source: Path, target: Path) -> None:
    """Only the core and NumPy, and a list of packages that names no other."""
    missing = [name for name in PYODIDE_FILES if not (source / name).is_file()]
    if missing:
        raise CannotExport(f"--pyodide: expected a Pyodide distribution, but {source} has no {', '.join(missing)}.")
    lock = json.loads((source / "pyodide-lock.json").read_text())
    wheel = lock["packages"].get("numpy", {}).get("file_name", "")
    if not wheel or not (source / wheel).is_file():
        raise CannotExport(f"--pyodide: expected a distribution with NumPy, but {source} has none.")
    target.mkdir(parents=True, exist_ok=True)
    for name in (*PYODIDE_FILES, wheel):
        shutil.copy(source / name, target / name)
    lock["packages"] = {"numpy": lock["packages"]["numpy"] | {"depends": []}}
    (target / "pyodide-lock.json").write_text(json.dumps(lock))


def foreign_addresses(out: Path) -> list[str]:
    """Addresses of other hosts in what we wrote ourselves: pages, style sheets and our scripts."""
    found = []
    for path in sorted(out.rglob("*")):
        ours = "pyodide" not in path.parts and path.name not in ("bokeh.min.js", "katex.min.js")
        if ours and path.suffix in (".html", ".css", ".js", ".svg"):
            for address in re.findall(r"https?://[^\s\"'<>)\\]+", path.read_text()):
                if not address.startswith(NAMESPACES):
                    found.append(f"{path.relative_to(out)}: {address}")
    return found

"""A folder that any web host can serve: pages with the picture drawn, and Python for the reader's browser."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bokeh

import assets
from figures import BY_SLUG, Figure
from figures.page import environment
from lesson import anki
from lesson.page import NOTEBOOK, TEMPLATE, lesson_html, page_words, review_html

from . import pack
from .pyodide import CannotExport, Pyodide

# Addresses in our files that nothing is fetched from, or only when the reader presses a button that says so.
HARMLESS = ("http://www.w3.org/", "https://www.youtube-nocookie.com/embed/")
READING = re.compile(r'<a\b[^>]*\bhref="https?://[^"]*"')  # a link that the reader may follow


@dataclass(frozen=True)
class Site:
    """What is written, and where."""

    out: Path
    pyodide: Pyodide = field(default_factory=Pyodide)
    figures: Sequence[type[Figure]] = tuple(BY_SLUG.values())
    base: str = ""  # address under which the site will stand, if it is known

    def write(self) -> str:
        """Write the site and say what was written."""
        self.out.mkdir(parents=True, exist_ok=True)
        self.pyodide.copy(self.out / "pyodide")
        copy_assets(self.out)
        shutil.copy(NOTEBOOK, self.out / NOTEBOOK.name)
        shutil.copy(assets.FOLDER / "js/embed.js", self.out / "embed.js")  # an address that course pages can keep
        (self.out / "review").mkdir(exist_ok=True)
        (self.out / "review/attention.apkg").write_bytes(anki.package())
        archive, compiled = pack.write(self.out / "lab.tar", self.pyodide, [figure.slug for figure in self.figures])
        for name, html in self.pages().items():
            (self.out / name).write_text(html)
        (self.out / ".nojekyll").touch()  # GitHub Pages would leave out files that start with an underscore
        self.write_worker()
        if found := self.foreign_addresses():
            raise CannotExport(f"The site would ask other hosts: {'; '.join(found)}.")
        size = sum(f.stat().st_size for f in self.out.rglob("*") if f.is_file())
        return (
            f"{self.out}: {len(self.figures)} figure pages, {size / 1e6:.1f} MB; {archive} Python modules, {compiled}."
        )

    def pages(self) -> dict[str, str]:
        """File name → HTML."""
        pages = {f"{figure.slug}.html": self.figure_page(figure) for figure in self.figures}
        if len(self.figures) < len(BY_SLUG):
            return pages | {"index.html": pages[f"{self.figures[0].slug}.html"]}
        lesson, review = lesson_html(self.base, **self.where), review_html(**self.where, boot=self.boot)
        return pages | {"index.html": localised(lesson), "review.html": localised(review)}

    @property
    def where(self) -> dict[str, Any]:
        """Where a page of the site finds things."""
        return {"asset": asset, "bokeh_url": "assets/bokeh.min.js", "pages": "%.html", "home": "./index.html",
                "python_from": self.pyodide.foreign}  # fmt: skip

    def figure_page(self, kind: type[Figure]) -> str:
        """The page of a figure in its first state, the Bokeh document inside."""
        words = page_words(kind(), [], boot=self.boot)
        return localised(environment.get_template(TEMPLATE).render(**words, **self.where, docs=[]))

    @property
    def boot(self) -> dict[str, str]:
        """What a page needs to start Python."""
        return {"pyodide": self.pyodide.address, "archive": "./lab.tar", "offline": "./sw.js"}

    def write_worker(self) -> None:
        """The service worker, which keeps all files of the site; its name changes when any of them does."""
        files = sorted(f for f in self.out.rglob("*") if f.is_file() and f.name not in ("sw.js", ".nojekyll"))
        digest = hashlib.sha256()
        for file in files:
            digest.update(file.read_bytes())
        names = ["./", *(f.relative_to(self.out).as_posix() for f in files)]
        script = (Path(__file__).with_name("sw.js")).read_text()
        values = {"version": digest.hexdigest()[:12], "files": names, "pyodide": self.pyodide.foreign}
        for name, value in values.items():
            script = script.replace(f'"@{name}"', json.dumps(value))
        (self.out / "sw.js").write_text(script)

    def foreign_addresses(self) -> list[str]:
        """Addresses of other hosts in what we wrote ourselves: pages, style sheets and our scripts."""
        allowed = (*HARMLESS, *filter(None, (self.pyodide.foreign, self.base)))
        found = []
        for path in sorted(self.out.rglob("*")):
            ours = "pyodide" not in path.parts and path.name not in ("bokeh.min.js", "katex.min.js")
            if ours and path.suffix in (".html", ".css", ".js", ".svg"):
                text = READING.sub("", path.read_text())
                for address in re.findall(r"https?://[^\s\"'<>)\\]+", text):
                    if not address.startswith(allowed):
                        found.append(f"{path.relative_to(self.out)}: {address}")
        return found


def asset(name: str) -> str:
    assets.url(name)  # refuses what is not there
    return f"assets/{name}?v={assets.version()}"


def copy_assets(out: Path) -> None:
    for name in assets.Files.__css__:
        target = out / "assets" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(assets.FOLDER / name, target)
    shutil.copy(Path(bokeh.__file__).parent / "server/static/js/bokeh.min.js", out / "assets/bokeh.min.js")


PAGES = (*BY_SLUG, "review")  # of the server; here each is a file


def localised(html: str) -> str:
    """Links to pages of the server, as links to files.

    >>> localised('<a href="lookup?tau=0.5">')
    '<a href="lookup.html?tau=0.5">'
    """
    html = re.sub(rf'href="({"|".join(PAGES)})(?=["?#])', r'href="\1.html', html)
    return html.replace('href="notebook"', f'href="{NOTEBOOK.name}"')

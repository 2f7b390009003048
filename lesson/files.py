"""Files of every page, as the server sends them: compressed once a process, kept by the browser for ever.

Panel would serve them, too (`panel serve app.py` does), but uncompressed, and the browser would ask again each time.
Their addresses change with their content, so nobody has to ask.
"""

from __future__ import annotations

import gzip
import mimetypes
from functools import cache
from pathlib import Path

import bokeh
from tornado.web import HTTPError, RequestHandler

import assets

BOKEH = Path(bokeh.__file__).parent / "server/static/js/bokeh.min.js"
DENSE = {".woff2", ".png"}  # compressed already
YEAR = 365 * 24 * 3600


@cache
def packed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)


class File(RequestHandler):
    def get(self, name: str) -> None:
        path = self.path(name)
        self.set_header("Content-Type", mimetypes.guess_type(path.name)[0] or "application/octet-stream")
        forever = f"max-age={YEAR}, immutable" if self.get_argument("v", "") else "no-cache"
        self.set_header("Cache-Control", forever)
        self.set_header("Vary", "Accept-Encoding")
        if path.suffix in DENSE or "gzip" not in self.request.headers.get("Accept-Encoding", ""):
            self.finish(path.read_bytes())
            return
        self.set_header("Content-Encoding", "gzip")
        self.finish(packed(path))

    head = get

    def path(self, name: str) -> Path:
        raise NotImplementedError


class Asset(File):
    """A public file of assets/, under the address that Panel gives it, too."""

    def path(self, name: str) -> Path:
        if name not in assets.Files.__css__:
            raise HTTPError(404)
        return assets.FOLDER / name


class BokehScript(File):
    def path(self, name: str) -> Path:
        return BOKEH


HANDLERS = [(r"/components/assets/Files/__css__/(.+)", Asset), (r"/static/js/(bokeh\.min\.js)", BokehScript)]

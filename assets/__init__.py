"""Style sheets, scripts, fonts and templates, and the address under which a page finds them.

Panel serves the files that a class names in ``__css__`` to whoever asks for ``components/<module>/<class>/__css__/…``,
with `pn.serve` as with `panel serve app.py`. One way for both, so `Files` names every public file of this folder.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
PUBLIC = {".css", ".js", ".woff2", ".svg", ".png", ".txt"}


class Files:
    __css__ = sorted(p.relative_to(FOLDER).as_posix() for p in FOLDER.rglob("*") if p.suffix in PUBLIC)


@cache
def version() -> str:
    """Changes when any public file changes, so that browsers may keep them for ever."""
    digest = hashlib.sha256()
    for name in Files.__css__:
        digest.update((FOLDER / name).read_bytes())
    return digest.hexdigest()[:12]


@cache
def modules(*entries: str) -> list[str]:
    """These scripts and all that they import, directly or not, so that the browser need not find them one by one.

    >>> modules("js/alone.js")
    ['js/alone.js', 'js/python.js']
    """
    found = list(entries)
    for name in found:  # grows meanwhile
        imported = re.findall(r'^import\b[^"\n]*"\./(.+?)"', (FOLDER / name).read_text(), re.MULTILINE)
        found += dict.fromkeys(each for each in (f"js/{file}" for file in imported) if each not in found)
    return found


def url(name: str) -> str:
    """Address of a public file, seen from a page one level below the root of the server.

    >>> url("css/page.css").split("?")[0]
    'components/assets/Files/__css__/css/page.css'
    """
    if name not in Files.__css__:
        raise ValueError(f"asset: expected a public file of assets/, got {name!r}")
    return f"components/assets/Files/__css__/{name}?v={version()}"

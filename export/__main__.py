"""`python -m export OUT`: write the static site."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from figures import BY_SLUG

from .pyodide import PUBLIC, CannotExport, Pyodide
from .site import Site


def address(text: str) -> str:
    """An address of a folder, with the slash at its end."""
    if not text.startswith(("https://", "http://")):
        raise argparse.ArgumentTypeError(f"expected an address that starts with https://, got {text!r}")
    return text.rstrip("/") + "/"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m export", description="Write the Attention Lab as a static site.")
    parser.add_argument("out", type=Path, help="folder to write; made if it is not there")
    python = parser.add_mutually_exclusive_group()
    python.add_argument(
        "--pyodide", type=Path, help="folder of a Pyodide distribution with NumPy, to copy into the site"
    )
    python.add_argument(
        "--pyodide-url", type=address, default=PUBLIC, help=f"where browsers load Pyodide (default {PUBLIC})"
    )
    parser.add_argument("--base", type=address, help="address of the finished site, for previews of links")
    parser.add_argument(
        "--figures", default=",".join(BY_SLUG), help="which figures, with commas between (default: all, and the lesson)"
    )
    chosen = parser.parse_args(arguments)
    slugs = [slug for slug in chosen.figures.split(",") if slug]
    unknown = [slug for slug in slugs if slug not in BY_SLUG]
    if unknown or not slugs:
        parser.error(f"--figures: expected some of {', '.join(BY_SLUG)}, got {chosen.figures!r}")
    pyodide = Pyodide("./pyodide/", chosen.pyodide) if chosen.pyodide else Pyodide(chosen.pyodide_url)
    try:
        print(Site(chosen.out, pyodide, [BY_SLUG[slug] for slug in slugs], chosen.base or "").write())
    except CannotExport as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main(sys.argv[1:])

"""`python -m export OUT --pyodide FOLDER`: write the static site."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from figures import BY_SLUG

from . import site


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m export", description="Write the Attention Lab as a static site.")
    parser.add_argument("out", type=Path, help="folder to write; made if it is not there")
    parser.add_argument("--pyodide", type=Path, required=True, help="folder of a Pyodide distribution with NumPy")
    parser.add_argument(
        "--figures", default=",".join(BY_SLUG), help="which figures, with commas between (default: all)"
    )
    chosen = parser.parse_args(arguments)
    slugs = [slug for slug in chosen.figures.split(",") if slug]
    unknown = [slug for slug in slugs if slug not in BY_SLUG]
    if unknown or not slugs:
        parser.error(f"--figures: expected some of {', '.join(BY_SLUG)}, got {chosen.figures!r}")
    try:
        report = site.write(chosen.out, chosen.pyodide, [BY_SLUG[slug] for slug in slugs])
    except site.CannotExport as problem:
        sys.exit(str(problem))
    print(report)


if __name__ == "__main__":
    main(sys.argv[1:])

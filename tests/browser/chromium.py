"""Find a Chromium for the browser tests, or install one: `python -m tests.browser.chromium`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def find() -> str | None:
    """Path of a Chromium: the variable CHROMIUM, one of the usual names, or Playwright's own."""
    if named := os.environ.get("CHROMIUM"):
        return shutil.which(named)
    return next((path for name in NAMES if (path := shutil.which(name))), None) or _playwrights_own()


def _playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def install() -> None:
    """Playwright's Chromium, or Debian's where that cannot be fetched and we may install packages."""
    commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if shutil.which("apt-get") and os.geteuid() == 0:
        commands += [["apt-get", "update"], ["apt-get", "install", "-y", "chromium"]]
    for command in commands:
        if find() is None:
            subprocess.run(command, check=False, capture_output=True)


if __name__ == "__main__":
    if find() is None:
        print("No Chromium found for the browser tests; installing one …", flush=True)
        install()
    print(f"Browser tests use {find()}." if find() else
          "No Chromium could be found or installed: the browser tests will be skipped. Install Chromium, or set "
          "CHROMIUM to its path, to run them.")  # fmt: skip

"""`make preview` draws the picture that other sites show for a link to the lesson: its title over the real figure 1."""

from __future__ import annotations

import base64
from pathlib import Path

from playwright.sync_api import sync_playwright

from lesson.page import LESSON
from tests.browser.chromium import FLAGS, find
from tests.browser.conftest import free_port, ready, serving

OUT = Path(__file__).parents[1] / "assets" / "icons" / "preview.png"
PAGE = """<!doctype html><style>
body {{ margin: 0; width: 1200px; height: 630px; overflow: hidden; background: #fff; color: #17191d; }}
p {{ margin: 56px 56px 0; font: 500 26px "Inter"; }}
h1 {{ margin: 14px 56px 38px; font: 400 60px/1.08 "Source Serif 4"; letter-spacing: -.018em; }}
img {{ display: block; width: 1088px; margin: 0 56px; }}
</style><p>Attention Lab</p><h1>{title}</h1><img src="data:image/png;base64,{picture}">"""


def main() -> None:
    port = free_port()
    with serving("app.py", "--port", str(port), port=port), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=list(FLAGS))
        figure = browser.new_page(viewport={"width": 1200, "height": 900}, device_scale_factor=2)
        figure.goto(f"http://localhost:{port}/lookup")
        ready(figure)
        figure.wait_for_timeout(1500)  # fonts and the first painting of the planes
        picture = base64.b64encode(figure.locator(".trio").screenshot()).decode()
        # The page of the figure has the fonts already, so the picture is set there.
        figure.set_viewport_size({"width": 1200, "height": 630})
        fonts = figure.locator("head style").first.inner_text()
        card = browser.new_page(viewport={"width": 1200, "height": 630})
        card.goto(f"http://localhost:{port}/health")
        card.set_content(PAGE.format(title=LESSON, picture=picture) + f"<base href='/'><style>{fonts}</style>")
        card.evaluate("document.fonts.ready")
        card.wait_for_timeout(500)
        card.screenshot(path=OUT)
        browser.close()
    print(f"{OUT.name}: {OUT.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()

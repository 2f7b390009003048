"""The text as tests see it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from lesson.markdown import paths

WORDS = {path.name: path.read_text() for path in paths()}
FENCE = re.compile(r"^```(.*)\n((?:.*\n)*?)```$", re.MULTILINE)

EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Page(HTMLParser):
    """Ids, links and headings of a page; a tag that is not closed, or closed in the wrong order, is noted."""

    def __init__(self, html: str):
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.ids: list[str] = []
        self.links: list[dict[str, str]] = []
        self.headings: list[int] = []
        self.feed(html)
        self.faults += [f"<{tag}> is never closed" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        values = {name: value or "" for name, value in attrs}
        if len(values) < len(attrs):
            self.faults.append(f"<{tag}> has an attribute twice: {attrs}")
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "a":
            self.links.append(values)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in EMPTY:
            if tag in ("p", "ul", "ol", "div", "table", "pre") and "p" in self.open:
                self.faults.append(f"<{tag}> in a paragraph, {self.getpos()}")
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass  # closed at once, as in SVG

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes something else, {self.getpos()}")

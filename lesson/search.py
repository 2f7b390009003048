"""What the search of the lesson can find: headings, figures, statements, questions, cards and mistakes.

The index is read off the finished HTML, so each entry has an anchor that is on the page. Answers are left out: those
of predictions, checks, cards and self-checks must not be given away by a search.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser

from figures import BY_SLUG

from . import tex
from .markdown import sections

BLOCKS = {"p", "li", "td", "th", "pre", "div", "label"}
EMPTY = {"br", "col", "hr", "img", "input", "wbr"}
HIDDEN = {
    "anchor", "ruling", "why", "told", "answer", "yours", "vid", "turn-no", "turn-foot", "say", "listing", "notebook",
    "kind", "output",
}  # fmt: skip
KINDS = {  # class of an element → what it is, and the class or tag of its title
    "definition": ("Definition", "name"), "theorem": ("Theorem", "name"), "predict": ("Question", "ask"),
    "check": ("Quick check", "ask"), "card": ("Card", "summary"), "more": ("Extra", "summary"),
    "video": ("Video", "vid-h"),
}  # fmt: skip
SELVES = {"self": "Self-check", "interview": "Interview question"}  # by the beginning of their id


@dataclass(frozen=True)
class Entry:
    kind: str
    title: str
    text: str
    anchor: str


@dataclass
class Node:
    tag: str
    attrs: dict[str, str]
    children: list[Node | str] = field(default_factory=list)

    @property
    def classes(self) -> list[str]:
        return self.attrs.get("class", "").split()

    def all(self) -> Iterator[Node]:
        for child in self.children:
            if isinstance(child, Node):
                yield child
                yield from child.all()


class Tree(HTMLParser):
    """HTML that closes what it opens (tests/lesson/test_text.py), as a tree."""

    def __init__(self, html: str):
        super().__init__()
        self.root = Node("", {})
        self.open = [self.root]
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in EMPTY:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass  # parts of drawings

    def handle_endtag(self, tag: str) -> None:
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def words(node: Node | str) -> str:
    """What a node says; formulas as they are typed."""
    if isinstance(node, str):
        return node
    if "katex" in node.classes:
        sources = ["".join(map(str, n.children)) for n in node.all() if n.tag == "annotation"]
        return tex.plain(sources[0])
    if node.tag in ("script", "style", "svg", "button") or HIDDEN & set(node.classes):
        return ""
    return "".join(map(words, node.children)) + (" " if node.tag in BLOCKS else "")


def tidy(text: str) -> str:
    return " ".join(text.split())


@dataclass
class Draft:
    kind: str
    title: str
    anchor: str
    text: str = ""


class Index:
    def __init__(self) -> None:
        self.drafts: list[Draft] = []

    def start(self, kind: str, title: str, anchor: str) -> Draft:
        self.drafts.append(Draft(kind, tidy(title), anchor))
        return self.drafts[-1]

    def gather(self, node: Node, current: Draft) -> None:
        for child in node.children:
            if isinstance(child, str):
                current.text += child
            elif child.tag in ("h2", "h3"):
                current = self.start("Section" if child.tag == "h2" else "Heading", words(child), child.attrs["id"])
            elif "place" in child.classes:
                self.figure(child)
            elif child.attrs.get("id", "").startswith("mistake-"):
                self.titled(child, "Mistake", "strong")
            elif (kind := kind_of(child)) is not None:
                self.titled(child, *kind)
            elif "katex" in child.classes or HIDDEN & set(child.classes):
                current.text += " " + words(child)
            else:
                self.gather(child, current)
                current.text += " " if child.tag in BLOCKS else ""

    def titled(self, node: Node, kind: str, title: str) -> None:
        head = next(n for n in node.all() if n.tag == title or title in n.classes)
        said = words(head)
        if title == "summary":  # before it stands a number
            said = words([n for n in head.children if isinstance(n, Node)][-1])
        # The answers of cards and questions stay folded; the body of an extra is text like any other.
        body = "" if kind in ("Card", *SELVES.values()) else words(node).replace(words(head), "", 1)
        self.start(kind, said, node.attrs["id"]).text = body

    def figure(self, node: Node) -> None:
        """Of a figure only the words round it: its numbers change."""
        slug = next(n.attrs["data-figure"] for n in node.all() if "data-figure" in n.attrs)
        figure = BY_SLUG[slug]
        notice = " ".join(words(n) for n in node.all() if "notice" in n.classes)
        draft = self.start("Figure", f"{figure.kicker()}: {figure.title}", f"figure-{slug}")
        draft.text = f"{figure.first} {figure.summary} {notice}"


def kind_of(node: Node) -> tuple[str, str] | None:
    """What an element is, and where its title stands; an element without an anchor is text of its section."""
    if "id" not in node.attrs:
        return None
    found = next((KINDS[name] for name in node.classes if name in KINDS), None)
    if found is None and "question" in node.classes:
        return SELVES[node.attrs["id"].partition("-")[0]], "summary"
    return found


@cache
def entries() -> tuple[Entry, ...]:
    """Everything that can be found, in the order of the lesson."""
    index = Index()
    for section in sections():
        index.gather(Tree(section.html).root, Draft("", "", ""))
    return tuple(Entry(d.kind, d.title, tidy(d.text), d.anchor) for d in index.drafts)


def table() -> list[list[str]]:
    """The index as the page carries it: rows without the names of their columns."""
    return [[e.kind, e.title, e.text, e.anchor] for e in entries()]

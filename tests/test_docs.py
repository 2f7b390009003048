"""What the documents say is there: commands, files, options, figures, knobs."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from app import OPTIONS
from figures import BY_SLUG, FIGURES, PAGES, state

ROOT = Path(__file__).parents[1]
DOCS = [
    ROOT / "README.md",
    ROOT / "figures" / "README.md",
    ROOT / "notebooks" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


@pytest.mark.parametrize("path", DOCS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_lead_to_files(path):
    prose = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#]+)\)", prose)
    for link in links:
        assert link.startswith("http") or (path.parent / link).exists(), link


@pytest.mark.parametrize("path", DOCS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_make_targets_exist(path):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"make ([a-z][\w-]*)", path.read_text())) <= targets


def test_readme_names_every_option_and_every_figure():
    text = (ROOT / "README.md").read_text()
    for name in OPTIONS:
        assert f"`--{name}`" in text
        assert f"`ATTENTION_LAB_{name.upper().replace('-', '_')}`" in text
    for figure in PAGES:
        assert f"`/{figure.slug}`" in text


EMBED = (ROOT / "docs" / "embed.md").read_text()
PAGE_KEYS = {"hide": "", "caption": "off", "theme": "light dark system", "present": ""}


def frames() -> list[str]:
    """Every address of a figure that the recipes put into a page."""
    return [unescape(url) for url in re.findall(r'(?:<iframe src=|IFrame\()"(https://lab\.example\.org[^"]*)"', EMBED)]


def test_recipes_show_states_that_exist():
    assert {urlsplit(url).path.strip("/") for url in frames()} == {figure.slug for figure in FIGURES}
    words = script_words()
    for url in frames():
        kind, pairs = BY_SLUG[urlsplit(url).path.strip("/")], dict(parse_qsl(urlsplit(url).query))
        knobs, refused = state.read(kind, urlsplit(url).query)
        assert not refused, url
        assert set(pairs) == set(knobs) | (set(pairs) & set(PAGE_KEYS)), url
        assert set(filter(None, pairs.get("hide", "").split(","))) <= words | {k for p in kind.panels for k in p.knobs}
        assert all(pairs[key] in allowed.split() for key, allowed in PAGE_KEYS.items() if allowed and key in pairs), url
    for frame in re.findall(r"<iframe[^>]*>", EMBED):
        assert all(f" {name}=" in frame for name in ("title", "width", "height", "loading")), frame


def script_words() -> set[str]:
    source = (ROOT / "assets/js/shown.js").read_text()
    return set(re.findall(r'"(\w+)"', re.search(r"WORDS = \[(.*?)\]", source)[1]))


def test_every_page_key_word_and_message_is_documented():
    assert all(f"`{word}`" in EMBED for word in script_words())
    assert all(re.search(rf"`{key}[`=]", EMBED) for key in PAGE_KEYS)
    scripts = "".join((ROOT / f"assets/js/{name}.js").read_text() for name in ("framed", "embed"))
    for message in set(re.findall(r'"(figure-[a-z]+)"', scripts)):
        assert f'{{type: "{message}"' in EMBED


def test_figures_readme_names_every_room():
    text = (ROOT / "figures" / "README.md").read_text()
    rooms = {p.name for p in (ROOT / "figures").glob("*.py")} - {"__init__.py"}
    assert rooms <= set(re.findall(r"[\w]+\.py", text))


def test_example_of_the_figures_readme_is_true():
    import doctest

    text = (ROOT / "figures" / "README.md").read_text()
    example = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    test = doctest.DocTestParser().get_doctest(example, {}, "README", None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0

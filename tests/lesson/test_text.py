"""The page as HTML: anchors, links, formulas, figures; and the text as it is written."""

from __future__ import annotations

import html
import json
import re

import pytest

from figures import BY_SLUG, state
from lesson import links, page
from lesson.markdown import RENDERED, paths, render_formulas, section, sections
from lesson.rules import Formulas, reader, slug

from .text import WORDS, Page

PAGE = Page(page.lesson())

TARGETS = [
    pytest.param(target, id=f"{name}: {target}")
    for name, text in WORDS.items()
    for target in re.findall(r"\]\(figure:([^)]*)\)", text)
]


def test_html_is_well_formed():
    assert PAGE.faults == []


@pytest.mark.parametrize("broken", ["<p><div></div></p>", "<p>", "<b><i></b></i>", '<p id="a" id="b"></p>'])
def test_broken_html_is_found(broken):
    assert Page(broken).faults


def test_ids_are_unique_and_every_anchor_leads_somewhere():
    assert len(PAGE.ids) == len(set(PAGE.ids))
    inside = [link["href"][1:] for link in PAGE.links if link["href"].startswith("#")]
    assert len(inside) > 60
    assert set(inside) <= set(PAGE.ids)


def test_headings_go_down_one_level_at_a_time():
    assert PAGE.headings[0] == 1
    assert PAGE.headings.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(PAGE.headings, PAGE.headings[1:], strict=False))


def test_sections_are_those_of_the_lesson_in_order():
    assert [s.number for s in sections()] == list(range(12))
    assert [slug(path.stem[3:]) for path in paths()] == [path.stem[3:] for path in paths()]
    titles = [s.heading.html for s in sections()]
    assert len(set(titles)) == len(titles)


def test_every_figure_check_and_card_is_there():
    text = page.lesson()
    for name in BY_SLUG:
        assert text.count(f'id="figure-{name}"') == 1
    assert [text.count(f'id="check-{n}"') for n in range(1, 7)] == [1, 1, 1, 1, 1, 0]
    assert text.count('class="self card"') == 10
    assert text.count('class="self question"') == 12  # six checks, six questions of interviews


@pytest.mark.parametrize("target", TARGETS)
def test_link_sets_a_state_that_exists(target):
    name, query = links.query_of(target)
    knobs, problems = state.read(BY_SLUG[name], query)
    assert not problems
    assert state.write(BY_SLUG[name](**knobs)) == query
    assert any(link.get("data-go") == name and link["data-query"] == query for link in PAGE.links)


@pytest.mark.parametrize(
    "target",
    [
        "lookout?tau=1",
        "lookup#cold",
        "lookup?heat=1",
        "lookup?tau=99",
        "lookup?tau=warm",
        "matrix?row=7",
        "masks#no-such-bug",
    ],
)
def test_link_that_leads_nowhere_is_an_error(target):
    with pytest.raises(links.BrokenLink, match=f"figure:{re.escape(target)}: "):
        links.query_of(target)


def test_a_figure_that_does_not_exist_is_an_error():
    with pytest.raises(links.BrokenLink, match="figure:nothing: expected one of the figures lookup, matrix"):
        links.kind("nothing")


def test_formulas_are_rendered_and_up_to_date():
    rendered = json.loads(RENDERED.read_text())
    assert rendered == render_formulas()
    assert all("katex" in formula and "<math" in formula for formula in rendered.values())


def test_formula_that_is_not_rendered_is_an_error():
    with pytest.raises(KeyError, match="make formulas"):
        reader(Formulas({})).render("$x$")


def test_nothing_of_our_markdown_is_left_over():
    """Dollars, colons, guillemets and braces of our own syntax never reach the reader."""
    text = re.sub(r"<(pre|script|style|annotation)\b.*?</\1>", "", page.lesson(), flags=re.DOTALL)
    text = html.unescape(re.sub(r"<[^>]*>", "", text))
    for mark in ("$", ":::", "«", "»", "{#", "figure:", "**", "{query}"):
        assert mark not in text, mark


@pytest.mark.parametrize("name", WORDS)
def test_words(name):
    text = WORDS[name]
    assert not re.search(r"TODO|FIXME|coming soon|lorem", text, re.IGNORECASE)
    assert not re.search(r"\b(\w+) \1\b", re.sub(r"```.*?```|\$.*?\$|\|.*?\|", "…", text, flags=re.DOTALL))
    assert text.startswith("## ") and text.endswith("\n")


@pytest.mark.parametrize("address", ["", "https://colab.example.org/x"])
def test_notebook_can_be_downloaded_and_opened_in_colab(address):
    """With an address by a link in the head and in section 10, without one by hand."""
    whole = page.lesson(colab=address)
    text = re.sub(
        '<script type="application/json".*?</script>', "", whole, flags=re.DOTALL
    )  # the search has it by hand
    found = Page(whole)
    assert found.faults == []
    (link,) = [link for link in found.links if link["href"] == "notebook"]
    assert link["download"] == page.NOTEBOOK.name
    assert "1 notebook" in text
    assert text.count(f'href="{address}">Open in Colab</a>') == (2 if address else 0)
    assert ("Upload notebook" in text) == (not address)
    assert "<!--" not in text


def test_figure_card_says_what_the_figure_says(tmp_path):
    """Where a figure stands, its title and first step are its own."""
    path = tmp_path / "01-x.md"
    path.write_text("## X\n\n::: figure lookup\n- y\n:::\n")
    found = section(path, Formulas({})).html
    assert BY_SLUG["lookup"].title in found
    assert BY_SLUG["lookup"].first in found
    assert 'data-figure="lookup"' in found

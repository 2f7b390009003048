"""Links of the text that put a figure into a state: ``figure:lookup?tau=0.05``, ``figure:matrix#causal``.

After ``#`` stands the name of a preset, with hyphens for its spaces. A figure, preset, knob or value that does not
exist is an error when the page is built.
"""

from __future__ import annotations

from dataclasses import dataclass

from figures import BY_SLUG, parts, state


@dataclass(frozen=True)
class Place:
    """What the text needs to know of a figure that stands in it."""

    slug: str
    number: int
    title: str
    first: str


# Figures that are not in the registry yet. Their links are taken as they are written. To make every link of the text
# checked, empty this table.
LATER = {
    place.slug: place
    for place in (
        Place("scaling", 3, "Why divide by sqrt(d_k)",
              "Move the head size. Watch what it does to the weights, with and without scaling."),
        Place("masks", 4, "Mask bugs",
              "Choose a bug, or build one below. Rows are queries: each reads from the keys along the top."),
        Place("heads", 5, "Splitting into heads",
              "Go through the five steps. Then take the buggy way at step 2 and see what each head gets."),
    )
}  # fmt: skip


class BrokenLink(ValueError):
    """A link of the text that leads nowhere, in one sentence."""


def place(slug: str) -> Place:
    if slug in BY_SLUG:
        kind = BY_SLUG[slug]
        return Place(slug, kind.number, kind.title, kind.first)
    if slug in LATER:
        return LATER[slug]
    raise BrokenLink(f"figure:{slug}: expected one of {', '.join([*BY_SLUG, *LATER])}")


def query_of(target: str) -> tuple[str, str]:
    """Slug and query of what follows ``figure:``.

    >>> query_of("matrix#shuffled,-causal")
    ('matrix', 'causal=true&shuffle=7')
    """
    before, _, preset = target.partition("#")
    slug, _, query = before.partition("?")
    if not preset and slug in LATER and slug not in BY_SLUG:
        return slug, query
    kind = BY_SLUG.get(slug)
    if kind is None:
        raise BrokenLink(f"figure:{target}: expected one of the figures {', '.join(BY_SLUG)}")
    if preset:
        names = {name.replace(" ", "-"): name for name in kind.presets}
        if preset not in names:
            raise BrokenLink(f"figure:{target}: expected one of the presets {', '.join(names)}")
        figure = kind()
        figure.apply(names[preset])
        return slug, state.write(figure)
    texts = dict(pair.split("=", 1) for pair in query.split("&"))
    knobs, refused = state.read(kind, query)
    if problems := refused + state.problem_of(texts, kind.knobs()):
        raise BrokenLink(f"figure:{target}: {'; '.join(problems)}")
    return slug, state.write(kind(**knobs))


def show(target: str, words: str) -> str:
    """The link as HTML; ``words`` is text."""
    slug, query = query_of(target)
    return parts.go(slug, query, words)

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
    kicker: str
    title: str
    first: str


class BrokenLink(ValueError):
    """A link of the text that leads nowhere, in one sentence."""


def place(slug: str) -> Place:
    if slug in BY_SLUG:
        kind = BY_SLUG[slug]
        return Place(slug, kind.kicker(), kind.title, kind.first)
    raise BrokenLink(f"figure:{slug}: expected one of {', '.join(BY_SLUG)}")


def query_of(target: str) -> tuple[str, str]:
    """Slug and query of what follows ``figure:``.

    >>> query_of("matrix#shuffled,-causal")
    ('matrix', 'causal=true&shuffle=7')
    """
    before, _, preset = target.partition("#")
    slug, _, query = before.partition("?")
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

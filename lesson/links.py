"""Links of the text that put a figure into a state: ``figure:lookup?tau=0.05``, ``figure:matrix#causal``.

After ``#`` stands the name of a preset, with hyphens for its spaces. A figure, preset, knob or value that does not
exist is an error when the page is built.
"""

from __future__ import annotations

import re

from figures import BY_SLUG, Figure, parts, state


class BrokenLink(ValueError):
    """A link of the text that leads nowhere, in one sentence."""


def kind(target: str) -> type[Figure]:
    """The figure that a target names."""
    slug = re.split("[?#]", target)[0]
    if slug not in BY_SLUG:
        raise BrokenLink(f"figure:{target}: expected one of the figures {', '.join(BY_SLUG)}")
    return BY_SLUG[slug]


def query_of(target: str) -> tuple[str, str]:
    """Slug and query of what follows ``figure:``.

    >>> query_of("matrix#shuffled,-causal")
    ('matrix', 'causal=true&shuffle=7')
    """
    before, _, preset = target.partition("#")
    slug, _, query = before.partition("?")
    of = kind(target)
    if preset:
        names = {name.replace(" ", "-"): name for name in of.presets}
        if preset not in names:
            raise BrokenLink(f"figure:{target}: expected one of the presets {', '.join(names)}")
        figure = of()
        figure.apply(names[preset])
        return slug, state.write(figure)
    texts = dict(pair.split("=", 1) for pair in query.split("&"))
    knobs, refused = state.read(of, query)
    if problems := refused + state.problem_of(texts, of.knobs()):
        raise BrokenLink(f"figure:{target}: {'; '.join(problems)}")
    return slug, state.write(of(**knobs))


def show(target: str, words: str) -> str:
    """The link as HTML; ``words`` is text."""
    slug, query = query_of(target)
    return parts.go(slug, query, words)

"""A figure's state as text: the query of an address, ``q_x=1.5&tau=0.2``.

Only knobs that differ from the default are written. Reading goes knob by knob: a bad value is reported and left out,
the good ones beside it still count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl, quote

from .base import Figure


def write(figure: Figure, prefix: str = "") -> str:
    """The query string of this state, short and readable.

    >>> from figures.lookup import Lookup
    >>> write(Lookup(tau=0.2, q_x=-1.0)), write(Lookup())
    ('q_x=-1&tau=0.2', '')
    >>> write(Lookup(tau=0.2), prefix="lookup.")
    'lookup.tau=0.2'
    """
    texts = figure.texts()
    defaults = type(figure).default_texts()
    return "&".join(
        f"{prefix}{name}={quote(text, safe=',;')}" for name, text in texts.items() if text != defaults[name]
    )


def read(figure: type[Figure], query: str | Iterable[tuple[str, str]], prefix: str = "") -> tuple[dict, list[str]]:
    """Knobs from a query string, and one sentence for each value that cannot be used.

    Keys without the prefix, and keys of the page (such as ``theme``), are none of this figure's business.

    >>> from figures.lookup import Lookup
    >>> read(Lookup, "tau=0.2&q_x=far")
    ({'tau': 0.2}, ["q_x: expected a number from \u22124.5 to 4.5, got 'far'"])
    """
    # ";" joins points in our own text form, so it may not separate pairs.
    pairs = parse_qsl(query, keep_blank_values=True, separator="&") if isinstance(query, str) else query
    mine = {key.removeprefix(prefix): text for key, text in pairs if key.startswith(prefix)}
    return figure.read({name: text for name, text in mine.items() if name in figure.knobs()})


def left_out(problems: Iterable[str]) -> list[str]:
    """What the reader is told when an address asks for something that cannot be."""
    return [f"{problem}. That value of the address was left out." for problem in problems]


def problem_of(texts: Mapping[str, str], known: Iterable[str]) -> list[str]:
    """One sentence for each name that no knob has.

    >>> problem_of({"temp": "1"}, ["tau"])
    ['temp: expected one of the knobs tau, got an unknown name']
    """
    names = list(known)
    unknown = [n[:40] + "…" if len(n) > 40 else n for n in texts if n not in names]
    return [f"{n}: expected one of the knobs {', '.join(names)}, got an unknown name" for n in unknown]

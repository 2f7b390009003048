"""The kinds of knob a figure can have.

A knob is declared once, as a parameter of its figure. From the declaration come its widget, its name in the address
of the page, its place in presets and reset, the table in the docs, and the tests. Each kind knows how to read its value
from text and how to write it: the address, typed fields, sliders and embedding pages all speak this one text.
"""

from __future__ import annotations

import math
from typing import Any

import param

MINUS = "\u2212"


def plain(value: float) -> str:
    """Shortest text that gives exactly this float back.

    >>> plain(2.0), plain(-0.1), plain(0.0)
    ('2', '-0.1', '0')
    """
    text = repr(float(value))
    return text.removesuffix(".0").removeprefix("-") if value == 0 else text.removesuffix(".0")


def read_number(text: str) -> float:
    """A finite number from text as people type it: blanks, a real minus sign and a decimal comma are fine.

    >>> read_number(" \u22121,5 ")
    -1.5
    """
    cleaned = text.strip().replace(MINUS, "-")
    if cleaned.count(",") == 1 and "." not in cleaned:
        cleaned = cleaned.replace(",", ".")
    number = float(cleaned)
    if not math.isfinite(number) or "_" in text:
        raise ValueError(text)
    return number


def span(bounds: tuple[float, float]) -> str:
    """The range of a knob in words.

    >>> span((-4.5, 4.5))
    'from \u22124.5 to 4.5'
    """
    low, high = (plain(b).replace("-", MINUS) for b in bounds)
    return f"from {low} to {high}"


def refusal(name: str, expected: str, got: Any) -> ValueError:
    """One sentence that names the knob, what it takes and what came."""
    shown = str(got)
    return ValueError(f"{name}: expected {expected}, got {shown[:40] + '…' if len(shown) > 40 else shown!r}")


def own_settings(knob: param.Parameter, settings: dict[str, Any]) -> None:
    """Take from ``settings`` what this kind of knob adds to its parameter."""
    for name in type(knob).__slots__:
        setattr(knob, name, settings.pop(name, param.Undefined))


class Real(param.Number):
    """A real number between two bounds: a slider with a number that can be typed.

    Parameters beyond those of `param.Number`: ``symbol`` (name of a formula, see `figures.formulas`), ``ends`` (words
    at the two ends of the track), ``log`` (logarithmic track), ``signed`` (a tick at zero instead of a filled track),
    ``wears`` (the meaning whose handle the slider wears), ``fine`` (arrow-key step), ``tick`` (a value worth a mark).
    """

    __slots__ = ["ends", "fine", "log", "signed", "symbol", "tick", "wears"]
    _slot_defaults = dict(
        param.Number._slot_defaults, symbol="", ends=("", ""), log=False, signed=False, wears="", fine=0.1, tick=None
    )

    def __init__(self, default: Any = param.Undefined, **settings: Any):
        own_settings(self, settings)
        super().__init__(default=default, **settings)

    def read(self, text: str) -> float:
        try:
            number = read_number(text)
            if not self.bounds[0] <= number <= self.bounds[1]:
                raise ValueError
        except ValueError:
            raise refusal(self.name, f"a number {span(self.bounds)}", text) from None
        return number

    def write(self, value: float) -> str:
        return plain(value)


class Whole(param.Integer):
    """A whole number between two bounds: one that is picked in the picture, a seed, or one of a few on a slider.

    Parameters beyond those of `param.Integer`: ``buttons`` (names of two buttons, one that goes to a new number and one
    that goes back to zero), ``steps`` (the only values it takes, in order: a slider goes from one to the next),
    ``symbol`` (name of a formula that the slider wears), ``few`` (so few numbers that each has its button), ``stops``
    (names of the numbers: a slider that goes from one to the next).
    """

    __slots__ = ["buttons", "few", "steps", "stops", "symbol"]
    _slot_defaults = dict(param.Integer._slot_defaults, buttons=(), few=False, steps=(), stops=(), symbol="")

    def __init__(self, default: Any = param.Undefined, **settings: Any):
        own_settings(self, settings)
        super().__init__(default=default, **settings)

    def _validate(self, val: Any) -> None:
        super()._validate(val)
        if self.steps and val not in self.steps:
            raise refusal(self.name, self._expected(), val)

    def _expected(self) -> str:
        if self.steps:
            return f"one of {', '.join(str(step) for step in self.steps)}"
        return f"a whole number {span(self.bounds)}"

    def read(self, text: str) -> int:
        try:
            number = read_number(text)
            if number != int(number) or not self.bounds[0] <= number <= self.bounds[1]:
                raise ValueError
            self._validate(int(number))
        except ValueError:
            raise refusal(self.name, self._expected(), text) from None
        return int(number)

    def write(self, value: int) -> str:
        return str(value)


class Switch(param.Boolean):
    """Yes or no.

    Parameters beyond those of `param.Boolean`: ``note`` (a short explanation under the label).
    """

    __slots__ = ["note"]
    _slot_defaults = dict(param.Boolean._slot_defaults, note="")

    def __init__(self, default: Any = param.Undefined, **settings: Any):
        own_settings(self, settings)
        super().__init__(default=default, **settings)

    def read(self, text: str) -> bool:
        try:
            return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[text.strip().lower()]
        except KeyError:
            raise refusal(self.name, "true or false", text) from None

    def write(self, value: bool) -> str:
        return "true" if value else "false"


class Choice(param.Selector):
    """One of a few words: buttons side by side.

    Parameters beyond those of `param.Selector`: ``words`` (what the button of each value says: text, or the name of a
    formula).
    """

    __slots__ = ["words"]
    _slot_defaults = dict(param.Selector._slot_defaults, words={})

    def __init__(self, default: Any = param.Undefined, **settings: Any):
        own_settings(self, settings)
        super().__init__(default=default, objects=list(self.words), **settings)

    def read(self, text: str) -> str:
        if text not in self.words:
            raise refusal(self.name, " or ".join(self.words), text)
        return text

    def write(self, value: str) -> str:
        return value


class Points(param.Parameter):
    """Named points of a plane: handles and a table of typed numbers. No points means: where the figure has them.

    The text form is short enough for an address: ``1.2,0.5;-2,1`` is two points. With a ``count`` they are that
    many rows of a matrix, typed in its brackets: ``symbol`` is its name (a formula), ``fine`` the arrow-key step.
    """

    __slots__ = ["bounds", "count", "fine", "symbol", "wears"]
    _slot_defaults = dict(param.Parameter._slot_defaults, bounds=(-4.5, 4.5), count=0, fine=0.1, symbol="", wears="")

    def __init__(self, default: Any = param.Undefined, **settings: Any):
        own_settings(self, settings)
        super().__init__(default=default, **settings)

    def _validate(self, val: Any) -> None:
        super()._validate(val)
        low, high = self.bounds
        fits = isinstance(val, tuple) and all(
            isinstance(p, tuple) and len(p) == 2 and all(isinstance(c, float) and low <= c <= high for c in p)
            for p in val
        )
        if not fits or (self.count and len(val) != self.count):
            raise refusal(self.name, self._expected(), val)

    def _expected(self) -> str:
        if self.count:
            return f"{self.count} pairs of numbers {span(self.bounds)}, such as '{self.write(self.default)}'"
        return f"points x,y {span(self.bounds)}, such as '1.2,0.5;-2,1;…'"

    def read(self, text: str) -> tuple[tuple[float, ...], ...]:
        try:
            pairs = text.split(";") if text else []
            points = tuple(tuple(read_number(c) for c in pair.split(",")) for pair in pairs)
            self._validate(points)
        except ValueError:
            raise refusal(self.name, self._expected(), text) from None
        return points

    def write(self, value: tuple[tuple[float, ...], ...]) -> str:
        return ";".join(f"{plain(x)},{plain(y)}" for x, y in value)

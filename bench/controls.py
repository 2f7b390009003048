"""What the hand can hold or press in a figure, found from the declarations of its knobs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from figures import Figure
from figures.knobs import Choice, Real, Switch, Whole

Place = tuple[float, float]
GRID = 120  # places on the way of a hand: those of a stream of two seconds; one input at a time uses some of them
# For each kind, the event that brings an input, and the one that tells that it moved a control.
EVENTS = {
    "slider": ("pointermove", "input"),
    "drag": ("pointermove", "pointermove"),
    "toggle": ("click", "change"),
    "button": ("click", "click"),
    "track": ("pointermove", "pointermove"),  # a slider of another framework, which is no <input>
    "key": ("keydown", "keydown"),  # the same, moved by an arrow key
}


@dataclass(frozen=True)
class Control:
    """A slider or a handle, or all toggles or buttons of a figure.

    Parameters
    ----------
    kind
        One of `EVENTS`.
    name
        Name in the report.
    spots
        Selectors: what the hand takes hold of and the box within which it moves, or what it presses in turn.
    stops
        Of a slider that has few; 0 where it is smooth.
    when
        A switch that must be on.
    """

    kind: str
    name: str
    spots: tuple[str, ...]
    stops: int = 0
    when: str = ""

    @property
    def moves(self) -> bool:
        return self.kind in ("slider", "drag", "track")

    def places(self) -> list[Place]:
        """Where the hand is, as shares of its box; no two neighbours ask for the same."""
        path: Callable[[int], Place] = spiral if self.kind == "drag" else self._stop if self.stops else sweep
        return [path(i) for i in range(GRID + 1)]

    def _stop(self, i: int) -> Place:
        """To and fro over the stops; the ends lie half a thumb inside."""
        last = self.stops - 1
        return 0.03 + 0.94 * (last - abs(i % (2 * last) - last)) / last, 0.5


def spiral(i: int) -> Place:
    """Five turns outwards over the plane, short of its bounds."""
    angle, radius = 10 * math.pi * i / GRID, 0.1 + 0.3 * i / GRID
    return 0.5 + radius * math.cos(angle), 0.5 + radius * math.sin(angle)


def sweep(i: int) -> Place:
    """Along most of the track, never twice at one place."""
    return 0.3 + 0.65 * i / GRID, 0.5


def controls(kind: type[Figure]) -> list[Control]:
    """Everything that a mouse sets in this figure.

    >>> from figures.matrix import Matrix
    >>> [f"{c.kind} {c.name}" for c in controls(Matrix)]
    ['slider beta', 'toggle all', 'button all']
    """
    found = [*_handles(kind), *_sliders(kind)]
    for name, spots in (("toggle", _toggles(kind)), ("button", _buttons(kind))):
        if pressed := tuple(spots):
            found.append(Control(name, "all", pressed))
    return found


def _handles(kind: type[Figure]) -> Iterator[Control]:
    for group in sorted(kind.handles, key=lambda group: bool(group.when)):
        grip = f".handles-{group.wears} .handle:first-child"
        yield Control("drag", group.wears, (grip, f"[data-plot={group.plot}]"), when=group.when)


def _sliders(kind: type[Figure]) -> Iterator[Control]:
    for name, knob in kind.knobs().items():
        slide = f"input.slide[data-knob={name}]"
        if isinstance(knob, Real) and name not in _handled(kind):
            yield Control("slider", name, (slide, slide))
        elif isinstance(knob, Whole) and (knob.stops or knob.steps):
            yield Control("slider", name, (slide, slide), stops=len(knob.stops or knob.steps))


def _handled(kind: type[Figure]) -> set[str]:
    """Numbers that a handle sets."""
    return {name for group in kind.handles for name in group.knobs}


def _toggles(kind: type[Figure]) -> Iterator[str]:
    """Each switch on and off, each choice to another value and back: at the end all is as before."""
    idle = kind().idle()
    for name, knob in kind.knobs().items():
        if name in idle or name in kind.by_picture:
            continue
        if isinstance(knob, Switch):
            yield from (f"label:has(input[type=checkbox][data-knob={name}])",) * 2
        elif isinstance(knob, Choice) or (isinstance(knob, Whole) and knob.few):
            for value in (_another(kind, name), knob.write(knob.default)):
                yield f'label:has(input[type=radio][data-knob={name}][value="{value}"])'


def _another(kind: type[Figure], name: str) -> str:
    """A value that the figure takes and that is not its default."""
    knob = kind.knobs()[name]
    values = (
        list(knob.words) if isinstance(knob, Choice) else [str(n) for n in range(knob.bounds[0], knob.bounds[1] + 1)]
    )
    return next(v for v in values if v != knob.write(knob.default) and not kind.read({name: v})[1])


def _buttons(kind: type[Figure]) -> Iterator[str]:
    for preset in kind.presets:
        yield f'[data-preset="{preset}"]'
    for name, knob in kind.knobs().items():
        if isinstance(knob, Whole) and knob.buttons:
            yield from (f"[data-anew={name}]", f"[data-clear={name}]")

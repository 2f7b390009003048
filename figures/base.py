"""`Figure`: knobs in, one frozen result, pictures that only ever change their data.

The order of things, the same for every figure:

    knobs  →  compute()  →  result  →  columns(result)   what the Bokeh sources hold
                                    →  parts(result)     what the HTML beside the pictures holds
                                    →  describe(result)  the state in words

`_refresh` is the only path from knobs to the screen, and it runs once an update however many knobs changed. Computing
needs no Bokeh; `build` adds the plots where there is one to draw them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import param

from . import knobs as kinds
from .goals import Goal

if TYPE_CHECKING:
    from bokeh.models import ColumnDataSource, Plot

Columns = dict[str, list[Any]]


@dataclass(frozen=True)
class Panel:
    """One of the steps of a figure, side by side: a heading, a picture or a table, the knobs under it."""

    step: str
    says: str  # HTML beside the step's name
    plot: str = ""  # name of the Bokeh plot that stands here
    label: str = ""  # what the plot shows, for screen readers
    part: str = ""  # name of the HTML part that stands here instead; with neither, knobs alone
    knobs: tuple[str, ...] = ()
    below: tuple[str, ...] = ()  # names of the HTML parts under the knobs
    grid: bool = False  # the plot is a heatmap: a grid of cells lies over it, filled from the part "cells"


@dataclass(frozen=True)
class Handles:
    """Points of a plot that the reader can move. They write to one `Points` knob, or to two numbers (x and y)."""

    plot: str
    knobs: tuple[str, ...]
    wears: str  # query, key or value
    when: str = ""  # a switch that must be on
    most: int = 1  # how many there can be


class Figure(param.Parameterized):
    """An interactive figure that also works without a browser.

    Subclasses declare knobs (`figures.knobs`), ``slug``, ``title``, ``summary``, ``first``, ``panels``, ``handles``,
    ``presets``, and write `compute`, `describe`, `build`, `columns`, `parts`, `table`, `numpy_code` and `torch_code`.

    Examples
    --------
    >>> from figures.lookup import Lookup
    >>> figure = Lookup(q_x=0.0, q_y=0.0)
    >>> float(figure.compute().weights.sum())
    1.0
    """

    slug: ClassVar[str]
    number: ClassVar[int]  # only of those that are counted
    title: ClassVar[str]
    summary: ClassVar[str]  # for search engines and previews
    first: ClassVar[str]  # what to do first
    panels: ClassVar[tuple[Panel, ...]]
    handles: ClassVar[tuple[Handles, ...]] = ()
    by_picture: ClassVar[tuple[str, ...]] = ()  # knobs that are set in the picture itself, by a click or a key
    presets: ClassVar[dict[str, dict[str, Any]]]
    goals: ClassVar[tuple[Goal, ...]] = ()  # challenges that the figure checks by itself
    radius: ClassVar[float] = 5.0  # planes reach from -radius to radius
    layout: ClassVar[str] = ""  # "maps": for heatmaps, which narrow screens stack at full width; "curves"
    loads: ClassVar[tuple[str, ...]] = ()  # endings of the files that a reader can load into it
    coded: ClassVar[tuple[str, ...]] = ("weights", "output")  # numbers of the result that the code reproduces, by name

    def __init__(self, **knobs: Any):
        super().__init__(**knobs)
        settings, problems = self.fit(self.settings(), set(knobs))
        if problems:
            raise ValueError(problems[0])
        self.param.update(**settings)
        self.plots: dict[str, Plot] = {}
        self.sources: dict[str, ColumnDataSource] = {}
        self.result = self.compute()
        self.shown = self.columns(self.result)
        self.changed: dict[str, Columns] = {}  # source → columns that nobody has taken yet
        self.param.watch(self._refresh, list(self.knobs()))

    # -- what a figure says --------------------------------------------------------------------------------------------

    def compute(self) -> Any:
        """The frozen result of this state; reads the knobs, changes nothing."""
        raise NotImplementedError

    def describe(self, result: Any) -> str:
        """The state in one or two plain sentences."""
        raise NotImplementedError

    def build(self) -> None:
        """Make ``sources`` from ``shown`` and ``plots`` on top of them, once; imports `figures.draw` itself."""
        raise NotImplementedError

    def columns(self, result: Any) -> dict[str, Columns]:
        """Source name → column name → values."""
        raise NotImplementedError

    def parts(self, result: Any) -> dict[str, str]:
        """Part name → HTML."""
        raise NotImplementedError

    def code(self, flavour: str) -> str:
        """A short program, "numpy" or "torch", that computes and prints the numbers of this state."""
        try:
            write = {"numpy": self.numpy_code, "torch": self.torch_code}[flavour]
        except KeyError:
            raise ValueError(f"flavour: expected 'numpy' or 'torch', got {flavour!r}") from None
        return write()

    def numpy_code(self) -> str:
        raise NotImplementedError

    def torch_code(self) -> str:
        raise NotImplementedError

    def table(self, result: Any) -> list[tuple]:
        """The numbers of the picture at full precision: a header row, then one row an item."""
        raise NotImplementedError

    def short_table(self, result: Any) -> list[tuple]:
        """What the page shows of the table, where the whole is too long to look through."""
        return self.table(result)

    def field(self, result: Any) -> dict[str, str]:
        """Numbers of a large picture, for reading: bytes of float64 in base64, by plot."""
        return {}

    def receive(self, wish: dict[str, Any]) -> tuple[bool, list[str] | None]:
        """Take what is no knob, such as a file: does the picture change, and a sentence for each thing refused."""
        return False, None

    def drawn(self) -> dict[str, Any]:
        """The arrays of the picture, by the names that both snippets of code leave behind."""
        return {name: getattr(self.result, name) for name in self.coded}

    @classmethod
    def kicker(cls) -> str:
        """What it is called above its title."""
        return f"Figure {cls.number}"

    # -- knobs ---------------------------------------------------------------------------------------------------------

    @classmethod
    @cache
    def knobs(cls) -> dict[str, Any]:
        """Name → parameter, in the order of declaration."""
        own = (kinds.Real, kinds.Switch, kinds.Points, kinds.Whole, kinds.Choice)
        found = {n: p for n, p in cls.param.objects("existing").items() if isinstance(p, own)}
        return dict(sorted(found.items(), key=lambda item: list(vars(cls)).index(item[0])))

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {name: knob.default for name, knob in cls.knobs().items()}

    @classmethod
    @cache
    def default_texts(cls) -> dict[str, str]:
        return {name: knob.write(knob.default) for name, knob in cls.knobs().items()}

    @classmethod
    def fit(cls, settings: dict[str, Any], changed: Collection[str]) -> tuple[dict[str, Any], list[str]]:
        """Make knobs that hang on one another agree: a whole state that does, and a sentence for each value refused.

        ``changed`` are the knobs that somebody has just set; the others may be adapted without a word.
        """
        return settings, []

    @classmethod
    def read(
        cls, texts: Mapping[str, str], around: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], list[str]]:
        """Values of the knobs from text, and one sentence for each text that is no value.

        ``around`` is the state in which they are set, the start if none is given.
        """
        good: dict[str, Any] = {}
        problems = []
        for name, text in texts.items():
            try:
                good[name] = cls.knobs()[name].read(text)
            except ValueError as problem:
                problems.append(str(problem))
        start = around or cls.defaults()
        settings, misfits = cls.fit(dict(start) | good, set(good))
        if misfits:  # a value that is refused leaves its knob as it was
            good = {name: v for name, v in good.items() if name not in {m.split(":")[0] for m in misfits}}
            settings, _ = cls.fit(dict(start) | good, set(good))
        kept = {name: v for name, v in settings.items() if v != start[name] or (name in good and v == good[name])}
        return kept, problems + misfits

    def names(self) -> tuple[str, ...]:
        """Names of the points that can be moved."""
        return ()

    def places(self) -> dict[str, Any]:
        """For each `Points` knob, where its points are now."""
        return {}

    def idle(self) -> dict[str, str]:
        """Knobs that play no part in this state, each with the reason; the page greys them."""
        return {}

    def settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.knobs()}

    def texts(self) -> dict[str, str]:
        return {name: knob.write(getattr(self, name)) for name, knob in self.knobs().items()}

    @classmethod
    def preset_settings(cls, name: str) -> dict[str, Any]:
        """The state of a preset: its knobs, and the default for all others."""
        if name not in cls.presets:
            raise ValueError(f"preset: expected one of {', '.join(cls.presets)}, got {name!r}")
        return cls.defaults() | cls.presets[name]

    def apply(self, name: str) -> None:
        """Go to a preset."""
        self.param.update(**self.preset_settings(name))

    def reset(self) -> None:
        """Back to the state that a reader meets first."""
        self.param.update(**self.defaults())

    def preset(self) -> str:
        """Name of the preset that this state is, or nothing."""
        now = self.settings()
        return next((name for name, knobs in self.presets.items() if self.defaults() | knobs == now), "")

    # -- the one refresh path ------------------------------------------------------------------------------------------

    def _refresh(self, *_events: param.parameterized.Event) -> None:
        self.result = self.compute()
        now = self.columns(self.result)
        for source, columns in now.items():
            if news := different(self.shown[source], columns):
                self.changed.setdefault(source, {}).update(news)
        self.shown = now
        if self.sources:
            from .draw import put

            for source, columns in self.take_changes().items():
                put(self.sources[source], columns)

    def take_changes(self) -> dict[str, Columns]:
        """The columns that changed since they were taken last."""
        taken, self.changed = self.changed, {}
        return taken

    def ensure_built(self) -> None:
        if not self.plots:
            self.take_changes()  # the sources start from what is shown now
            self.build()


def different(old: Columns, new: Columns) -> Columns:
    """The columns of ``new`` that differ; all of them where their length does, for then they must go together."""
    if any(len(old[name]) != len(column) for name, column in new.items()):
        return new
    return {name: column for name, column in new.items() if not _same(old[name], column)}


def _same(a: list, b: list) -> bool:
    """Equal, with NaN equal to NaN."""
    return all(x == y or (x != x and y != y) for x, y in zip(a, b, strict=True))


def written(columns: Columns) -> Columns:
    """Columns as JSON knows them: None stands for NaN.

    >>> written({"shade": [0.5, float("nan")], "text": ["0.5", "0"]})
    {'shade': [0.5, None], 'text': ['0.5', '0']}
    """
    return {name: [None if v != v else v for v in column] for name, column in columns.items()}

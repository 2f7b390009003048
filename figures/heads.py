"""Figure 5: the numbers of Q on their way into heads and back, the right way and the wrong ones."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

import numpy as np

from . import challenges, pieces
from .base import Columns, Figure, Panel
from .knobs import Choice, Whole, refusal
from .pieces import HEADS
from .recipe import recipe, snippet
from .trace import Step, Traced, trace
from .words import counted, listed, runs

NAMES = ("Q", "View", "Move the head axis", "Blocks", "Merge back")
MOST = len(HEADS)
BUG = '<span class="bug">bug</span>'


def divisors(D: int) -> list[int]:
    """The numbers of heads that D features can be split into.

    >>> divisors(8), divisors(12), divisors(7)
    ([1, 2, 4], [1, 2, 3, 4, 6], [1])
    """
    return [H for H in range(1, MOST + 1) if D % H == 0]


class Heads(Figure):
    """Cells of Q that keep the name of their token and the colour of their head while the array changes its shape."""

    slug = "heads"
    number = 5
    title = "Splitting into heads"
    summary = (
        "Watch each number of Q travel into its head and back, with shapes, strides and memory, and two known bugs."
    )
    first = "Go through the five steps. Then choose the split with the bug at step 2 and see what each head gets."
    layout = "heads"

    step = Whole(0, bounds=(0, 4), stops=NAMES, label="Step", doc="How far the split has come: 0 is Q, 4 is merged.")
    method = Choice("view", words={"view": "view, then transpose", "reshape": "reshape directly (bug)"}, label="Split",
                    doc="How the numbers come into heads at step 2.")  # fmt: skip
    merge = Choice("transpose", words={"transpose": "transpose, then reshape", "reshape": "reshape directly (bug)"},
                   label="Merge", doc="How the heads are set side by side at step 4.")  # fmt: skip
    H = Whole(2, bounds=(1, MOST), few=True, label="H, heads", doc="Number of heads, a divisor of D.")
    T = Whole(4, bounds=(1, 6), few=True, label="T, tokens", doc="Number of tokens.")
    D = Whole(8, bounds=(4, 12), few=True, label="D, features", doc="Number of features of each token.")
    batch = Whole(1, bounds=(1, 2), few=True, label="B, sequences", doc="Number of sequences; with one, no batch axis.")

    panels = (
        Panel("Steps", "press a picture, or move the slider", part="steps", knobs=("step", "method", "merge")),
        Panel("Numbers", "word: token; digit: feature; colour and letter: head", part="stage"),
        Panel("Array", "what the shape and the strides say", part="array"),
        Panel("Memory", "row by row, with offsets", part="memory", knobs=("H", "T", "D", "batch")),
        Panel("One number", "point at a cell or tap it", part="trail"),
    )  # fmt: skip
    presets: ClassVar = {
        "right": {"step": 2},
        "wrong reshape": {"step": 2, "method": "reshape"},
        "wrong merge": {"step": 4, "merge": "reshape"},
        "one head": {"step": 2, "H": 1},
    }
    goals = challenges.HEADS

    @classmethod
    def fit(cls, settings: dict[str, Any], changed: Collection[str]) -> tuple[dict[str, Any], list[str]]:
        """H divides D: another D brings H to the nearest divisor, an H that does not fit is refused."""
        H, D, fitting = settings["H"], settings["D"], divisors(settings["D"])
        if H in fitting:
            return settings, []
        expected = f"a divisor of D = {D} ({' or '.join(map(str, fitting))})"
        nearest = min(fitting, key=lambda divisor: (abs(divisor - H), -divisor))
        return settings | {"H": nearest}, [str(refusal("H", expected, H))] if "H" in changed else []

    def compute(self) -> Traced:
        return trace(self.T, self.D, self.H, self.batch, self.method, self.merge)

    # -- words ---------------------------------------------------------------------------------------------------------

    def describe(self, result: Traced) -> str:
        return (self._start, self._view, self._move, self._blocks, self._merged)[self.step](result)

    def _start(self, result: Traced) -> str:
        each = "" if self.batch == 1 else " of each sequence"
        gets = "The one head gets all of them" if self.H == 1 else (
            f"Each of the {self.H} heads is to get {counted(self.D // self.H, 'feature')} of every token"
        )  # fmt: skip
        return f"Q has one row for each of the {counted(self.T, 'token')}{each}, with {self.D} features. {gets}."

    def _view(self, result: Traced) -> str:
        cut = "stays in one piece" if self.H == 1 else f"is cut into {self.H} pieces of {self.D // self.H}"
        skips = " The direct reshape leaves this step out." if self.method == "reshape" else ""
        return f"Each row {cut}. This is a view: no number moves in memory, only shape and strides are new.{skips}"

    def _move(self, result: Traced) -> str:
        if result.split_agrees:
            return f"{self._why_agree()}, so both ways agree: view and transpose give the blocks of a direct reshape."
        if self.method == "view":
            return (f"The head axis moves to the front, so block A holds features {self._features(result, 0)} of every "
                    "token. In memory nothing moves, only the strides change places.")  # fmt: skip
        return (f"The shape is right and nothing fails, but the memory was only cut anew. {self._got(result)}, where "
                "each head should get its own features of every token.")  # fmt: skip

    def _blocks(self, result: Traced) -> str:
        shape = f"({self.T}, {self.D // self.H})"
        if self.method == "view" or result.split_agrees:
            agree = f" {self._why_agree()}, so both ways agree." if result.split_agrees else ""
            ready = "The block is ready" if self.H == 1 else f"Each of the {self.H} blocks is ready"
            return f"{ready} for attention: {shape}, all tokens, and the features of its own head only.{agree}"
        return (f"Each block has the right shape, {shape}, but the wrong numbers. {self._got(result)}, and takes them "
                f"for rows of {counted(self.T, 'token')}.")  # fmt: skip

    def _merged(self, result: Traced) -> str:
        split_bug = self.method == "reshape" and not result.split_agrees
        merge_bug = self.merge == "reshape" and not result.merge_agrees
        if result.merge_agrees:
            return f"{self._why_agree()}, so both ways to merge agree: every row is back as it was in Q."
        if split_bug and merge_bug:
            return ("Two bugs cancel here: the direct reshape puts every number back, so a test of the way there and "
                    "back finds nothing. But attention, in between, worked on the wrong blocks.")  # fmt: skip
        if merge_bug:
            return (f"The shape ({self.T}, {self.D}) is right and nothing fails, but row 1 now holds "
                    f"{self._row(result, 0)}. The head axis must move back before the reshape.")  # fmt: skip
        if split_bug:
            return (f"The merge is right, but it undoes a split that never was: row 1 now holds "
                    f"{self._row(result, 0)}. Only the wrong split is to blame.")  # fmt: skip
        return ("The head axis moves back and the pieces stand side by side again: every row is as it was in Q. Here "
                "no number moved in memory; the results of attention are new numbers, and merging them makes a copy."
                )  # fmt: skip

    def _why_agree(self) -> str:
        return "With one head there is nothing to move" if self.H == 1 else "With one token there is nothing to mix"

    def _got(self, result: Traced) -> str:
        """What the heads really got, in the first sequence; the captions say it of all."""
        got = [f"head {HEADS[h]} got {self._tokens(result, h)} with features {self._features(result, h)}"
               for h in range(self.H)[:2]]  # fmt: skip
        return "H" + ", ".join(got)[1:] + ", and so on" * (self.H > 2)

    def _tokens(self, result: Traced, h: int) -> str:
        first = result.blocks[h][0] if self.batch > 1 else result.blocks[h]
        return listed([f"'{w}'" for w in _words(result, first)])

    def _features(self, result: Traced, h: int) -> str:
        return runs({int(f) + 1 for f in result.feature[result.blocks[h]].ravel()})

    def _row(self, result: Traced, t: int) -> str:
        row = result.steps[4].array[..., t, :]
        first = row[0] if self.batch > 1 else row
        features = runs({int(f) + 1 for f in result.feature[first]})
        return f"features {features} of {listed([repr(w) for w in _words(result, first)])}"

    def _held(self, result: Traced) -> tuple[str, list[tuple[str, str]]]:
        """A heading, and for each block (or row, at the end) what it holds."""
        if self.step < 2:
            return "Each head should get", [
                (HEADS[h], f"features {runs({int(f) + 1 for f in result.feature[result.head == h]})} of every token")
                for h in range(self.H)
            ]
        if self.step < 4:
            heading, parts = "Each block holds", [(HEADS[h], block) for h, block in enumerate(result.blocks)]
        else:
            rows = np.moveaxis(result.steps[4].array, -2, 0)
            heading, parts = "Each row holds", [(str(t + 1), row) for t, row in enumerate(rows)]
        return heading, [(name, self._content(result, part)) for name, part in parts]

    def _content(self, result: Traced, part: np.ndarray) -> str:
        """Which tokens and features these numbers come from, and of which heads where that is a mix-up."""
        each = [_words(result, one) for one in (part if self.batch > 1 else part[None])]
        whole = len(each[0]) == self.T and self.T > 1
        words = f"all {self.T} tokens" if whole else " / ".join(" ".join(words) for words in each)
        features = {int(f) + 1 for f in result.feature[part].ravel()}
        heads = sorted({int(h) for h in result.head[part].ravel()})
        of = f" (heads {HEADS[heads[0]]}–{HEADS[heads[-1]]})" if self.step < 4 and len(heads) > 1 else ""
        return f"{words}: {'feature' if len(features) == 1 else 'features'} {runs(features)}{of}"

    # -- picture -------------------------------------------------------------------------------------------------------

    def build(self) -> None:
        """Nothing for Bokeh to draw: the cells are HTML, which travels and takes the focus by itself."""

    def columns(self, result: Traced) -> dict[str, Columns]:
        return {}

    def parts(self, result: Traced) -> dict[str, str]:
        step = result.steps[self.step]
        heading, held = self._held(result)
        names = list(zip(NAMES, self._shapes(result), strict=True))
        return {
            "steps": pieces.steps(names, result),
            "stage": pieces.stage(self.step, result, held, heading),
            "array": pieces.facts(self._facts(step, result)),
            "memory": pieces.memory(step, result),
            "trail": pieces.followed(result, divisors(self.D)),
        }

    def _shapes(self, result: Traced) -> list[str]:
        shapes = [str(step.shape) for step in result.steps]
        return [*shapes[:3], f"{self.H} × {result.blocks[0].shape}", shapes[4]]

    def _facts(self, step: Step, result: Traced) -> list[tuple[str, str]]:
        array = result.blocks[0] if self.step == 3 else step.array
        strides = tuple(stride // array.itemsize for stride in array.strides)
        axes = {0: "token, feature", 1: "token, head, place", 2: "head, token, place", 3: "token, place",
                4: "token, feature"}[self.step]  # fmt: skip
        axes = f"sequence, {axes}" if self.batch > 1 else axes
        owner = "new: the numbers were copied" if step.copied else "shared with Q: a view, nothing moved"
        if self.step == 0:
            owner = "one number after the other"
        blocks = result.blocks if self.step == 3 else (array,)
        starts = ", ".join(str(step.offset[block.flat[0]]) for block in blocks)
        return [
            ("code", f"<code>{recipe(self.settings())[self.step]}</code>{BUG if self._is_bug(result) else ''}"),
            ("shape", f"{array.shape} <span>{axes}</span>"),
            ("strides", f"{strides} <span>numbers to jump per axis</span>"),
            ("starts", f"{starts} <span>offset of {'each' if self.step == 3 else 'the'} first number</span>"),
            ("memory", owner),
        ]  # fmt: skip

    def _is_bug(self, result: Traced) -> bool:
        return (self.step == 2 and self.method == "reshape" and not result.split_agrees) or (
            self.step == 4 and self.merge == "reshape" and not result.merge_agrees
        )

    def table(self, result: Traced) -> list[tuple]:
        header = ["number", "sequence", "token", "word", "feature", "head"]
        for k in range(5):
            header += [f"step {k} place", f"step {k} offset"]
        rows = [
            (f"{n}", str(result.sequence[n] + 1), str(result.token[n] + 1), pieces.word(result, n),
             str(result.feature[n] + 1), HEADS[result.head[n]],
             *(x for k, step in enumerate(result.steps)
               for x in (pieces.spot(k, step, result, n).replace(",", ""), str(step.offset[n]))))
            for n in range(len(result.token))
        ]  # fmt: skip
        return [tuple(header), *rows]

    # -- code ----------------------------------------------------------------------------------------------------------

    def numpy_code(self) -> str:
        return snippet(self.settings(), self.result, torch=False)

    def torch_code(self) -> str:
        return snippet(self.settings(), self.result, torch=True)

    def drawn(self) -> dict[str, Any]:
        names = ("Q", "view", "heads", "merged")
        return {n: self.result.steps[k].array for n, k in zip(names, (0, 1, 2, 4), strict=True)}


def _words(result: Traced, numbers: np.ndarray) -> list[str]:
    """The tokens that these numbers came from, each once, in the order of the sentence."""
    return [pieces.word(result, int(n)) for n in sorted({int(n) - int(result.feature[n]) for n in numbers.ravel()})]

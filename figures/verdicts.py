"""Known mask bugs as a table: what a bug looks like, its name, why it happens, the repair.

`verdicts` finds the lines of the table that fit a state; the figure shows the first in full. Causes stand before
symptoms, so that a reader repairs the right thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from .masking import Laid


@dataclass(frozen=True)
class Diagnosis:
    name: str
    kind: str  # "bug", "fragile" (right on paper) or "right"
    about: str  # what is at fault; of several lines about one thing only the first is worth saying
    holds: Callable[[Laid], bool]
    reason: str  # words in braces stand for what `_facts` says
    repair: str = ""

    def why(self, laid: Laid) -> str:
        return self.reason.format_map(_facts(laid))


def rows(which: Iterable[bool]) -> str:
    """Rows in words, counted from 1.

    >>> rows([True, True, False]), rows([False, True, False]), rows([True, True, True, False])
    ('rows 1 and 2', 'row 2', 'rows 1 to 3')
    """
    numbers = [i for i, chosen in enumerate(which, start=1) if chosen]
    if len(numbers) == 1:
        return f"row {numbers[0]}"
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"rows {numbers[0]} to {numbers[-1]}"
    return f"rows {', '.join(str(n) for n in numbers[:-1])} and {numbers[-1]}"


def _facts(laid: Laid) -> dict[str, str]:
    setup, empty = laid.setup, laid.empty
    meaning = {"may": "may be read", "hidden": "is hidden"}
    even = ("All their logits became the same number" if setup.how == "fill" else
            f"The number added is so large that {setup.precision} rounds the logits away")  # fmt: skip
    far = " This holds while all logits stay far above −10,000." if _row_wise(laid) and setup.blocked == "-1e4" else ""
    return {
        "says": meaning[setup.says], "reads": meaning[setup.reads],
        "empty": f"{rows(empty).capitalize()} {'see' if empty.sum() > 1 else 'sees'} no key" if empty.any() else "",
        "even": even,
        "far": far if laid.hides else "",
        "nan": " A column without a number is 0\u00a0÷\u00a00: NaN." if np.isnan(laid.weights).any() else "",
    }  # fmt: skip


def _row_wise(laid: Laid) -> bool:
    """Is the mask laid on before a softmax along the rows, as it should be?"""
    return laid.setup.before and laid.setup.axis == "rows"


def _empty(laid: Laid) -> bool:
    return laid.setup.axis == "rows" and bool(laid.empty.any())


def _healthy(laid: Laid) -> bool:
    """Has an empty row weights that look like those of any other row, not all alike?"""
    filled = [row[row > 0].astype(np.float64) for row in laid.weights[laid.empty & ~laid.nan]]
    return _row_wise(laid) and any(np.ptp(row) > 4 * laid.eps for row in filled)


def _overflows(laid: Laid) -> bool:
    return laid.setup.before and laid.hides and (laid.setup.blocked, laid.setup.precision) == ("-1e9", "float16")


def _min_twice(laid: Laid) -> bool:
    """Was the smallest finite number added twice somewhere?"""
    setup = laid.setup
    return setup.before and (setup.blocked, setup.how) == ("min", "add") and bool(np.isneginf(laid.logits).any())


_SEE_A_KEY = "Let every query see at least one key"

DIAGNOSES: tuple[Diagnosis, ...] = (
    Diagnosis(
        "Flipped convention", "bug", "array", lambda laid: laid.setup.flipped,
        "In the array True means that a key {says}. Its reader takes True for a key that {reads}, so each mask is "
        "turned round.",
        "Look up what True means to the function that you call, and turn the array round once: ~mask.",
    ),
    Diagnosis(
        "Softmax over columns", "bug", "axis", lambda laid: laid.setup.axis == "columns",
        "Each column sums to 1 where each row should: the queries compete for a key, not the keys for a query.{nan}",
        "Take the softmax along the last axis, the keys: dim=-1.",
    ),
    Diagnosis(
        "Masked after the softmax", "bug", "place", lambda laid: laid.setup.where == "after" and laid.hides,
        "The softmax has already counted the hidden keys. Their weights are erased, but they still speak through the "
        "denominator, and rows no longer sum to 1.",
        "Mask the logits, then take the softmax.",
    ),
    Diagnosis(
        "−1e9 does not fit into float16", "bug", "rows", lambda laid: _overflows(laid) and _empty(laid),
        "float16 ends at −65,504, so −1e9 becomes −∞. {empty}, and there the softmax is 0\u00a0÷\u00a00: NaN.",
        f"{_SEE_A_KEY}. Take −∞ itself, or the smallest finite number of the precision.",
    ),
    Diagnosis(
        "Two masks added, min + min = −∞", "bug", "rows", lambda laid: _min_twice(laid) and _empty(laid),
        "{empty}. Where both masks hide a key, twice the smallest finite number is −∞; the keys that only one mask "
        "hides share the whole 1.",
        "Join the masks first (logical AND), lay them on once, and let every query see at least one key.",
    ),
    Diagnosis(
        "Fully masked rows", "bug", "rows",
        lambda laid: laid.setup.where != "after" and _empty(laid) and bool((laid.empty & laid.nan).any()),
        "{empty}. With nothing to share, the weights are 0\u00a0÷\u00a00: NaN, and it spreads through every later "
        "layer.",
        f"{_SEE_A_KEY}: pad on the right, or let each token read itself.",
    ),
    Diagnosis(
        "Fully masked rows, quiet zeros", "bug", "rows", lambda laid: laid.setup.where == "after" and _empty(laid),
        "{empty}. All their weights are erased, and the output is 0, without a warning.",
        f"{_SEE_A_KEY}.",
    ),
    Diagnosis(
        "Empty rows that look healthy", "bug", "rows", _healthy,
        "{empty}. All their logits went down together, and the softmax sees only differences: it reads hidden keys, "
        "and no NaN shows the mistake.",
        f"{_SEE_A_KEY}, and block with −∞, so that a mistake shows as NaN.",
    ),
    Diagnosis(
        "Empty rows read hidden keys", "bug", "rows", lambda laid: _row_wise(laid) and _empty(laid),
        "{empty}. {even}, and the softmax shares the 1 evenly among hidden keys.",
        f"{_SEE_A_KEY}, and block with −∞, so that a mistake shows as NaN.",
    ),
    Diagnosis(
        "Renormalised after the softmax", "fragile", "place",
        lambda laid: laid.setup.where == "after-renormalised" and laid.hides,
        "Dividing by the row sum takes the hidden keys out of the denominator, up to rounding. Where a hidden logit is "
        "much larger, the visible weights vanish first: 0\u00a0÷\u00a00.",
        "Mask the logits, then take the softmax: one step, and exact.",
    ),
    Diagnosis(
        "−1e9 in float16", "fragile", "rows", _overflows,
        "float16 ends at −65,504, so −1e9 becomes −∞. Here each row sees a key and nothing breaks. PyTorch refuses to "
        "fill it in.",
        "Take −∞ itself, or the smallest finite number of the precision.",
    ),
    Diagnosis(
        "Two masks added, min + min = −∞", "fragile", "rows", _min_twice,
        "Where both masks hide a key, twice the smallest finite number is −∞. Here each row sees a key and nothing "
        "breaks.",
        "Join the masks first (logical AND), and lay them on once.",
    ),
    Diagnosis(
        "Nothing is hidden", "right", "", lambda laid: not laid.hides,
        "Each query shares the whole 1 among all keys.",
    ),
    Diagnosis(
        "Nothing to repair", "right", "", lambda _laid: True,
        "Hidden keys get the weight 0 exactly, and the visible keys of each row share the whole 1.{far}",
    ),
)  # fmt: skip


def verdicts(laid: Laid) -> list[Diagnosis]:
    """The lines of the table that fit, in its order, at least one. A bug leaves no word for what is fragile or right.

    >>> from figures.masking import Setup, lay
    >>> [d.name for d in verdicts(lay(Setup(mask="causal", where="after", reads="hidden")))]
    ['Flipped convention', 'Masked after the softmax', 'Fully masked rows, quiet zeros']
    """
    fits = [d for d in DIAGNOSES if d.holds(laid)]
    first = {d.about: d for d in reversed(fits) if d.kind == fits[0].kind}
    return [d for d in fits if first.get(d.about) is d]

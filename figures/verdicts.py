"""Known mask bugs as a table: what a bug looks like, its name, why it happens, the repair.

`verdicts` lists every line of the table that fits a state, the worst first; the figure shows the first in full.
Causes stand before symptoms, so that a reader repairs the right thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from .masking import Laid

Words = Callable[[Laid], str]


@dataclass(frozen=True)
class Diagnosis:
    name: str
    kind: str  # "bug", "fragile" (right on paper) or "right"
    about: str  # what is at fault; of several lines about one thing only the first is worth saying
    holds: Callable[[Laid], bool]
    why: Words
    repair: str


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


def _see(which: np.ndarray) -> str:
    """The start of a sentence: which rows see no key."""
    return f"{rows(which).capitalize()} {'see' if which.sum() > 1 else 'sees'} no key"


def _row_wise(laid: Laid) -> bool:
    """Is the mask laid on before a softmax along the rows, as it should be?"""
    return laid.setup.before and laid.setup.axis == "rows"


def _empty_and_finite(laid: Laid) -> bool:
    return _row_wise(laid) and bool((laid.empty & ~laid.nan).any())


def _healthy(laid: Laid) -> bool:
    """Has an empty row weights that look like those of any other row, not all alike?"""
    filled = [row[row > 0] for row in laid.weights[laid.empty & ~laid.nan]]
    return _empty_and_finite(laid) and any(np.ptp(row.astype(np.float64)) > 4 * laid.eps for row in filled)


def _overflows(laid: Laid) -> bool:
    return laid.setup.before and laid.hides and (laid.setup.blocked, laid.setup.precision) == ("-1e9", "float16")


def _twice_min(laid: Laid) -> bool:
    """Was the smallest finite number added twice somewhere?"""
    setup = laid.setup
    return setup.before and (setup.blocked, setup.how) == ("min", "add") and bool(np.isneginf(laid.logits).any())


def _why_flipped(laid: Laid) -> str:
    says, reads = ("may be read" if meaning == "may" else "is hidden" for meaning in (laid.setup.says, laid.setup.reads))
    return f"In the array True means that a key {says}. Its reader takes True for a key that {reads}, so each mask is turned round."


def _why_columns(laid: Laid) -> str:
    why = "Each column sums to 1 where each row should: the queries compete for a key, not the keys for a query."
    return why + (" A column with no number left is 0 ÷ 0." if np.isnan(laid.weights).any() else "")


def _why_even(laid: Laid) -> str:
    if laid.setup.how == "fill":
        return f"{_see(laid.empty)}. All their logits became the same number, so the softmax shares the 1 evenly among hidden keys."
    return (f"{_see(laid.empty)}. The number added is so large that {laid.setup.precision} rounds the logits away, and the softmax "
            "shares the 1 evenly among hidden keys.")  # fmt: skip


def _why_right(laid: Laid) -> str:
    if not laid.hides:
        return "Nothing is hidden: each query shares the whole 1 among all keys."
    why = "Hidden keys get the weight 0 exactly, and the visible keys of each row share the whole 1."
    return why + (" This holds while all logits stay far above −10,000." if _row_wise(laid) and laid.setup.blocked == "-1e4" else "")


DIAGNOSES: tuple[Diagnosis, ...] = (
    Diagnosis(
        "Flipped convention", "bug", "array", lambda laid: laid.setup.flipped, _why_flipped,
        "Look up what True means to the function at hand, and turn the array round once: ~mask.",
    ),
    Diagnosis(
        "Softmax over columns", "bug", "axis", lambda laid: laid.setup.axis == "columns", _why_columns,
        "Take the softmax along the last axis, the keys: dim=-1.",
    ),
    Diagnosis(
        "Masked after the softmax", "bug", "place", lambda laid: laid.setup.where == "after" and laid.hides,
        lambda laid: "The softmax has already counted the hidden keys. Their weights are erased, but they still speak "
                     "through the denominator, and rows no longer sum to 1.",
        "Mask the logits, then take the softmax.",
    ),
    Diagnosis(
        "−1e9 does not fit into float16", "bug", "rows",
        lambda laid: _overflows(laid) and _row_wise(laid) and bool(laid.empty.any()),
        lambda laid: f"float16 ends at −65,504, so −1e9 becomes −∞. {_see(laid.empty)}, and there the softmax is 0 ÷ 0: NaN.",
        "Let every query see at least one key. Take −∞ openly, or the smallest finite number of the precision.",
    ),
    Diagnosis(
        "Two masks added: min + min = −∞", "bug", "rows", lambda laid: _twice_min(laid) and _row_wise(laid) and bool(laid.empty.any()),
        lambda laid: f"{_see(laid.empty)}. Where both masks hide a key, twice the smallest finite number is −∞; the keys that only "
                     "one mask hides share the whole 1.",
        "Join the masks first (logical AND), lay them on once, and let every query see at least one key.",
    ),
    Diagnosis(
        "Fully masked rows", "bug", "rows",
        lambda laid: laid.setup.where != "after" and laid.setup.axis == "rows" and bool((laid.empty & laid.nan).any()),
        lambda laid: f"{_see(laid.empty)}. With nothing to share, the weights are 0 ÷ 0: NaN, and it spreads through every later layer.",
        "Let every query see at least one key: pad on the right, or let each token read itself.",
    ),
    Diagnosis(
        "Fully masked rows, quiet zeros", "bug", "rows",
        lambda laid: laid.setup.where == "after" and laid.setup.axis == "rows" and bool(laid.empty.any()),
        lambda laid: f"{_see(laid.empty)}. All their weights are erased, and the output is 0 without a word.",
        "Let every query see at least one key.",
    ),
    Diagnosis(
        "Empty rows that look healthy", "bug", "rows", _healthy,
        lambda laid: f"{_see(laid.empty)}. All their logits went down together, and the softmax sees only differences: "
                     "it reads hidden keys, and no NaN gives it away.",
        "Let every query see at least one key, and block with −∞, so that a mistake shows as NaN.",
    ),
    Diagnosis(
        "Empty rows read hidden keys", "bug", "rows", _empty_and_finite, _why_even,
        "Let every query see at least one key, and block with −∞, so that a mistake shows as NaN.",
    ),
    Diagnosis(
        "Renormalised after the softmax", "fragile", "place",
        lambda laid: laid.setup.where == "after-renormalised" and laid.hides,
        lambda laid: "Dividing by the row sum takes the hidden keys out of the denominator, up to rounding. Where a hidden logit is much "
                     "larger, the visible weights vanish first: 0 ÷ 0.",
        "Mask the logits, then take the softmax: one step, and exact.",
    ),
    Diagnosis(
        "−1e9 in float16", "fragile", "rows", _overflows,
        lambda laid: "float16 ends at −65,504, so −1e9 becomes −∞. Here each row sees a key and nothing breaks; PyTorch refuses to "
                     "fill it in.",
        "Take −∞ openly, or the smallest finite number of the precision.",
    ),
    Diagnosis(
        "Two masks added: min + min = −∞", "fragile", "rows", _twice_min,
        lambda laid: "Where both masks hide a key, twice the smallest finite number is −∞. Here each row sees a key and nothing breaks.",
        "Join the masks first (logical AND), and lay them on once.",
    ),
    Diagnosis(
        "Nothing to repair", "right", "", lambda laid: True, _why_right, "",
    ),
)  # fmt: skip


def verdicts(laid: Laid) -> list[Diagnosis]:
    """The lines of the table that fit, in its order; at least one. Bugs make what is fragile or right not worth a word.

    >>> from figures.masking import Setup, lay
    >>> [d.name for d in verdicts(lay(Setup(where="after", reads="hidden")))][:2]
    ['Flipped convention', 'Masked after the softmax']
    """
    fits = [d for d in DIAGNOSES if d.holds(laid)]
    first_about = {d.about: d for d in reversed(fits) if d.kind == fits[0].kind}
    return [d for d in fits if first_about.get(d.about) is d]

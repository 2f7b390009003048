"""The goals of the five figures. Each takes an idea of the lesson and asks for a state that no preset shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from .goals import Goal

# -- 1 lookup ----------------------------------------------------------------------------------------------------------

AT_HOME = "the five words at their own places."


def _at_home(figure: Any) -> bool:
    return figure.items == "words" and not figure.keys and not figure.values


def _to_dog(figure: Any, found: Any) -> float | None:
    if not _at_home(figure) or found.length > 1 + 1e-9:
        return None
    return float(np.hypot(*(found.output - found.values[figure.names().index("dog")])))


def _dog_and_fox(figure: Any, found: Any) -> float | None:
    if not _at_home(figure):
        return None
    return min(found.weights[figure.names().index(name)] for name in ("dog", "fox"))


def _spread(figure: Any, found: Any) -> float | None:
    return found.effective if _at_home(figure) and found.length > 1 - 1e-9 else None


LOOKUP = (
    Goal("Land on dog", "Bring the output to within 0.2 of the value of 'dog'.", _to_dog, 0.2,
         needs=f"Counts with a query no longer than 1, and {AT_HOME}", words="{} away"),
    Goal("Dog and fox alike", "Give 'dog' and 'fox' a weight of at least 0.495 each.", _dog_and_fox, 0.495, "more",
         needs=f"Counts with {AT_HOME}", words="at least {}"),
    Goal("Nearly all equal", "Let the effective number of items be at least 4.75.", _spread, 4.75, "more",
         needs=f"Counts with a query no shorter than 1, and {AT_HOME}", words="{} items"),
)  # fmt: skip

# -- 2 matrix ----------------------------------------------------------------------------------------------------------


def _apart(figure: Any, result: Any) -> float | None:
    if figure.own is not None:  # goals are about the sentence
        return None
    first, second = result.output[list(result.twins)]
    return float(np.hypot(*(first - second)))


def _least_beta(figure: Any, result: Any) -> float | None:
    counts = figure.own is None and not figure.causal and result.weights.max(axis=1).min() >= 0.9
    return figure.beta if counts else None


def _moved(figure: Any, result: Any) -> float | None:
    return result.output_gap if figure.own is None else None


MATRIX = (
    Goal("One word, two outputs", "Let the outputs of the two rows of 'the' lie at least 4.5 apart.", _apart, 4.5,
         "more", words="{} apart"),
    Goal("Sharp enough", "Give every row a largest weight of at least 0.9, with β no larger than 5.", _least_beta, 5.0,
         needs="Counts once every row is so sharp, without the causal mask.", words="β = {}", places=2),
    Goal("Order matters", "Shuffle the tokens, and make an output differ by at least 5 from the one that its word had "
         "before.", _moved, 5.0, "more", words="{} off"),
)  # fmt: skip

# -- 3 scaling ---------------------------------------------------------------------------------------------------------


def _largest(drawn: Any, scaling: str) -> float | None:
    """Largest weight of this query under a scaling, if that is shown."""
    return float(drawn.weights[drawn.shown.index(scaling), 0]) if scaling in drawn.shown else None


def _peak(figure: Any, drawn: Any) -> float | None:
    plain = figure.keys == "128" and figure.sigma == 1 and figure.rho == 0 and not figure.gradient
    return drawn.medians["none"] if plain and "none" in drawn.shown else None


def _saturated(figure: Any, drawn: Any) -> float | None:
    return _largest(drawn, "sqrt") if figure.rho == 0 else None


def _likeness(figure: Any, drawn: Any) -> float | None:
    hard, soft = _largest(drawn, "sqrt"), _largest(drawn, "d_k")
    if hard is None or soft is None or figure.sigma > 1:
        return None
    return figure.rho if hard >= 0.99 and soft <= 0.2 else None


SCALING = (
    Goal("Find the peak", "Without scaling, find the head size at which the median norm of the Jacobian reaches 0.325.",
         _peak, 0.325, "more", needs="Counts with 128 keys, σ = 1 and ρ = 0, while that curve is in view.",
         words="median {}"),
    Goal("Scaled, yet saturated", "Divide by sqrt(d_k), and let one key take at least 0.99 of the weight all the same.",
         _saturated, 0.99, "more", needs="Counts with ρ = 0, while 1/sqrt(d_k) is in view.", words="weight {}"),
    Goal("A little alike", "Let one key take at least 0.99 with 1/sqrt(d_k), and none more than 0.2 with 1/d_k, with ρ "
         "no larger than 0.3.", _likeness, 0.3,
         needs="Counts once both hold, with σ no larger than 1 and all scalings compared.", words="ρ = {}", places=2),
)  # fmt: skip

# -- 4 masks -----------------------------------------------------------------------------------------------------------


def _nan_rows(_figure: Any, laid: Any) -> float:
    return int(laid.nan.sum())


def _looks_healthy(laid: Any) -> bool:
    return not laid.nan.any() and not laid.broken.any()


def _silent_leak(_figure: Any, laid: Any) -> float | None:
    return float(laid.leak.max()) if _looks_healthy(laid) and not laid.setup.flipped else None


def _traceless(_figure: Any, laid: Any) -> float | None:
    return laid.astray if _looks_healthy(laid) and not laid.leaks.any() else None


MASKS = (
    Goal("Nothing left", "Make all five rows NaN.", _nan_rows, 5, "more", words="{} of 5 rows", places=0),
    Goal("A quiet leak", "Let hidden tokens move an output by at least 2.", _silent_leak, 2.0, "more",
         needs="Counts while every row sums to 1, none is NaN, and array and reader agree on what True means.",
         words="moves by {}"),
    Goal("Wrong without a trace", "Get a weight wrong by at least 0.2.", _traceless, 0.2, "more",
         needs="Counts while every row sums to 1, none is NaN, and nothing leaks.", words="wrong by {}"),
)  # fmt: skip

# -- 5 heads -----------------------------------------------------------------------------------------------------------


RESHAPED = "Counts with the direct reshape, and two heads or more."


def _reshaped(figure: Any) -> bool:
    return figure.method == "reshape" and figure.H > 1


def _whole_tokens(figure: Any, traced: Any) -> float | None:
    """Heads whose block, in each sequence, is all features of one token."""
    if not _reshaped(figure):
        return None
    tokens = [traced.token[block].reshape(figure.batch, -1) for block in traced.blocks]
    return sum(bool((t == t[:, :1]).all()) and t.shape[1] == figure.D for t in tokens)


def _out_of_place(figure: Any, traced: Any) -> float | None:
    wrong = figure.method == "reshape" and not traced.split_agrees
    start, end = traced.steps[0].array, traced.steps[4].array
    return int((start != end).sum()) if wrong and figure.step == 4 else None


def _misplaced(figure: Any, traced: Any) -> float | None:
    right = traced.steps[1].array.swapaxes(-3, -2)
    return int((traced.steps[2].array != right).sum()) if _reshaped(figure) else None


HEADS = (
    Goal("One token a head", "Let at least four heads get one whole token each, and nothing else.", _whole_tokens, 4,
         "more", needs=RESHAPED, words="heads: {}", places=0),
    Goal("Two wrongs", "Split into wrong blocks, and still have every number back in its place at the end.",
         _out_of_place, 0, needs="Counts at step 4, with a split that went wrong.", words="{} out of place", places=0),
    Goal("Right by luck", "Let every number come into its right place in its right block.", _misplaced, 0,
         needs=RESHAPED, words="{} in wrong places", places=0),
)  # fmt: skip

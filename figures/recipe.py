"""The code of figure 5: one line a step, in NumPy or PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .trace import Traced


def recipe(knobs: Mapping[str, Any], torch: bool = False) -> tuple[str, ...]:
    """The line of code that makes each step.

    >>> recipe({"batch": 1, "method": "view", "merge": "reshape"})[2:]
    ('heads = view.swapaxes(-3, -2)', 'blocks = [heads[h] for h in range(H)]', 'merged = heads.reshape(T, D)')
    """
    one = knobs["batch"] == 1
    B = "" if one else "B, "
    swap = f"{'transpose' if torch else 'swapaxes'}(-3, -2)"
    back = f"{swap}." if knobs["merge"] == "transpose" else ""
    return (
        f"Q = {'torch' if torch else 'np'}.arange({'' if one else 'B * '}T * D).reshape({B}T, D)",
        f"view = Q.reshape({B}T, H, d_k)",
        f"heads = view.{swap}" if knobs["method"] == "view" else f"heads = Q.reshape({B}H, T, d_k)",
        f"blocks = [heads[{'h' if one else ':, h'}] for h in range(H)]",
        f"merged = heads.{back}reshape({B}T, D)",
    )


def snippet(knobs: Mapping[str, Any], traced: Traced, torch: bool) -> str:
    """A program that makes all steps and prints their shapes, strides and numbers."""
    sizes = {"B": knobs["batch"]} if knobs["batch"] > 1 else {}
    sizes |= {name: knobs[name] for name in "TDH"}
    lines = [
        f"{line}  # {note}" if note else line
        for line, note in zip(recipe(knobs, torch), _notes(knobs, traced), strict=True)
    ]
    shape = "tuple(x.shape), x.stride()" if torch else "x.shape, tuple(s // x.itemsize for s in x.strides)"
    body = "\n".join(lines)
    return f"""import {"torch" if torch else "numpy as np"}

{", ".join(sizes)} = {", ".join(map(str, sizes.values()))}
d_k = D // H
{body}
for x in (Q, view, heads, blocks[0], merged):
    print({shape})
print(heads, merged, sep="\\n")
"""


def _notes(knobs: Mapping[str, Any], traced: Traced) -> tuple[str, ...]:
    token = "n // D" if knobs["batch"] == 1 else "n // D % T"
    split = "no bug: with one head or one token both ways agree" if traced.split_agrees else "bug: mixes the tokens"
    merge = "no bug: with one head or one token both ways agree" if traced.merge_agrees else "bug: mixes the heads"
    return (
        f"number n: token {token}, feature n % D, from 0",
        "",
        split if knobs["method"] == "reshape" else "",
        "each ready for attention",
        merge if knobs["merge"] == "reshape" else "",
    )

"""Formulas as one would type them into a search field."""

from __future__ import annotations

import re

NAMES = {
    r"\infty": "infinity", r"\cdot": "·", r"\times": "×", r"\le": "<=", r"\ge": ">=", r"\ne": "!=", r"\approx": "≈",
    r"\to": "→", r"\odot": "⊙", r"\in": " in ", r"\quad": " ", r"\,": " ", r"\;": " ", r"\!": "", r"\ ": " ",
    r"\dots": "...", r"\lVert": "||", r"\rVert": "||", r"\\": " ; ", r"\prime": "'",
}  # fmt: skip
LAYOUT = r"\\(?:left|right|big|bigl|bigr|Big|displaystyle|text|mathrm|mathbb|mathbf|mathsf|operatorname)\b"
GROUP = r"(?:\{([^{}]*)\}|(\w))"


def plain(tex: str) -> str:
    r"""
    >>> plain(r"\operatorname{softmax}\left(\frac{QK^{\mathsf T}}{\sqrt{d_k}} + M\right)")
    'softmax((QK^T)/sqrt(d_k) + M)'
    >>> plain(r"1/\sqrt{d_k}"), plain(r"8\sqrt2"), plain(r"(\tfrac35, \mathbb{R}^{T \times D})")
    ('1/sqrt(d_k)', '8 sqrt(2)', '(3/5, R^T×D)')
    """
    text = re.sub(r"\\(begin|end)\{\w+\}", " ", tex)
    text = re.sub(LAYOUT, "", text)
    before = ""
    while before != text:  # from the inside out
        before = text
        text = re.sub(r"(?<=\d)\\sqrt", r" \\sqrt", text)
        text = re.sub(rf"\\sqrt\s*{GROUP}", lambda m: f"sqrt({m[1] or m[2]})", text)
        text = re.sub(rf"\\[td]?frac\s*{GROUP}\s*{GROUP}", _fraction, text)
        text = re.sub(r"\{([^{}\\]*)\}", r"\1", text)
    for name, said in NAMES.items():
        text = re.sub(re.escape(name) + (r"(?![A-Za-z])" if name[-1].isalpha() else ""), said, text)
    text = re.sub(r"\\([A-Za-z]+)", r"\1", text)
    text = re.sub(r"[{}&\\]", " ", text)
    return (
        re.sub(r"\s+", " ", re.sub(r"\s*([×·])\s*", r"\1", text))
        .strip()
        .replace("^ ", "^")
        .replace("_ ", "_")
        .replace("( ", "(")
        .replace(" )", ")")
    )


def _fraction(m: re.Match[str]) -> str:
    above, below = m[1] or m[2], m[3] or m[4]
    return "/".join(part if part.isalnum() else f"({part})" for part in (above, below))

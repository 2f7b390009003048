"""Formulas of the figures, rendered ahead of time.

KaTeX needs a JavaScript engine, which neither the server nor the reader's browser should have to run for text that
never changes. So ``make formulas`` renders the table below once and keeps the result beside this file;
a test renders it again and compares.
"""

from __future__ import annotations

import json
from pathlib import Path

TEX = {
    "q": r"q",
    "d_h": r"d_h",
    "k": r"k",
    "q_x": r"q_x",
    "q_y": r"q_y",
    "tau": r"\tau",
    "abs_q": r"|q|",
    "q.k": r"q \cdot k",
    "lookup.weigh": r"a = \mathrm{softmax}\bigl(q \cdot k / (\sqrt{d_k}\,\tau)\bigr)",
    "lookup.mix": r"o = \sum_j a_j v_j",
    "beta": r"\beta",
    "matrix.scores": r"S = \beta\,QK^{\mathsf T}/\sqrt{d_k}",
    "matrix.weights": r"A = \mathrm{softmax}(S)",
    "d_k": r"d_k",
    "sigma": r"\sigma",
    "rho": r"\rho",
    "scaling.sqrt": r"1/\sqrt{d_k}",
    "scaling.d_k": r"1/d_k",
    "J": r"\|J\|_F",
    "J_ij": r"|J_{ij}|",
    "dq": r"\|\mathrm{d}q\|",
    "masks.mask": r"M",
    "masks.weights": r"A",
    "X": r"X",
    "example.tokens": r"Q = K = V = X",
    "example.scores": r"S = QK^{\mathsf T}/\sqrt2",
    "example.weights": r"A = \mathrm{softmax}(S)",
    "example.output": r"O = AV",
    "example.jacobian": r"J = \mathrm{diag}(p) - pp^{\mathsf T}",
}

# Where a formula is all that a label or a heading says, screen readers get it in words (browsers differ in what they
# make of hidden MathML).
SPOKEN = {
    "q.k": "query times key",
    "scaling.sqrt": "1 over the square root of d_k",
    "scaling.d_k": "1 over d_k",
    "J": "norm of J",
    "J_ij": "absolute entry of J",
    "dq": "norm of dq",
    "masks.mask": "M",
    "masks.weights": "A",
}

RENDERED = Path(__file__).with_name("formulas.json")
KATEX = Path(__file__).parent.parent / "assets" / "vendor" / "katex" / "katex.min.js"

_html: dict[str, str] = json.loads(RENDERED.read_text()) if RENDERED.exists() else {}


def formula(name: str) -> str:
    """HTML of a formula of the table, with words or MathML for screen readers."""
    try:
        html = _html[name]
    except KeyError:
        raise KeyError(f"formula: expected a name of figures/formulas.json, got {name!r}; add it to TEX in "
                       "figures/formulas.py and run `make formulas`") from None  # fmt: skip
    if name in SPOKEN:
        return f'<span class="sr">{SPOKEN[name]}</span><span aria-hidden="true">{html}</span>'
    return html


def render(tex: dict[str, str], display: bool = False) -> dict[str, str]:
    """Render each formula with the vendored KaTeX; needs mini-racer (requirements-dev.txt).

    ``display`` is for formulas that stand on a line of their own.
    """
    from py_mini_racer import MiniRacer

    engine = MiniRacer()
    engine.eval(KATEX.read_text())
    options = f"{{throwOnError: true, displayMode: {json.dumps(display)}}}"
    return {name: engine.eval(f"katex.renderToString({json.dumps(source)}, {options})") for name, source in tex.items()}


if __name__ == "__main__":
    RENDERED.write_text(json.dumps(render(TEX), ensure_ascii=False, indent=1) + "\n")
    print(f"{len(TEX)} formulas written to {RENDERED.name}")

"""The programs under figure 4: a few lines of NumPy or PyTorch that give its weights and outputs."""

from __future__ import annotations

from .masking import Laid, Setup, T

_PLAIN = {"-1e9": "-1e9", "-1e4": "-1e4"}


def _given(laid: Laid, array: str) -> str:
    rows = (("Q", laid.q), ("K", laid.k), ("V", laid.v))
    return f"# {' '.join(laid.tokens)}\n" + "".join(f"{n} = {array}({m.tolist()}, dtype=dtype)\n" for n, m in rows)


def _masks(setup: Setup, causal: str, array: str, ones: str) -> str:
    """Lines that build the masks, through both sides of the convention."""
    seen = [True] * (T - setup.padded) + [False] * setup.padded
    pad = f"{array}({[seen if setup.side == 'right' else seen[::-1]]})  # one row for all queries\n"
    lines = {
        "none": f"masks = [{ones}]  # True: may read\n",
        "causal": f"masks = [{causal}]  # True: may read\n",
        "padding": f"padding = {pad}masks = [padding]  # True: may read\n",
        "both": f"causal = {causal}\npadding = {pad}masks = [causal, padding]  # True: may read\n",
    }[setup.mask]
    if setup.says == "hidden":
        lines += "masks = [~mask for mask in masks]  # whoever writes them down says True for hidden\n"
    if setup.reads == "hidden":
        lines += "masks = [~mask for mask in masks]  # whoever reads them takes True for hidden\n"
    return lines


def _joined(setup: Setup) -> str:
    return "masks[0] & masks[1]" if setup.mask == "both" else "masks[0]"


def numpy_code(laid: Laid) -> str:
    setup = laid.setup
    blocked = {"-inf": "-np.inf", "min": "np.finfo(dtype).min"} | _PLAIN
    axis = 1 if setup.axis == "rows" else 0
    if not setup.before:
        lay = "x = scores\n"
    elif setup.how == "fill":
        lay = f"x = np.where({_joined(setup)}, scores, dtype({blocked[setup.blocked]}))\n"
    else:
        lay = f"x = scores\nfor mask in masks:\n    x = x + np.where(mask, dtype(0), dtype({blocked[setup.blocked]}))\n"
    if setup.axis == "columns":  # core adds along a contiguous axis, and so must this: float16 would round otherwise
        lay += "x = x.T.copy()  # the softmax goes over columns\n"
    lay += ("weights = np.exp(x - x.max(axis=1, keepdims=True))\n"
            "weights = weights / weights.sum(axis=1, keepdims=True)\n")  # fmt: skip
    if setup.axis == "columns":
        lay += "weights = weights.T\n"
    if not setup.before:
        lay += f"weights = weights * ({_joined(setup)})\n"
    if setup.where == "after-renormalised":
        lay += f"weights = weights / weights.sum(axis={axis}, keepdims=True)\n"
    inside = "".join(f"    {line}\n" for line in (lay + "output = weights @ V").splitlines())
    return f"""import numpy as np

dtype = np.{setup.precision}
{_given(laid, "np.array")}scores = Q @ K.T / dtype(2)  # (T, T), divided by the root of d_k = 4
{_masks(setup, f"np.tri({T}, dtype=bool)", "np.array", f"np.ones(({T}, {T}), dtype=bool)")}\
with np.errstate(all="ignore"):  # overflow and 0/0 are what this is about
{inside}print(weights.round(3), output.round(3), sep="\\n")
"""


def torch_code(laid: Laid) -> str:
    setup = laid.setup
    dim = -1 if setup.axis == "rows" else 0
    if setup.before:
        lay = f"{_torch_logits(setup)}weights = torch.softmax(masked, dim={dim})\n"
    else:
        lay = f"weights = torch.softmax(scores, dim={dim})\nweights = weights * ({_joined(setup)})\n"
    if setup.where == "after-renormalised":
        lay += f"weights = weights / weights.sum(dim={dim}, keepdim=True)\n"
    square = f"torch.ones({T}, {T}, dtype=torch.bool)"
    return f"""import torch

dtype = torch.{setup.precision}
{_given(laid, "torch.tensor")}scores = Q @ K.T / 2  # (T, T), divided by the root of d_k = 4
{_masks(setup, f"{square}.tril()", "torch.tensor", square)}{lay}output = weights @ V
print(weights, output, sep="\\n")
"""


def _torch_logits(setup: Setup) -> str:
    blocked = ({"-inf": 'float("-inf")', "min": "torch.finfo(dtype).min"} | _PLAIN)[setup.blocked]
    too_large = setup.blocked == "-1e9" and setup.precision == "float16"
    if setup.how == "add":
        cast = "  # beyond float16, so it becomes -inf" if too_large else ""
        return (f"blocked = torch.tensor({blocked}, dtype=torch.float64).to(dtype){cast}\n"
                "zero = torch.zeros((), dtype=dtype)\nmasked = scores\nfor mask in masks:\n"
                "    masked = masked + torch.where(mask, zero, blocked)\n")  # fmt: skip
    fill = f"masked = scores.masked_fill(~({_joined(setup)}), "
    if not too_large:
        return f"{fill}{blocked})\n"
    return (f"try:  # float16 ends at -65504: PyTorch does not fill in -1e9\n    {fill}-1e9)\n"
            "except RuntimeError as refusal:\n    print(refusal)\n"
            f"    {fill}float('-inf'))  # what NumPy makes of it\n")  # fmt: skip

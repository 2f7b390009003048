"""What a layer of multi-head attention costs: parameters and FLOPs."""

from __future__ import annotations

from dataclasses import dataclass

from core.check import whole_number


@dataclass(frozen=True)
class Flops:
    """What :func:`flops` counts, in floating-point operations."""

    projections: int  # X to Q, K, V, and the joined heads through W_O
    attention: int  # scores and weighted sums of all heads
    total: int


def parameters(D: int, bias: bool = True) -> int:
    """Trained numbers of a multi-head attention layer; the number of heads plays no part.

    .. math:: 4 D^2 + 4 D \\quad (4 D^2 \\text{ without biases})

    Parameters
    ----------
    D : int
        Model width: W_Q, W_K, W_V and W_O are (D, D) each, their biases (D,).
    bias : bool, default True

    Returns
    -------
    int

    Raises
    ------
    TypeError, ValueError
        Where ``D`` is no integer or below 1, or ``bias`` is no boolean.

    Examples
    --------
    >>> parameters(512)
    1050624
    """
    D = whole_number("D", D)
    if not isinstance(bias, bool):
        raise TypeError(f"bias: expected True or False, got {bias!r}")
    return 4 * D * D + (4 * D if bias else 0)


def flops(T: int, D: int, H: int) -> Flops:
    """FLOPs of multi-head self-attention on one sequence; a multiply and an add count as two.

    .. math:: projections = 4 \\cdot 2 T D^2 = 8 T D^2, \\qquad attention = H \\cdot 4 T^2 d_k = 4 T^2 D

    The two are equal at T = 2D; beyond it the square wins. Softmax, biases and scaling are left out, as usual: they
    grow like T² H and T D, without a second factor of the width.

    Parameters
    ----------
    T : int
        Number of tokens.
    D : int
        Model width.
    H : int
        Number of heads; it divides D and does not change the count.

    Returns
    -------
    Flops
        Frozen, with the integers ``projections``, ``attention`` and ``total``.

    Raises
    ------
    TypeError, ValueError
        Where a size is no integer or below 1, or H does not divide D.

    Examples
    --------
    >>> flops(512, 512, 8)
    Flops(projections=1073741824, attention=536870912, total=1610612736)
    """
    T, D, H = whole_number("T", T), whole_number("D", D), whole_number("H", H)
    if D % H:
        raise ValueError(f"H: expected a divisor of D = {D}, got {H}")
    projections, attention = 8 * T * D * D, 4 * T * T * D
    return Flops(projections, attention, projections + attention)

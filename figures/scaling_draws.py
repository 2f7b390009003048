"""Many random queries: the curves of figure 3, kept for all readers."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from core.scaling import Curve, jacobian_norm_curve, query_gradient_norm_curve

SIZES = tuple(2**i for i in range(11))
NAMES = {"none": "none", "sqrt": "1/sqrt(d_k)", "d_k": "1/d_k"}  # value of the knob → name in core
DRAWS = {16: 1000, 128: 300}  # draws behind a curve: three curves take 20 to 35 ms, the pace of a slider
SEED = 0  # of the curves; they are the same for every reader


@lru_cache(maxsize=512)
def curve(gradient: bool, keys: int, sigma: float, rho: float, name: str, sizes: tuple[int, ...] = SIZES) -> Curve:
    """A curve of the figure, kept for all readers. A point does not depend on which others are asked for."""
    make = query_gradient_norm_curve if gradient else jacobian_norm_curve
    made = make(sizes, DRAWS[keys], SEED, keys=keys, sigma=sigma, rho=rho, scaling=NAMES[name])
    for array in (made.median, made.low, made.high):
        array.flags.writeable = False
    return made


@lru_cache(maxsize=64)
def upstream(d_k: int, keys: int, seed: int) -> np.ndarray:
    """Vg (keys,): random values V times a random gradient g of the output, all standard normal."""
    rng = np.random.default_rng([seed, 1])
    return rng.standard_normal((keys, d_k)) @ rng.standard_normal(d_k)

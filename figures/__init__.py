"""The figures. Adding one means adding one line here (see README.md)."""

from .base import Figure
from .heads import Heads
from .lookup import Lookup
from .masks import Masks
from .matrix import Matrix
from .scaling import Scaling

FIGURES: tuple[type[Figure], ...] = (Lookup, Matrix, Scaling, Masks, Heads)
BY_SLUG: dict[str, type[Figure]] = {figure.slug: figure for figure in FIGURES}

__all__ = ["BY_SLUG", "FIGURES", "Figure"]

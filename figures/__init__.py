"""The figures. Adding one means adding one line here (see README.md)."""

from .base import Figure
from .lookup import Lookup
from .masks import Masks
from .matrix import Matrix

FIGURES: tuple[type[Figure], ...] = (Lookup, Matrix, Masks)
BY_SLUG: dict[str, type[Figure]] = {figure.slug: figure for figure in FIGURES}

__all__ = ["BY_SLUG", "FIGURES", "Figure"]

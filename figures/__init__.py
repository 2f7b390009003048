"""The figures, and what else has a page like one. Adding one means adding one line here (see README.md)."""

from .base import Figure
from .example import Example
from .heads import Heads
from .lookup import Lookup
from .masks import Masks
from .matrix import Matrix
from .scaling import Scaling

FIGURES: tuple[type[Figure], ...] = (Lookup, Matrix, Scaling, Masks, Heads)
PAGES: tuple[type[Figure], ...] = (*FIGURES, Example)  # all that has a page and a session of its own
BY_SLUG: dict[str, type[Figure]] = {page.slug: page for page in PAGES}

__all__ = ["BY_SLUG", "FIGURES", "PAGES", "Figure"]

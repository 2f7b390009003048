"""A figure's picture as the browser gets it: Bokeh's JSON of the first state, made once a process for all readers.

A reader in another state gets the same picture and the columns that differ; so does a picture that changes later.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from bokeh.document import Document

from .base import Columns, Figure, different, written


@dataclass(frozen=True)
class Drawing:
    """Scripts of the page find plots and sources by name: ``lookup/keys``, ``lookup.values``."""

    document: dict[str, Any]  # Bokeh's JSON
    columns: dict[str, Columns]  # what its sources hold

    def behind(self, figure: Figure) -> dict[str, Columns]:
        """The columns that must change before the drawing shows this figure."""
        found = {source: different(self.columns[source], columns) for source, columns in figure.shown.items()}
        return {f"{figure.slug}.{source}": written(columns) for source, columns in found.items() if columns}


@cache
def drawing(kind: type[Figure]) -> Drawing:
    figure, doc = kind(), Document()
    figure.ensure_built()
    for name, source in figure.sources.items():
        source.name = f"{figure.slug}.{name}"
    with doc.models.freeze():  # one look at all models instead of one a root
        for name, plot in figure.plots.items():
            plot.name = f"{figure.slug}/{name}"
            doc.add_root(plot)
    return Drawing(doc.to_json(deferred=False), figure.shown)

"""How much is measured: options of the command line and what follows from them."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path

RESULTS = Path(__file__).parent / "results" / "latest.json"
# Part → seconds that it may take on a quiet machine with two cores; in --quick a quarter.
PARTS = {"latency": 720, "rivals": 300, "opening": 120, "sessions": 240, "arithmetic": 120}


@dataclass(frozen=True)
class Plan:
    parts: tuple[str, ...] = tuple(PARTS)
    figures: tuple[str, ...] = ()  # of part latency; none means all
    quick: bool = False
    json: Path = RESULTS
    limits: dict[str, float] = field(default_factory=lambda: dict(PARTS))

    @property
    def rounds(self) -> int:
        return 1 if self.quick else 3

    @property
    def inputs(self) -> int:
        """Isolated inputs of one block."""
        return 5 if self.quick else 10

    @property
    def seconds(self) -> float:
        """Length of a stream."""
        return 0.6 if self.quick else 2.0


def listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def read(arguments: list[str]) -> tuple[Plan, bool]:
    """The plan, and whether the only wish is to put the last table into the document.

    >>> read(["--only", "latency,opening", "--quick"])[0].parts
    ('latency', 'opening')
    """
    parser = argparse.ArgumentParser(prog="python -m bench", description="How fast everything is, beside its floor.")
    parser.add_argument("--only", type=listed, default=tuple(PARTS), help=f"parts to run, of {','.join(PARTS)}")
    parser.add_argument("--without", type=listed, default=(), help="parts to leave out")
    parser.add_argument("--figures", type=listed, default=(), help="figures of part latency (default all)")
    parser.add_argument("--quick", action="store_true", help="one round of each: shows that all works, under 5 minutes")
    parser.add_argument("--json", type=Path, default=RESULTS, help="file for the numbers; the table lies beside it")
    parser.add_argument("--write-docs", action="store_true", help="only put the last table into docs/performance.md")
    chosen = parser.parse_args(arguments)
    if unknown := [part for part in (*chosen.only, *chosen.without) if part not in PARTS]:
        parser.error(f"expected some of {', '.join(PARTS)}, got {unknown[0]!r}")
    limits = {part: seconds / (4 if chosen.quick else 1) for part, seconds in PARTS.items()}
    parts = tuple(part for part in PARTS if part in chosen.only and part not in chosen.without)
    return Plan(parts, chosen.figures, chosen.quick, chosen.json, limits), chosen.write_docs

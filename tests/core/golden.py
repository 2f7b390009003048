"""The golden cases, as arrays; "nan" and "-inf" are strings in the files."""

import json
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parents[1] / "golden"


def cases(file: str) -> list[dict[str, Any]]:
    """Every case of one file."""
    return json.loads((FOLDER / file).read_text())


def name(case: dict[str, Any]) -> str:
    """What pytest calls the case."""
    return case.get("name") or f"{case['keys']} keys, d_k {case['d_k']}, {'scaled' if case['scaled'] else 'unscaled'}"


def floats(value: Any, dtype: str = "float64") -> np.ndarray:
    """Nested lists of numbers and of the strings "nan", "-inf"."""
    return np.array(value, dtype=np.float64).astype(dtype)


def mask(value: Any) -> np.ndarray | None:
    """Nested lists of booleans, or None."""
    return None if value is None else np.array(value, dtype=bool)

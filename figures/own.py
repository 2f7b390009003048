"""A head of the reader's own for figure 2: bytes of a file in, a checked `Head` out, or one sentence that says why not.

Nothing of a file is ever run (no pickle), and sizes are known before anything large is made of it. A mask is boolean
as everywhere here: True = may attend.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import own_files
from .own_files import LARGEST

MOST_TOKENS = 128
WIDEST = 256  # numbers in a query, key or value
STEEPEST = 1e6  # scores of larger entries could pass what floats hold
LONGEST = 24  # letters of a name that are shown


@dataclass(frozen=True)
class Head:
    """Queries, keys and values of one head, in float64, and what the file says beside them."""

    name: str  # of the file
    kind: str  # npz, npy, csv or json
    keys: Mapping[str, str]  # Q, K, V, mask → what the file calls them
    q: np.ndarray  # (T, d_k)
    k: np.ndarray  # (T, d_k)
    v: np.ndarray  # (T, d_v)
    tokens: tuple[str, ...]  # T names; "1", "2", … where the file has none
    allowed: np.ndarray | None  # (T, T), True = may attend


def read(name: str, content: bytes) -> Head:
    """The head in a file. ``name`` says by its ending what the file is; text without a name was pasted.

    Raises
    ------
    ValueError
        One sentence: what was expected, and what came.

    Examples
    --------
    >>> read("two.json", b'{"Q": [[1], [2]], "K": [[3], [4]], "V": [[5, 6], [7, 8]]}').v
    array([[5., 6.],
           [7., 8.]])
    """
    if len(content) > LARGEST:
        raise ValueError(f"file: expected at most {LARGEST // 10**6} MB, got {len(content) / 1e6:.1f} MB")
    if not content.strip():
        raise ValueError("file: expected Q, K and V, got nothing")
    if not name:
        name = "pasted.json" if content.lstrip()[:1] == b"{" else "pasted.csv"
    kind = name.rpartition(".")[2].lower()
    if kind not in own_files.READERS:
        raise ValueError(f"file: expected .npz, .npy, .csv or .json, got '{cut(name)}'")
    arrays, keys = own_files.READERS[kind](content)
    q, k, v = (_matrix(letter, arrays[letter]) for letter in "QKV")
    _agree(q, k, v)
    T = len(q)
    return Head(name, kind, keys, q, k, v, _tokens(arrays.get("tokens"), T), _mask(arrays.get("mask"), T))


def _matrix(name: str, array: np.ndarray) -> np.ndarray:
    """Queries, keys or values: two axes, sizes within the limits, finite numbers."""
    symbols = f"(T, {'d_v' if name == 'V' else 'd_k'})"
    if array.ndim != 2:
        more = f"; take one head of one sequence, such as {name}[{'0, ' * (array.ndim - 3)}0]" if array.ndim > 2 else ""
        raise ValueError(f"{name}: expected two axes {symbols}, got the shape {_shape(array.shape)}{more}")
    if array.dtype.kind not in "fiu":
        raise ValueError(f"{name}: expected real numbers, got the type {array.dtype}")
    if 0 in array.shape:
        raise ValueError(f"{name}: expected {symbols} with sizes of at least 1, got {_shape(array.shape)}")
    rows, width = array.shape
    if rows > MOST_TOKENS:
        raise ValueError(f"{name}: expected at most {MOST_TOKENS} tokens (rows), got {rows}; save the first, such as "
                         f"{name}[:{MOST_TOKENS}]")  # fmt: skip
    if width > WIDEST:
        raise ValueError(f"{name}: expected at most {WIDEST} numbers a row, got {width}; is this one head, or all?")
    numbers = array.astype(np.float64, order="C")
    for row, why in ((~np.isfinite(numbers), "finite numbers"), (np.abs(numbers) > STEEPEST, "numbers up to 1e6")):
        if row.any():
            i, j = np.argwhere(row)[0]
            raise ValueError(f"{name}: expected {why}, got {_number(numbers[i, j])} in row {i + 1}, column {j + 1}")
    return numbers


def _agree(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> None:
    if k.shape != q.shape:
        raise ValueError(f"K: expected (T, d_k) = {_shape(q.shape)} like Q, got {_shape(k.shape)}")
    if len(v) != len(q):
        raise ValueError(f"V: expected (T, d_v) with T = {len(q)} like Q, got {_shape(v.shape)}")


def _tokens(names: list[str] | None, T: int) -> tuple[str, ...]:
    if names is None:
        return tuple(str(i + 1) for i in range(T))
    if len(names) != T:
        raise ValueError(f"tokens: expected T = {T} names, got {len(names)}")
    return tuple(cut(" ".join(name.split())) or "␣" for name in names)


def _mask(mask: np.ndarray | None, T: int) -> np.ndarray | None:
    """A mask for each pair, or one for the keys alone, which then holds for all queries."""
    if mask is None:
        return None
    if mask.dtype.kind != "b":
        odd = "" if mask.dtype.kind not in "iuf" or np.isin(mask, (0, 1)).all() else ", and other numbers than 0 and 1"
        if odd or mask.dtype.kind not in "iu":
            raise ValueError(f"mask: expected booleans (True = may attend), got the type {mask.dtype}{odd}")
    if mask.shape not in ((T, T), (T,)):
        raise ValueError(f"mask: expected (T, T) = ({T}, {T}), or (T,) = ({T},) for the keys alone, got "
                         f"{_shape(mask.shape)}")  # fmt: skip
    return np.broadcast_to(mask.astype(bool), (T, T))


def _shape(shape: tuple[int, ...]) -> str:
    return str(tuple(int(n) for n in shape))


def _number(value: float) -> str:
    return "NaN" if np.isnan(value) else f"{value:g}"


def cut(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def sizes(head: Head) -> str:
    """What a head is, in words.

    >>> sizes(read("a.json", b'{"Q": [[1], [2]], "K": [[3], [4]], "V": [[5, 6], [7, 8]]}'))
    '2 tokens, d_k = 1, d_v = 2'
    """
    T, d_k = head.q.shape
    words: list[Any] = [f"{T} token{'s' * (T != 1)}", f"d_k = {d_k}", f"d_v = {head.v.shape[1]}"]
    if head.allowed is not None:
        words.append("with a mask (True = may attend)")
    return ", ".join(words)

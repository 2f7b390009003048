"""Files that can hold a head: each reader takes bytes and gives arrays by name, or one sentence.

.npz and JSON name them Q, K, V (or q, k, v), and tokens and mask if they have them; .npy is one array (3, T, d), with Q
first; in .csv the first cell of a line says what the rest belongs to: ``Q,1.5,-0.2``.
"""

from __future__ import annotations

import csv
import io
import json
import math
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

LARGEST = 4 * 10**6  # bytes of a file, as the browser knows (own.js); twice as much when unpacked
NAMES = ("Q", "K", "V", "tokens", "mask")

Read = tuple[dict[str, Any], dict[str, str]]  # arrays by our names; our names → those of the file


def _named(found: list[str], where: str) -> dict[str, str]:
    """Our names → those of the file."""
    keys = {ours: next((n for n in found if n in (ours, ours.lower())), "") for ours in NAMES}
    missing = [name for name in "QKV" if not keys[name]]
    if missing:
        shown = ", ".join(f"'{name[:24]}'" for name in found[:6]) + (", …" if len(found) > 6 else "")
        raise ValueError(f"file: expected {where} named Q, K and V, got {shown or 'none'}")
    return {ours: name for ours, name in keys.items() if name}


def from_npz(content: bytes) -> Read:
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        sizes = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        keys = _named(list(sizes), "arrays")
        unpacked = sum(sizes[name].file_size for name in keys.values())
        if unpacked > 2 * LARGEST:  # before anything is unpacked; no member gives more than it announces
            raise ValueError(f"file: expected at most {2 * LARGEST // 10**6} MB when unpacked, got "
                             f"{unpacked / 1e6:.1f} MB")  # fmt: skip
        arrays = {ours: _array(ours, archive.read(sizes[name])) for ours, name in keys.items()}
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, OSError):
        raise ValueError("file: expected an archive of NumPy (.npz, by np.savez), got something else, or only a part "
                         "of one") from None  # fmt: skip
    return _with_names(arrays), keys


def from_npy(content: bytes) -> Read:
    stack = _array("array", content)
    if stack.ndim != 3 or len(stack) != 3:
        raise ValueError(f"array: expected Q, K and V stacked as (3, T, d), got the shape {stack.shape}")
    return dict(zip("QKV", stack, strict=True)), {}


def _array(name: str, content: bytes) -> np.ndarray:
    """One .npy file. Its head says how large the array is and of what; only then is it read."""
    stream = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        read_head = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
        shape, _, dtype = read_head(stream)
    except (ValueError, KeyError):
        raise ValueError(f"{name}: expected an array as np.save writes it, got something else") from None
    if dtype.hasobject:
        raise ValueError(f"{name}: expected numbers or text, got Python objects, which need pickle, and pickle can run "
                         "code; save with dtype=float, or dtype=str for tokens")  # fmt: skip
    need, have = math.prod(shape) * dtype.itemsize, len(content) - stream.tell()
    if need != have:
        raise ValueError(f"{name}: expected {need} bytes for the shape {shape}, got {have}; the file is not whole")
    stream.seek(0)
    return np.load(stream, allow_pickle=False)


def _with_names(arrays: dict[str, Any]) -> dict[str, Any]:
    if "tokens" in arrays:
        tokens = arrays["tokens"]
        if tokens.ndim != 1 or tokens.dtype.kind not in "U":
            raise ValueError(f"tokens: expected one axis of text (dtype=str), got the shape {tokens.shape} of the type "
                             f"{tokens.dtype}")  # fmt: skip
        arrays["tokens"] = tokens.tolist()
    return arrays


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("file: expected text in UTF-8, got other bytes") from None


def from_json(content: bytes) -> Read:
    try:
        held = json.loads(_text(content))
    except RecursionError:
        raise ValueError("file: expected JSON with lists of lists, got lists nested too deep") from None
    except json.JSONDecodeError as problem:
        raise ValueError(f"file: expected JSON, got an error in line {problem.lineno}: {problem.msg}") from None
    except ValueError:  # whole numbers of thousands of digits
        raise ValueError("file: expected JSON with numbers up to 1e6, got one that is far too long") from None
    if not isinstance(held, dict):
        raise ValueError(f"file: expected a JSON object with Q, K and V, got a {type(held).__name__}")
    keys = _named(list(held), "lists")
    arrays: dict[str, Any] = {name: _rows(name, held[key]) for name, key in keys.items() if name != "tokens"}
    if "tokens" in keys:
        tokens = held[keys["tokens"]]
        if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
            raise ValueError("tokens: expected a list of texts, got something else")
        arrays["tokens"] = tokens
    return arrays, keys


def _rows(name: str, rows: Any) -> np.ndarray:
    """Nested lists as an array; the types of the numbers stay, so that true and 1 can be told apart."""
    try:
        array = np.array(rows)
    except ValueError:
        lengths = sorted({len(row) for row in rows if isinstance(row, list)})
        came = f"lengths {' and '.join(map(str, lengths[:3]))}" if len(lengths) > 1 else "something else among them"
        raise ValueError(f"{name}: expected rows of one length, got {came}") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name}: expected numbers only, got text, null or something else among them")
    return array


def from_csv(content: bytes) -> Read:
    lines: dict[str, list[list[str]]] = {}
    try:
        for line in csv.reader(io.StringIO(_text(content), newline="")):
            if any(cell.strip() for cell in line):
                lines.setdefault(line[0].strip(), []).append(line[1:])
    except csv.Error as problem:
        raise ValueError(f"file: expected lines such as 'Q,1.5,-0.2', got {problem}") from None
    keys = _named(list(lines), "lines such as 'Q,1.5,-0.2', with a first cell")
    arrays: dict[str, Any] = {n: _rows(n, _numbers(n, lines[key])) for n, key in keys.items() if n != "tokens"}
    if "mask" in arrays:
        mask = arrays["mask"]
        arrays["mask"] = (mask[0] if len(mask) == 1 else mask).astype(int) if np.isin(mask, (0, 1)).all() else mask
    if "tokens" in keys:
        arrays["tokens"] = lines[keys["tokens"]][0]
    return arrays, keys


def _numbers(name: str, rows: list[list[str]]) -> list[list[float]]:
    numbers = []
    for n, row in enumerate(rows, 1):
        try:
            numbers.append([float(cell) for cell in row])
        except ValueError as problem:
            raise ValueError(
                f"{name}: expected numbers, got {str(problem).rpartition(': ')[2][:40]} in its line {n}"
            ) from None
    return numbers


READERS: dict[str, Callable[[bytes], Read]] = {"npz": from_npz, "npy": from_npy, "csv": from_csv, "json": from_json}

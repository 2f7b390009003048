"""Counts and lists in words."""

from __future__ import annotations

from collections.abc import Iterable


def runs(numbers: Iterable[int]) -> str:
    """Whole numbers as people write them.

    >>> runs([1, 2, 3, 4]), runs([1, 2, 5, 6]), runs([3])
    ('1–4', '1–2, 5–6', '3')
    """
    groups: list[list[int]] = []
    for n in sorted(numbers):
        if groups and n == groups[-1][1] + 1:
            groups[-1][1] = n
        else:
            groups.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in groups)


def listed(words: list[str]) -> str:
    """Words with commas and an "and".

    >>> listed(["A"]), listed(["A", "B"]), listed(["A", "B", "C"])
    ('A', 'A and B', 'A, B and C')
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def counted(count: int, thing: str) -> str:
    """
    >>> counted(1, "token"), counted(3, "token")
    ('1 token', '3 tokens')
    """
    return f"{count} {thing}" + "s" * (count != 1)

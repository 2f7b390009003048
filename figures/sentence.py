"""Six tokens with their queries, keys and values: the little world that figure 2 shows whole and figure 1 can visit."""

from __future__ import annotations

import numpy as np

TOKENS = ("the", "cat", "saw", "the", "dog", "run")

# Chosen by hand so that each row tells a story. Along the first axis keys of nouns lie right and keys of 'run' left;
# keys of verbs lie up, the key of 'the' lies down. A query points to the kind of word that it asks for.
ASKS = {
    "the": "asks for its noun",
    "cat": "asks what it does",
    "saw": "asks who saw, and whom",
    "dog": "asks what it does",
    "run": "asks who runs",
}
_QUERIES = {"the": (1.9, -0.4), "cat": (0.1, 2.1), "saw": (2.4, -0.9), "dog": (-1.6, 1.4), "run": (2.3, 1.0)}
_KEYS = {"the": (-0.7, -1.3), "cat": (1.8, -0.7), "saw": (0.4, 2.0), "dog": (1.7, 0.5), "run": (-1.6, 1.2)}
_VALUES = {"the": (-0.4, -2.2), "cat": (2.5, 1.3), "saw": (-1.8, 2.3), "dog": (2.1, -1.5), "run": (-2.7, -0.3)}


def _rows(table: dict[str, tuple[float, float]]) -> np.ndarray:
    rows = np.array([table[token] for token in TOKENS])
    rows.flags.writeable = False  # all readers of one process share it
    return rows


Q = _rows(_QUERIES)  # (6, 2); equal words have equal rows
K = _rows(_KEYS)  # (6, 2)
V = _rows(_VALUES)  # (6, 2)


def permutation(seed: int) -> np.ndarray:
    """An order of the six tokens: at least four places hold another word than in the sentence.

    A smaller change can be missed, and under the causal mask it may hardly change a weight.

    >>> permutation(7).tolist(), [TOKENS[i] for i in permutation(7)]
    ([5, 2, 0, 4, 1, 3], ['run', 'saw', 'the', 'dog', 'cat', 'the'])
    """
    rng = np.random.default_rng(seed)
    while True:
        order = rng.permutation(len(TOKENS))
        if sum(TOKENS[i] != token for i, token in zip(order, TOKENS, strict=True)) >= 4:
            return order

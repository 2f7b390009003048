"""What both rival apps draw: scores and weights of six tokens as two heatmaps with numbers. Needs Plotly and NumPy."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from core.masks import causal, masked_softmax

SETTING = "ATTENTION_BENCH_SCORES"  # variable that holds tokens and scores as JSON


def picture(beta: float, masked: bool) -> Any:
    """The figure of a state; its title says the state, which is how the probe knows what is shown."""
    from plotly.subplots import make_subplots

    given = json.loads(os.environ[SETTING])
    tokens = [f"{i} {token}" for i, token in enumerate(given["tokens"], 1)]
    scores = beta * np.array(given["scores"])  # (T, T)
    allowed = causal(len(scores)) if masked else np.ones(scores.shape, dtype=bool)
    weights = masked_softmax(scores, allowed)
    figure = make_subplots(cols=2, subplot_titles=("Scores", "Weights"))
    for column, values in enumerate((np.where(allowed, scores, np.nan), weights), 1):
        figure.add_heatmap(z=values, x=tokens, y=tokens, texttemplate="%{z:.2f}", showscale=False, row=1, col=column)
    figure.update_yaxes(autorange="reversed")
    figure.update_layout(title=f"beta {beta:.2f}, causal {str(masked).lower()}", width=1000, height=500)
    return figure

"""Colours: contrast of text, and meanings that stay apart for every kind of sight."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from bokeh.core.property.vectorization import Field
from bokeh.models import Glyph, Grid, Image, Span

from figures import FIGURES
from figures.theme import DARK, HEADS, LIGHT, THEMES, css

# Machado, Oliveira and Fernandes (2009), full severity, for linear RGB.
SIGHT = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
MEANINGS = ("query", "key", "value", "output", "masked")


def linear(colour: str) -> np.ndarray:
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(a: str, b: str) -> float:
    light, dark = sorted((float(TO_XYZ[1] @ linear(c)) for c in (a, b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(colour: str, sight: str) -> np.ndarray:
    seen = np.clip(np.array(SIGHT[sight]) @ linear(colour), 0, 1)
    x, y, z = (TO_XYZ @ seen) / np.array([0.95047, 1.0, 1.08883])
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)


@each_theme
@pytest.mark.parametrize("sight", SIGHT)
def test_meanings_stay_apart(theme, sight):
    for one, two in itertools.combinations(MEANINGS, 2):
        assert np.linalg.norm(lab(theme[one], sight) - lab(theme[two], sight)) > 24, (one, two)


@each_theme
def test_text_and_marks_stand_out_from_the_paper(theme):
    paper = theme["paper"]
    assert contrast(theme["ink"], paper) >= 7 and contrast(theme["ink-2"], paper) >= 7
    assert contrast(theme["ink-2"], theme["wash"]) >= 4.5 and contrast(theme["masked-text"], paper) >= 4.5
    assert contrast(theme["ok"], paper) >= 4.5 and contrast(theme["line-2"], paper) >= 3
    for meaning in MEANINGS:
        if meaning == "query" and theme["query"] == LIGHT["query"]:
            assert contrast(theme["query-edge"], paper) >= 3  # yellow on white stands out by its dark edge
        else:
            assert contrast(theme[meaning], paper) >= 3, meaning


@each_theme
@pytest.mark.parametrize("sight", SIGHT)
def test_heads_stay_apart(theme, sight):
    """Okabe and Ito's colours; each head has its letter, too."""
    for one, two in itertools.combinations([f"head-{h}" for h in HEADS], 2):
        assert np.linalg.norm(lab(theme[one], sight) - lab(theme[two], sight)) > 15, (one, two)


@each_theme
def test_text_stands_out_from_the_cells_of_each_head(theme):
    for h in HEADS:
        assert contrast(theme["ink"], theme[f"head-{h}-tint"]) >= 4.5, h


def test_both_themes_have_the_same_tokens():
    assert LIGHT.keys() == DARK.keys()
    assert set(re.findall(r"--([\w-]+):", css())) == set(LIGHT)


@pytest.mark.parametrize("kind", FIGURES, ids=lambda f: f.slug)
def test_every_colour_of_a_plot_has_a_token(kind):
    """A colour without a note would stay light when the page goes dark."""
    figure = kind()
    figure.ensure_built()
    names = ("line_color", "fill_color", "text_color", "text_outline_color", "grid_line_color")
    for model in {m for plot in figure.plots.values() for m in plot.references() if isinstance(m, Glyph | Span | Grid)}:
        noted = {str(tag).split("=")[0] for tag in model.tags}
        painted = {n: getattr(model, n) for n in names if n in model.properties() and getattr(model, n) is not None}
        if isinstance(model, Image):
            assert "palette=" in " ".join(model.color_mapper.tags)
            continue
        assert painted or "hatch_color" in noted
        for name, colour in painted.items():
            by_mapper = isinstance(colour, Field) and "palette=" in " ".join(colour.transform.tags)
            assert name in noted or by_mapper, (type(model).__name__, name)

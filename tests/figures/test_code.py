"""The code under each figure, run as it stands, gives the numbers of the picture."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from figures import PAGES, Figure

from .strategies import states

EACH_PRESET = [pytest.param(f, name, id=f"{f.slug}-{name}") for f in PAGES for name in ("", *f.presets)]


def run(code: str) -> tuple[dict[str, Any], str]:
    """The names that a snippet leaves behind, and what it prints."""
    names: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "snippet", "exec"), names)
    return names, printed.getvalue()


def drawn(figure: Figure) -> dict[str, np.ndarray]:
    """The numbers that a snippet of this figure must reproduce, by the names it gives them."""
    return {name: np.asarray(array) for name, array in figure.drawn().items()}


def check_numpy(figure: Figure) -> None:
    names, printed = run(figure.code("numpy"))
    for name, expected in drawn(figure).items():
        np.testing.assert_array_equal(np.reshape(names[name], expected.shape), expected, err_msg=name)
    assert any(str(np.round(names[name], 3)) in printed for name in drawn(figure))


@pytest.mark.parametrize(("kind", "preset"), EACH_PRESET)
def test_numpy_code_gives_exactly_what_is_drawn(kind, preset):
    figure = kind()
    if preset:
        figure.apply(preset)
    check_numpy(figure)


@pytest.mark.parametrize("kind", PAGES, ids=lambda f: f.slug)
def test_numpy_code_in_random_states(kind):
    @given(states(kind))
    def check(knobs):
        check_numpy(kind(**knobs))

    check()


@pytest.mark.torch
@pytest.mark.parametrize("kind", PAGES, ids=lambda f: f.slug)
def test_torch_code_gives_what_is_drawn(kind):
    def check(figure):
        # One unit in the last place of the scores (PyTorch may fuse multiply and add) moves a weight by that much.
        step = np.spacing(max(1.0, np.abs(getattr(figure.result, "scores", 0.0)).max()))
        names, printed = run(figure.code("torch"))
        assert "tensor" in printed
        for name, expected in drawn(figure).items():
            size = max(1.0, np.abs(expected).max())
            got = names[name].numpy().reshape(expected.shape)
            np.testing.assert_allclose(got, expected, rtol=0, atol=2 * step * size, err_msg=name)

    @settings(max_examples=30)
    @given(states(kind))
    def check_random(knobs):
        check(kind(**knobs))

    for name in kind.presets:
        figure = kind()
        figure.apply(name)
        check(figure)
    check_random()


def test_unknown_flavour_is_named():
    with pytest.raises(ValueError, match="flavour: expected 'numpy' or 'torch', got 'jax'"):
        PAGES[0]().code("jax")

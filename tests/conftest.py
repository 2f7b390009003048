"""Tests that need PyTorch run in a tier of their own (make test-torch), where PyTorch is a must."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--torch", action="store_true", help="run only the tests that need PyTorch")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the other tier altogether: a skip would look like something that could have run here."""
    wanted = config.getoption("--torch")
    out = [item for item in items if (item.get_closest_marker("torch") is not None) != wanted]
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item not in set(out)]

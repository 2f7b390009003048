"""Heavier tests run in tiers of their own: make test-torch, make test-static."""

from __future__ import annotations

import pytest

TIERS = ("torch", "static")


def pytest_addoption(parser: pytest.Parser) -> None:
    for tier in TIERS:
        parser.addoption(f"--{tier}", action="store_true", help=f"run only the tests of the tier {tier}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the other tiers altogether: a skip would look like something that could have run here."""
    wanted = {tier for tier in TIERS if config.getoption(f"--{tier}")}
    out = [item for item in items if {tier for tier in TIERS if item.get_closest_marker(tier)} != wanted]
    if out:
        config.hook.pytest_deselected(items=out)
        left = set(out)
        items[:] = [item for item in items if item not in left]

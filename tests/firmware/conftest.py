"""What holds for the tests of the reference firmware."""

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    """Every test here starts a compiler, an interpreter or an emulator."""
    item.add_marker(pytest.mark.slow)

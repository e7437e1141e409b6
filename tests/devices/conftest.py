"""What tests of several devices stand on."""

import pytest

from devices.adapters import badge_numbers
from devices.udev import Plugged
from tests.devices.badge_table import READER, FakeUdev


@pytest.fixture
def udev(monkeypatch: pytest.MonkeyPatch) -> type[FakeUdev]:
    monkeypatch.setattr(badge_numbers, "Udev", FakeUdev)
    FakeUdev.files, FakeUdev.there = [], [Plugged(READER, "1-1", "Reader")]
    return FakeUdev

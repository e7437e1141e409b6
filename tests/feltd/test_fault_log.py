"""What the staff is told of devices: a fault that repeats itself stands once with its count, and drowns nothing."""

import logging

import pytest

from feltd.table.links.fault_log import FAULTS_SHOWN, FaultLog


class Wall:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def faults(wall: Wall) -> FaultLog:
    return FaultLog(wall)


def test_a_fault_that_repeats_itself_is_told_once_with_its_count(faults: FaultLog, wall: Wall) -> None:
    faults.count_up("shoe", "a key too many")
    faults.count_up("keys", "a key too many")
    wall.now += 5
    faults.count_up("shoe", "a key too many", 4)
    assert [(one.device, str(one), one.wall) for one in faults] == [
        ("shoe", "a key too many (5 times)", 1005.0),
        ("keys", "a key too many", 1000.0),
    ]


def test_what_happened_again_is_told_again(faults: FaultLog) -> None:
    faults.tell("usb", "a stranger was plugged in")
    faults.tell("usb", "a stranger was plugged in")
    assert [str(one) for one in faults] == ["a stranger was plugged in"] * 2


def test_the_oldest_makes_room(faults: FaultLog) -> None:
    for number in range(FAULTS_SHOWN + 5):
        faults.count_up("shoe", f"fault {number}")
    assert len(faults) == FAULTS_SHOWN
    assert faults[-1].text == "fault 5"


def test_the_log_names_it_at_first_at_every_tenfold_and_once_a_minute(
    faults: FaultLog, wall: Wall, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        for _ in range(150):
            faults.count_up("shoe", "nonsense")
        wall.now += 61
        faults.count_up("shoe", "nonsense")
    assert [record.getMessage() for record in caplog.records] == [
        "nonsense", "nonsense (10 times)", "nonsense (100 times)", "nonsense (151 times)",
    ]  # fmt: skip


def test_no_control_character_gets_through(faults: FaultLog, caplog: pytest.LogCaptureFixture) -> None:
    faults.count_up("shoe", "a\x1b[31m\nb")
    assert str(faults[0]) == "a[31m b"
    assert "\x1b" not in caplog.text

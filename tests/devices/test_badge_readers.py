"""Badge readers that report by HID, and what all share: each card told once, as the badge driver takes it."""

import contextlib
import fcntl
import os
import struct
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.adapters import FaultCode
from devices.adapters.badge_numbers import OncePerCard
from devices.adapters.hid_badge import HidBadge, HidSettings, card_number
from devices.adapters.interface import At
from devices.adapters.keyboard_badge import KeyboardBadge
from devices.adapters.loading import Wanted, load_adapter, misfits
from devices.limits import UNREADABLE
from devices.udev import Plugged
from table_fsm.events import Badge
from tests.devices.badge_table import PLACE, READER, FakeUdev, played
from tests.firmware_bridge.support import run
from tests.running import eventually


@pytest.fixture
def hidraw(udev: type[FakeUdev], tmp_path: Path) -> Iterator[int]:
    """A reader's hidraw file: a pipe by its name. Gives the end that reports."""
    file = tmp_path / "hidraw0"
    os.mkfifo(file)
    udev.files = [file]
    end = os.open(file, os.O_RDWR)
    yield end
    with contextlib.suppress(OSError):
        os.close(end)


def unread(pipe: int) -> int:
    """Bytes that were written and not read yet."""
    [count] = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))
    return int(count)


def test_a_card_held_to_a_hid_reader_is_the_staff_card_of_its_number(hidraw: int) -> None:
    settings = HidSettings(report=2, offset=1, length=4)

    async def scene() -> None:
        async with played(lambda: HidBadge(PLACE, settings)) as (table, link):
            await eventually(lambda: table.ups)
            assert table.ups[0].serial == "G1"
            assert link.authenticated is False
            for report in ("02ff04a1b2c3", "02ff04a1b2c3", "0300aabbccdd", "02ff00000000"):
                os.write(hidraw, bytes.fromhex(report))
                await eventually(lambda: unread(hidraw) == 0)  # a pipe would join two reports to one
            await eventually(lambda: table.told)
            assert table.told == [Badge(t=1.0, staff="04A1B2C3", role="supervisor")]
            os.write(hidraw, bytes.fromhex("02ff99999999"))
            await eventually(lambda: table.faults)
            assert "the card names no role, and the settings do not list it" in table.faults[0]
            assert "9999" not in table.faults[0]

    run(scene(), jumping=False)


def test_a_hid_reader_that_is_taken_out_is_named_and_found_again(hidraw: int, udev: type[FakeUdev]) -> None:
    async def scene() -> None:
        file = udev.files[0]
        async with played(lambda: HidBadge(PLACE, HidSettings())) as (table, link):
            await eventually(lambda: table.ups)
            udev.files = []
            os.close(hidraw)  # the end of a pipe, as the end of a device
            await eventually(lambda: len(table.downs) == 2)
            assert [fault.code for fault in table.downs] == [FaultCode.UNPLUGGED, FaultCode.PORT_MISSING]
            assert "there is no USB 1209:beef serial G1: is it plugged in?" in table.downs[1].text
            end = os.open(file, os.O_RDWR)
            udev.files = [file]
            link.look_again()
            await eventually(lambda: len(table.ups) == 2)
            os.close(end)

    run(scene(), jumping=False)


def test_a_second_reader_that_answers_to_the_same_name_is_not_guessed_at(hidraw: int, udev: type[FakeUdev]) -> None:
    udev.there = [Plugged(READER, "1-1", "Reader"), Plugged(READER, "1-2", "Reader")]

    async def scene() -> None:
        async with played(lambda: HidBadge(PLACE, HidSettings())) as (table, link):
            await eventually(lambda: table.downs)
            assert table.downs[0].code is FaultCode.PORT_FAILED
            assert "there are 2 of USB 1209:beef serial G1: unplug all but one" in table.downs[0].text
            assert table.ups == []
            udev.there.pop()
            link.look_again()
            await eventually(lambda: table.ups)

    run(scene(), jumping=False)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PermissionError(13, "Permission denied"), FaultCode.PORT_DENIED),
        (FileNotFoundError(2, "No such file"), FaultCode.PORT_MISSING),
        (OSError(5, "Input/output error"), FaultCode.NO_ANSWER),
    ],
)
def test_why_a_readers_file_does_not_open_is_named(
    udev: type[FakeUdev], monkeypatch: pytest.MonkeyPatch, error: OSError, code: FaultCode
) -> None:
    udev.files = [Path("/dev/hidraw7")]

    def refuse(*_args: object) -> int:
        raise error

    async def scene() -> None:
        with monkeypatch.context() as patch:
            patch.setattr("devices.adapters.hid_badge.os.open", refuse)
            async with played(lambda: HidBadge(PLACE, HidSettings())) as (table, _):
                await eventually(lambda: table.downs)
        assert table.downs[0].code is code
        assert "/dev/hidraw7" in table.downs[0].text

    run(scene(), jumping=False)


@pytest.mark.parametrize(
    ("settings", "report", "number"),
    [
        (HidSettings(length=4), "04a1b2c3", "04A1B2C3"),
        (HidSettings(length=4, order="little"), "04a1b2c3", "C3B2A104"),
        (HidSettings(length=4, form="decimal"), "00000412", "1042"),
        (HidSettings(length=4, form="decimal", order="little"), "12040000", "1042"),
        (HidSettings(length=8, form="text"), "3130343200000000", "1042"),
        (HidSettings(length=8, offset=1, length_offset=0), "0304a1b2ffffffffff", "04A1B2"),
        (HidSettings(length=4, offset=1, length_offset=0), "0004a1b2", None),
        (HidSettings(length=4, length_offset=9), "0004a1b2", None),
        (HidSettings(length=4), "00000000", None),
        (HidSettings(length=8), "04a1", ""),
        (HidSettings(report=1, length=4), "02ffffffff", None),
    ],
)
def test_where_the_number_stands_and_how_it_is_written(settings: HidSettings, report: str, number: str | None) -> None:
    assert card_number(bytes.fromhex(report), settings) == number


@given(
    st.binary(min_size=1, max_size=80),
    st.builds(
        HidSettings,
        report=st.none() | st.integers(1, 255),
        offset=st.integers(0, 80),
        length=st.integers(1, 64),
        length_offset=st.none() | st.integers(0, 80),
        form=st.sampled_from(["hex", "decimal", "text"]),
    ),
)
def test_any_report_gives_a_name_nobody_or_one_that_cannot_be_read(report: bytes, settings: HidSettings) -> None:
    number = card_number(report, settings)
    if number is not None:
        told = OncePerCard(0.0).name_of(number)
        assert told in (UNREADABLE, number)


def test_a_card_that_is_held_is_told_once_until_it_has_been_away() -> None:
    now = [0.0]
    once = OncePerCard(2.0, lambda: now[0])
    told = []
    for seconds, number in ((0.0, "A1"), (1.5, "A1"), (1.5, "A1"), (0.1, "B2"), (0.1, "A1"), (2.5, "A1")):
        now[0] += seconds
        told.append(once.name_of(number))
    assert told == ["A1", None, None, "B2", "A1", "A1"]


def test_both_come_with_feltd() -> None:
    assert load_adapter("hid-badge") is HidBadge
    assert load_adapter("keyboard-badge") is KeyboardBadge
    wanted = Wanted("badge", "hid-badge", "badge", At.USB, False, {"length": 99})
    assert [key for key, _ in misfits(HidBadge, wanted)] == ["adapter_settings"]

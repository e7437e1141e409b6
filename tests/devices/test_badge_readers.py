"""Badge readers that report and badge readers that type: each card told once, as the badge driver takes it."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.adapters import Adapter, FaultCode, Place, badge_numbers
from devices.adapters.badge_numbers import UNREADABLE, OncePerCard
from devices.adapters.hid_badge import HidBadge, HidSettings, card_number
from devices.adapters.interface import At
from devices.adapters.keyboard_badge import KeyboardBadge, KeyboardSettings, Typed
from devices.adapters.link import AdapterLink
from devices.adapters.loading import Wanted, load_adapter, misfits
from devices.badge import BadgeDriver
from devices.errors import DeviceMessageError
from devices.udev import Plugged
from firmware_bridge.facts import DeviceIdentity
from firmware_bridge.link import LinkFault
from firmware_bridge.usb_id import UsbId
from table_fsm.events import Badge
from tests.firmware_bridge.support import run
from tests.running import eventually, running

READER = UsbId(0x1209, 0xBEEF, "G1")
PLACE = Place("badge", usb=READER)


class FakeUdev:
    """A system with this reader's files."""

    files: list[Path] = []  # noqa: RUF012 - each test sets it
    there: list[Plugged] = []  # noqa: RUF012

    def nodes(self, _subsystem: str, _wanted: UsbId) -> list[Path]:
        return self.files

    def usb_devices(self) -> list[Plugged]:
        return self.there


class BadgeTable:
    """The daemon's end with the ordinary badge driver."""

    def __init__(self) -> None:
        self.driver = BadgeDriver("badge", {"staff": {"04A1B2C3": "supervisor", "1042": "director"}})
        self.told: list[Any] = []
        self.ups: list[DeviceIdentity] = []
        self.downs: list[LinkFault] = []
        self.faults: list[str] = []

    def on_up(self, _name: str, identity: DeviceIdentity, state: Mapping[str, Any]) -> None:
        self.ups.append(identity)
        assert self.driver.state_events(state, 1.0) == []

    def on_event(self, _name: str, _boot: bytes, _seq: int, body: Mapping[str, Any]) -> None:
        try:
            self.told += self.driver.events(body, 1.0)
        except DeviceMessageError as fault:
            self.faults.append(str(fault))

    def on_status(self, _name: str, _status: Mapping[str, Any]) -> None: ...

    def on_down(self, _name: str, fault: LinkFault) -> None:
        self.downs.append(fault)


@contextlib.asynccontextmanager
async def played(make: Callable[[], Adapter[Any]]) -> AsyncIterator[tuple[BadgeTable, AdapterLink]]:
    table = BadgeTable()
    link = AdapterLink("badge", "a-badge", "badge", make, table)
    async with running(link.run()):
        yield table, link


@pytest.fixture
def udev(monkeypatch: pytest.MonkeyPatch) -> type[FakeUdev]:
    monkeypatch.setattr(badge_numbers, "Udev", FakeUdev)
    FakeUdev.files, FakeUdev.there = [], [Plugged(READER, "1-1", "Reader")]
    return FakeUdev


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


def test_a_card_held_to_a_hid_reader_is_the_staff_card_of_its_number(hidraw: int) -> None:
    settings = HidSettings(report=2, offset=1, length=4)

    async def scene() -> None:
        async with played(lambda: HidBadge(PLACE, settings)) as (table, link):
            await eventually(lambda: table.ups)
            assert table.ups[0].serial == "G1"
            assert link.authenticated is False
            for report in ("02ff04a1b2c3", "02ff04a1b2c3", "0300aabbccdd", "02ff00000000"):
                os.write(hidraw, bytes.fromhex(report))
                await asyncio.sleep(0.02)
            await eventually(lambda: table.told)
            assert table.told == [Badge(t=1.0, staff="04A1B2C3", role="supervisor")]
            os.write(hidraw, bytes.fromhex("02ff99999999"))
            await eventually(lambda: table.faults)
            assert "this card is not in the table's list of staff" in table.faults[0]
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
        told = OncePerCard(0.0).told(number)
        assert told in (UNREADABLE, number)


def test_a_card_that_is_held_is_told_once_until_it_has_been_away() -> None:
    now = [0.0]
    once = OncePerCard(2.0, lambda: now[0])
    told = []
    for seconds, number in ((0.0, "A1"), (1.5, "A1"), (1.5, "A1"), (0.1, "B2"), (0.1, "A1"), (2.5, "A1")):
        now[0] += seconds
        told.append(once.told(number))
    assert told == ["A1", None, None, "B2", "A1", "A1"]


# ---- keyboards

KEYS = ["KEY_ENTER", "KEY_KPENTER", "KEY_MINUS", "KEY_DOT", "KEY_KPDOT", "KEY_KPMINUS", "KEY_LEFTSHIFT"]
KEYS += [f"KEY_{char}" for char in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"] + [f"KEY_KP{digit}" for digit in range(10)]
ECODES = SimpleNamespace(EV_SYN=0, EV_KEY=1, **{name: number for number, name in enumerate(KEYS, 10)})


def pressed(name: str, at: float, value: int = 1, kind: int = 1) -> Any:
    return SimpleNamespace(type=kind, code=getattr(ECODES, name), value=value, timestamp=lambda: at)


def typed(text: str, *, at: float = 100.0, every: float = 0.01) -> list[Any]:
    events = []
    for number, char in enumerate(text):
        name = "KEY_ENTER" if char == "\n" else f"KEY_{char}"
        moment = at + number * every
        events += [pressed(name, moment), pressed(name, moment, value=0), pressed("KEY_0", moment, kind=0)]
    return events


def test_keys_and_an_enter_are_a_number() -> None:
    keys = Typed(ECODES, KeyboardSettings())
    assert [number for event in typed("1042\n") if (number := keys.take(event))] == ["1042"]
    assert [number for event in typed("04A1B2C3\n", at=101.0) if (number := keys.take(event))] == ["04A1B2C3"]
    keypad = [pressed(name, 200.0) for name in ("KEY_KP1", "KEY_KP0", "KEY_KP4", "KEY_KP2", "KEY_KPENTER")]
    assert [number for event in keypad if (number := keys.take(event))] == ["1042"]


def test_what_is_short_slow_or_held_is_no_card() -> None:
    keys = Typed(ECODES, KeyboardSettings(gap=0.5))
    for events in (typed("104\n"), typed("1042\n", at=110.0, every=0.6), [pressed("KEY_1", 120.0, value=2)] * 9):
        assert [keys.take(event) for event in events] == [None] * len(events)
    long = [number for event in typed("7" * 60 + "\n", at=130.0) if (number := keys.take(event))]
    assert OncePerCard(0.0).told(long[0]) == UNREADABLE


class FakeKeyboard:
    """As evdev's InputDevice, over a pipe that only says that there is something."""

    made: list["FakeKeyboard"] = []  # noqa: RUF012 - each test empties it
    has_enter = True
    grabs = True

    def __init__(self, path: str) -> None:
        if path.endswith("denied"):
            raise PermissionError(13, "Permission denied")
        self.path = path
        self.calls: list[str] = []
        self.waiting: list[Any] = []
        self.gone = False
        self._read, self._write = os.pipe()
        type(self).made.append(self)

    def fileno(self) -> int:
        return self._read

    def capabilities(self) -> dict[int, list[int]]:
        return {ECODES.EV_KEY: [ECODES.KEY_1, *([ECODES.KEY_ENTER] if self.has_enter else [])]}

    def grab(self) -> None:
        if not self.grabs:
            raise OSError(16, "Device or resource busy")
        self.calls.append("grab")

    def ungrab(self) -> None:
        self.calls.append("ungrab")
        if self.gone:
            raise OSError(19, "No such device")

    def read(self) -> list[Any]:
        os.read(self._read, 100)
        if self.gone:
            raise OSError(19, "No such device")
        if not self.waiting:
            raise BlockingIOError
        events, self.waiting = self.waiting, []
        return events

    def close(self) -> None:
        self.calls.append("close")
        os.close(self._read)
        os.close(self._write)

    def say(self, events: list[Any]) -> None:
        self.waiting += events
        os.write(self._write, b"!")


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch, udev: type[FakeUdev]) -> type[FakeKeyboard]:
    monkeypatch.setitem(sys.modules, "evdev", SimpleNamespace(InputDevice=FakeKeyboard, ecodes=ECODES))
    monkeypatch.setattr(FakeKeyboard, "made", [])
    udev.files = [Path("/dev/input/mouse0"), Path("/dev/input/event3")]
    return FakeKeyboard


def test_a_keyboard_is_grabbed_read_and_given_back(keyboard: type[FakeKeyboard]) -> None:
    async def scene() -> None:
        async with played(lambda: KeyboardBadge(PLACE, KeyboardSettings())) as (table, _):
            await eventually(lambda: table.ups)
            [one] = keyboard.made
            assert (one.path, one.calls) == ("/dev/input/event3", ["grab"])
            one.say([])
            one.say(typed("1042\n"))
            one.say(typed("1042\n", at=101.0))
            await eventually(lambda: table.told)
            one.say(typed("5555\n", at=102.0))
            await eventually(lambda: table.faults)
            assert table.told == [Badge(t=1.0, staff="1042", role="director")]
            assert "5555" not in table.faults[0]
        await eventually(lambda: one.calls == ["grab", "ungrab", "close"])

    run(scene(), jumping=False)


def test_a_keyboard_that_goes_is_named(keyboard: type[FakeKeyboard]) -> None:
    async def scene() -> None:
        async with played(lambda: KeyboardBadge(PLACE, KeyboardSettings())) as (table, _):
            await eventually(lambda: table.ups)
            keyboard.made[0].gone = True
            keyboard.made[0].say([])
            await eventually(lambda: table.downs)
            assert table.downs[0].code is FaultCode.UNPLUGGED
            await eventually(lambda: keyboard.made[0].calls == ["grab", "ungrab", "close"])

    run(scene(), jumping=False)


@pytest.mark.parametrize(
    ("has_enter", "grabs", "file", "words"),
    [
        (False, True, "event3", "it has no keys: is it another kind of reader?"),
        (True, False, "event3", "event3 is grabbed by another program"),
        (True, True, "event-denied", "permission denied"),
    ],
)
def test_a_keyboard_that_cannot_be_had_is_named(
    keyboard: type[FakeKeyboard], udev: type[FakeUdev], monkeypatch: pytest.MonkeyPatch,
    has_enter: bool, grabs: bool, file: str, words: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(keyboard, "has_enter", has_enter)
    monkeypatch.setattr(keyboard, "grabs", grabs)
    udev.files = [Path("/dev/input") / file]

    async def scene() -> None:
        async with played(lambda: KeyboardBadge(PLACE, KeyboardSettings())) as (table, _):
            await eventually(lambda: table.downs)
            assert words in table.downs[0].text
            assert all(one.calls[-1] == "close" for one in keyboard.made)

    run(scene(), jumping=False)


def test_without_evdev_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, udev: type[FakeUdev]) -> None:
    monkeypatch.setitem(sys.modules, "evdev", None)
    wanted = Wanted("badge", "keyboard-badge", "badge", At.USB, False, {})
    assert [key for key, _ in misfits(KeyboardBadge, wanted)] == ["adapter"]

    async def scene() -> None:
        async with played(lambda: KeyboardBadge(PLACE, KeyboardSettings())) as (table, _):
            await eventually(lambda: table.downs)
            assert table.downs[0].code is FaultCode.ADAPTER_FAILED
            assert "python3-evdev" in table.downs[0].text

    run(scene(), jumping=False)


def test_both_come_with_feltd() -> None:
    assert load_adapter("hid-badge") is HidBadge
    assert load_adapter("keyboard-badge") is KeyboardBadge
    wanted = Wanted("badge", "hid-badge", "badge", At.USB, False, {"length": 99})
    assert [key for key, _ in misfits(HidBadge, wanted)] == ["adapter_settings"]

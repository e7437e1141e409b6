"""Badge readers that type: a number as it stands or nobody's, and a keyboard grabbed and given back."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.adapters import FaultCode
from devices.adapters.badge_numbers import OncePerCard
from devices.adapters.interface import At
from devices.adapters.keyboard_badge import KeyboardBadge, KeyboardSettings, Typed
from devices.adapters.loading import Wanted, misfits
from devices.limits import UNREADABLE
from table_fsm.events import Badge
from tests.devices.badge_table import PLACE, FakeUdev, played
from tests.firmware_bridge.support import run
from tests.running import eventually

KEYS = [
    "KEY_ENTER",
    "KEY_KPENTER",
    "KEY_MINUS",
    "KEY_DOT",
    "KEY_KPDOT",
    "KEY_KPMINUS",
    "KEY_LEFTSHIFT",
    "KEY_RIGHTSHIFT",
]
KEYS += ["KEY_SEMICOLON", "KEY_EQUAL", "KEY_SLASH", "KEY_CAPSLOCK", "KEY_NUMLOCK", "KEY_SPACE", "KEY_TAB"]
KEYS += [f"KEY_{char}" for char in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"] + [f"KEY_KP{digit}" for digit in range(10)]
ECODES = SimpleNamespace(EV_SYN=0, EV_KEY=1, **{name: number for number, name in enumerate(KEYS, 10)})


def pressed(name: str, at: float, value: int = 1, kind: int = 1) -> Any:
    return SimpleNamespace(type=kind, code=getattr(ECODES, name), value=value, timestamp=lambda: at)


ON_ITS_OWN = {"\n": "ENTER", ";": "SEMICOLON", "=": "EQUAL", "-": "MINUS", "/": "SLASH", " ": "SPACE", "\t": "TAB"}
WITH_SHIFT = {"%": "5", "^": "6", "$": "4", ":": "SEMICOLON", "?": "SLASH", "_": "MINUS", "+": "EQUAL"}


def typed(text: str, *, at: float = 100.0, every: float = 0.01) -> list[Any]:
    """As a keyboard says it: signs that need it with shift, each key pressed and let go."""
    events = []
    for number, char in enumerate(text):
        key = WITH_SHIFT.get(char) or ON_ITS_OWN.get(char, char)
        moment = at + number * every
        one = [pressed(f"KEY_{key}", moment), pressed(f"KEY_{key}", moment, value=0)]
        if char in WITH_SHIFT:
            one = [pressed("KEY_RIGHTSHIFT", moment), *one, pressed("KEY_RIGHTSHIFT", moment, value=0)]
        events += [*one, pressed("KEY_0", moment, kind=0)]
    return events


def test_keys_and_an_enter_are_a_number() -> None:
    keys = Typed(ECODES, KeyboardSettings())
    assert [number for event in typed("1042\n") if (number := keys.take(event))] == ["1042"]
    assert [number for event in typed("04A1B2C3\n", at=101.0) if (number := keys.take(event))] == ["04A1B2C3"]
    keypad = [pressed(name, 200.0) for name in ("KEY_KP1", "KEY_KP0", "KEY_KP4", "KEY_KP2", "KEY_KPENTER")]
    assert [number for event in keypad if (number := keys.take(event))] == ["1042"]


def told_of(text: str) -> list[str | None]:
    """What is told of what was typed, card by card."""
    keys, once = Typed(ECODES, KeyboardSettings()), OncePerCard(0.0)
    return [once.name_of(number) for event in typed(text) if (number := keys.take(event)) is not None]


@pytest.mark.parametrize(
    ("text", "name"), [
        (";1042?\n", "1042"), ("%B1042^99?\n", "B1042_99"), (";1042=9912?\n", "1042_9912"), ("10_42-7\n", "10_42-7"),
        (";" + "7" * 40 + "?\n", "7" * 40),
    ],
)  # fmt: skip
def test_a_magnetic_cards_track_is_told_without_its_ends_and_with_its_fields_apart(text: str, name: str) -> None:
    assert told_of(text) == [name]


@pytest.mark.parametrize(
    "text", [
        "10$42\n", "10 42\n", "10/42\n", "10:42\n", "1042+\n", "10;42\n", ";10?42\n", "%10%42?\n", ";;1042?\n",
        "1042??\n", ";" + "7" * 41 + "?\n", "10\t42\n", "?1042\n",
    ],
)  # fmt: skip
def test_a_number_with_any_other_sign_is_nobodys_and_never_a_shorter_one(text: str) -> None:
    assert told_of(text) == [UNREADABLE]
    assert told_of("10$42\n1042\n") == [UNREADABLE, "1042"]


def test_a_number_broken_by_a_pause_is_not_the_rest_of_it_and_a_stray_key_is_forgotten() -> None:
    keys, once = Typed(ECODES, KeyboardSettings(gap=0.5)), OncePerCard(0.0)

    def told(*events: Any) -> list[str | None]:
        return [once.name_of(number) for event in events if (number := keys.take(event)) is not None]

    assert told(*typed("12", at=100.0), *typed("345678\n", at=100.8)) == [UNREADABLE]
    assert told(*typed("12", at=110.0), *typed("345678\n", at=115.1)) == ["345678"]
    assert told(*typed("345678\n", at=115.5)) == ["345678"]


def test_locks_and_a_shift_of_letters_are_no_signs() -> None:
    keys = Typed(ECODES, KeyboardSettings())
    shift = [pressed("KEY_LEFTSHIFT", 100.0), pressed("KEY_LEFTSHIFT", 100.0, value=2)]
    events = [*shift, *typed("ABC"), pressed("KEY_LEFTSHIFT", 100.0, value=0)]
    events += [pressed("KEY_CAPSLOCK", 100.0), pressed("KEY_NUMLOCK", 100.0), *typed("7\n")]
    assert [number for event in events if (number := keys.take(event))] == ["ABC7"]


@given(st.text("0123456789ABCXYZ;%?=^-_$: /", max_size=45))
def test_whatever_is_typed_is_the_whole_number_or_nobodys(text: str) -> None:
    for told in told_of(text + "\n"):
        assert told is not None
        plain = [char for char in text if char.isalnum()]
        assert told == UNREADABLE or [char for char in told if char.isalnum()] == plain


def test_what_is_short_slow_or_held_is_no_card() -> None:
    keys = Typed(ECODES, KeyboardSettings(gap=0.5))
    for events in (typed("104\n"), typed("1042\n", at=110.0, every=0.6), [pressed("KEY_1", 120.0, value=2)] * 9):
        assert [keys.take(event) for event in events] == [None] * len(events)
    long = [number for event in typed("7" * 60 + "\n", at=130.0) if (number := keys.take(event))]
    assert OncePerCard(0.0).name_of(long[0]) == UNREADABLE


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
            one.say(typed("10$42\n", at=103.0))
            await eventually(lambda: len(table.faults) == 2)
            assert table.told == [Badge(t=1.0, staff="1042", role="director")]
            assert "5555" not in table.faults[0]
            assert "the card was not read whole; hold it to the reader again" in table.faults[1]
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

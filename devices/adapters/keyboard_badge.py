"""A badge reader that is a keyboard and types the card's number and Enter.

It is read by evdev, and grabbed: no key reaches a console or another program. Nothing is authenticated: a keyboard with
the same vendor, product and serial number may type any number.
"""

import contextlib
import importlib
import select
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field, with_config

from devices.adapters.badge_numbers import OncePerCard, reader_files, refused, unplugged
from devices.adapters.interface import Adapter, AdapterFault, At, TableSide
from devices.drivers.base import SETTINGS
from devices.limits import NAME_MAX
from firmware_bridge.errors import FaultCode

MISSING: Final = (
    "the Python package evdev is not there, which reads keyboards: apt install python3-evdev, or in an environment of "
    "one's own pip install feltd[keyboard]"
)
_LOOK: Final = 0.5  # seconds
_PRESSED: Final = 1
_LET_GO: Final = 0

_BEGINNINGS: Final = ("%", ";")  # begin and end signs of tracks 1 and 2
_ENDING: Final = "?"
_FORGOTTEN_AFTER: Final = 5.0
"""Seconds after which keys without an Enter do not belong to the number typed now."""
_UNKNOWN: Final = "\N{REPLACEMENT CHARACTER}"
_KEPT: Final = NAME_MAX + 3  # one more than a name with its sentinels, to detect one that is too long
_LETTERS: Final = {f"KEY_{char}": char for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_SIGNS: Final = {
    False: {f"KEY_{char}": char for char in "0123456789"}
    | {f"KEY_KP{digit}": str(digit) for digit in range(10)}
    | {"KEY_MINUS": "-", "KEY_KPMINUS": "-", "KEY_DOT": ".", "KEY_KPDOT": ".", "KEY_SEMICOLON": ";", "KEY_EQUAL": "_"}
    | _LETTERS,
    True: {"KEY_5": "%", "KEY_6": "_", "KEY_SLASH": "?", "KEY_MINUS": "_"} | _LETTERS,
}
"""Key to sign, by whether shift is held.

The field separators `=` and `^` become `_`, which a name may have.
"""


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class KeyboardSettings:
    """The rules by which typed keys become a number.

    `least`: characters of the shortest number; a shorter one is not a card. `gap`: the most seconds between two
    characters of a number; after a longer pause the number counts as not read whole. `again_after`: seconds that a
    card must have been away before it is reported again.
    """

    least: Annotated[int, Field(ge=1, le=40)] = 4
    gap: Annotated[float, Field(gt=0.0, le=5.0)] = 0.5
    again_after: Annotated[float, Field(ge=0.0, le=60.0)] = 2.0


class KeyboardBadge(Adapter[KeyboardSettings]):
    """The adapter `keyboard-badge`."""

    role: ClassVar[str] = "badge"
    at: ClassVar[frozenset[At]] = frozenset({At.USB})
    settings_type = KeyboardSettings

    @classmethod
    def lacks(cls) -> str | None:
        return None if _evdev_or_none() is not None else MISSING

    def run(self, table: TableSide) -> None:
        evdev = _evdev_or_none()
        if evdev is None:
            raise AdapterFault(MISSING, FaultCode.ADAPTER_FAILED)
        files, serial = reader_files(self.place, "input")
        with contextlib.ExitStack() as open_ones:
            keyboards = [keyboard for file in files for keyboard in self._grabbed(evdev, file, open_ones)]
            if not keyboards:
                raise AdapterFault(f"{self.place.name}: it has no keys: is it another kind of reader?")
            table.up({}, serial=serial)
            self._serve(evdev, keyboards, table)

    def _grabbed(self, evdev: Any, file: Path, open_ones: contextlib.ExitStack) -> Iterator[Any]:
        """The file as a grabbed keyboard; None if it has no Enter key."""
        if not file.name.startswith("event"):
            return
        try:
            keyboard = evdev.InputDevice(str(file))
        except OSError as error:
            raise refused(self.place, file, error) from None
        open_ones.callback(keyboard.close)
        if evdev.ecodes.KEY_ENTER not in keyboard.capabilities().get(evdev.ecodes.EV_KEY, ()):
            return
        try:
            keyboard.grab()
        except OSError:
            text = f"{self.place.name}: {file} is grabbed by another program: stop that one"
            raise AdapterFault(text, FaultCode.PORT_BUSY) from None
        open_ones.callback(_let_go, keyboard)
        yield keyboard

    def _serve(self, evdev: Any, keyboards: Sequence[Any], table: TableSide) -> None:
        typed = Typed(evdev.ecodes, self.settings)
        once = OncePerCard(self.settings.again_after)
        while True:
            table.orders()  # there are no orders; the call shows that the adapter works
            ready, _, _ = select.select(keyboards, [], [], _LOOK)
            for keyboard in ready:
                try:
                    events = list(keyboard.read())
                except BlockingIOError:
                    continue
                except OSError:
                    raise unplugged(self.place) from None
                for event in events:
                    number = typed.take(event)
                    staff = None if number is None else once.name_of(number)
                    if staff is not None:
                        table.event({"ev": "badge", "staff": staff})


class Typed:
    """Turns keys of an American keyboard layout into numbers.

    Letters count as capitals, with or without shift. The signs at which a magnetic track begins and ends are left out;
    the signs between its fields become `_`. Any other sign, and one in the wrong place, makes the whole number
    unreadable: no sign is skipped.
    """

    def __init__(self, ecodes: Any, settings: KeyboardSettings) -> None:
        """`ecodes`: evdev's names of keys."""
        self._settings = settings
        self._key = ecodes.EV_KEY
        self._ends = {ecodes.KEY_ENTER, ecodes.KEY_KPENTER}
        self._shifts = {ecodes.KEY_LEFTSHIFT, ecodes.KEY_RIGHTSHIFT}
        self._silent = {ecodes.KEY_CAPSLOCK, ecodes.KEY_NUMLOCK}
        self._signs = {
            (getattr(ecodes, name), shifted): sign for shifted, names in _SIGNS.items() for name, sign in names.items()
        }
        self._shifts_held: set[int] = set()
        self._so_far = ""
        self._last = 0.0

    def take(self, event: Any) -> str | None:
        """Take one key; returns the number at its Enter, else None.

        A number that was not read whole contains a sign that no name has.
        """
        if event.type != self._key:
            return None
        if event.code in self._shifts:
            (self._shifts_held.discard if event.value == _LET_GO else self._shifts_held.add)(event.code)
            return None
        if event.value != _PRESSED or event.code in self._silent:
            return None
        now = float(event.timestamp())
        pause = abs(now - self._last)
        if pause > self._settings.gap and self._so_far:
            self._so_far = "" if pause > _FORGOTTEN_AFTER else _UNKNOWN
        self._last = now
        if event.code not in self._ends:
            sign = self._signs.get((event.code, bool(self._shifts_held)), _UNKNOWN)
            self._so_far = (self._so_far + sign)[:_KEPT]
            return None
        number, self._so_far = _without_sentinels(self._so_far), ""
        return number if len(number) >= self._settings.least else None


def _without_sentinels(typed: str) -> str:
    """A track without its first and last sign.

    Signs elsewhere stay and make the number unreadable.
    """
    return (typed[1:] if typed[:1] in _BEGINNINGS else typed).removesuffix(_ENDING)


def _let_go(keyboard: Any) -> None:
    with contextlib.suppress(OSError):  # the device may be gone
        keyboard.ungrab()


def _evdev_or_none() -> Any:
    try:
        return importlib.import_module("evdev")
    except ImportError:
        return None

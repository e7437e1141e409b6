"""A badge reader that is a keyboard and types the card's number and Enter: read by evdev, and grabbed, so that nothing
of it reaches a console or another program.

Nothing is authenticated: a keyboard that names the same vendor, product and serial number may type any number.
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
from devices.base import SETTINGS
from firmware_bridge.errors import FaultCode

MISSING: Final = (
    "the Python package evdev is not there, which reads keyboards: apt install python3-evdev, or in an environment of "
    "one's own pip install feltd[keyboard]"
)
_LOOK: Final = 0.5  # seconds
_LONGEST: Final = 40
_PRESSED: Final = 1


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class KeyboardSettings:
    """`least`: characters of the shortest number; what is shorter is no card. `gap`: seconds between two characters
    after which the first ones are forgotten. `again_after`: seconds a card must have been away to be told again."""

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
        """The file as a keyboard, if it is one that has an Enter."""
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
            table.orders()  # there are none; that the adapter lives is seen by it
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
                    staff = None if number is None else once.told(number)
                    if staff is not None:
                        table.event({"ev": "badge", "staff": staff})


class Typed:
    """Keys pressed, one after the other, into numbers. Letters count as capitals, whatever shift does."""

    def __init__(self, ecodes: Any, settings: KeyboardSettings) -> None:
        """`ecodes`: evdev's names of keys."""
        self._settings = settings
        self._key = ecodes.EV_KEY
        self._ends = {ecodes.KEY_ENTER, ecodes.KEY_KPENTER}
        names = {char: f"KEY_{char}" for char in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
        self._chars = {getattr(ecodes, name): char for char, name in names.items()}
        self._chars |= {getattr(ecodes, f"KEY_KP{digit}"): str(digit) for digit in range(10)}
        self._chars |= {ecodes.KEY_MINUS: "-", ecodes.KEY_DOT: ".", ecodes.KEY_KPDOT: ".", ecodes.KEY_KPMINUS: "-"}
        self._so_far = ""
        self._last = 0.0

    def take(self, event: Any) -> str | None:
        """A number, when the Enter after it has come."""
        if event.type != self._key or event.value != _PRESSED:
            return None
        now = float(event.timestamp())
        if abs(now - self._last) > self._settings.gap:
            self._so_far = ""
        self._last = now
        if event.code not in self._ends:
            self._so_far = (self._so_far + self._chars.get(event.code, ""))[: _LONGEST + 1]
            return None
        number, self._so_far = self._so_far, ""
        return number if len(number) >= self._settings.least else None


def _let_go(keyboard: Any) -> None:
    with contextlib.suppress(OSError):  # it may be gone
        keyboard.ungrab()


def _evdev_or_none() -> Any:
    try:
        return importlib.import_module("evdev")
    except ImportError:
        return None

"""What an adapter is, and what it is given: its place, its settings, its side of the table.

An adapter runs in its own thread, so it may block; its failures stay there. It speaks to the table in the messages of
`devices/MESSAGES.md`, and the role's ordinary driver reads them: an adapter knows a protocol, not the game.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

from pydantic import with_config

from devices.adapters.chip_numbers import ChipsAtHand, NoChips
from devices.drivers.base import SETTINGS
from devices.drivers.cleaning import clean_text
from firmware_bridge.errors import FaultCode, FaultError
from firmware_bridge.serial_port import LineSettings, OpenPort, open_port
from firmware_bridge.usb_id import UsbId

GROUP: Final = "feltd.devices"
"""The entry-point group in which installed packages offer adapters."""
_TEXT_MAX: Final = 200

S = TypeVar("S")


class AdapterFault(FaultError):  # noqa: N818 - what an adapter says of its device, more than an error of its own
    """A fault for which an adapter cannot go on: its text has what, where and the remedy.

    The text must not quote a card. `code`: for programs; the usual ones are NO_ANSWER, SILENT, UNPLUGGED, MALFORMED
    and UNKNOWN_DEVICE.
    """

    def __init__(self, text: str, code: FaultCode = FaultCode.NO_ANSWER) -> None:
        super().__init__(code, clean_text(text, _TEXT_MAX) or "no reason given")


class AdapterStopped(BaseException):
    """The table is done with the adapter.

    Raised by its next call; let it through, and close what is open.
    """


class At(StrEnum):
    """The places where a device may be connected."""

    PORT = "port"
    USB = "usb"
    PCSC = "pcsc"


@dataclass(frozen=True, slots=True)
class PcscName:
    """A reader as pcscd names it, with or without the numbers at its end.

    `socket`: the one of USB in which it is, as the kernel names it (`1-1.2`); None where the name is enough.
    """

    reader: str
    socket: str | None = None

    def __str__(self) -> str:
        return self.reader if self.socket is None else f"{self.reader} in socket {self.socket}"


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True)
class NoSettings:
    """The settings of an adapter without settings."""


@dataclass(frozen=True, slots=True)
class Place:
    """A device's place, from the configuration.

    `key`: as many bytes as the adapter asks for. `chips`: whether a chip is a card in play.
    """

    name: str
    port: str | None = None
    line: LineSettings = LineSettings()  # noqa: RUF009 - frozen
    usb: UsbId | None = None
    pcsc: PcscName | None = None
    key: bytes | None = field(default=None, repr=False)
    chips: ChipsAtHand = field(default_factory=NoChips, repr=False)

    def open_serial(self, *, timeout: float = 0.1, write_timeout: float = 1.0) -> OpenPort:
        """Open the serial port: exclusive, by a stable name, with the configured line.

        Times in seconds. Raises AdapterFault where the device has no port, and TransportError, which an adapter lets
        through.
        """
        if self.port is None:
            raise AdapterFault(f"{self.name}: it has no serial port: give it one", FaultCode.PORT_MISSING)
        opened = open_port(self.port, self.line)
        opened.port.timeout, opened.port.write_timeout = timeout, write_timeout
        return opened


class TableSide(Protocol):
    """The table, as an adapter's thread sees it. Each call may raise AdapterStopped.

    An adapter must call a method here every two seconds or so (`orders` will do). After five silent seconds it counts
    as hanging, and its device as gone. Before its first `up` it has thirty seconds.
    """

    @property
    def stopping(self) -> bool:
        """Whether the adapter is to end. Ask it only during long work between two calls."""
        ...

    def up(self, state: Mapping[str, Any], *, serial: str = "", firmware: str = "") -> None:
        """Report that the device is there and answers. Raises MessageError for a malformed state.

        `state`: the full state as MESSAGES.md has it for the role. Call it again after the device has restarted: the
        state is compared anew.
        """
        ...

    def event(self, body: Mapping[str, Any]) -> int:
        """Report an event, as MESSAGES.md has it; returns its number. Only while the device is up.

        Waits while 32 events are not yet in the record, and after a hundred events within a second. Raises MessageError
        for a malformed event.
        """
        ...

    def committed(self, number: int, seconds: float = 0.0) -> bool:
        """Whether the record holds this event and all before it; waits up to `seconds`.

        Only then may a device that keeps its events be told to forget them.
        """
        ...

    def status(self, body: Mapping[str, Any]) -> None:
        """Report the device's supply, temperature and so on, as MESSAGES.md has it.

        Waits until the previous status was taken, and after a hundred within a second. Raises MessageError for a
        malformed status.
        """
        ...

    def orders(self, seconds: float = 0.0) -> dict[str, dict[str, Any]]:
        """The latest level of each name set since the last call; waits up to `seconds` for one.

        After `up`, every level that holds is given again.
        """
        ...


class Adapter(ABC, Generic[S]):
    """One maker's protocol. A subclass names its role and its needs, and implements `run`.

    `role`: whose messages it speaks. `tells_leaving`: whether its device tells a card that goes away. `at`: where its
    device may be. `key_bytes`: the length of the key that it needs, 0 for none. `authenticated`: whether its
    protocol proves, under that key, who speaks and that nothing was changed; set it only if it does, because staff rely
    on it. `settings_type`: a frozen dataclass `with_config(SETTINGS)`.
    """

    role: ClassVar[str]
    tells_leaving: ClassVar[bool] = True
    at: ClassVar[frozenset[At]] = frozenset({At.PORT})
    key_bytes: ClassVar[int] = 0
    authenticated: ClassVar[bool] = False
    settings_type: ClassVar[type[Any]] = NoSettings

    def __init__(self, place: Place, settings: S) -> None:
        """Must open nothing."""
        self.place = place
        self.settings = settings

    @classmethod
    def lacks(cls) -> str | None:
        """Return a text on what this computer lacks for the adapter, with the remedy, or None.

        `feltd check` calls it.
        """
        return None

    @classmethod
    def weak_key(cls, key: bytes) -> str | None:
        """Return a text on why this key protects nothing, with the remedy, or None if it does.

        The text must not quote the key. `feltd check` calls it; the adapter calls it too, before it opens its device.
        """
        return "all its bytes are the same: make another one" if len(set(key)) == 1 else None

    @abstractmethod
    def run(self, table: TableSide) -> None:
        """Open the device, call `up`, and serve the device until it is gone. May block.

        Raise AdapterFault, or let TransportError through, when the device is gone or wrong: the same object is run
        again after a while. Any other exception is a fault of the adapter: a new object is made.
        """


def remedy_for(adapter: str) -> str:
    """The remedy for an adapter at fault."""
    return f"mend or update the package that has the adapter {adapter}"

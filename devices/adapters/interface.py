"""What an adapter is, and what it is given: its place, its settings, and its side of the table.

An adapter runs in a thread of its own, so it may block; whatever it does wrong stays there. It speaks to the table in
the messages of `devices/MESSAGES.md`, and the role's ordinary driver reads them: an adapter knows a protocol, not the
game.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

from pydantic import with_config

from devices.drivers.base import SETTINGS
from devices.drivers.cleaning import clean_text
from firmware_bridge.errors import FaultCode, FaultError
from firmware_bridge.serial_port import LineSettings, OpenPort, open_port
from firmware_bridge.usb_id import UsbId

GROUP: Final = "feltd.devices"
"""The entry points of installed packages in which adapters are looked for."""
_TEXT_MAX: Final = 200

S = TypeVar("S")


class AdapterFault(FaultError):  # noqa: N818 - what an adapter says of its device, more than an error of its own
    """Why an adapter cannot go on: what is wrong, where, and the remedy, for people. It must quote no card.

    `code`: what programs tell apart; NO_ANSWER, SILENT, UNPLUGGED, MALFORMED and UNKNOWN_DEVICE are the usual ones.
    """

    def __init__(self, text: str, code: FaultCode = FaultCode.NO_ANSWER) -> None:
        super().__init__(code, clean_text(text, _TEXT_MAX) or "no reason given")


class AdapterStopped(BaseException):
    """The table wants the adapter no more: raised by whatever it calls next. Let it through, closing what is open."""


class At(StrEnum):
    """Where a device may be."""

    PORT = "port"
    USB = "usb"


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True)
class NoSettings:
    """Of an adapter that has none."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a device is, as the configuration has it. `key`: as many bytes as the adapter asks for."""

    name: str
    port: str | None = None
    line: LineSettings = LineSettings()  # noqa: RUF009 - frozen
    usb: UsbId | None = None
    key: bytes | None = field(default=None, repr=False)

    def open_serial(self, *, timeout: float = 0.1, write_timeout: float = 1.0) -> OpenPort:
        """The serial port: exclusive, by a name that stays, run as the configuration says. Times in seconds.

        Raises TransportError, which an adapter lets through.
        """
        if self.port is None:
            raise AdapterFault(f"{self.name}: it has no serial port: give it one", FaultCode.PORT_MISSING)
        opened = open_port(self.port, self.line)
        opened.port.timeout, opened.port.write_timeout = timeout, write_timeout
        return opened


class TableSide(Protocol):
    """The table, as an adapter's thread sees it. Each call may raise AdapterStopped.

    An adapter must call something here every two seconds or so (`orders` will do): one that has been silent for five is
    taken to hang, and its device for gone. Before its first `up` it has thirty.
    """

    @property
    def stopping(self) -> bool:
        """Whether the adapter is to end. Needed only where it is long away from here."""
        ...

    def up(self, state: Mapping[str, Any], *, serial: str = "", firmware: str = "") -> None:
        """The device is there and answers. `state`: the whole, as MESSAGES.md has it for the role. Again after the
        device has restarted: the state is compared once more. Raises MessageError for what cannot be."""
        ...

    def event(self, body: Mapping[str, Any]) -> int:
        """Something happened, as MESSAGES.md has it; only while up. Its number. Waits while 32 are not yet in the
        record, and after a hundred within a second. Raises MessageError for what cannot be."""
        ...

    def committed(self, number: int, seconds: float = 0.0) -> bool:
        """Whether the record holds that event and all before it; waits for it so long. A device that keeps its events
        may be told to forget them only then."""
        ...

    def status(self, body: Mapping[str, Any]) -> None:
        """The device's supply, temperature and the like, as MESSAGES.md has it. Waits until the one before was taken.
        Raises MessageError for what cannot be."""
        ...

    def orders(self, seconds: float = 0.0) -> dict[str, dict[str, Any]]:
        """What the device is to be set to since the last call, by name, the latest of each; waits so long for one.
        After `up` everything that holds is there again."""
        ...


class Adapter(ABC, Generic[S]):
    """One maker's protocol. Subclasses name what they play and what they need, and run.

    `role`: whose messages it speaks. `at`: where its device may be. `key_bytes`: how long a key it needs, 0 for none.
    `authenticated`: whether its protocol proves under that key who speaks and that nothing was changed: say so only
    where it does, the staff rely on it. `settings_type`: a frozen dataclass `with_config(SETTINGS)`.
    """

    role: ClassVar[str]
    at: ClassVar[frozenset[At]] = frozenset({At.PORT})
    key_bytes: ClassVar[int] = 0
    authenticated: ClassVar[bool] = False
    settings_type: ClassVar[type[Any]] = NoSettings

    def __init__(self, place: Place, settings: S) -> None:
        """Nothing is opened here."""
        self.place = place
        self.settings = settings

    @classmethod
    def lacks(cls) -> str | None:
        """What the machine lacks for this adapter, with the remedy; None where nothing. Asked by `feltd check`."""
        return None

    @classmethod
    def weak_key(cls, key: bytes) -> str | None:
        """Why this key of `key_bytes` protects nothing, with the remedy, quoting none of it; None where nothing is
        known against it. Asked by `feltd check`; the adapter asks it itself before it opens its device."""
        return "all its bytes are the same: make another one" if len(set(key)) == 1 else None

    @abstractmethod
    def run(self, table: TableSide) -> None:
        """Open the device, say `up`, and serve it until it is gone. In a thread, so blocking is well.

        Raise AdapterFault (or let TransportError through) when the device is gone or wrong; it is then run again after
        a while, the same object. Anything else that is raised is a fault of the adapter: a new object is made.
        """


def remedy_for(adapter: str) -> str:
    """What is done about an adapter at fault."""
    return f"mend or update the package that has the adapter {adapter}"

"""A reader of cards over PC/SC: an ACR122U and its kin, as pcscd serves them.

One reader is one zone and reads one chip. Nothing is authenticated: whoever reaches its cable, or may ask pcscd, reads
along, and what stands in its place may tell any chip. docs/adapters.md says what is lost.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, with_config

from devices.adapters.interface import Adapter, AdapterFault, At, PcscName, Place, TableSide
from devices.adapters.pcsc_service import (
    MISSING,
    Pcsc,
    PcscError,
    ReaderGoneError,
    ReaderTakenError,
    Seen,
    ServiceGoneError,
    ServiceRefusesError,
    base_of,
    scard_or_none,
)
from devices.drivers.base import SETTINGS
from devices.drivers.reader import a_zone
from devices.udev import Plugged, Udev
from firmware_bridge.errors import FaultCode

TRIES: Final = 8
"""Times that a chip which is there is asked for its number before it counts as unreadable."""
_LOOK: Final = 0.2  # seconds
_AGAIN: Final = 0.05  # seconds between two tries


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class PcscSettings:
    """What PC/SC does not say.

    `zone`: the reader's. `face`: how cards lie there. `gone_after`: seconds without the chip after which its card has
    left: a field that flickers takes none away.
    """

    zone: Annotated[str, AfterValidator(a_zone)]
    face: Literal["down", "up"]
    gone_after: Annotated[float, Field(ge=0.0, le=2.0)] = 0.3


@dataclass(slots=True)
class _Zone:
    """What is known of the zone. Times by the clock.

    `chip`: the number of what lies there. `left`: when it went out of the field. `asked`: tries in a row without a
    number. `again`: when to ask the next time.
    """

    seen: Seen
    chip: bytes | None = field(default=None, repr=False)
    left: float | None = None
    unread: bool = False
    asked: int = 0
    again: float = 0.0


class PcscReader(Adapter[PcscSettings]):
    """The adapter `pcsc`."""

    role: ClassVar[str] = "reader"
    at: ClassVar[frozenset[At]] = frozenset({At.PCSC})
    settings_type = PcscSettings

    def __init__(self, place: Place, settings: PcscSettings, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(place, settings)
        self._clock = clock
        self._collecting = False

    @classmethod
    def lacks(cls) -> str | None:
        return None if scard_or_none() is not None else MISSING

    def run(self, table: TableSide) -> None:
        scard = scard_or_none()
        if scard is None:
            raise AdapterFault(MISSING, FaultCode.ADAPTER_FAILED)
        try:
            with Pcsc(scard) as service:
                self._serve(service, self._found(service), table)
        except PcscError as error:
            raise self._told(error) from None

    def _serve(self, service: Pcsc, reader: str, table: TableSide) -> None:
        zone = self._first(service, reader, table)
        lies = [] if zone.chip is None else [[zone.chip, self.settings.face]]
        table.up({"zones": {self.settings.zone: lies}, "collecting": self._collecting, "faces": False})
        while True:
            self._obey(table)
            self._wait(service, reader, zone)
            if zone.unread:
                self._ask(service, reader, zone, table)
            elif zone.left is not None and self._clock() - zone.left >= self.settings.gone_after:
                self._gone(zone, table)

    def _first(self, service: Pcsc, reader: str, table: TableSide) -> _Zone:
        """What lies there as the reader comes up: it is known before the reader is up."""
        seen = service.look(reader)
        zone = _Zone(Seen(present=False, mute=False, count=-1, raw=0) if seen is None else seen)
        zone.unread = zone.seen.present
        while zone.unread:
            self._obey(table)
            self._ask(service, reader, zone)
            self._wait(service, reader, zone)
        return zone

    def _obey(self, table: TableSide) -> None:
        collect = table.orders().get("collect")
        if collect is not None:
            self._collecting = collect.get("on") is True

    # -- what the reader sees

    def _wait(self, service: Pcsc, reader: str, zone: _Zone) -> None:
        """Wait for what happens at the reader, or for what is to be done next."""
        now = self._clock()
        until = [zone.again] if zone.unread else [] if zone.left is None else [zone.left + self.settings.gone_after]
        seen = service.look(reader, zone.seen, min([_LOOK, *(max(0.0, at - now) for at in until)]))
        if seen is None:
            return
        if (seen.present, seen.count) != (zone.seen.present, zone.seen.count):  # else another program asks the chip
            if zone.chip is not None and zone.left is None:
                zone.left = self._clock()
            zone.unread, zone.asked, zone.again = seen.present, 0, 0.0
        zone.seen = seen

    def _ask(self, service: Pcsc, reader: str, zone: _Zone, table: TableSide | None = None) -> None:
        """Ask the chip for its number, and tell a card that came."""
        if self._clock() < zone.again:
            return
        number = None if zone.seen.mute else self._number(service, reader, zone.seen.count)
        if number is None:
            zone.asked, zone.again = zone.asked + 1, self._clock() + _AGAIN
            if zone.asked >= TRIES:
                words = "lay one card there, flat and alone, and keep metal and other chips away from it"
                raise self._fault(f"something lies there and tells no whole number: {words}", FaultCode.MALFORMED)
            return
        zone.unread, zone.asked = False, 0
        if number == zone.chip:
            zone.left = None
            return
        stranger = self.place.chips.stranger(number)
        if stranger is not None:
            raise self._fault(f"there is {stranger.value}", FaultCode.MALFORMED)
        if zone.chip is not None:
            self._gone(zone, table)
        zone.chip = number
        if table is not None:
            table.event({"ev": "placed", "zone": self.settings.zone, "card": number, "face": self.settings.face})

    def _number(self, service: Pcsc, reader: str, count: int) -> bytes | None:
        """The number of the chip that lies there; None where none was read whole. `count`: as of `Seen`."""
        return service.number(reader)

    def _gone(self, zone: _Zone, table: TableSide | None) -> None:
        chip = zone.chip
        zone.chip = zone.left = None
        if table is not None and not self._collecting:
            table.event({"ev": "removed", "zone": self.settings.zone, "card": chip})

    # -- which reader, and what is said of it

    def _found(self, service: Pcsc) -> str:
        wanted = self.place.pcsc
        assert wanted is not None
        try:
            return reader_by(service, wanted)
        except NoReaderError as error:
            raise self._fault(str(error), error.code) from None

    def _told(self, error: PcscError) -> AdapterFault:
        return self._fault(*why_of(error))

    def _fault(self, words: str, code: FaultCode) -> AdapterFault:
        return AdapterFault(f"{self.place.name} at {self.settings.zone}: {words}", code)


class NoReaderError(Exception):
    """The reader that is wanted is not there, or not known among several. The text has the remedy."""

    def __init__(self, words: str, code: FaultCode = FaultCode.PORT_MISSING) -> None:
        super().__init__(words)
        self.code = code


def reader_by(service: Pcsc, wanted: PcscName) -> str:
    """The one reader of that name, and in that socket, as pcscd has it. Raises NoReaderError."""
    there = service.readers()
    named = [name for name in there if wanted.reader in (name, base_of(name))]
    if not named:
        known = ", ".join(sorted({base_of(name) for name in there})) or "none"
        raise NoReaderError(f"pcscd has no reader {wanted.reader} (there are: {known})")
    if wanted.socket is None and len(named) == 1:
        return named[0]
    sockets = _sockets(service, named)
    if wanted.socket is None:
        places = ", ".join(sorted(filter(None, sockets.values()))) or "nobody says which"
        words = f"unplug all but one, or give the socket of this one ({places})"
        raise NoReaderError(f"there are {len(named)} readers {wanted.reader}: {words}", FaultCode.PORT_UNSTABLE)
    found = [name for name, socket in sockets.items() if socket == wanted.socket]
    if len(found) != 1:
        places = ", ".join(sorted(filter(None, sockets.values()))) or "no socket that its driver tells"
        words = f"no reader {wanted.reader} is in socket {wanted.socket} (there are some in {places})"
        raise NoReaderError(f"{words}: is it plugged in there?")
    return found[0]


def why_of(error: PcscError) -> tuple[str, FaultCode]:
    """What is wrong where PC/SC does not do what it is asked for, with the remedy, and for programs."""
    match error:
        case ServiceGoneError():
            words = "pcscd does not answer: apt install pcscd, then systemctl restart pcscd.socket pcscd"
            return words, FaultCode.NO_ANSWER
        case ServiceRefusesError():
            words = "pcscd lets this user ask nothing: install the rule for polkit that docs/adapters.md has"
            return words, FaultCode.PORT_DENIED
        case ReaderGoneError():
            return "the reader is gone: is it unplugged?", FaultCode.UNPLUGGED
        case ReaderTakenError():
            return "another program has the reader for itself: stop that one", FaultCode.PORT_BUSY
        case _:
            return f"PC/SC fails with {error}: plug the reader in again, then restart pcscd", FaultCode.PORT_FAILED


def _sockets(service: Pcsc, readers: Iterable[str]) -> Mapping[str, str | None]:
    """The socket of USB in which each reader is, as the kernel names it; None where nobody says."""
    try:
        plugged: list[Plugged] = Udev().usb_devices()
    except (OSError, ImportError):
        plugged = []
    return {reader: _socket(service.usb_of(reader), plugged) for reader in readers}


def _socket(numbers: tuple[int, int] | None, plugged: Iterable[Plugged]) -> str | None:
    if numbers is None:
        return None
    node = f"/dev/bus/usb/{numbers[0]:03d}/{numbers[1]:03d}"
    return next((one.place for one in plugged if node in one.names), None)

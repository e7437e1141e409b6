"""A badge reader over OSDP's secure channel (IEC 60839-11-5), by libosdp.

Authenticated under the reader's own key, which must have been provisioned into the reader before. Install mode is never
used: there, anybody who listens learns the key. The default key with which every reader leaves its factory is refused.
"""

import importlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal

import serial
from pydantic import Field, with_config

from devices.adapters.badge_numbers import OncePerCard, number_as_name
from devices.adapters.interface import Adapter, AdapterFault, Place, TableSide
from devices.adapters.keyed_pin import KeyedPin
from devices.drivers.base import SETTINGS
from firmware_bridge.errors import FaultCode
from firmware_bridge.serial_port import OpenPort

MISSING: Final = "the Python package libosdp is not there: pip install feltd[osdp]"
DEFAULT_KEY: Final = bytes(range(0x30, 0x40))  # SCBK-D: the same in every reader
ANSWER: Final = 5.0
"""Seconds that a reader may take to come up under its key, or to come back."""
_REFRESH_EVERY: Final = 0.01  # seconds; libosdp wants to be called every 50 ms or sooner


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class OsdpSettings:
    """The reader's address, and how a card's number becomes a name.

    `address`: on its line. `form`: `hex`, `decimal`, or `text` for digits and letters as read. `first_bit`, `bits`:
    which bits of the card's data are the number, counted from 0; left out, all of them. `again_after`: seconds that a
    card must have been away before it is reported again.
    """

    address: Annotated[int, Field(ge=0, le=126)] = 0
    form: Literal["hex", "decimal", "text"] = "hex"
    first_bit: Annotated[int, Field(ge=0, le=255)] = 0
    bits: Annotated[int, Field(ge=1, le=256)] | None = None
    again_after: Annotated[float, Field(ge=0.0, le=60.0)] = 0.0


class OsdpBadge(Adapter[OsdpSettings]):
    """The adapter `osdp-badge`. Its key has 16 bytes."""

    role: ClassVar[str] = "badge"
    key_bytes: ClassVar[int] = 16
    authenticated: ClassVar[bool] = True
    settings_type = OsdpSettings

    @classmethod
    def lacks(cls) -> str | None:
        return None if _osdp_or_none() is not None else MISSING

    @classmethod
    def weak_key(cls, key: bytes) -> str | None:
        if key == DEFAULT_KEY or super().weak_key(key) is not None:
            return "this one is known to everybody: provision one of the reader's own, in safety"
        return None

    def run(self, table: TableSide) -> None:
        osdp = _osdp_or_none()
        if osdp is None:
            raise AdapterFault(MISSING, FaultCode.ADAPTER_FAILED)
        key = self.place.key
        why = "there is no key" if key is None else self.weak_key(key)
        if key is None or why is not None:
            raise AdapterFault(f"{self.place.name}: its key: {why}", FaultCode.WRONG_KEY)
        opened = self.place.open_serial(timeout=0.0, write_timeout=0.5)
        try:
            self._speak(osdp, key, opened, table)
        finally:
            opened.port.close()

    def _speak(self, osdp: Any, key: bytes, opened: OpenPort, table: TableSide) -> None:
        told: list[dict[str, Any]] = []

        def happened(_reader: int, event: dict[str, Any]) -> int:
            told.append(event)
            return 0

        line = _Line(self.place, opened)
        reader = osdp.PDInfo(
            self.settings.address, line.channel(osdp), scbk=key, flags=[osdp.LibFlag.EnforceSecure], name="badge"
        )
        # libosdp's own thread is not started: this thread refreshes it.
        panel = osdp.ControlPanel([reader], log_level=osdp.LogLevel.Emergency, event_handler=happened)
        once, pin = OncePerCard(self.settings.again_after), KeyedPin()
        secure = _Since()
        while True:
            panel.ctx.refresh()
            line.check()
            if secure.note(bool(panel.ctx.sc_status() & 1)):
                table.up({}, **_identity(panel.ctx.get_pd_id(0)))
            if secure.lost_for() > ANSWER:
                raise self._silent(line.heard, was_up=secure.was_there)
            for event in told:
                if event.get("event") == osdp.Event.CardRead:
                    self._card(event, once, pin, table)
                elif event.get("event") == osdp.Event.KeyPress:
                    self._keys(bytes(event["data"]), pin, table)
            told.clear()
            pin.tick()
            table.orders(_REFRESH_EVERY)

    def _card(self, card: dict[str, Any], once: OncePerCard, pin: KeyedPin, table: TableSide) -> None:
        number = card_number(bytes(card["data"]), int(card["length"]), self.settings)
        if number is None:
            pin.nobody()
            return
        staff = once.name_of(number)
        if staff is None:
            pin.held(number)
            return
        pin.card(staff)
        table.event({"ev": "badge", "staff": staff})

    @staticmethod
    def _keys(keys: bytes, pin: KeyedPin, table: TableSide) -> None:
        message = pin.keyed(keys)
        if message is not None:
            table.event(message)

    def _silent(self, heard: bool, *, was_up: bool) -> AdapterFault:
        where = f"{self.place.name} at {self.place.port}, address {self.settings.address}"
        if was_up:
            return AdapterFault(
                f"{where}: the secure channel is gone: look at its power and its line", FaultCode.SILENT
            )
        if heard:
            text = (
                f"{where}: it answers, but not under this key: provision the key into the reader, or correct the file"
            )
            return AdapterFault(text, FaultCode.WRONG_KEY)
        text = f"{where}: nobody answers: is it powered, is it at this address, and at this baud rate?"
        return AdapterFault(text, FaultCode.NO_ANSWER)


class _Since:
    """Whether the secure channel is up, and since when it has been down."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._there = False
        self._changed = clock()
        self.was_there = False

    def note(self, there: bool) -> bool:
        """Note the channel's state; True if it has just come up."""
        came = there and not self._there
        if there != self._there:
            self._there, self._changed = there, self._clock()
        self.was_there = self.was_there or there
        return came

    def lost_for(self) -> float:
        """Seconds since the secure channel was lost; 0 while it is up."""
        return 0.0 if self._there else self._clock() - self._changed


class _Line:
    """The port as libosdp's channel, which swallows exceptions: `check` raises the kept fault."""

    def __init__(self, place: Place, opened: OpenPort) -> None:
        self._place = place
        self._port = opened.port
        self._fault: AdapterFault | None = None
        self.heard = False

    def check(self) -> None:
        """Raises AdapterFault if the port has failed."""
        if self._fault is not None:
            raise self._fault

    def read(self, most: int) -> bytes:
        try:
            data = bytes(self._port.read(min(most, self._port.in_waiting)))
        except (serial.SerialException, OSError):
            self._fail()
            return b""
        self.heard = self.heard or bool(data)
        return data

    def write(self, data: bytes) -> int:
        try:
            return int(self._port.write(data) or 0)
        except (serial.SerialException, OSError):
            self._fail()
            return 0

    def flush(self) -> None:
        """Does nothing: written bytes are already on their way."""

    def channel(self, osdp: Any) -> Any:
        """The port as an instance of libosdp's own channel class."""
        kept = {name: staticmethod(getattr(self, name)) for name in ("read", "write", "flush")}
        return type("Channel", (osdp.Channel,), kept)()

    def _fail(self) -> None:
        text = f"{self._place.name} at {self._place.port}: the port is gone: is it unplugged?"
        self._fault = AdapterFault(text, FaultCode.UNPLUGGED)


def card_number(data: bytes, length: int, settings: OsdpSettings) -> str | None:
    """The card's number; None for a card without one.

    `length`: how many bits of `data` count, from its first on.
    """
    length = min(length, 8 * len(data)) if length else 8 * len(data)
    bits = length - settings.first_bit if settings.bits is None else settings.bits
    if bits <= 0 or settings.first_bit + bits > length:
        return "" if length else None
    whole = int.from_bytes(data, "big") >> (8 * len(data) - length)
    value = (whole >> (length - settings.first_bit - bits)) & ((1 << bits) - 1)
    return number_as_name(value.to_bytes((bits + 7) // 8, "big"), settings.form)


def _identity(identification: dict[str, Any] | None) -> dict[str, str]:
    """The serial number and firmware that the reader reports under its key."""
    if not identification:
        return {}
    version = int(identification["firmware_version"])
    firmware = f"{version >> 16 & 0xFF}.{version >> 8 & 0xFF}.{version & 0xFF}"
    return {"serial": f"{int(identification['serial_number']) & 0xFFFFFFFF:08X}", "firmware": firmware}


def _osdp_or_none() -> Any:
    try:
        return importlib.import_module("osdp")
    except ImportError:
        return None

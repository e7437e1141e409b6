"""`[[device]]` and `[usb]`: the plugged devices and their connections.

A device is at a serial `port`, is a `usb` device, or is a reader of cards that pcscd serves. It speaks the wire of
`firmware_bridge/PROTOCOL.md` under its key, unless an `adapter` is named that knows its own protocol.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field

from devices.adapters.interface import PcscName
from devices.drivers.badge import BadgeSettings
from devices.drivers.registry import ROLES
from feltd.table.config.fields import KeyPlace, Loose, Section, Text
from feltd.table.config.key_files import KeyFile
from firmware_bridge.serial_port import Duplex, Flow, LineSettings, ModemLine, Parity, Rs485, is_stable
from firmware_bridge.usb_id import UsbId
from toml_text.lines import KeyPath
from toml_text.words import not_allowed

_WITH_KEYPAD: Final = frozenset({"osdp-badge"})
"""The adapters of badge readers that take a PIN, where their settings say nothing else."""
_CHANGING_PORT: Final = re.compile(r"/dev/tty(USB|ACM)\d+")


def _port(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if _CHANGING_PORT.fullmatch(value):
        raise ValueError(
            f'"{value}" names another device after a replug; use its stable path in /dev/serial/by-id or '
            "/dev/serial/by-path (ls -l /dev/serial/by-id shows which)"
        )
    if not value.startswith("/"):
        raise ValueError(f'"{value}" is no full path; write one like /dev/serial/by-id/usb-…')
    if value.startswith("/dev/") and not is_stable(value) and not value.startswith("/dev/pts/"):
        raise ValueError(
            f'"{value}" may mean another device tomorrow; use its path in /dev/serial/by-id or /dev/serial/by-path '
            "(feltd's udev rule makes one for the board's own ports)"
        )
    return Path(value)


def _role(value: Any) -> Any:
    if value not in ROLES:
        raise ValueError(not_allowed(value, ROLES))
    return value


Role = Annotated[str, BeforeValidator(_role)]
Port = Annotated[Path, BeforeValidator(_port)]
Identifier = Annotated[int, Field(ge=0, le=0xFFFF)]
Seconds = Annotated[float, Field(ge=0.0, le=0.1)]


class Rs485Line(Section):
    """`line.rs485`: RS-485 by the port's own driver."""

    duplex: Annotated[Duplex, Loose] = Field(description="full (two pairs) or half (one pair, by turns)")
    rts_on_send: bool = Field(default=True, description="true where RTS high switches the sender on")
    delay_before: Seconds = Field(default=0.0, description="seconds from RTS to the first bit")
    delay_after: Seconds = Field(default=0.0, description="seconds from the last bit to RTS")

    def settings(self) -> Rs485:
        """Return the port's settings for this section."""
        return Rs485(
            duplex=self.duplex,
            rts_on_send=self.rts_on_send,
            delay_before=self.delay_before,
            delay_after=self.delay_after,
        )


class Line(Section):
    """`line`: how a serial line is run, where it is not 115200 8N1."""

    baud: Annotated[int, Field(ge=300, le=4_000_000)] = Field(default=115200, description="bits a second")
    bits: Annotated[int, Field(ge=7, le=8)] = Field(default=8, description="bits of a character, 7 or 8")
    parity: Annotated[Parity, Loose] = Field(default=Parity.NONE, description="none, even or odd")
    stop_bits: Annotated[int, Field(ge=1, le=2)] = Field(default=1, description="1 or 2")
    flow: Annotated[Flow, Loose] = Field(default=Flow.NONE, description="none or rts_cts")
    dtr: bool = Field(default=True, description="whether DTR is driven while the port is open")
    rts: bool = Field(default=True, description="whether RTS is driven while the port is open")
    present: Annotated[ModemLine | None, Loose] = Field(
        default=None, description="the line that the device drives while it is there: cts, dsr or dcd"
    )
    rs485: Rs485Line | None = Field(default=None, description="a table with duplex: RS-485")

    def settings(self) -> LineSettings:
        """Return the port's settings for this section."""
        return LineSettings(
            baud=self.baud,
            bits=self.bits,
            parity=self.parity,
            stop_bits=self.stop_bits,
            flow=self.flow,
            dtr=self.dtr,
            rts=self.rts,
            present=self.present,
            rs485=None if self.rs485 is None else self.rs485.settings(),
        )


class UsbPlace(Section):
    """`usb`: one USB device, by its numbers."""

    vendor: Identifier = Field(description="the vendor's number, e.g. 0x1209 (lsusb shows it)")
    product: Identifier = Field(description="the product's number, e.g. 0xc0de")
    serial: Text | None = Field(default=None, description="its USB serial number; left out, any is taken")

    def id(self) -> UsbId:
        """The identifier by which the device is searched."""
        return UsbId(self.vendor, self.product, self.serial)


class PcscPlace(Section):
    """`pcsc`: a reader of cards that pcscd serves."""

    reader: Text = Field(description="its name as pcscd has it, e.g. ACS ACR122U PICC Interface")
    socket: Annotated[str, Field(pattern=r"^[0-9]+-[0-9]+(\.[0-9]+)*$")] | None = Field(
        default=None, description="the USB socket that it is in, e.g. 1-1.2, where several have its name"
    )

    def name(self) -> PcscName:
        """The name by which the reader is searched."""
        return PcscName(self.reader, self.socket)


class UsbSection(Section):
    """`[usb]`: what may be plugged into this board beside the table's own devices.

    Anything else is told.
    """

    allow: Annotated[tuple[UsbPlace, ...], Loose] = Field(
        default=(), description="a list of { vendor, product, serial }"
    )


class DeviceConfig(Section):
    """`[[device]]`: one device and where it is."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9:_-]*$")] = Field(
        description='a name of its own, e.g. "shoe" or "reader:board"'
    )
    role: Role = Field(description=f"what it is: {', '.join(ROLES[:-1])} or {ROLES[-1]}")
    port: Port | None = Field(
        default=None, description="its serial port by a path that stays, e.g. /dev/serial/by-id/usb-…"
    )
    line: Line = Field(default=Line(), description="how the serial line is run")
    usb: UsbPlace | None = Field(default=None, description="the USB device it is: { vendor, product, serial }")
    pcsc: PcscPlace | None = Field(default=None, description="the reader that pcscd serves: { reader, socket }")
    key_file: KeyPlace | None = Field(default=None, description="the file with its key of 32 bytes, or credential:NAME")
    serial: Text | None = Field(default=None, description="its serial number; any other device is refused")
    settings: dict[str, Any] = Field(default={}, description="what its driver is told")
    adapter: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")] | None = Field(
        default=None, description="the adapter that knows its protocol, where it is not feltd's own"
    )
    adapter_settings: dict[str, Any] = Field(default={}, description="what the adapter is told")

    @property
    def place(self) -> str:
        """The device's place, for people."""
        if self.usb is not None:
            return str(self.usb.id())
        if self.pcsc is not None:
            return str(self.pcsc.name())
        return str(self.port)

    @property
    def wire_key(self) -> KeyFile | None:
        """The file with the key of its session; None if an adapter speaks with it."""
        return self.key_file if self.adapter is None else None


def takes_pin(settings: BadgeSettings, adapter: str | None, said: bool | None = None) -> bool:
    """Whether a PIN can be keyed at this badge reader: by its settings, else where it or its adapter says so.

    `adapter`: what speaks with it; None for the wire. `said`: by the reader itself, None where it has not. Its word
    only adds a demand: with that of its adapter it would switch PINs off for witnesses.
    """
    return said is True or adapter in _WITH_KEYPAD if settings.keypad is None else settings.keypad


def plug_faults(devices: list[dict[str, Any]]) -> Iterator[tuple[KeyPath, str]]:
    """Faults between the keys of a device that each alone are well, and between devices on USB or of pcscd."""
    seen: list[tuple[dict[str, Any], str]] = []
    served: list[tuple[dict[str, Any], str]] = []
    for number, device in enumerate(devices):
        for key, words in _faults(device):
            yield ("device", number, *key), words
        usb = device.get("usb")
        if isinstance(usb, dict):
            same = next((name for other, name in seen if _may_be_one(usb, other)), None)
            if same is not None:
                words = f'the same USB device as "{same}": tell them apart by their serial numbers'
                yield ("device", number, "usb"), words
            seen.append((usb, str(device.get("name"))))
        pcsc = device.get("pcsc")
        if isinstance(pcsc, dict):
            same = next((name for other, name in served if _may_be_one_reader(pcsc, other)), None)
            if same is not None:
                yield ("device", number, "pcsc"), f'the same reader as "{same}": tell them apart by their sockets'
            served.append((pcsc, str(device.get("name"))))


def _may_be_one(usb: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether a device could be taken for both; where no serial number is given, any is taken."""
    alike = all(usb.get(word) == other.get(word) for word in ("vendor", "product"))
    serials = {usb.get("serial"), other.get("serial")}
    return alike and (len(serials) == 1 or None in serials)


def _may_be_one_reader(pcsc: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether a reader could be taken for both; where no socket is given, any is taken."""
    sockets = {pcsc.get("socket"), other.get("socket")}
    return pcsc.get("reader") == other.get("reader") and (len(sockets) == 1 or None in sockets)


def _faults(device: dict[str, Any]) -> Iterator[tuple[KeyPath, str]]:
    port, usb, line, pcsc = device.get("port"), device.get("usb"), device.get("line"), device.get("pcsc")
    if port is None and usb is None and pcsc is None:
        yield ("port",), "is missing: give its serial port by a path that stays, e.g. /dev/serial/by-id/usb-…, or usb"
    if port is not None and usb is not None:
        yield ("usb",), "a device is at a port or on USB: leave one of the two out"
    if pcsc is not None and (port is not None or usb is not None):
        yield ("pcsc",), "pcscd finds the device: leave port and usb out"
    if pcsc is not None and device.get("adapter") is None:
        yield ("adapter",), 'is missing: only an adapter asks pcscd, e.g. "pcsc"'
    if line is not None and port is None:
        yield ("line",), "nobody reads it: only a serial port has a line"
    if device.get("adapter") is None:
        if device.get("key_file") is None:
            yield ("key_file",), "is missing: give the file with its key of 32 bytes, or credential:NAME"
        if device.get("adapter_settings"):
            yield ("adapter_settings",), "nobody reads them: name the adapter they are for"
    if isinstance(line, dict):
        yield from _line_faults(line, wire=device.get("adapter") is None)


def _line_faults(line: dict[str, Any], *, wire: bool) -> Iterator[tuple[KeyPath, str]]:
    rs485 = line.get("rs485")
    if not isinstance(rs485, dict):
        rs485 = None
    if rs485 is not None and line.get("flow") == Flow.RTS_CTS:
        yield ("line", "flow"), "RTS switches the sender of an RS-485 line: it cannot hold it back as well"
    if rs485 is not None and "rts" in line:
        yield ("line", "rts"), "RTS switches the sender of an RS-485 line: leave it out"
    if line.get("present") == ModemLine.CTS and line.get("flow") == Flow.RTS_CTS:
        yield ("line", "present"), "CTS holds the sender back here: it cannot say as well that the device is there"
    if not wire:
        return
    if rs485 is not None and rs485.get("duplex") == Duplex.HALF:
        yield (
            ("line", "rs485", "duplex"),
            "on one pair both ends would speak at once: a device of PROTOCOL.md needs two pairs (full)",
        )
    if line.get("bits") == 7:
        yield ("line", "bits"), "a device of PROTOCOL.md speaks in bytes of 8 bits"

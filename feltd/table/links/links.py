"""A device's link: a session over a serial port or USB, or an adapter in its thread."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from devices.adapters.chip_numbers import ChipsAtHand, Packs
from devices.adapters.interface import Adapter, AdapterFault, At, Place
from devices.adapters.link import AdapterLink
from devices.adapters.loading import Wanted, load_adapter, misfits
from devices.drivers.base import read_settings
from feltd.door import Trust
from feltd.table.config.devices import DeviceConfig
from feltd.table.config.key_files import KeyFileError
from firmware_bridge.budget import BUDGET, Budget
from firmware_bridge.errors import FaultCode, LinkFault
from firmware_bridge.facts import LinkCounters, LinkState, SessionHandler
from firmware_bridge.link import Connect, Link, LinkSpec, ResumePoint
from firmware_bridge.serial_port import Parity
from firmware_bridge.serial_transport import open_serial
from firmware_bridge.trail import PassedFrame
from firmware_bridge.transport import HostTransport


class DeviceLink(Protocol):
    """The calls to a link over a wire, an adapter, or a station of pins."""

    state: LinkState
    fault: LinkFault | None
    counters: LinkCounters

    async def run(self) -> None: ...
    def post(self, name: str, args: Mapping[str, Any]) -> None: ...
    def acknowledge(self, boot_id: bytes, seq: int) -> None: ...
    def last_frames(self) -> tuple[PassedFrame, ...]: ...
    def is_proven(self) -> bool: ...


SPARE: Final = 1.1
"""Times what a line carries: its clock may be a little fast."""
ConnectTo = Callable[[DeviceConfig], Connect]
PacksNow = Callable[[], Packs | None]
"""Gives the list of packs as it is now; None where no pack is enrolled. Raises FeltdError."""


def no_packs() -> None:
    """No pack is enrolled."""
    return


def connect_to(device: DeviceConfig) -> Connect:
    """Return a function that opens the port or USB device."""
    line = device.line.settings()

    async def connect() -> HostTransport:
        if device.usb is not None:
            from firmware_bridge.usb_transport import open_usb  # a table without USB readers loads no libusb

            return await open_usb(device.usb.id())
        return await open_serial(device.place, line)

    return connect


@dataclass(frozen=True, slots=True)
class Reach:
    """How devices are reached. `packs`: asked each time that an adapter sees a chip."""

    connect: ConnectTo = connect_to
    packs: PacksNow = no_packs


def make_link(
    device: DeviceConfig,
    keys: Mapping[str, bytes],
    handler: SessionHandler,
    resume: Mapping[str, tuple[bytes, int]],
    reach: Reach,
    chips: ChipsAtHand,
) -> DeviceLink:
    """Make the link of one device, not running yet.

    `keys`: of sessions, by the device's name. `chips`: for adapters.
    """
    if device.adapter is not None:
        return AdapterLink(
            device.name,
            device.adapter,
            device.role,
            lambda: adapter_of(device, chips),
            handler,
            wanted_serial=device.serial,
        )
    point = resume.get(device.name)
    spec = LinkSpec(device.name, device.role, keys[device.name], device.serial)
    resumed = None if point is None else ResumePoint(*point)
    return Link(spec, reach.connect(device), handler, resume=resumed, budget=budget_of(device))


def budget_of(device: DeviceConfig) -> Budget:
    """How much is taken of a device in a second: never less than its line carries.

    A UART without flow control loses what is not read.
    """
    line = device.line
    bits = 1 + line.bits + (line.parity is not Parity.NONE) + line.stop_bits
    return replace(BUDGET, bytes_per_second=max(BUDGET.bytes_per_second, SPARE * line.baud / bits))


def wanted_of(device: DeviceConfig) -> Wanted:
    """The configuration's demands on a device with an adapter."""
    assert device.adapter is not None
    at = At.USB if device.usb is not None else At.PCSC if device.pcsc is not None else At.PORT
    has_key, settings = device.key_file is not None, device.adapter_settings
    return Wanted(device.name, device.adapter, device.role, at, has_key, settings)


def adapter_of(device: DeviceConfig, chips: ChipsAtHand) -> Adapter[Any]:
    """Find, check and make a device's adapter.

    Runs the package's code. Raises AdapterFault.
    """
    wanted = wanted_of(device)
    kind = load_adapter(wanted.adapter)
    faults = [f"{key}: {words}" for key, words in misfits(kind, wanted)]
    if faults:
        raise AdapterFault(f"{device.name}: {'; '.join(faults)}", FaultCode.ADAPTER_FAILED)
    key = None
    if device.key_file is not None:
        try:
            key = device.key_file.read(size=kind.key_bytes)
        except KeyFileError as fault:
            raise AdapterFault(f"{device.name}: {fault}", FaultCode.ADAPTER_FAILED) from None
    port = None if device.port is None else str(device.port)
    usb = None if device.usb is None else device.usb.id()
    pcsc = None if device.pcsc is None else device.pcsc.name()
    place = Place(device.name, port, device.line.settings(), usb, pcsc, key, chips)
    return kind(place, read_settings(device.name, kind.settings_type, device.adapter_settings))


def trust_in(link: DeviceLink) -> Trust:
    """Return what authenticates messages over this link: a session, an adapter, pins, nothing."""
    if isinstance(link, AdapterLink):
        return Trust.ADAPTER if link.authenticated else Trust.NONE
    return Trust.SESSION if isinstance(link, Link) else Trust.PINS


def tells_leaving(link: DeviceLink) -> bool:
    """Whether the device behind a link tells a card that goes away."""
    return not isinstance(link, AdapterLink) or link.tells_leaving


def adapter_in(link: DeviceLink) -> str | None:
    """The adapter that speaks for a link; None where none does."""
    return link.adapter if isinstance(link, AdapterLink) else None


def look_again(link: DeviceLink) -> None:
    """Let a waiting link retry at once, because something was plugged in."""
    if isinstance(link, Link | AdapterLink):
        link.look_again()

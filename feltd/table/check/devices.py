"""Faults and notes of one `[[device]]` before a start, found without opening it.

An adapter's package is loaded for that, as a start would, but none of its devices is touched.
"""

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from devices.adapters.interface import AdapterFault
from devices.adapters.loading import load_in_time, misfits_in_time, weak_key_in_time
from devices.udev import Plugged, Udev
from feltd.table.check.ports import May, port_fault, user_name
from feltd.table.config.devices import DeviceConfig
from feltd.table.config.key_files import KEY_BYTES, KeyFile, KeyFileError, read_key
from feltd.table.links.links import wanted_of
from feltd.table.links.usb_watch import UsbWatch
from firmware_bridge.serial_port import is_simulated
from firmware_bridge.usb_id import UsbId

_BUS: Final = "/dev/bus/usb/"
_OTHERS: Final = 0o037  # a key's file: nothing for others, no writing by the group


class AskedMachine(Protocol):
    """The calls to the machine."""

    @property
    def may(self) -> May: ...
    @property
    def holder_of(self) -> Callable[[Path], str | None]: ...
    @property
    def environment(self) -> Mapping[str, str]: ...
    @property
    def plugged(self) -> Callable[[], Sequence[Plugged]]: ...


def device_lacks(device: DeviceConfig, machine: AskedMachine) -> Iterator[tuple[str, str]]:
    """Faults that keep the device from coming up: the key of the file concerned, and words."""
    if device.port is not None:
        fault = port_fault(device.port, device.name, machine.may, machine.holder_of)
        if fault is not None:
            yield "port", fault
    if device.usb is not None:
        yield from (("usb", words) for words in _usb_lacks(device, device.usb.id(), machine))
    if device.adapter is not None:
        yield from _adapter_lacks(device, device.adapter, machine.environment)
    elif device.key_file is not None:
        yield from (("key_file", text) for text in key_lacks(device.key_file, machine.environment))


def _adapter_lacks(device: DeviceConfig, adapter: str, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    try:
        kind = load_in_time(adapter)
    except AdapterFault as error:
        yield "adapter", str(error)
        return
    faults = misfits_in_time(kind, wanted_of(device))
    yield from faults
    if device.key_file is None or any(key == "key_file" for key, _ in faults):
        return
    lacking = list(key_lacks(device.key_file, environment, kind.key_bytes))
    yield from (("key_file", text) for text in lacking)
    try:
        key = device.key_file.read(environment, size=kind.key_bytes)
        why = weak_key_in_time(kind, adapter, key)
    except KeyFileError:
        return  # told already, or only handed over at the start
    except AdapterFault as error:
        yield "adapter", str(error)
        return
    if why is not None:
        yield "key_file", f"{device.key_file}: {why}"


def shared_keys(devices: Mapping[int, DeviceConfig], environment: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Devices whose key another one has before them: either could then speak for the other."""
    owners: dict[bytes, str] = {}
    for number, device in devices.items():
        if device.wire_key is None:
            continue
        try:
            key = device.wire_key.read(environment)
        except KeyFileError:  # told as a fault of its own
            continue
        owner = owners.setdefault(key, device.name)
        if owner != device.name:
            yield (
                number,
                f'is the key of "{owner}": no two devices share one; feltd device key {device.name} makes another',
            )


def _usb_lacks(device: DeviceConfig, wanted: UsbId, machine: AskedMachine) -> Iterator[str]:
    there = machine.plugged()
    matching = [plugged for plugged in there if wanted.takes(plugged.id)]
    if not matching:
        names = ", ".join(str(plugged.id) for plugged in there[:8]) or "nothing on USB"
        yield f'there is no {wanted}: is "{device.name}" plugged in and powered? There are: {names}'
    elif len(matching) > 1:
        yield f"there are {len(matching)} of {wanted}: unplug all but one, or give its serial number"
    else:
        files = [Path(name) for name in sorted(matching[0].names) if name.startswith(_BUS)]
        barred = next((file for file in files if not machine.may(file, os.R_OK | os.W_OK)), None)
        if barred is not None:
            yield (
                f"{barred}: {user_name()} may not read and write {wanted}; udev opens what the file names when the "
                "table starts: start felt-table again (`feltd device rules` says the rule)"
            )


def usb_notes(watch: UsbWatch, plugged: Sequence[Plugged]) -> Iterator[str]:
    """Notes on plugged devices that the configuration does not name."""
    for change in watch.begin(plugged):
        yield f"[usb]: {change.words}"


def plugged_now() -> Sequence[Plugged]:
    """The devices on USB; none where the system does not say."""
    try:
        return Udev().usb_devices()
    except (OSError, ImportError):
        return []


def device_notes(device: DeviceConfig) -> Iterator[str]:
    """Notes that are no faults."""
    if device.port is not None and is_simulated(str(device.port)):
        yield f"{device.name}: {device.port} is a pseudo-terminal: a simulated device, no hardware"
    if device.usb is not None and device.usb.serial is None:
        yield f"{device.name}: any {device.usb.id()} is taken; its serial number would tell one from another"
    if device.adapter is not None:
        yield from _trust(device.name, device.adapter)


def _trust(device: str, adapter: str) -> Iterator[str]:
    try:
        authenticated = load_in_time(adapter).authenticated
    except AdapterFault:
        return  # told as a fault
    if not authenticated:
        yield (
            f"{device}: NOT AUTHENTICATED: the adapter {adapter} cannot tell its device from anybody else on the wire, "
            "and what happens while the link is down is lost (docs/adapters.md says what that means)"
        )
    else:
        yield f"{device}: authenticated by the adapter {adapter}, by its maker's word; feltd does not prove it"


def key_lacks(key: KeyFile, environment: Mapping[str, str], size: int = KEY_BYTES) -> Iterator[str]:
    """Faults of a key's file."""
    if key.path is None and "CREDENTIALS_DIRECTORY" not in environment:
        return  # a note says so
    try:
        file = key.locate(environment)
        read_key(file, size)
    except KeyFileError as fault:
        yield str(fault)
        return
    mode = stat.S_IMODE(file.stat().st_mode)
    if key.path is not None and mode & _OTHERS:
        yield f"{file}: others may read or change this key (mode {mode:04o}); chmod 600 {file}"

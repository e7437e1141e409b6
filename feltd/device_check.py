"""What one `[[device]]` lacks for a start, and what is worth knowing of it: found without opening it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from feltd.config_devices import DeviceConfig
from feltd.port_check import May, port_fault
from firmware_bridge.serial_port import is_simulated


class AskedMachine(Protocol):
    """What is asked of the machine."""

    @property
    def may(self) -> May: ...
    @property
    def holder_of(self) -> Callable[[Path], str | None]: ...


def device_lacks(device: DeviceConfig, machine: AskedMachine) -> Iterator[tuple[str, str]]:
    """What keeps the device from coming up: the key of the file it concerns, and words."""
    if device.port is not None:
        fault = port_fault(device.port, device.name, machine.may, machine.holder_of)
        if fault is not None:
            yield "port", fault


def device_notes(device: DeviceConfig) -> Iterator[str]:
    """What is no fault."""
    if device.port is not None and is_simulated(str(device.port)):
        yield f"{device.name}: {device.port} is a pseudo-terminal: a simulated device, no hardware"
    if device.usb is not None and device.usb.serial is None:
        yield f"{device.name}: any {device.usb.id()} is taken; its serial number would tell one from another"

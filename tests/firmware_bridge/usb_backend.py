"""USB as pyusb's backends see it, with devices made of queues: plugged in, unplugged, stale, denied, taken.

Written against `usb.backend.IBackend`; it raises what libusb's raises.
"""

import errno
import queue
import threading
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import usb.backend
import usb.core

from firmware_bridge.transport import Receiver

INTERRUPT_IN, BULK_OUT = 0x81, 0x02
PACKET = 64


def failure(number: int, text: str = "") -> Exception:
    error: Exception = usb.core.USBError(text or errno.errorcode[number], -1, number)
    return error


@dataclass(eq=False)
class FakeDevice:
    """One device on the bus. `answers`: the errno that opening it gives, 0 for none."""

    serial: str | None = "R1"
    vendor: int = 0x1209
    product: int = 0xC0DE
    interface_class: int = 0xFF
    endpoints: tuple[tuple[int, int], ...] = ((INTERRUPT_IN, 3), (BULK_OUT, 2))
    answers: int = 0
    kernel_driver: bool = False
    configured: bool = True
    here: bool = True
    takes: bool = True
    opened: int = 0
    claimed: bool = False
    calls: list[str] = field(default_factory=list)
    to_host: "queue.Queue[bytes]" = field(default_factory=queue.Queue)
    from_host: "queue.Queue[bytes]" = field(default_factory=queue.Queue)
    hears: Any = None


class FakeBackend(usb.backend.IBackend):  # type: ignore[misc]  # pyusb has no types
    """The bus."""

    def __init__(self, *devices: FakeDevice) -> None:
        self.devices = list(devices)
        self.lock = threading.Lock()

    def enumerate_devices(self) -> list[FakeDevice]:
        return list(self.devices)

    def get_device_descriptor(self, dev: FakeDevice) -> Any:
        return SimpleNamespace(
            bLength=18, bDescriptorType=1, bcdUSB=0x200, bDeviceClass=0, bDeviceSubClass=0, bDeviceProtocol=0,
            bMaxPacketSize0=64, idVendor=dev.vendor, idProduct=dev.product, bcdDevice=0x100, iManufacturer=0,
            iProduct=0, iSerialNumber=0 if dev.serial is None else 3, bNumConfigurations=1,
            address=1 + self.devices.index(dev), bus=1, port_number=1, port_numbers=(1,), speed=3,
        )  # fmt: skip

    def get_configuration_descriptor(self, dev: FakeDevice, config: int) -> Any:
        if config:
            raise IndexError
        return SimpleNamespace(
            bLength=9, bDescriptorType=2, wTotalLength=32, bNumInterfaces=1, bConfigurationValue=1, iConfiguration=0,
            bmAttributes=0x80, bMaxPower=50, extra_descriptors=[],
        )  # fmt: skip

    def get_interface_descriptor(self, dev: FakeDevice, intf: int, alt: int, config: int) -> Any:
        if intf or alt:
            raise IndexError
        return SimpleNamespace(
            bLength=9, bDescriptorType=4, bInterfaceNumber=0, bAlternateSetting=0, bNumEndpoints=len(dev.endpoints),
            bInterfaceClass=dev.interface_class, bInterfaceSubClass=0, bInterfaceProtocol=0, iInterface=0,
            extra_descriptors=[],
        )  # fmt: skip

    def get_endpoint_descriptor(self, dev: FakeDevice, ep: int, intf: int, alt: int, config: int) -> Any:
        address, kind = dev.endpoints[ep]
        return SimpleNamespace(
            bLength=7, bDescriptorType=5, bEndpointAddress=address, bmAttributes=kind, wMaxPacketSize=PACKET,
            bInterval=4, bRefresh=0, bSynchAddress=0, extra_descriptors=[],
        )  # fmt: skip

    def open_device(self, dev: FakeDevice) -> FakeDevice:
        self._there(dev)
        if dev.answers:
            raise failure(dev.answers)
        dev.opened += 1
        return dev

    def close_device(self, dev: FakeDevice) -> None:
        dev.opened -= 1

    def get_configuration(self, dev: FakeDevice) -> int:
        self._there(dev)
        return 1 if dev.configured else 0

    def set_configuration(self, dev: FakeDevice, value: int) -> None:
        dev.calls.append(f"configure {value}")
        dev.configured = True

    def claim_interface(self, dev: FakeDevice, _intf: int) -> None:
        self._there(dev)
        if dev.claimed or dev.kernel_driver:
            raise failure(errno.EBUSY)
        dev.claimed = True

    def release_interface(self, dev: FakeDevice, _intf: int) -> None:
        self._there(dev)
        dev.claimed = False

    def is_kernel_driver_active(self, dev: FakeDevice, _intf: int) -> bool:
        return dev.kernel_driver

    def detach_kernel_driver(self, dev: FakeDevice, _intf: int) -> None:
        dev.calls.append("detach")
        dev.kernel_driver = False

    def attach_kernel_driver(self, dev: FakeDevice, _intf: int) -> None:
        self._there(dev)
        dev.calls.append("attach")
        dev.kernel_driver = True

    def ctrl_transfer(
        self, dev: FakeDevice, _kind: int, _request: int, value: int, _index: int, data: Any, _timeout: int
    ) -> int:
        self._there(dev)
        text = "\u0409" if value & 0xFF == 0 else str(dev.serial)
        raw = text.encode("utf-16-le")
        answer = bytes((len(raw) + 2, 3)) + raw
        data[: len(answer)] = type(data)("B", answer)
        return len(answer)

    def intr_read(self, dev: FakeDevice, ep: int, _intf: int, buff: Any, timeout: int) -> int:
        assert ep == INTERRUPT_IN
        assert dev.claimed
        self._there(dev)
        try:
            packet = dev.to_host.get(timeout=timeout / 1000)
        except queue.Empty:
            self._there(dev)
            raise usb.core.USBTimeoutError("Operation timed out", -7, errno.ETIMEDOUT) from None
        self._there(dev)
        assert len(packet) <= len(buff)
        buff[: len(packet)] = type(buff)("B", packet)
        return len(packet)

    def bulk_write(self, dev: FakeDevice, ep: int, _intf: int, data: Any, timeout: int) -> int:
        assert ep == BULK_OUT
        self._there(dev)
        if not dev.takes:
            threading.Event().wait(timeout / 1000)
            raise usb.core.USBTimeoutError("Operation timed out", -7, errno.ETIMEDOUT)
        part = bytes(data)[: 8 * PACKET]
        if dev.hears is not None:
            dev.hears(part)
        return len(part)

    def unplug(self, dev: FakeDevice, *, stale: bool = False) -> None:
        """`stale`: it stays in the list for now, as libusb's may."""
        dev.here = False
        dev.to_host.put(b"")
        if not stale:
            self.devices.remove(dev)

    def _there(self, dev: FakeDevice) -> None:
        if not dev.here:
            raise failure(errno.ENODEV, "No such device (it may have been disconnected)")


class DeviceEnd:
    """The device's side of a fake device, as a transport for a `DevicePeer`. Made within the loop."""

    congested = False

    def __init__(self, device: FakeDevice, loop: Any) -> None:
        self.name = "device end"
        self._device = device
        self._loop = loop
        self._receiver: Receiver | None = None
        device.hears = self._heard

    def start(self, receiver: Receiver) -> None:
        self._receiver = receiver

    def write(self, data: bytes) -> None:
        for start in range(0, len(data), PACKET):
            self._device.to_host.put(data[start : start + PACKET])

    def close(self) -> None:
        self._receiver = None

    def _heard(self, data: bytes) -> None:
        self._loop.call_soon_threadsafe(self._received, data)

    def _received(self, data: bytes) -> None:
        if self._receiver is not None:
            self._receiver.received(data)

"""Open a USB reader.

Blocking. (PROTOCOL.md, section 1: the interface and its two endpoints.) Each attempt looks for the device anew: after a
replug the list that libusb keeps may still have the old device, which then cannot be opened and is skipped. A kernel
driver that has the interface is detached, and gets it back at the end.
"""

import errno
import logging
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

import usb.core
import usb.util

from firmware_bridge.errors import FaultCode, TransportError
from firmware_bridge.usb_id import UsbId

VENDOR_CLASS: Final = 0xFF
_GONE: Final = (errno.ENODEV, errno.ENOENT, errno.EIO, errno.EPIPE)
_BUSY_FOR: Final = 1.0  # seconds: the previous user may have to finish a read first
_BUSY_EVERY: Final = 0.05

# pyusb logs each device that is gone; here the fault names it.
logging.getLogger("usb").setLevel(logging.CRITICAL)


class UsbPort:
    """One claimed interface of an open device.

    Reads and writes block; each may have a thread of its own.
    """

    def __init__(self, device: Any, interface: int, reads: Any, writes: Any, *, driver_detached: bool) -> None:
        self._device = device
        self._interface = interface
        self._reads = reads
        self._writes = writes
        self._driver_detached = driver_detached

    def read(self, timeout: float) -> bytes:
        """The next packet; empty if none came within `timeout` seconds.

        Raises OSError if the device is gone.
        """
        try:
            # One packet a read: a longer one would wait for more after a packet that is full.
            return bytes(self._reads.read(self._reads.wMaxPacketSize, timeout=round(timeout * 1000)))
        except usb.core.USBTimeoutError:
            return b""

    def write(self, data: bytes, timeout: float) -> int:
        """The number of bytes that the device took within `timeout` seconds.

        Raises OSError if it is gone.
        """
        try:
            return int(self._writes.write(data, timeout=round(timeout * 1000)))
        except usb.core.USBTimeoutError:
            return 0

    def close(self) -> None:
        """Release the interface; its kernel driver, if it had one, gets it back.

        No read or write may run.
        """
        with suppress(usb.core.USBError):
            usb.util.release_interface(self._device, self._interface)
        if self._driver_detached:
            with suppress(usb.core.USBError, NotImplementedError):
                self._device.attach_kernel_driver(self._interface)
        with suppress(usb.core.USBError):
            usb.util.dispose_resources(self._device)


def open_usb_port(wanted: UsbId, backend: Any = None) -> UsbPort:
    """Find the device and claim its interface. `backend`: of pyusb; None takes libusb 1.0.

    Raises TransportError with code PORT_MISSING, PORT_DENIED, PORT_BUSY or PORT_FAILED.
    """
    try:
        devices = list(_matching(wanted, backend))
    except usb.core.NoBackendError:
        text = f"{wanted}: libusb is not there: install Debian's package libusb-1.0-0"
        raise TransportError(FaultCode.PORT_FAILED, text) from None
    except usb.core.USBError as error:
        raise _named(wanted, error) from error
    if not devices:
        raise TransportError(FaultCode.PORT_MISSING, f"{wanted}: there is no such device: is it plugged in?")
    if len(devices) > 1:
        for device in devices:
            usb.util.dispose_resources(device)
        text = f"{wanted}: there are {len(devices)} of them: unplug all but one, or give its serial number"
        raise TransportError(FaultCode.PORT_FAILED, text)
    [device] = devices
    try:
        return _claimed(wanted, device)
    except usb.core.USBError as error:
        usb.util.dispose_resources(device)
        raise _named(wanted, error) from error
    except BaseException:
        usb.util.dispose_resources(device)
        raise


def _matching(wanted: UsbId, backend: Any) -> Iterator[Any]:
    """The devices that match and can be opened. Raises USBError for one without permission."""
    for device in usb.core.find(find_all=True, backend=backend, idVendor=wanted.vendor, idProduct=wanted.product):
        try:
            _configure(device)
            serial = _serial(device)
        except usb.core.USBError as error:
            usb.util.dispose_resources(device)
            if error.errno in _GONE:  # unplugged a moment ago
                continue
            raise
        if wanted.takes(UsbId(device.idVendor, device.idProduct, serial)):
            yield device
        else:
            usb.util.dispose_resources(device)


def _configure(device: Any) -> None:
    """Read the device's configuration. Setting it would reset the device and detach its drivers."""
    try:
        device.get_active_configuration()
    except usb.core.USBError as error:
        if error.errno is not None:
            raise
        device.set_configuration()  # pyusb: "Configuration not set", with no number


def _serial(device: Any) -> str | None:
    try:
        serial = usb.util.get_string(device, device.iSerialNumber)
    except ValueError:  # it has no strings at all
        return None
    return None if serial is None else str(serial)


def _claimed(wanted: UsbId, device: Any) -> UsbPort:
    interface, reads, writes = _interface(wanted, device)
    until = time.monotonic() + _BUSY_FOR
    while True:
        detached = _detach(device, interface)
        try:
            usb.util.claim_interface(device, interface)
            return UsbPort(device, interface, reads, writes, driver_detached=detached)
        except usb.core.USBError as error:
            if detached:
                with suppress(usb.core.USBError, NotImplementedError):
                    device.attach_kernel_driver(interface)
            if error.errno != errno.EBUSY or time.monotonic() >= until:
                raise
        time.sleep(_BUSY_EVERY)


def _interface(wanted: UsbId, device: Any) -> tuple[int, Any, Any]:
    """The interface's number and its two endpoints."""
    for interface in device.get_active_configuration():
        if interface.bInterfaceClass != VENDOR_CLASS:
            continue
        reads = _endpoint(interface, usb.util.ENDPOINT_IN, usb.util.ENDPOINT_TYPE_INTR)
        writes = _endpoint(interface, usb.util.ENDPOINT_OUT, usb.util.ENDPOINT_TYPE_BULK)
        if reads is not None and writes is not None:
            return int(interface.bInterfaceNumber), reads, writes
    text = (
        f"{wanted}: it has no interface of vendor class with an interrupt endpoint in and a bulk endpoint out: it is "
        "another kind of device, or its firmware is not made for feltd"
    )
    raise TransportError(FaultCode.PORT_FAILED, text)


def _endpoint(interface: Any, direction: int, kind: int) -> Any:
    for endpoint in interface:
        address, attributes = endpoint.bEndpointAddress, endpoint.bmAttributes
        if usb.util.endpoint_direction(address) == direction and usb.util.endpoint_type(attributes) == kind:
            return endpoint
    return None


def _detach(device: Any, interface: int) -> bool:
    """Take the interface from its kernel driver. Returns whether it had one."""
    try:
        if not device.is_kernel_driver_active(interface):
            return False
        device.detach_kernel_driver(interface)
    except NotImplementedError:  # a system without such drivers
        return False
    return True


def _named(wanted: UsbId, error: Any) -> TransportError:
    """Why a device does not open, with the remedy."""
    if error.errno in (errno.EACCES, errno.EPERM):
        text = f"{wanted}: permission denied: udev opens what the file names when the table starts: start it again"
        return TransportError(FaultCode.PORT_DENIED, text)
    if error.errno == errno.EBUSY:
        return TransportError(FaultCode.PORT_BUSY, f"{wanted}: another program has it open: stop that one")
    if error.errno in _GONE:
        return TransportError(
            FaultCode.PORT_MISSING, f"{wanted}: it went away as it was opened: is it plugged in well?"
        )
    return TransportError(FaultCode.PORT_FAILED, f"{wanted}: cannot be used ({error.strerror}): plug it in again")

"""What the adapters of badge readers share: the reader's files, and each card reported once.

A badge's number identifies a member of staff: it goes to the badge driver only, and never into a text for people.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from devices.adapters.interface import AdapterFault, Place
from devices.limits import NAME, UNREADABLE
from devices.udev import Udev
from firmware_bridge.errors import FaultCode
from firmware_bridge.usb_id import UsbId


def reader_files(place: Place, subsystem: str) -> tuple[Sequence[Path], str]:
    """The reader's device files of one subsystem, and its USB serial number.

    Raises AdapterFault if there is none.
    """
    wanted = UsbId(0, 0) if place.usb is None else place.usb
    try:
        udev = Udev()
        files = udev.nodes(subsystem, wanted)
        serials = [plugged.id.serial for plugged in udev.usb_devices() if wanted.takes(plugged.id)]
    except (OSError, ImportError):
        raise AdapterFault(f"{place.name}: the system does not say what is plugged in: install libudev1") from None
    if not files:
        raise AdapterFault(f"{place.name}: there is no {wanted}: is it plugged in?", FaultCode.PORT_MISSING)
    if len(serials) > 1:
        text = f"{place.name}: there are {len(serials)} of {wanted}: unplug all but one, or give its serial number"
        raise AdapterFault(text, FaultCode.PORT_FAILED)
    return files, (serials[0] or "")[:32] if serials else ""


def refused(place: Place, file: Path, error: OSError) -> AdapterFault:
    """The fault for a reader's file that does not open, with the remedy."""
    if isinstance(error, PermissionError):
        text = f"{place.name}: {file}: permission denied: udev opens what the file names: restart the table"
        return AdapterFault(text, FaultCode.PORT_DENIED)
    if isinstance(error, FileNotFoundError):
        return AdapterFault(f"{place.name}: {file} went away: is it plugged in well?", FaultCode.PORT_MISSING)
    return AdapterFault(f"{place.name}: {file} cannot be opened ({error.strerror}): plug it in again")


def unplugged(place: Place) -> AdapterFault:
    """The fault for a reader that disappears while it is read."""
    return AdapterFault(f"{place.name}: the reader is gone: is it unplugged?", FaultCode.UNPLUGGED)


def number_as_name(number: bytes, form: str) -> str:
    """A card's number as a name.

    `form`: `hex`, `decimal`, or `text` for digits and letters as read.
    """
    if form == "text":
        return number.rstrip(b"\0 \r\n").decode("ascii", "replace")
    return str(int.from_bytes(number, "big")) if form == "decimal" else number.hex().upper()


class OncePerCard:
    """Reports a held card once, until it has been away for a number of seconds."""

    def __init__(self, again_after: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._again_after = again_after
        self._clock = clock
        self._last: tuple[str, float] | None = None

    def name_of(self, number: str) -> str | None:
        """The name to report now; None while the same card is still held.

        UNREADABLE for a number that cannot be a name.
        """
        now = self._clock()
        before, self._last = self._last, (number, now)
        if before is not None and before[0] == number and now - before[1] < self._again_after:
            return None
        return number if NAME.fullmatch(number) else UNREADABLE

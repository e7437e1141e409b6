"""The status that every device sends each second: facts for technicians only."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from devices.drivers.fields import Fields

_UPTIME_MAX = 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceStatus:
    """A device's report of itself; None for a value that it does not report.

    `uptime`: seconds by the device's own clock.
    """

    uptime: float | None = None
    millivolts: int | None = None
    decidegrees: int | None = None  # tenths of a degree Celsius
    free_bytes: int | None = None
    waiting_events: int | None = None
    note: str | None = None


def read_status(device: str, status: Mapping[str, Any]) -> DeviceStatus:
    """Check and clean a status message. Raises DeviceMessageError."""
    read = Fields(device, "status", status)
    uptime = read.optional("up_ms", lambda key: read.integer(key, 0, _UPTIME_MAX))
    cleaned = DeviceStatus(
        uptime=None if uptime is None else uptime / 1000,
        millivolts=read.optional("mv", lambda key: read.integer(key, 0, 100_000)),
        decidegrees=read.optional("temp", lambda key: read.integer(key, -1000, 2000)),
        free_bytes=read.optional("free", lambda key: read.integer(key, 0, 2**40)),
        waiting_events=read.optional("waiting", lambda key: read.integer(key, 0, 2**32)),
        note=read.optional("note", read.reason),
    )
    read.done()
    return cleaned

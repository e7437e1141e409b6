"""The status that every device sends each second: facts for technicians, and which zones a reader does not read."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from devices.drivers.fields import Fields
from devices.limits import MARK_SIZE
from table_fsm.felt import ZONE_TROUBLES

_UPTIME_MAX = 2**53
_COUNT_MAX: Final = 2**16 - 1


@dataclass(frozen=True, slots=True)
class ZoneReading:
    """How well a reader reads a zone.

    `whole`: of a hundred scans, how many read all that lay there. `torn`: answers that were torn, of a hundred scans.
    `milliseconds`: the last scan. All three None where the reader does not know. `trouble`: why the zone is not read
    whole (`ZONE_TROUBLES`); None: it is. `mark`: of the sticker on its antenna (`sticker_mark`); None: it names none.
    """

    whole: int | None
    torn: int | None
    milliseconds: int | None
    trouble: str | None
    mark: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceStatus:
    """A device's report of itself; None for a value that it does not report.

    `uptime`: seconds by the device's own clock. `keypad`: of a badge reader, whether a PIN can be keyed at it.
    """

    uptime: float | None = None
    millivolts: int | None = None
    decidegrees: int | None = None  # tenths of a degree Celsius
    free_bytes: int | None = None
    waiting_events: int | None = None
    note: str | None = None
    zones: Mapping[str, ZoneReading] = field(default_factory=dict)
    keypad: bool | None = None


def read_status(
    device: str, status: Mapping[str, Any], zones: Collection[str] = (), *, of_badges: bool = False
) -> DeviceStatus:
    """Check and clean a status message. `zones`: those of a reader of cards; `of_badges`: of a badge reader.

    Raises DeviceMessageError.
    """
    read = Fields(device, "status", status)
    uptime = read.optional("up_ms", lambda key: read.integer(key, 0, _UPTIME_MAX))
    cleaned = DeviceStatus(
        uptime=None if uptime is None else uptime / 1000,
        millivolts=read.optional("mv", lambda key: read.integer(key, 0, 100_000)),
        decidegrees=read.optional("temp", lambda key: read.integer(key, -1000, 2000)),
        free_bytes=read.optional("free", lambda key: read.integer(key, 0, 2**40)),
        waiting_events=read.optional("waiting", lambda key: read.integer(key, 0, 2**32)),
        note=read.optional("note", read.reason),
        zones=(read.optional("zones", lambda _: _zones(device, read, zones)) if zones else None) or {},
        keypad=read.optional("keypad", read.yes_no) if of_badges else None,
    )
    read.done()
    return cleaned


def _zones(device: str, read: Fields, zones: Collection[str]) -> dict[str, ZoneReading]:
    told = read.map_at("zones")
    found = {}
    for name in told:
        zone = Fields(device, "status", {"zone": name}).zone("zone", zones)
        entry = told[name]
        if not isinstance(entry, list | tuple) or len(entry) not in (len(_PARTS) - 1, len(_PARTS)):
            raise read.fault(zone, f"it must be an array of {', '.join(_PARTS[:-1])}, and {_PARTS[-1]} if it has one")
        found[zone] = _reading(Fields(device, "status", dict(zip(_PARTS, entry, strict=False))))
    return found


_PARTS: Final = ("whole", "torn", "milliseconds", "trouble", "mark")


def _reading(of: Fields) -> ZoneReading:
    return ZoneReading(
        of.optional("whole", lambda key: of.integer(key, 0, 100)),
        of.optional("torn", lambda key: of.integer(key, 0, _COUNT_MAX)),
        of.optional("milliseconds", lambda key: of.integer(key, 0, _COUNT_MAX)),
        of.optional("trouble", lambda key: of.choice(key, ZONE_TROUBLES)),
        of.optional("mark", lambda key: of.octets(key, MARK_SIZE)),
    )

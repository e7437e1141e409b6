"""The table's time zone, in which every time is told to people: the one in its file, else the controller's own."""

import os
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cache
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from feltd.text.language import Language, spoken

UNNAMED: Final = "UTC"
"""The zone where the controller has none by name."""
_LOCALTIME: Final = Path("/etc/localtime")
_FOLDER: Final = "zoneinfo/"


@dataclass(slots=True)
class _Chosen:
    """What the table's file says. One for a process: it tells the times of one table."""

    zone: str | None = None
    twelve_hours: bool = False


_chosen: Final = _Chosen()


def choose(zone: str | None, *, twelve_hours: bool) -> None:
    """Tell times in this zone from now on, None: in the controller's own; and by a clock of 12 or of 24 hours."""
    _chosen.zone, _chosen.twelve_hours = zone, twelve_hours


def known_zone(name: str) -> str:
    """The name, where it is that of a zone that the machine knows. Raises ValueError with the remedy."""
    if _zone(name) is None:
        raise ValueError(f'"{name}" is no time zone that this machine knows; "timedatectl list-timezones" lists them')
    return name


def zone_name() -> str:
    """Return the name of the table's zone, such as `Australia/Melbourne`."""
    return _chosen.zone or own_zone_name()


def hours() -> int:
    """Return of how many hours the table's clock is, 12 or 24."""
    return 12 if _chosen.twelve_hours else 24


def written_time() -> str:
    """Return a time as a person may write it, for an example, in the language that is spoken."""
    date = "28.11.2026" if spoken() is Language.GERMAN else "2026-11-28"
    return f"{date} 02:05 pm" if _chosen.twelve_hours else f"{date} 14:05"


@cache
def own_zone_name() -> str:
    """Return the name of the controller's zone.

    It is that of the variable TZ, else of /etc/localtime; `UTC` where neither names a known zone. It is looked up once:
    a process that runs keeps its zone.
    """
    link = os.path.realpath(_LOCALTIME)
    for name in (os.environ.get("TZ", "").removeprefix(":"), link.rpartition(_FOLDER)[2] if _FOLDER in link else ""):
        if name and _zone(name) is not None:
            return name
    return UNNAMED


def _zone(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, no name of a zone, a folder of zones
        return None


def at_the_table(wall: float) -> datetime:
    """Return wall seconds as date and time in the table's zone."""
    return datetime.fromtimestamp(wall, _zone(zone_name()) or UTC)


def moment(wall: float | None) -> str:
    """Return wall seconds as date, time and offset; a dash where there is none.

    The date is ISO's, in German the day comes first.

    >>> moment(None), len(moment(1800000000.0)), moment(1800000000.0)[:4]
    ('–', 26, '2027')
    """
    if wall is None:
        return "–"
    there = at_the_table(wall)
    offset = there.isoformat(" ", "seconds")[len("2026-11-23 14:03:22") :]
    date = there.strftime("%d.%m.%Y" if spoken() is Language.GERMAN else "%Y-%m-%d")
    return f"{date} {clock(wall)} {offset}"


def clock(wall: float) -> str:
    """Return wall seconds as the time of day in the table's zone, without its offset."""
    there = at_the_table(wall)
    if not _chosen.twelve_hours:
        return there.strftime("%H:%M:%S")
    return f"{there.hour % 12 or 12:02d}:{there:%M:%S} {'am' if there.hour < 12 else 'pm'}"

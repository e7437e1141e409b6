"""The table's time zone, in which every time is told to people: the controller's own."""

import os
from datetime import UTC, datetime, tzinfo
from functools import cache
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

UNNAMED: Final = "UTC"
"""The zone where the controller has none by name."""
_LOCALTIME: Final = Path("/etc/localtime")
_FOLDER: Final = "zoneinfo/"
_WHERE_OFFSET: Final = len("2026-11-23 14:03:22")


@cache
def zone_name() -> str:
    """Return the name of the controller's zone, such as `Australia/Melbourne`.

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
    """Return wall seconds as ISO date, time and offset; a dash where there is none.

    >>> moment(None), len(moment(1800000000.0)), moment(1800000000.0)[:4]
    ('–', 26, '2027')
    """
    if wall is None:
        return "–"
    told = at_the_table(wall).isoformat(" ", "seconds")
    return f"{told[:_WHERE_OFFSET]} {told[_WHERE_OFFSET:]}"


def clock(wall: float) -> str:
    """Return wall seconds as the time of day in the table's zone, without its offset."""
    return at_the_table(wall).strftime("%H:%M:%S")

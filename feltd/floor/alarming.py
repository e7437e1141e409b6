"""Alarms of custody: kept in the database, and told in the log once a day for as long as they go on."""

import logging
import time
from functools import lru_cache
from typing import Final

from feltd.floor.engine import Alarm, Engine

_DAY: Final = 86_400
_KNOWN_MOST: Final = 4096
_log = logging.getLogger("feltd.floor")


async def tell(engine: Engine, alarm: Alarm) -> None:
    """Keep an alarm and say it in the log. Raises FloorAwayError."""
    say(alarm)
    await engine.raise_alarm(alarm)


def say(alarm: Alarm) -> None:
    """Say an alarm in the log, where it was not said today."""
    _say(int(time.time()) // _DAY, alarm.table, alarm.journal, alarm.kind.value, alarm.text)


@lru_cache(_KNOWN_MOST)
def _say(day: int, table: str, journal: bytes, kind: str, text: str) -> None:
    _log.warning("table %s, journal %s: ALARM %s: %s", table, journal.hex(), kind, text)

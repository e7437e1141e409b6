"""Numbers that receivers outside know things by, after a database was put back or a standby took over: they jump.

What was numbered since the backup is not in it. Without a jump other things would get the same numbers, and whoever
keeps what they have seen by its number would take them for seen.
"""

from typing import Any, Final

from feltd.floor.facts import EPOCH

ALARMS: Final = 1_000_000
"""Of custody's alarms themselves: people type their numbers."""
_COUNTED: Final = (("floor.fact", EPOCH), ("floor.alarm_news", EPOCH), ("floor.alarm", ALARMS))


async def begin_epoch(connection: Any) -> None:
    """Have the next number of everything that is told outside begin an epoch. `connection`: of the database's owner."""
    for table, step in _COUNTED:
        last = await connection.fetchval(
            "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, 'number')::regclass), 0)", table
        )
        following = (last // step + 1) * step + 1
        await connection.execute(
            "SELECT setval(pg_get_serial_sequence($1, 'number')::regclass, $2, false)", table, following
        )

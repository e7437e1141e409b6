"""Numbers that receivers outside know things by, after a database was put back or a standby took over: they jump.

What was numbered since the backup is not in it. Without a jump other things would get the same numbers, and whoever
keeps what they have seen by its number would take them for seen. Where to, the time says: one backup that is put back
twice knows nothing of the first time, and a step from its own last number would give the same numbers twice.
"""

from typing import Any, Final

from feltd.door.wishing import COUNTED_FROM
from feltd.floor.standing import NEWS_FROM

FACTS_A_SECOND: Final = 1_000
"""Numbers for each second since 2026: more than a floor tells over a day. They reach `NEWS_FROM` in 2057."""
ALARMS_A_SECOND: Final = 10
"""Of custody's alarms themselves: people type their numbers."""
STEP: Final = 1_000_000_000
"""How far numbers jump where they are ahead of the time: the server's clock is wrong, or was when they were given."""
_COUNTED: Final = (
    ("floor.fact", 0, FACTS_A_SECOND),
    ("floor.alarm_news", NEWS_FROM, FACTS_A_SECOND),
    ("floor.alarm", 0, ALARMS_A_SECOND),
)


async def begin_epoch(connection: Any) -> None:
    """Have the next number of everything that is told outside be a new one. `connection`: of the database's owner."""
    for table, begins, a_second in _COUNTED:
        last = await connection.fetchval(
            "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, 'number')::regclass), 0)", table
        )
        timed = await connection.fetchval(
            "SELECT floor($1 * (extract(epoch FROM clock_timestamp()) - $2::double precision))::bigint",
            a_second,
            COUNTED_FROM,
        )
        await connection.execute(
            "SELECT setval(pg_get_serial_sequence($1, 'number')::regclass, $2, false)",
            table,
            following(last, begins + timed),
        )


def following(last: int, timed: int) -> int:
    """The number behind a jump. `last`: that was given, as the database knows. `timed`: of this moment."""
    return timed + 1 if timed > last else (last // STEP + 1) * STEP + 1

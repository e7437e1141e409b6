"""Players who have never taken their seats, reported at the end of a level (The Star 7.12)."""

from table_fsm.core import alarms
from table_fsm.core.core import Core
from table_fsm.felt import AlarmKind


def round_over(core: Core) -> None:
    """Note the players present at the end of a round as having taken their seats."""
    for record in core.standing.seats.values():
        record.came = record.came or record.away_since is None


def level_over(core: Core, before: int, now: int) -> None:
    """Alarm for entrants who were never here, if the level that is over was their last chance.

    The level of the next deal has changed from `before` to `now`.
    """
    last = core.book.tournament.absent_told_after_level
    if last is None or not before <= last < now:
        return
    for seat, record in core.standing.seats.items():
        if record.away_since is not None and not record.came and record.penalty is None:
            alarms.raise_alarm(core, AlarmKind.ENTRANT_ABSENT, seat=seat)

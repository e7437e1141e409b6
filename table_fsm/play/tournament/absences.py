"""Players who have never taken their seats: told to the director at the end of a level (The Star 7.12)."""

from table_fsm.core.core import Core
from table_fsm.felt import AlarmKind


def round_over(core: Core) -> None:
    """Who is at the table at the end of a round has taken their seat."""
    for record in core.standing.seats.values():
        record.came = record.came or record.away_since is None


def level_over(core: Core, before: int, now: int) -> None:
    """The level of the next deal has changed from `before`: whether the one is over by whose end they must be there."""
    last = core.book.tournament.absent_told_after_level
    if last is None or not before <= last < now:
        return
    for seat, record in core.standing.seats.items():
        if record.away_since is not None and not record.came and record.penalty is None:
            core.raise_alarm(AlarmKind.ENTRANT_ABSENT, seat=seat)

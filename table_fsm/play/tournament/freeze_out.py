"""Freeze-out (TAS 2018, B 16): nobody joins, no chips are added, and the ante rises.

All functions depend on the option `freeze_out`; without it they change nothing.
"""

from collections.abc import Mapping
from typing import Final

from table_fsm.core import alarms
from table_fsm.core.core import Core
from table_fsm.errors import Refused
from table_fsm.felt import AlarmKind
from table_fsm.rulebook.model import Book

_LEAST_PLAYERS: Final = 2


def on(core: Core) -> bool:
    """Whether the table plays a freeze-out."""
    return core.options.freeze_out is True


def check_open(book: Book, options: Mapping[str, object]) -> None:
    """Raise Refused for a freeze-out without a full deck (16.8)."""
    if options.get("freeze_out") is True and options.get("deck") not in {None, book.deck.size}:
        raise Refused(f"option deck: {options['deck']} cards in a freeze-out; it is played with {book.deck.size}")


def check_joins(core: Core) -> None:
    """Raise Refused for a player who joins once play has commenced (16.3)."""
    if on(core) and core.standing.entrants:
        raise Refused("a freeze-out has begun: nobody joins it")


def bank_counted(core: Core, seat: int, cents: int) -> None:
    """Raise an alarm if chips were added to a bank or taken from it (16.2).

    Two counts with no round between them differ then.
    """
    record = core.standing.seats[seat]
    again = record.stack is not None and record.counted_after == core.standing.round_number
    if on(core) and core.standing.entrants and again and record.stack != cents:
        alarms.raise_alarm(core, AlarmKind.FREEZE_OUT_BANK_CHANGED, seat=seat)


def commence(core: Core) -> None:
    """Fix the players of the freeze-out at the first card of the first round."""
    if on(core) and not core.standing.entrants:
        core.standing.entrants = len(_staying(core))


def raised_by(core: Core) -> int:
    """Cents by which the ante has risen: the first minimum for each player who is out (16.5)."""
    if not on(core) or not core.standing.entrants:
        return 0
    minimum = core.options.table_min
    if minimum is None:
        minimum = core.options.ante
    out = core.standing.entrants - len(_staying(core))
    return out * minimum if isinstance(minimum, int) else 0


def least_players(core: Core) -> int:
    """Least number of players with whom play goes on; a freeze-out is played to the last (16.6)."""
    return _LEAST_PLAYERS if on(core) else core.book.seats.least_players


def left(core: Core, seat: int) -> None:
    """Raise an alarm for a player who leaves with chips still counted before them (16.4)."""
    if on(core) and core.standing.entrants and core.standing.seats[seat].stack:
        alarms.raise_alarm(core, AlarmKind.FREEZE_OUT_LEFT, seat=seat)


def _staying(core: Core) -> list[int]:
    return [number for number, record in core.standing.seats.items() if not record.leaving]

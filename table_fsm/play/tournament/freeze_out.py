"""Freeze-out (TAS 2018, B 16): a game that nobody joins, to which nothing is added, and whose ante rises.

Everything here asks the option `freeze_out`: in a book without it, and without it set, nothing is different.
"""

from collections.abc import Mapping
from typing import Final

from table_fsm.core.core import Core
from table_fsm.errors import Refused
from table_fsm.felt import AlarmKind
from table_fsm.rulebook.model import Book

_LEAST_PLAYERS: Final = 2


def on(core: Core) -> bool:
    """Whether the table plays a freeze-out."""
    return core.options.freeze_out is True


def check_open(book: Book, options: Mapping[str, object]) -> None:
    """Always a full deck (16.8). Raises Refused for another."""
    if options.get("freeze_out") is True and options.get("deck") not in {None, book.deck.size}:
        raise Refused(f"option deck: {options['deck']} cards in a freeze-out; it is played with {book.deck.size}")


def check_joins(core: Core) -> None:
    """Nobody joins once play has commenced (16.3). Raises Refused."""
    if on(core) and core.standing.entrants:
        raise Refused("a freeze-out has begun: nobody joins it")


def bank_counted(core: Core, seat: int, cents: int) -> None:
    """Two counts with no round between them differ: chips were added to a bank, or taken from it (16.2)."""
    record = core.standing.seats[seat]
    again = record.stack is not None and record.counted_after == core.standing.round_number
    if on(core) and core.standing.entrants and again and record.stack != cents:
        core.raise_alarm(AlarmKind.FREEZE_OUT_BANK_CHANGED, seat=seat)


def commence(core: Core) -> None:
    """The first card of the first round: those who are seated now are the players."""
    if on(core) and not core.standing.entrants:
        core.standing.entrants = len(_staying(core))


def raised_by(core: Core) -> int:
    """By how much the ante has risen, in cents: the first minimum for each player who is out (16.5)."""
    if not on(core) or not core.standing.entrants:
        return 0
    minimum = core.options.table_min
    if minimum is None:
        minimum = core.options.ante
    out = core.standing.entrants - len(_staying(core))
    return out * minimum if isinstance(minimum, int) else 0


def least_players(core: Core) -> int:
    """How few may go on: a freeze-out is played to the last (16.6)."""
    return _LEAST_PLAYERS if on(core) else core.book.seats.least_players


def left(core: Core, seat: int) -> None:
    """A player leaves: with chips still counted before them the supervisor is told (16.4)."""
    if on(core) and core.standing.entrants and core.standing.seats[seat].stack:
        core.raise_alarm(AlarmKind.FREEZE_OUT_LEFT, seat=seat)


def _staying(core: Core) -> list[int]:
    return [number for number, record in core.standing.seats.items() if not record.leaving]

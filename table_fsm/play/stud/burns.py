"""Stud: cards burnt because the first card of a round was seen too soon, as many as players are left.

TAS 2018, B 17.5 and 17.6. The card that was seen is the first of them; the others come once the betting has ended, and
before a card of the new round. Stud burns nothing else.
"""

from table_fsm.core.core import Core
from table_fsm.felt import SEAT_ZONE
from table_fsm.prompts import types as ask


def owed(core: Core) -> bool:
    """Whether a ruling wants cards burnt before the next cards to the players."""
    return core.round.stud.burns_owed


def due(core: Core) -> int:
    """How many in all: one for each player left in the game."""
    round_ = core.round
    if core.rounds.phase == "dealing" and round_.deals.current is not None:
        return len([seat for seat in round_.deals.current.ring if seat not in round_.deals.current.optional])
    return len(round_.betting.live) if round_.betting is not None else 0


def to_come(core: Core) -> int:
    """How many are still to be burnt."""
    return max(0, due(core) - core.round.board.burns) if owed(core) else 0


def goes_there(core: Core, before: int) -> bool:
    """Whether a boxed card out of the shoe is one that is burnt anyway. `before`: cards at the mouth before it."""
    return owed(core) and not _new_deal_begun(core) and before < to_come(core)


def first_waits(core: Core) -> bool:
    """Whether the card that was seen is not burnt yet: a boxed one that comes to a player is that card."""
    return owed(core) and not core.round.board.burns and not _new_deal_begun(core)


def _new_deal_begun(core: Core) -> bool:
    deal = core.round.deals.current
    return core.rounds.phase == "dealing" and deal is not None and deal.begun


def shown_before(core: Core) -> bool:
    """Whether the burn that has just come may lie face up: it is the card that was seen."""
    return owed(core) and core.round.board.burns == 1


def taken_back(core: Core) -> None:
    """A card that came to a player too soon has been taken back and burnt."""
    core.round.stud.boxed_gone()
    core.round.board.burn()


def prompt(core: Core) -> ask.Remove | ask.Burn | None:
    """What is to be done about the burns before the deal goes on; None where nothing is."""
    stud = core.round.stud
    if not owed(core) or _new_deal_begun(core):
        return None
    if stud.boxed is not None:
        return ask.Remove(stud.boxed[0])
    if stud.early:
        return ask.Remove(SEAT_ZONE[stud.early[-1]])
    left = to_come(core)
    return ask.Burn(left) if left else None

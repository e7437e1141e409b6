"""Burns of stud, because the first card of a round was seen too soon.

TAS 2018, B 17.5 and 17.6. As many cards are burnt as players are left. The card that was seen is the first of them; the
others come once the betting has ended, and before a card of the new round. Stud burns nothing else.
"""

from table_fsm.core.core import Core
from table_fsm.felt import SEAT_ZONE
from table_fsm.prompts import types as ask


def owed(core: Core) -> bool:
    """Whether a ruling orders burns before the next cards to the players."""
    return core.round.stud.burns_owed


def due(core: Core) -> int:
    """Number of burns in all: one for each player left in the game."""
    round_ = core.round
    if core.rounds.phase == "dealing" and round_.deals.current is not None:
        return len([seat for seat in round_.deals.current.ring if seat not in round_.deals.current.optional])
    return len(round_.betting.live) if round_.betting is not None else 0


def to_come(core: Core) -> int:
    """Number of burns that are still to be made."""
    return max(0, due(core) - core.round.board.burns) if owed(core) else 0


def are_made(core: Core) -> bool:
    """Whether a ruling has ordered burns before the deal that is to begin, and all of them lie there."""
    return owed(core) and not _new_deal_begun(core) and not to_come(core)


def goes_there(core: Core, before: int) -> bool:
    """Whether a boxed card from the shoe is burnt anyway.

    `before`: cards at the shoe's mouth before it.
    """
    return owed(core) and not _new_deal_begun(core) and before < to_come(core)


def first_waits(core: Core) -> bool:
    """Whether the card that was seen is still to be burnt.

    A boxed card that comes to a player is that card then.
    """
    if not owed(core) or _new_deal_begun(core):
        return False
    return not core.round.board.burns or (core.round.stud.first_boxed and to_come(core) > 0)


def _new_deal_begun(core: Core) -> bool:
    deal = core.round.deals.current
    return core.rounds.phase == "dealing" and deal is not None and deal.begun


def shown_before(core: Core) -> bool:
    """Whether the burn that has just come may lie face up, as the card that was seen."""
    return owed(core) and core.round.board.burns == 1


def taken_back(core: Core) -> None:
    """Burn a card that came to a player too soon and was taken back."""
    core.round.stud.boxed_gone()
    core.round.stud.first_burnt()
    core.round.board.burn()


def prompt(core: Core) -> ask.Remove | ask.Burn | None:
    """The next step for the burns before the deal goes on; None where none is due."""
    stud = core.round.stud
    if not owed(core) or _new_deal_begun(core):
        return None
    if stud.boxed is not None:
        return ask.Remove(stud.boxed[0])
    if stud.early:
        return ask.Remove(SEAT_ZONE[stud.early[-1]])
    left = to_come(core)
    return ask.Burn(left) if left else None

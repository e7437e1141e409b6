"""Antes: what every player owes before the deal, and how much of it lies in the pot."""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.play.betting import stakes
from table_fsm.play.tournament import freeze_out
from table_fsm.poker.betting.state import Betting


def due(core: Core) -> int | None:
    """The ante of each player in cents: of this round, or between two rounds of the next.

    None in a game without antes, and where nobody has reported the amount.
    """
    if core.round.forced.ante is not None:
        return core.round.forced.ante
    level = stakes.of_deal(core)
    ante = None if level is None or level.big_blind_ante else level.ante
    if ante is None and core.book.betting.ante == "table_minimum":
        ante = core.options.table_min
    return ante + freeze_out.raised_by(core) if isinstance(ante, int) else None


def in_use(core: Core) -> bool:
    """Whether every player of this round pays an ante, as far as it has been reported."""
    if stakes.by_big_blind(core):
        return False
    return bool(core.round.forced.antes) or due(core) is not None or core.book.betting.ante == "table_minimum"


def put(core: Core, betting: Betting) -> None:
    """Put the antes of all players dealt in into the pot: as reported, else as due."""
    if not in_use(core):
        return
    cents = due(core)
    antes = {seat: amount for seat in betting.ring if (amount := _amount(core, seat, cents)) is not None}
    if len(antes) < len(betting.ring):
        betting.pot_known = False  # the side pots can be told apart all the same: everybody's ante is the same
        return
    betting.put_antes(antes, cents)


def _amount(core: Core, seat: int, cents: int | None) -> int | None:
    said, stack = core.round.forced.antes.get(seat), questions.counted_stack(core, seat)
    if said is not None or cents is None or stack is None:
        return said if said is not None else cents
    return min(cents, stack)

"""Antes: what every player lays before the deal, who still owes it, and what lies in the pot of it."""

from table_fsm import freeze_out, starting
from table_fsm.betting import Betting
from table_fsm.core import Core


def due(core: Core) -> int | None:
    """Each player's ante of this round, or between two rounds of the next, in cents.

    None in a game without antes, and where nobody has said how much it is.
    """
    if core.round.ante is not None:
        return core.round.ante
    ante = core.option("ante")
    if ante is None and core.book.betting.ante == "table_minimum":
        ante = core.option("table_min")
    return ante + freeze_out.raised_by(core) if isinstance(ante, int) else None


def in_use(core: Core) -> bool:
    """Whether this round is played on antes, as far as anybody has said."""
    return bool(core.round.antes) or due(core) is not None or core.book.betting.ante == "table_minimum"


def owing(core: Core) -> dict[int, int]:
    """Who has still to ante before the deal, and how much in cents; empty where that is not known.

    A player who is not there owes nothing until they are dealt in.
    """
    cents = due(core)
    if cents is None or core.book.banked == "house":
        return {}
    deal = starting.make_deal(core, 0)
    return {seat: cents for seat in deal.ring if seat not in deal.optional and seat not in core.round.antes}


def put(core: Core, betting: Betting) -> None:
    """The antes of those who have been dealt in lie in the pot: as reported, else as they are due."""
    if not in_use(core):
        return
    said, cents = core.round.antes, due(core)
    antes = {seat: amount for seat in betting.ring if (amount := _amount(said.get(seat), cents)) is not None}
    if len(antes) < len(betting.ring):
        betting.pot_known = False  # the side pots can be told apart all the same: everybody's ante is the same
        return
    betting.put_antes(antes, cents)


def _amount(said: int | None, cents: int | None) -> int | None:
    return said if said is not None else cents

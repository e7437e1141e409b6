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
    antes = {seat: amount for seat in betting.ring if (amount := paid(core, seat, cents)) is not None}
    if len(antes) < len(betting.ring):
        betting.pot_known = False  # the side pots can be told apart all the same: everybody's ante is the same
        return
    betting.put_antes(antes, cents)


def chips_had(core: Core, seat: int) -> int | None:
    """The chips in cents that a player had for blinds and antes: a counted stack, or all in as it was keyed.

    An all-in without its cents adds nothing to what was keyed before. None where nobody knows: the player then has
    enough, or is all in with an unknown amount.
    """
    forced = core.round.forced
    if seat not in forced.all_in:
        return questions.counted_stack(core, seat)
    before = [put_in[seat] for put_in in (forced.posts, forced.antes) if seat in put_in]
    with_all_in = forced.all_in[seat]
    put_in = [*before, 0 if before and with_all_in is None else with_all_in]
    known = [cents for cents in put_in if cents is not None]
    return sum(known) if len(known) == len(put_in) else None


def paid(core: Core, seat: int, cents: int | None) -> int | None:
    """The ante of a seat in cents, of `cents` due: a short one is made full while the player has chips.

    None where nobody knows the amount.
    """
    put_in, had = core.round.forced.antes.get(seat), chips_had(core, seat)
    if cents is None:
        return put_in
    least = cents if had is None else min(cents, had)
    return least if put_in is None else min(max(put_in, least), cents)

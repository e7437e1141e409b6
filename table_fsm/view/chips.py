"""Chips that each player of a player-banked round has put in, for hand histories."""

from dataclasses import dataclass

from table_fsm.core.core import Core
from table_fsm.core.questions import counted_stack
from table_fsm.play.betting import antes


@dataclass(frozen=True, slots=True)
class Chips:
    """Chips of one player in cents; None where an amount is not known.

    `street`: in this betting round, with blinds. `ante`: before the cards, with a big blind's ante for all. `total`: in
    the round. `stack`: what is left, where it was counted just before the round.
    """

    street: int | None
    ante: int | None
    total: int | None
    folded: bool
    all_in: bool
    stack: int | None = None


def chips_by_seat(core: Core) -> dict[int, Chips]:
    """Chips by seat, in the order of the deal.

    Empty before the first betting round, and in a game against the house.
    """
    betting = core.round.betting
    if betting is None:
        return {}
    own = antes.due(core) if antes.in_use(core) else 0
    return {
        seat: Chips(
            player.street,
            core.round.forced.big_blind_antes.get(seat) or (antes.paid(core, seat, own) if own != 0 else 0),
            player.total,
            player.folded,
            player.all_in,
            _left(counted_stack(core, seat), player.total),
        )
        for seat in betting.ring
        if (player := betting.players.get(seat)) is not None
    }


def _left(counted: int | None, put_in: int | None) -> int | None:
    return None if counted is None or put_in is None else max(0, counted - put_in)

"""What is asked of the players in a betting round: whose turn it is, and what they may do."""

from table_fsm.core.core import Core
from table_fsm.play.stud import openers
from table_fsm.poker.betting import acting
from table_fsm.poker.betting.state import Betting
from table_fsm.prompts import types as ask
from table_fsm.prompts.types import Prompt


def prompt(core: Core, betting: Betting) -> Prompt:
    """Whose turn it is in the betting, and what they may do."""
    if betting.opener_unknown and betting.contested:
        return ask.Open(openers.wanted(core))
    went_back = betting.went_back
    return_bet = None if went_back is None else ask.ReturnBet(*went_back)
    seat = betting.to_act()
    if seat is None:
        return ask.Close(return_bet)
    check = acting.may_check(betting, seat) or betting.owes(seat)
    beats = _check_beats(betting) if core.book.betting.last_check != "free" else ()
    return ask.act(seat, _to_add(betting, seat), check, beats, return_bet)


def _to_add(betting: Betting, seat: int) -> int | None:
    """Cents that the seat adds to call: chips that it put in out of turn and that still lie there count."""
    owed, lying = betting.owed(seat), betting.out_of_turn.lying.get(seat, 0)
    return owed if owed is None else max(0, owed - lying)


def _check_beats(betting: Betting) -> tuple[int, ...]:
    """Seats whose open cards the player to act must beat to check too.

    Only in a book that asks for it.
    """
    if not betting.last_street or betting.bet_made:
        return ()
    return tuple(seat for seat in betting.checked if betting.is_live(seat))

"""Actions of a betting round: taken in turn or held, judged where amounts are known.

`Betting` knows what each player owes and keeps the result of an action. Amounts are integer cents, those put in with
the action.
"""

from enum import Enum
from typing import Final

from table_fsm.felt import PlayerAction
from table_fsm.poker.betting.bet_caps import BetCap, highest
from table_fsm.poker.betting.records import EarlyAction
from table_fsm.poker.betting.state import Betting


class Finding(Enum):
    """A finding about an action that is not simply valid."""

    CHECK_FACING_BET = "check_facing_bet"
    RAISE_NOT_REOPENED = "raise_not_reopened"
    RAISE_WHILE_RESTRICTED = "raise_while_restricted"
    RAISE_LIMIT = "raise_limit"
    BETWEEN = "bet_between"
    HALF_RAISE = "half_raise"
    """More than a call, and half a raise or more."""
    CALL_ABOVE = "call_above"
    """A call, with chips above it and fewer than a raise."""
    SHORT = "bet_short"
    CHECK_IN_FIRST_ROUND = "check_in_first_round"
    CHECK_IN_FINAL_ROUND = "check_in_final_round"
    OVER_LIMIT = "bet_over_limit"
    BELOW_LEAST = "bet_below_least"


AGGRESSIVE: Final = frozenset({PlayerAction.BET, PlayerAction.RAISE})
PUTS_CHIPS: Final = AGGRESSIVE | {PlayerAction.CALL, PlayerAction.ALL_IN}
_STAYS: Final = frozenset({PlayerAction.CALL, PlayerAction.ALL_IN})
_NOT_DONE: Final = frozenset(
    {
        Finding.CHECK_FACING_BET,
        Finding.CHECK_IN_FIRST_ROUND,
        Finding.CHECK_IN_FINAL_ROUND,
        Finding.SHORT,
        Finding.BELOW_LEAST,
    }
)
"""Findings after which the action is not taken yet: the player is still to act."""


def act(betting: Betting, seat: int, action: str, cents: int | None) -> list[Finding]:
    """Take an action of a live seat while betting is open; return the findings.

    Folds go through `fold`.
    """
    betting.note_key()
    if betting.opener_unknown:
        betting.first_to_act(seat)
    turn = betting.to_act()
    waiting = betting.out_of_turn
    if seat != waiting.restricted and let_restricted_stand(betting):
        turn = betting.to_act()
    betting.begin()
    if seat in waiting.skipped:
        return _backed_up(betting, seat, action, cents)
    if turn is not None and seat != turn and seat != betting.next_in_turn():
        waiting.drop(seat)
        before, saw = betting.between(turn, seat), tuple(waiting.held)
        paid = tuple(betting.players[each].street for each in before)
        waiting.hold(seat, EarlyAction(action, cents, betting.level, before=before, paid=paid, saw=saw))
        return []
    return _in_turn(betting, seat, action, cents)


def _backed_up(betting: Betting, seat: int, action: str, cents: int | None) -> list[Finding]:
    """Take the action of a skipped player.

    The other players go on where they were, unless this is a raise.
    """
    position, before = betting.position, (betting.bet_made, betting.raises)
    findings = _in_turn(betting, seat, action, cents)
    if seat in betting.settled:
        betting.out_of_turn.has_acted(seat)
    if (betting.bet_made, betting.raises) == before:
        betting.turn_back_to(position)
    return findings


def stand(betting: Betting, seat: int, action: str, cents: int | None) -> list[Finding]:
    """Let an action out of turn stand as if in turn; return the findings.

    For players who acted after it, out of turn too, the bet has not changed.
    """
    waiting = betting.out_of_turn
    waiting.take_chips(seat)
    answers = [early for early in waiting.held.values() if seat in early.saw and not early.raised_since]
    findings = _in_turn(betting, seat, action, cents)
    for early in answers:
        early.forget_raise()
    return findings


def let_restricted_stand(betting: Betting) -> bool:
    """Count the restricted player as having called, because play went on; return whether it did.

    A player who must add chips to call has not. What lies there above the call goes back.
    """
    waiting = betting.out_of_turn
    seat = waiting.restricted
    if seat is None or waiting.restricted_adds:
        return False
    waiting.free(seat)
    waiting.take_chips(seat)
    waiting.has_more(seat)
    betting.actions.note(chips=True)
    betting.match(seat)
    betting.move_past(seat)
    return True


def meets_all_in(betting: Betting, seat: int) -> bool:
    """Whether all chips that the seat has lie there, and are what it owes: it has nothing to add and to take back."""
    waiting = betting.out_of_turn
    return seat in waiting.spent and betting.owed(seat) == waiting.lying.get(seat)


def _in_turn(betting: Betting, seat: int, action: str, cents: int | None) -> list[Finding]:
    findings = _judged(betting, seat, action, cents)
    if not findings or not _NOT_DONE & set(findings):
        betting.actions.note(chips=action in PUTS_CHIPS)
    return findings


def _judged(betting: Betting, seat: int, action: str, cents: int | None) -> list[Finding]:
    waiting = betting.out_of_turn
    lying = waiting.take_chips(seat)
    owing = betting.owed(seat)
    if action == PlayerAction.CHECK and lying and betting.owes(seat) and owing is not None and lying >= owing:
        action = PlayerAction.CALL  # nothing is added: the chips that lie there are the call
    spent = waiting.has_more(seat)
    if (
        spent
        and lying
        and not cents
        and action in _STAYS
        and (action == PlayerAction.ALL_IN or _is_short(lying, owing))
    ):
        action, cents, lying = PlayerAction.ALL_IN, lying, 0  # who has no more stays in with the chips that lie there
    if lying and cents is not None and not (action == PlayerAction.CALL and cents == betting.owed(seat)):
        cents += lying  # chips that lie there from before count with those added now
    betting.forget_short(seat)
    if waiting.restricted == seat:
        waiting.free(seat)
        owed = betting.owed(seat)
        above = action == PlayerAction.ALL_IN and cents is not None and owed is not None and cents > owed
        if action in AGGRESSIVE or above:
            betting.match(seat)
            betting.move_past(seat)
            return [Finding.RAISE_WHILE_RESTRICTED]
        if action == PlayerAction.CALL:  # chips put in out of turn count already: the amount is not judged again
            cents = None
    if action == PlayerAction.CHECK:
        return _check(betting, seat)
    if action == PlayerAction.ALL_IN:
        return _all_in(betting, seat, cents)
    if action == PlayerAction.CALL:
        return _call(betting, seat, cents)
    return _raise(betting, seat, cents)


def _is_short(cents: int, owed: int | None) -> bool:
    return owed is not None and cents < owed


def may_check(betting: Betting, seat: int) -> bool:
    """Whether the seat may check in this betting round, where it owes nothing."""
    if betting.checks_refused:
        return False
    return not betting.checks_limited or bool(betting.raises) or _posted_enough(betting, seat)


def _posted_enough(betting: Betting, seat: int) -> bool:
    """Whether the seat is the last blind, or its blind meets the bet: it has nothing to call."""
    return seat == betting.last_blind or (seat in betting.matched and bool(betting.players[seat].street))


def _check(betting: Betting, seat: int) -> list[Finding]:
    if betting.checks_limited and not betting.raises and not _posted_enough(betting, seat):
        return [Finding.CHECK_IN_FIRST_ROUND]
    if betting.certain and betting.owes(seat):
        return [Finding.CHECK_FACING_BET]
    if betting.checks_refused:
        return [Finding.CHECK_IN_FINAL_ROUND]
    betting.check(seat)
    return []


def _call(betting: Betting, seat: int, cents: int | None) -> list[Finding]:
    owed = betting.owed(seat)
    if cents is None or owed is None:
        betting.match(seat)
        betting.move_past(seat)
        return []
    if cents < owed:
        betting.pay(seat, cents)
        return [Finding.SHORT]
    between = 0 < cents - owed < _step(betting, owed) and owed > 0
    betting.match(seat)
    betting.move_past(seat)
    return [Finding.CALL_ABOVE] if between else []


def _raise(betting: Betting, seat: int, cents: int | None) -> list[Finding]:
    owed = betting.owed(seat)
    if cents is not None and owed is not None and betting.bet_made:
        if cents < owed:
            betting.pay(seat, cents)
            return [Finding.SHORT]
        if cents == owed and owed > 0:
            return _call(betting, seat, cents)
        if cents - owed < _least_raise(betting, owed):
            return _call_or_raise(betting, seat, cents, owed)
    barred = _barred(betting, seat)
    if barred is not None:
        betting.match(seat)
        betting.move_past(seat)
        return [barred]
    if cents is not None and not betting.bet_made and cents < betting.step:
        betting.out_of_turn.lay_chips(seat, cents)
        return [Finding.BELOW_LEAST]
    if betting.cap is not None and (cut := _cut_to_cap(betting, seat, cents, owed, betting.cap)):
        return cut
    most = _most(betting, owed)
    if cents is not None and most is not None and cents > most:
        betting.raise_to(seat, most, owed)
        return [Finding.OVER_LIMIT]
    betting.raise_to(seat, cents, owed)
    return []


def _call_or_raise(betting: Betting, seat: int, cents: int, owed: int) -> list[Finding]:
    """Take more than a call and less than a raise.

    It is a call, or, from half a raise on where the book says so, a raise.
    """
    least = _least_raise(betting, owed)
    half = 2 * (cents - owed) >= least
    if half and betting.terms.half_completes and _barred(betting, seat) is None:
        betting.raise_to(seat, owed + least, owed)
    else:
        betting.match(seat)
        betting.move_past(seat)
    return [Finding.HALF_RAISE if half else Finding.BETWEEN]


def _least_raise(betting: Betting, owed: int) -> int:
    if betting.complete_to is not None and betting.level is not None:
        return betting.complete_to - betting.level
    return _step(betting, owed)


def _step(betting: Betting, owed: int) -> int:
    if not betting.terms.raise_as_call:
        return betting.step
    return max(owed, betting.terms.least.on(last_street=betting.last_street))  # a short all-in may be all that is owed


def _most(betting: Betting, owed: int | None) -> int | None:
    """The most cents that may be put in with a bet or raise; None where no limit is known."""
    totals = [player.total for player in betting.players.values()]
    if betting.terms.limit is None or owed is None or not betting.pot_known or any(total is None for total in totals):
        return None
    if betting.complete_to is not None and betting.level is not None and betting.terms.structured:
        return owed + betting.complete_to - betting.level
    pot = betting.dead + sum(total for total in totals if total is not None)
    return betting.terms.limit(owed, pot, betting.terms.blind, betting.last_street)


def _cut_to_cap(betting: Betting, seat: int, cents: int | None, owed: int | None, cap: BetCap) -> list[Finding]:
    """Cut a bet or raise above the cap down to it; the rest goes back.

    Nothing happens to one within the cap.
    """
    top = highest(cap, betting.level, bet_made=betting.bet_made, least=betting.terms.least_bet)
    if cents is None or owed is None or betting.level is None or top is None:
        if cap is not BetCap.LARGEST and not betting.bet_made:
            return []  # the opening bet, of an unknown amount
    elif betting.level + cents - owed <= top:
        return []
    elif top > betting.level:
        betting.raise_to(seat, top - betting.level + owed, owed)
        return [Finding.OVER_LIMIT]
    betting.match(seat)
    betting.move_past(seat)
    return [Finding.OVER_LIMIT]


def _barred(betting: Betting, seat: int) -> Finding | None:
    if not betting.bet_made:
        return None
    if seat in betting.call_only:
        return Finding.RAISE_NOT_REOPENED
    contesting = [other for other in betting.live if other == seat or not betting.players[other].all_in]
    lifted = (
        betting.terms.cap_lifted_heads_up and len(contesting) <= 2
    )  # who is all in contests no pot that a raise adds to
    if (
        betting.capped
        and betting.terms.raise_cap is not None
        and betting.raises >= betting.terms.raise_cap
        and not lifted
    ):
        return Finding.RAISE_LIMIT
    return None


def _all_in(betting: Betting, seat: int, cents: int | None) -> list[Finding]:
    player = betting.players[seat]
    owed = betting.owed(seat)
    player.go_all_in()
    if cents is None or owed is None:
        betting.all_in_unknown(seat)
        return []
    if betting.cap is not None and cents > owed and (cut := _cut_to_cap(betting, seat, cents, owed, betting.cap)):
        player.keep_chips()  # the excess over the cap goes back
        return cut
    most = _most(betting, owed)
    if most is not None and cents > max(most, owed):
        player.keep_chips()  # the excess over the limit goes back
        return [*_raise(betting, seat, most), Finding.OVER_LIMIT]
    barred = _barred(betting, seat) if cents > owed else None
    if barred is Finding.RAISE_NOT_REOPENED or (barred is not None and cents - owed >= _least_raise(betting, owed)):
        player.keep_chips()  # only the call counts: the rest goes back
        betting.match(seat)
        betting.move_past(seat)
        return [barred]
    if cents <= owed:
        betting.all_in_within(seat, cents)
    elif not betting.bet_made or cents - owed >= _least_raise(betting, owed):
        betting.raise_to(seat, cents, owed)
    else:
        betting.all_in_above(seat, cents, owed)
    return []

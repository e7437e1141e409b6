"""Actions out of turn: held until their turn, or binding after sufficient action.

The functions change in the betting only what an action out of turn changes; they give no rulings.
"""

from table_fsm.felt import PlayerAction
from table_fsm.poker.betting import acting
from table_fsm.poker.betting.acting import PUTS_CHIPS, Finding
from table_fsm.poker.betting.records import EarlyAction
from table_fsm.poker.betting.state import Betting
from table_fsm.poker.betting.tally import ActionTally


def at_turn(betting: Betting) -> tuple[int, EarlyAction] | None:
    """The seat and action of a player who acted out of turn and whose turn it is now.

    None where there is none. The action is no longer held.
    """
    waiting = betting.out_of_turn
    if not waiting.held:
        return None
    turn = betting.to_act()
    if turn is None or turn not in waiting.held:
        return None
    early = waiting.release(turn)
    if early.cents:
        lay = waiting.lay_all_chips if early.action == PlayerAction.ALL_IN else waiting.lay_chips
        lay(turn, early.cents)
    return turn, early


def all_folded(betting: Betting, early: EarlyAction) -> bool:
    """Whether all players who should have acted before it have folded."""
    return bool(early.before) and all(betting.players[seat].folded for seat in early.before)


def outbid(betting: Betting, early: EarlyAction, seat: int, *, any_bet: bool = False) -> bool:
    """Whether players before it have since bet more than the seat did out of turn.

    `any_bet`: whether they have bet at all.
    """
    if any_bet:
        return early.raised_since
    paid = betting.players[seat].street
    if betting.level is None or early.cents is None or paid is None:
        return early.raised_since
    bet = paid + early.cents
    return any(_bets_more(betting, early, *each, bet) for each in zip(early.before, early.paid, strict=True))


def _bets_more(betting: Betting, early: EarlyAction, seat: int, then: int | None, bet: int) -> bool:
    """Whether a player before has since put in chips and has more on the street than `bet`.

    Chips from before the action are no answer to it: else one who called short would get them back when that player
    folds. A short bet is none either, whose player has folded for it.
    """
    player = betting.players[seat]
    now = player.street
    if player.folded and not early.raised_since:
        return False
    if now is None or then is None:
        return early.raised_since
    return now > max(then, bet)


# -- folds, which nothing before them can change


def fold_out_of_turn(betting: Betting, seat: int) -> EarlyAction | None:
    """The record of a fold that is about to be made out of turn.

    None where it comes in turn, or the turn is not known.
    """
    turn = betting.to_act()
    if turn is None or seat in {turn, *betting.out_of_turn.skipped}:
        return None
    return EarlyAction(PlayerAction.FOLD, None, betting.level, before=betting.between(turn, seat))


def fold_at_turn(betting: Betting) -> tuple[int, EarlyAction] | None:
    """The first seat that folded out of turn and that the turn has passed; None for none."""
    waiting = betting.out_of_turn
    if not waiting.held:
        return None
    turn = betting.to_act()
    for seat, early in waiting.held.items():
        if early.action == PlayerAction.FOLD and turn not in early.before:
            return seat, waiting.release(seat)
    return None


def take_folds(betting: Betting) -> list[tuple[int, EarlyAction]]:
    """All folds out of turn that no turn has passed, with their seats; they are forgotten."""
    waiting = betting.out_of_turn
    folded = [seat for seat, early in waiting.held.items() if early.action == PlayerAction.FOLD]
    return [(seat, waiting.release(seat)) for seat in folded]


# -- too much has followed


def sufficient_run(betting: Betting) -> list[int]:
    """Seats that acted out of turn in succession, if that is sufficient action; else empty.

    The Star 7.36: the skipped player has not objected, and substantial action has followed.
    """
    run: list[int] = []
    held = betting.out_of_turn.held
    for seat in reversed(held):
        if run and set(betting.between(seat, run[0])) - {seat}:
            break  # a player between the two was skipped too: the actions are not in turn
        run.insert(0, seat)
    tally = ActionTally()
    for seat in run:
        tally.note(chips=held[seat].action in PUTS_CHIPS)
    return run if tally.sufficient else []


def bind(betting: Betting, run: list[int]) -> list[tuple[int, EarlyAction, list[Finding]]]:
    """Let these actions stand as if in turn, in their order.

    Skipped players are still to act, before anybody else. Returns each seat, its action, and the findings.
    """
    turn, waiting = betting.to_act(), betting.out_of_turn
    if turn is not None:
        waiting.skip(seat for seat in betting.between(turn, run[0]) if seat not in run)
    done: list[tuple[int, EarlyAction, list[Finding]]] = []
    for seat in run:
        early = waiting.release(seat)
        if early.action == PlayerAction.FOLD:
            betting.actions.note(chips=False)
            betting.move_past(seat)
            done.append((seat, early, []))
        else:
            done.append((seat, early, acting.stand(betting, seat, early.action, early.cents)))
    return done

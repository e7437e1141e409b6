"""Hand for hand: the director releases each hand, and the cards after an all-in call.

The Star 7.19, 7.30; Onyx, Hand for Hand 1 and 3. Without a keypad an all-in is not known, and no showdown is held.
"""

from typing import Final

from table_fsm.core.core import Core
from table_fsm.core.round import Matter
from table_fsm.errors import Refused
from table_fsm.events import TournamentGo, TournamentHandForHand
from table_fsm.play.tournament import clock
from table_fsm.poker.cards.places import Placement
from table_fsm.rulebook.irregularities import Irregularity

HELD_HAND = {"held": "hand"}
_HELD_SHOWDOWN = {"held": "showdown"}
_CARDS_HELD: Final = (Matter.CARDS_HELD, None)


def on_hand_for_hand(core: Core, event: TournamentHandForHand) -> None:
    """Begin or end hand for hand.

    A hand in progress goes on; the next one waits.
    """
    clock.needs_tournament(core, event.ev)
    if core.book.tournament.hand_for_hand == "none":
        raise Refused(f"{core.standing.rulebook} plays no hand for hand")
    record = core.standing.tournament
    if event.on == record.hand_for_hand:
        return
    record.released = False
    if event.on:
        clock.hand_for_hand_begins(core)
    else:
        clock.hand_for_hand_ends(core)


def on_go(core: Core, event: TournamentGo) -> None:
    """Take the director's release: of held cards, or where none are held, of the next hand."""
    clock.needs_tournament(core, event.ev)
    record = core.standing.tournament
    if not record.hand_for_hand:
        raise Refused("hand for hand is off: nothing waits for the director")
    if showdown_held(core):
        core.round.tournament.cards_released = True
    else:
        record.released = True
        clock.hand_released(core)


def hand_held(core: Core) -> bool:
    """Whether the next hand waits for the director."""
    record = core.standing.tournament
    return record.hand_for_hand and not record.released


def showdown_held(core: Core) -> bool:
    """Whether hands stay down and no card is dealt: an all-in was called and betting is over.

    At the showdown of a round with an all-in too, even if others could still have bet before (ours).
    """
    round_ = core.round
    if not core.standing.tournament.hand_for_hand or round_.tournament.cards_released or round_.showdown.decided:
        return False
    betting = round_.betting
    if betting is None or core.rounds.phase not in {"betting", "board", "showdown"}:
        return False
    live = betting.live
    if len(live) < 2 or not any(betting.players[seat].all_in for seat in live):
        return False
    if core.rounds.phase == "showdown":
        return True
    if not betting.open:
        return len(betting.able) < 2
    return betting.certain and not betting.contested


def judge(core: Core) -> bool:
    """Rule, once a round, on a card dealt or shown, or a hand tabled, that is held; return whether cards are held."""
    held = showdown_held(core)
    if held and _CARDS_HELD not in core.round.rulings.matters:
        core.find(Irregularity.NOT_RELEASED, _HELD_SHOWDOWN, once=_CARDS_HELD)
    return held


def judge_laid(core: Core, seat: int, placement: Placement, *, up: bool) -> None:
    """Rule on a live player's card that is laid face up while cards are held; one that lay open shows nothing new."""
    betting = core.round.betting
    if up and not placement.open_before and betting is not None and betting.is_live(seat):
        judge(core)


def hand_begins(core: Core) -> None:
    """End the release of the hand, because its first card has come."""
    core.standing.tournament.released = False


def dealt_again(core: Core) -> None:
    """Release the same hand again after a round that does not count."""
    record = core.standing.tournament
    record.released = record.hand_for_hand

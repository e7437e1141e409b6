"""A player's card that is turned or seen: an exposed card, or a hand that is tabled."""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.felt import SEAT_ZONE
from table_fsm.play.board import tabling
from table_fsm.play.deal import exposures as deal_exposures
from table_fsm.play.deal import folded
from table_fsm.play.stud import open_cards, openers
from table_fsm.play.tournament import hand_for_hand
from table_fsm.poker.cards.places import Placement


def card_exposed(core: Core, seat: int, by: str, card: str | None) -> None:
    """Judge a face-down card before a player that was seen."""
    if folded.shown_where_it_lies(core, seat, card, by):
        return
    betting = core.round.betting
    if betting is not None and betting.is_live(seat) and hand_for_hand.judge(core):
        return
    if open_cards.is_it(core, seat, card):
        return  # a card that belongs face up
    if by == "player":
        if not to_be_shown(core, seat):
            deal_exposures.shown_by_player(core, seat)
        return
    if betting is not None and not betting.is_live(seat) and not _is_extra(core, seat):
        folded.seen_elsewhere(core, seat, card)
        return
    if card is not None and card in core.round.tracker.shown(SEAT_ZONE[seat]):
        return  # the card lies face up
    core.stage().hole_seen(seat, card)
    openers.choose(core)


def _is_extra(core: Core, seat: int) -> bool:
    """Whether a card of the deal lies at a seat that is not in it, and can still be put right: it is no hand."""
    deal = core.round.deals.current
    return deal is not None and bool(deal.extra.get(seat)) and questions.deal_open(core)


def card_turned(core: Core, seat: int, card: str | None) -> None:
    """Take a player's card that was turned face up: a hand tabled.

    Nobody tables a hand before the deal is complete, so it is an exposed card then.
    """
    if (not core.round.showdown.decided or core.round.showdown.by_folds) and folded.turned(core, seat, card):
        return
    core.round.folded.note_open(card)
    waits = seat in core.round.stud.to_turn and not to_be_shown(core, seat)
    if open_cards.turned(core, seat, card) if waits else deal_exposures.turned_in_order(core, seat):
        openers.choose(core)
        return
    if waits:
        deal_exposures.card_seen(core, seat, card)  # a hole card in place of the open one
        return
    if core.round.betting is None or _is_extra(core, seat):
        deal_exposures.card_seen(core, seat, card)
        return
    if _shown_too_soon(core, seat):
        deal_exposures.shown_by_player(core, seat)
    elif core.rounds.phase in {"betting", "board"} and core.round.betting.is_live(seat):
        core.round.exposures.note_turned(seat)
    if to_be_shown(core, seat) or not core.round.betting.contested:
        core.round.showdown.tabled.add(seat)
    hand_tabled(core)


def judge_turned(core: Core) -> None:
    """Rule on hands that were turned up before this action: there was betting to come, as it shows only now."""
    for seat in core.round.exposures.take_turned():
        deal_exposures.shown_by_player(core, seat)


def to_be_shown(core: Core, seat: int) -> bool:
    """Whether this live hand is to be shown now.

    It is at the showdown, with the last betting over though nobody closed it, and by some books once an all-in is
    called.
    """
    betting = core.round.betting
    if betting is None or not betting.is_live(seat):
        return False
    if core.rounds.phase == "showdown" or tabling.must_lie_open(core):
        return True
    complete = core.rounds.phase == "betting" and betting.begun and betting.certain
    return betting.last_street and complete and betting.to_act() is None


def _shown_too_soon(core: Core, seat: int) -> bool:
    """Whether a hand is turned up while somebody still has to act, as far as actions are keyed.

    Before the first action of the round a blind or ante that was keyed shows that the table has a keypad.
    """
    betting, forced = core.round.betting, core.round.forced
    if betting is None or not (betting.open and betting.is_live(seat)):
        return False
    keyed = betting.ever_keyed or (core.round.street == 0 and bool(forced.posts or forced.antes))
    return keyed and betting.contested and betting.to_act() is not None


def laid_open(core: Core, seat: int, placement: Placement) -> None:
    """Take a player's card that was taken up and laid open; an open card that is laid straight shows nothing new."""
    if not placement.open_before or to_be_shown(core, seat):
        card_turned(core, seat, placement.card)


def hand_tabled(core: Core) -> None:
    """Take a player's cards that were turned face up."""
    core.flow.end_idle_street()
    core.stage().end_uncontested()
    core.flow.judge_showdown()

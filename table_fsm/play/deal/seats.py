"""Cards that come to the seats of player-banked games and leave them: the deal, corrections, folds."""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.felt import SEAT_OF, SEAT_ZONE
from table_fsm.play.board import corrections, replacement, tabling
from table_fsm.play.button import button
from table_fsm.play.deal import astray, boxed, counts, faults, folded, order, turned
from table_fsm.play.deal import exposures as deal_exposures
from table_fsm.play.stud import burns, last_cards, open_cards
from table_fsm.play.stud import deal as stud_deal
from table_fsm.poker.cards.places import Origin, Placement
from table_fsm.poker.dealing import DealFault
from table_fsm.rulebook.irregularities import Irregularity


def ordered_card_came(core: Core, seat: int, placement: Placement, *, up: bool) -> bool:
    """Enter a card that a ruling has dealt to this player; return whether it is that card.

    The first burn card replaces an exposed one after the betting too, when it is burnt then.
    """
    round_ = core.round
    if replacement.is_due(core, seat) and not questions.deal_open(core):
        replacement.came(core)
        if up:
            deal_exposures.card_lies_open(core, seat, placement)
        return True
    if seat in stud_deal.owed_before(core):
        round_.deals.owed_card_came(seat)
        return True
    if seat in counts.owed_late(core):
        return _missed_card_came(core, seat, placement, up=up)
    if round_.deals.missing_card != seat or round_.deals.current is None:
        return False
    round_.deals.owe_no_card()
    round_.deals.current.put(seat)
    core.flow.deal_complete()
    return True


def _missed_card_came(core: Core, seat: int, placement: Placement, *, up: bool) -> bool:
    deal = core.round.deals.current
    assert deal is not None
    deal.take(seat)
    if up:
        deal_exposures.card_lies_open(core, seat, placement)
    open_cards.came(core, seat, placement.card, up=up)
    _put_right_if_so(core)
    return True


def card_dealt(core: Core, seat: int, placement: Placement, *, up: bool) -> None:
    """Take a card of a deal: the next one due, one out of place, or a replacement."""
    betting, deal = core.round.betting, core.round.deals.current
    owner = deal.due() if deal is not None else None
    if betting is not None and replacement.is_due(core, seat):
        replacement.came(core)
    elif stud_deal.too_soon(core, seat):
        stud_deal.came_too_soon(core, seat)
        return
    else:
        _dealt(core, seat, placement.card)
        astray.stays(core)
    if up:
        deal_exposures.card_lies_open(core, seat, placement, owner=owner)
    open_cards.came(core, seat, placement.card, up=up)
    core.judge()
    if core.collecting():
        return
    core.round.stud.top_gone()
    core.flow.deal_complete()


def after_the_deal(core: Core, seat: int, placement: Placement, *, up: bool) -> None:
    """Take a card that came to a player during the betting or at the showdown."""
    deal = core.round.deals.current
    if deal is not None and seat in deal.short and _still_due(core, seat):
        _missed_card_came(core, seat, placement, up=up)  # who was missed on this street gets the cards still due
    elif stud_deal.too_soon(core, seat):
        stud_deal.came_too_soon(core, seat)
    else:
        counts.find_one_more(core, seat)


def _still_due(core: Core, seat: int) -> bool:
    """Whether a missed player gets the cards still due although the others bet already.

    In the initial deal only where a ruling has ordered them.
    """
    if core.round.street > 0:
        return core.street.own_cards > 0
    missed = Irregularity.PLAYER_MISSED.value
    return any(error.seat == seat and error.irregularity == missed for error in core.round.deals.errors)


def being_moved(core: Core) -> bool:
    """Whether a ruling has cards moved from one place to another.

    At a table with no shoe sensor nothing more is known of a card without a name than that it came.
    """
    round_ = core.round
    replaced = round_.exposures.replace_seat is not None and not round_.exposures.replaced
    return bool(round_.deals.errors or round_.deals.in_hand or replaced or round_.stud.early or round_.stud.boxed)


def _dealt(core: Core, seat: int, card: str | None) -> None:
    round_ = core.round
    _judge_burns_before(core)
    deal = round_.deals.current
    if deal is None:
        deal = order.make_deal(core, seat)
        round_.deals.begin(deal)
        round_.button.seat = button.button_dealt_by(core, seat, deal.short)
    round_.deals.note_card(seat, card)
    found = deal.take(seat)
    if found is not None:
        faults.find(core, *found)


def passes_over(core: Core) -> None:
    """End the passes, because the dealer has gone on; rule on a seat that was missed."""
    round_ = core.round
    if round_.deals.current is None:
        return
    found = round_.deals.current.end_passes()
    if found is not None:
        faults.find(core, *found)
    core.flow.deal_complete()


def card_removed(core: Core, seat: int) -> None:
    """Take a card that left a player: folded, taken back by a ruling, or only lifted."""
    round_ = core.round
    if folded_card_removed(core, seat):
        return
    if replacement.card_leaves(core, seat):
        _put_right_if_so(core)
        return
    if stud_deal.taken_back(core, seat) or boxed.taken_up(core, SEAT_ZONE[seat]):
        return
    if (round_.deals.errors or round_.deals.in_hand) and round_.deals.current is not None and questions.deal_open(core):
        round_.deals.current.give_back(seat)
        open_cards.taken_back(core, seat)
        round_.deals.take_up()
        errors = list(round_.deals.errors)
        _put_right_if_so(core)
        if errors and not round_.deals.errors:
            round_.deals.note_taken_up(seat, errors)


def card_off_table(core: Core, seat: int) -> None:
    """Take a card that left a player and the table: if it was ordered back it lies there no more."""
    if questions.deal_open(core) and (seat in counts.one_too_many(core) or seat == counts.out_of_place(core)):
        card_removed(core, seat)


def folded_card_removed(core: Core, seat: int) -> bool:
    """Discard a card that left a player who has folded; return whether it did.

    Not a card too many of a deal that is still being corrected.
    """
    round_ = core.round
    betting, deal = round_.betting, round_.deals.current
    one_too_many = deal is not None and deal.extra.get(seat)
    over = one_too_many and questions.deal_open(core) and round_.deals.errors
    if betting is None or seat not in betting.players or betting.is_live(seat) or over:
        return False
    round_.tracker.discard_lifted(SEAT_ZONE[seat])
    return True


def _put_right_if_so(core: Core) -> None:
    """End the rulings on the deal if it is in order again; a later look does no harm."""
    round_ = core.round
    if round_.deals.current is None or not round_.deals.current.in_order:
        return
    core.resolve([p for p in core.standing.pending if p.id in {error.ruling for error in round_.deals.errors}])
    round_.deals.forget_errors()
    core.flow.deal_complete()


def moved_here(core: Core, seat: int, placement: Placement, *, up: bool) -> None:
    """Take a card that came to a seat from another zone, not from the shoe."""
    round_ = core.round
    before = placement.zone_before
    here = SEAT_ZONE[seat]
    if before == here and up:
        turned.laid_open(core, seat, placement)
        return
    if replacement.card_comes_to_owner(core, seat, placement) or replacement.comes_unread(core, seat, placement):
        return
    if round_.deals.in_hand and replacement.is_due(core, seat):
        round_.deals.lay_down()
        replacement.came(core)
        return
    deal = round_.deals.current
    if before == "burn" and round_.deals.burnt and core.rounds.phase == "dealing" and not round_.street:
        round_.deals.unburn()
        card_dealt(core, seat, placement, up=up)
        return
    if before == "burn" and round_.deals.errors and deal is not None and seat in deal.short:
        deal.put(seat)  # the card burnt in place of the missed player's comes to that player
        _put_right_if_so(core)
        return
    if folded.passed_to(core, seat, placement, up=up):
        return
    if before == "muck" and tabling.came_back(core, seat, up=up):
        turned.hand_tabled(core)
        return
    if before in {"burn", "muck"}:
        if before == "burn" and replacement.is_due(core, seat):
            replacement.came(core)
            return
        folded.discard_came(core, seat, before, placement.card)
        return
    if round_.deals.current is not None and round_.deals.in_hand and questions.deal_open(core):
        round_.deals.lay_down()
        round_.deals.current.put(seat)
        stud_deal.first_card_moved(core, before, seat)
        open_cards.came(core, seat, placement.card, up=up)
        _put_right_if_so(core)
        if not round_.deals.current.in_order and not round_.deals.errors and before != here:
            faults.find(core, DealFault.OUT_OF_TURN, seat)
        return
    if before is None or before == here:
        return
    undecided = core.has_pending(Irregularity.CARDS_MIXED)
    if not round_.mixed.moves(placement.card, before, here, undecided=undecided):
        core.find(Irregularity.CARDS_MIXED, {"sufficient": core.round.actions.sufficient_fact}, seat=seat)


def card_put_back(core: Core) -> None:
    """Take a card that a ruling has taken back and that returns to the undealt cards."""
    if core.round.deals.in_hand and questions.deal_open(core):
        _put_away(core)


def _put_away(core: Core) -> None:
    """Take a card that a ruling has taken back, and that comes to no player."""
    core.round.deals.lay_down()
    core.round.exposures.card_put_away()


def card_mucked(core: Core, placement: Placement) -> None:
    """Take a card that came to the discards; from a live player it is a fold without a ruling."""
    if placement.origin is not Origin.LIFTED or placement.zone_before is None:
        return
    seat = SEAT_OF.get(placement.zone_before)
    if seat is None:
        return
    if replacement.discarded(core, seat, placement.card):
        return
    if core.round.deals.in_hand and questions.deal_open(core):
        _put_away(core)  # a card too many, taken back by a ruling
        return
    if last_cards.retrieved(core, seat) or folded.is_anothers(core, seat, placement):
        return
    hand_mucked(core, seat)


def _judge_burns_before(core: Core) -> None:
    """Rule on missing or extra burns before the first card of a later deal to the players."""
    if core.round.street == 0 or core.round.deals.current is None or core.round.deals.current.begun:
        return
    wanted = burns.due(core) if burns.owed(core) else 0
    burnt = core.round.board.burns
    if burnt < wanted:
        corrections.find(core, Irregularity.BURN_MISSING)
    elif burnt > wanted:
        corrections.find(core, Irregularity.BURN_EXTRA)


def hand_mucked(core: Core, seat: int) -> None:
    """Fold a hand that went to the discards with no fold keyed.

    Its player threw it away, or the dealer took it by mistake: there is no redress. By some books a raise that nobody
    has called yet goes back.
    """
    if tabling.mucked_unseen(core, seat):
        return
    betting = core.round.betting
    if betting is not None and betting.is_live(seat) and core.book.betting.mucked_raise == "uncalled_goes_back":
        betting.take_back_raise(seat)
    core.flow.fold(seat)

"""Cards at the seats of player-banked games: deal, exposures, looks and corrections."""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.core.deal_state import DealError
from table_fsm.felt import SEAT_OF, SEAT_ZONE
from table_fsm.play.board import corrections, replacement, tabling
from table_fsm.play.button import button
from table_fsm.play.deal import astray, boxed, counts, folded, order
from table_fsm.play.deal import exposures as deal_exposures
from table_fsm.play.stud import burns, last_cards, open_cards, openers
from table_fsm.play.stud import deal as stud_deal
from table_fsm.play.tournament import hand_for_hand
from table_fsm.poker.cards.places import Origin, Placement
from table_fsm.poker.dealing import DealFault
from table_fsm.rulebook.irregularities import ANY_IRREGULARITY, Irregularity
from table_fsm.rulebook.model import Row

_LOOK_ANYWHERE = frozenset(
    {Irregularity.PLAYER_MISSED.value, Irregularity.EXTRA_HAND.value, Irregularity.EXCESS_CARD.value}
)


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
        _rule_deal_fault(core, *found)


def _rule_deal_fault(core: Core, fault: DealFault, seat: int) -> None:
    if deal_exposures.is_wrong_count(core, fault, seat):
        _rule_count(core, seat)
        return
    if _hand_is_void(core, fault):
        counts.find_wrong(core, seat, "betting")
        return
    irregularity = _irregularity_of(core, fault)
    lies_open = core.round.tracker.lies_up(SEAT_ZONE[seat])
    all_saw = lies_open and irregularity is Irregularity.DEALT_OUT_OF_TURN
    looked = "no" if all_saw or not questions.looks_matter(core) else _looked(core, irregularity)
    during = questions.during(core)
    unseen = stud_deal.unseen(core, fault, seat)
    open_card = lies_open and unseen == "yes"
    facts = {"looked": looked, "during": during, "unseen": unseen, **_facts_of(open_card=open_card)}
    deals = core.round.deals

    def ruled(number: int, _: Row) -> None:
        deals.note_error(DealError(number, irregularity.value, seat, grave=looked == "yes", open_card=open_card))

    core.find(irregularity, facts, seat=seat, then=ruled)


def _facts_of(*, open_card: bool) -> dict[str, str]:
    """Facts of a fault of the deal that is found as the card comes, while it can still be put right."""
    return {"card": "other", "put_right": "open", "lies": "up" if open_card else "down"}


def _hand_is_void(core: Core, fault: DealFault) -> bool:
    """Whether a card too many after the first betting round, when nobody is due one, is for the count alone.

    It is in a book that has a row for wrong counts and none for a card too many (TAS 2018, B 17.3).
    """
    deal = core.round.deals.current
    if fault is not DealFault.EXCESS_CARD or core.round.street == 0 or deal is None or deal.due() is not None:
        return False
    return core.has_row(Irregularity.WRONG_CARD_COUNT) and not core.has_row(Irregularity.EXCESS_CARD)


def _irregularity_of(core: Core, fault: DealFault) -> Irregularity:
    """The irregularity under which the book has a fault of the deal.

    A fault without a row of its own counts as a card out of turn, if it is one.
    """
    irregularity = Irregularity(fault.value)
    deal = core.round.deals.current
    belongs_elsewhere = fault is DealFault.EXCESS_CARD and deal is not None and deal.due() is not None
    if belongs_elsewhere and core.round.street > 0 and not questions.looks_matter(core):
        return Irregularity.DEALT_OUT_OF_TURN  # an open card, and no hole card too many
    if belongs_elsewhere and core.book.dealing.excess_from > 1:
        return Irregularity.DEALT_OUT_OF_TURN  # one card too many is no fault of its own there
    if core.has_row(irregularity) and not _only_of_the_first_deal(core, irregularity):
        return irregularity
    if fault is DealFault.WRONG_FIRST_SEAT or (belongs_elsewhere and questions.next_to_players(core)):
        return Irregularity.DEALT_OUT_OF_TURN
    return irregularity


def _only_of_the_first_deal(core: Core, irregularity: Irregularity) -> bool:
    """Whether the book's rows for an irregularity leave out the street that is being dealt."""
    facts = {"looked": "no", "during": questions.during(core)}
    return core.round.street > 0 and core.row(irregularity, facts).irregularity == ANY_IRREGULARITY


def _rule_count(core: Core, seat: int) -> None:
    """Rule on a hand with the wrong number of cards and no graver fault.

    Looks do not matter, and the hand may be corrected.
    """
    deals = core.round.deals

    def ruled(number: int, _: Row) -> None:
        deals.note_error(DealError(number, Irregularity.WRONG_CARD_COUNT.value, seat, grave=True))

    counts.find_wrong(core, seat, "deal", then=ruled)


def _looked(core: Core, irregularity: Irregularity) -> str:
    if core.options.look_sensor is False:
        return "unknown"
    if irregularity.value in _LOOK_ANYWHERE and core.round.looks.seats:
        return "yes"
    return "no"


def passes_over(core: Core) -> None:
    """End the passes, because the dealer has gone on; rule on a seat that was missed."""
    round_ = core.round
    if round_.deals.current is None:
        return
    found = round_.deals.current.end_passes()
    if found is not None:
        _rule_deal_fault(core, *found)
    core.flow.deal_complete()


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
        _laid_open(core, seat, placement)
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
        hand_tabled(core)
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
            _rule_deal_fault(core, DealFault.OUT_OF_TURN, seat)
        return
    if before is None or before == here:
        return
    undecided = core.has_pending(Irregularity.CARDS_MIXED)
    if not round_.mixed.moves(placement.card, before, here, undecided=undecided):
        core.find(Irregularity.CARDS_MIXED, {"sufficient": core.round.actions.sufficient_fact}, seat=seat)


def _laid_open(core: Core, seat: int, placement: Placement) -> None:
    """Take a player's card that was taken up and laid open; an open card that is laid straight shows nothing new."""
    if not placement.open_before or to_be_shown(core, seat):
        card_turned(core, seat, placement.card)


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


def looked(core: Core, seat: int) -> None:
    """Make a deal error graver because a player has looked at their cards.

    Only while it is not corrected and betting has not begun, and where the book's rows depend on it.
    """
    round_ = core.round
    if not round_.tracker.holds(SEAT_ZONE[seat]):  # else the player looks at the cards that still lie there
        round_.deals.looked_at(seat)
    during = questions.during(core)
    for error in list(round_.deals.errors):
        anywhere = error.irregularity in _LOOK_ANYWHERE and not error.own_look
        all_saw = error.open_card and error.irregularity == Irregularity.DEALT_OUT_OF_TURN.value
        if error.grave or all_saw or not (anywhere or error.seat == seat):
            continue
        error.grave = True
        facts = {"looked": "yes", "during": during, "unseen": "yes", **_facts_of(open_card=error.open_card)}
        irregularity = Irregularity(error.irregularity)
        if core.row(irregularity, facts) == core.row(irregularity, {**facts, "looked": "no"}):
            continue  # the book says the same of both: the fault has been told
        core.rule(irregularity, facts, seat=error.seat, supersedes=error.ruling)
        if core.collecting():
            return


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


def hand_tabled(core: Core) -> None:
    """Take a player's cards that were turned face up."""
    core.flow.end_idle_street()
    core.stage().end_uncontested()
    core.flow.judge_showdown()

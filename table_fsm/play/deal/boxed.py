"""Boxed cards and top cards that are seen, judged by their place in the round.

ACT 2001, D 4.2 and 4.3; TAS 2018, B 17.5 and 17.6, C 19.3.
"""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.core.deal_state import DealError
from table_fsm.core.round import Matter
from table_fsm.felt import SEAT_ZONE
from table_fsm.play.board import board
from table_fsm.play.deal import astray, exposures
from table_fsm.play.stud import burns, last_cards
from table_fsm.play.stud import deal as stud_deal
from table_fsm.poker.cards.places import Placement
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Row
from table_fsm.rulebook.outcomes import Outcome


def boxed(core: Core) -> None:
    """Judge a boxed card that left the shoe."""
    round_ = core.round
    before = len(round_.tracker.mouth) - 1
    if burns.goes_there(core, before) or (core.round.stud.top_seen and not before):
        return  # it is burnt anyway, or was judged while it lay on top
    if not before:
        board.end_street_by_top_card(core)
        if core.collecting():
            return
        if board.first_comes(core):
            _first_to_board(core)
            return
    facts = _facts(core, before)
    if round_.stud.communal and not last_cards.cards_left(core):
        facts["place"] = "next"  # no other card is left to shuffle it with
    if (
        core.rounds.phase == "dealing"
        and questions.on_last_street(core)
        and facts["place"] == "next"
        and core.street.faces == ("down",)
    ):
        seat = _due_after(core, before)
        if seat is not None and not round_.stud.communal:
            exposures.final_seen(core, seat, None)
        return
    stud = round_.stud

    def ruled(_: int, row: Row) -> None:
        if row.outcome is Outcome.BURN_TO_PLAYER_COUNT:
            stud.burn_first()

    core.find(Irregularity.BOXED_CARD, facts, then=ruled)


def _facts(core: Core, before: int = 0) -> dict[str, str]:
    """Facts of a boxed card, or of a top card that is seen; `before`: cards at the shoe's mouth that come before it.

    Behind the burns for a first card it is no first one: to burn it too would burn more cards than there are players.
    """
    facts = questions.boxed_facts(core, before)
    if facts["place"] == "first" and burns.are_made(core):
        facts["place"] = "next"
    return facts


def _first_to_board(core: Core) -> None:
    """Judge a boxed card that is the first after a betting round, unless it was judged while it lay on top."""
    rulings = core.round.rulings
    told = (Matter.STREET, Irregularity.BOXED_CARD.value)
    if not board.first_is_used(core):
        core.find(Irregularity.BOXED_CARD, board.FIRST_BOXED, then=lambda _, __: rulings.settle(told))


def _due_after(core: Core, cards: int) -> int | None:
    """The seat due the card that comes after `cards` others from the shoe; None for nobody."""
    deal = core.round.deals.current
    if deal is None:
        return None
    waiting = [seat for seat in deal.order[deal.position :] if deal.dealt[seat] < deal.target]
    return waiting[cards] if cards < len(waiting) else None


def goes_back(core: Core, seat: int, placement: Placement) -> bool:
    """Whether the card laid down is a boxed one that a ruling sends back to the undealt cards, or has burnt."""
    if not (placement.boxed or _laid_again(core, placement)):
        return False
    if not (core.round.board.stub_owed or burns.first_waits(core)):
        return False
    behind_deal = core.rounds.phase == "betting" and not questions.first_deal_over(core)
    if behind_deal and core.has_row(Irregularity.EXCESS_CARD):
        return False  # behind the last card of the initial deal it is one too many, boxed or not (ACT 17.1(f))
    core.round.stud.lay_boxed(SEAT_ZONE[seat], placement.card)
    return True


def _laid_again(core: Core, placement: Placement) -> bool:
    """Whether a card from another place is the boxed one that is to be burnt, taken back from a player before."""
    taken = core.round.stud.taken_up
    if taken is None or not core.round.stud.first_boxed or placement.zone_before != taken[0]:
        return False
    return placement.card is None or taken[1] in {None, placement.card}


def comes_unburnt(core: Core, seat: int, placement: Placement) -> bool:
    """Rule on a boxed card that was to be burnt, and comes to a player once the burns are made.

    TAS 2018, B 17.5. Returns whether it is that card: until a person decides it counts as this player's.
    """
    round_ = core.round
    if not round_.stud.first_boxed or not (placement.boxed or _laid_again(core, placement)):
        return False

    def ruled(number: int, _: Row) -> None:
        round_.stud.first_burnt()
        round_.board.allow_spare_burn()  # it may still be taken back and burnt
        round_.deals.note_error(DealError(number, Irregularity.BOXED_CARD.value, seat, grave=True))

    core.find(Irregularity.BOXED_CARD, {"during": "later", "place": "unburnt"}, seat=seat, then=ruled)
    return True


def in_centre(core: Core, zone: str, placement: Placement) -> bool:
    """Whether the card laid in the centre as the last one of all (D 4.4) is a boxed one that goes back."""
    if not (placement.boxed and core.round.stud.communal and core.round.board.stub_owed):
        return False
    core.round.stud.lay_boxed(zone, placement.card)
    return True


def taken_up(core: Core, zone: str) -> bool:
    """Whether a card that leaves a zone is the boxed one that goes back; it is asked for once."""
    stud = core.round.stud
    if stud.boxed is None or stud.boxed[0] != zone:
        return False
    card = stud.boxed[1]
    if card is not None and core.round.tracker.where.get(card) == zone:
        return False
    stud.boxed_gone()
    return True


def stub_shuffled(core: Core) -> None:
    """Take a shuffle of the undealt cards: a boxed card has gone back, reported or not."""
    round_ = core.round
    if round_.stud.boxed is not None:
        zone, card = round_.stud.boxed
        if round_.tracker.holds(zone) and (card is None or round_.tracker.where.get(card) == zone):
            round_.tracker.lift(zone, card)
        round_.stud.boxed_gone()
    round_.tracker.return_boxed()


def top_seen(core: Core) -> bool:
    """Judge the top card of the undealt cards, seen where it lies, if it is a player's.

    Returns whether it was judged here.
    """
    round_ = core.round
    if (
        round_.betting is not None
        and round_.betting.open
        and questions.next_to_players(core)
        and questions.first_deal_over(core)
    ):
        stud_deal.rule_too_soon(core)
        return True
    deal = round_.deals.current
    if core.rounds.phase != "dealing" or not any(street.own_cards for street in core.book.streets[1:]):
        return False
    first = deal is None or not deal.begun
    seat, number = astray.next_due(core)
    if first or seat is None or questions.face_due(core, seat, number) == "up":
        round_.stud.see_top()
        core.find(Irregularity.BOXED_CARD, _facts(core))
        return True
    round_.stud.see_top()
    if questions.on_last_street(core):
        exposures.final_seen(core, seat, None)
    elif number == 1 and "up" in core.street.faces:
        core.find(Irregularity.FIRST_CARD_UP, seat=seat)
    else:
        exposures.hole_seen(core, seat, None, dealt=False)
    return True

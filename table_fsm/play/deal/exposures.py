"""Cards of the players that were seen: facts of the initial deal and rulings on them."""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.core.deal_state import Exposures
from table_fsm.core.round import Matter
from table_fsm.felt import SEAT_ZONE
from table_fsm.play.deal import astray
from table_fsm.play.stud import openers
from table_fsm.poker.cards.places import Placement
from table_fsm.poker.dealing import DealFault
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Row
from table_fsm.rulebook.outcomes import Outcome
from table_fsm.rulebook.precedence import ENDS_ROUND
from table_fsm.rulebook.subjects import SUBJECT_OF, Subject

_GOES_BACK = frozenset({Irregularity.EXCESS_CARD.value, Irregularity.EXTRA_HAND.value})
"""Faults of a card that is one too many and goes back. Of a wrong count a person decides which card goes."""
_FIRST = 2
"""Onyx, Misdeals 2: the first two cards dealt."""


def which_card(core: Core, seat: int | None, card: str | None, *, dealt: bool) -> str:
    """The fact `which` of a hole card that was seen: "first_two", "last" or "other".

    A card of a seat that no reader named is taken for the seat's latest, because cards are exposed as they are dealt.
    `dealt`: it lies before the player; else it is the next card to be dealt.
    """
    cards = core.round.deals.cards
    number = _number(cards, seat, card) if dealt else len(cards)
    if number is None:
        return "other"
    if number < _FIRST:
        return "first_two"
    deal = core.round.deals.current
    return "last" if deal is not None and number + 1 == deal.need * len(deal.seats) else "other"


def _number(cards: list[tuple[int, str | None]], seat: int | None, card: str | None) -> int | None:
    named = [number for number, (_, name) in enumerate(cards) if card is not None and name == card]
    of_seat = [number for number, (owner, _) in enumerate(cards) if owner == seat]
    found = named or of_seat
    return found[-1] if found else None


def is_wrong_count(core: Core, fault: DealFault, seat: int) -> bool:
    """Whether the book treats a fault of the deal as a hand with the wrong number of cards."""
    deal, rules = core.round.deals.current, core.book.dealing
    if deal is None:
        return False
    if fault is DealFault.EXCESS_CARD:
        if deal.due() is not None:
            return False  # the card was another player's
        return sum(max(0, dealt - deal.need) for dealt in deal.dealt.values()) < rules.excess_from
    return fault is DealFault.PLAYER_MISSED and rules.short_hand == "wrong_card_count" and deal.dealt.get(seat, 0) > 0


def hole_seen(core: Core, seat: int | None, card: str | None, *, dealt: bool = True) -> None:
    """Rule once on each hole card that was seen.

    The initial deal lasts until betting has begun. `dealt`: the card lies before the player; else it is the next card
    to be dealt.
    """
    exposures = core.round.exposures
    if card is not None and (card in exposures.seen or exposures.is_named_now(seat, card)):
        return
    owner = astray.owner(core, seat, card) if dealt else seat
    facts = {
        "burn": "on" if core.options.burn else "off",
        "exposed": _exposed_before(core, owner),
        "during": questions.during(core),
        "which": which_card(core, seat, card, dealt=dealt),
        "sufficient": core.round.actions.sufficient_fact,
    }

    outcome = core.row(Irregularity.HOLE_EXPOSED, facts).outcome
    if outcome is Outcome.REPLACE_WITH_FIRST_BURN and dealt and _is_spare(core, seat, card):
        _note(exposures, seat, card, owner=seat)  # the first burn card would be one too many in its place
        return

    misplaced = dealt and any(SUBJECT_OF[fault.irregularity] is Subject.CARD_PLACE for fault in core.found)

    def ruled(_: int, __: Row) -> None:
        _note(exposures, seat, card, owner=owner)
        if misplaced:
            exposures.misplace()
        exposures.lies_still()

    moves = outcome not in ENDS_ROUND  # else nobody moves the card
    core.find(Irregularity.HOLE_EXPOSED, facts, seat=owner if moves else seat, then=ruled)


def _is_spare(core: Core, seat: int | None, card: str | None) -> bool:
    """Whether a card that was seen is one too many and nobody's: each player has their cards, and it goes back.

    A card without a name counts as it only where it has just come, or the seat is not in the deal.
    """
    deals, deal = core.round.deals, core.round.deals.current
    if seat is None or deal is None or deal.due() is not None:
        return False
    just_come = any(fault.seat == seat and fault.irregularity.value in _GOES_BACK for fault in core.found)
    if card is None or just_come:
        return just_come or bool(deal.extra.get(seat))
    too_many = sum(error.seat == seat and error.irregularity in _GOES_BACK for error in deals.errors)
    spare = deal.extra.get(seat, 0) or too_many
    return spare > 0 and card in core.round.tracker.names(SEAT_ZONE[seat])[-spare:]


def _note(exposures: Exposures, seat: int | None, card: str | None, *, owner: int | None) -> None:
    """Remember a card at a seat that was ruled on as seen, and whose it is."""
    exposures.note_seen(card)
    exposures.note_owner(owner, lies=seat, named=card is not None)


def _exposed_before(core: Core, seat: int | None) -> str:
    """The fact `exposed`: whether a hole card was seen before in this deal, and whose.

    A card that was seen and not ruled on, because a graver fault was, does not count.
    """
    before = core.round.exposures.owners
    if not before:
        return "one"
    return "same_player" if seat in before else "other_player"


def card_lies_open(core: Core, seat: int, placement: Placement, *, owner: int | None = None) -> None:
    """Judge a card that came face up to a player. `owner`: the seat that was due it, where one was."""
    due_to, number = _whose_and_number(core, seat, placement.card)
    stud = core.round.stud
    top_seen = stud.top_seen
    stud.top_gone()
    if owner not in {None, seat} and _is_anothers_last(core, seat, placement):
        final_seen(core, owner, placement.card)
        return
    beside = core.round.street > 0 or "up" in core.street.faces
    due = None if due_to is None else questions.face_due(core, due_to, number)
    if due == "up" or (beside and due is None):  # none is due: the card itself is the fault
        return
    first_open = core.round.street == 0 and number == 1 and "up" in core.street.faces
    if placement.boxed or top_seen:
        if first_open and due_to is not None:
            _first_came_open(core, due_to, seat, told=top_seen)
        elif core.book.dealing.boxed_counts and questions.during(core) == "deal":
            _boxed_came(core, seat, placement.card)
        return
    card_seen(core, seat, placement.card)


def _first_came_open(core: Core, owner: int, lies: int, *, told: bool) -> None:
    """Take a player's first card that lay face up in the pack: the others of the deal come face down.

    Where it is used as it comes, that is told as it is laid down (ACT 2001, D 4.1), unless it was as it lay on top.
    """
    boxed = {"during": "deal", "place": "next"}
    core.round.exposures.note_astray(owner, lies)
    if told or core.row(Irregularity.BOXED_CARD, boxed).outcome is not Outcome.USE_IN_SEQUENCE:
        core.round.stud.close(owner)
    else:
        core.find(Irregularity.FIRST_CARD_UP, seat=owner)


def _whose_and_number(core: Core, seat: int | None, card: str | None) -> tuple[int | None, int]:
    """Whose card it is that was seen at the seat, and which one of that player's cards in the deal, from 1.

    A card at a seat not in the deal is the first or second one of the player who is due it.
    """
    deal = core.round.deals.current
    if deal is None or seat is None:
        return seat, 0
    if (moved := astray.moved_to(core, seat, card)) is not None:
        return moved
    due = deal.due() if deal.extra.get(seat) else None
    return seat, deal.dealt.get(seat, 0) if due is None else deal.dealt.get(due, 0) + 1


def _is_anothers_last(core: Core, seat: int, placement: Placement) -> bool:
    """Whether a last hole card came to the wrong player: it is moved, and its owner's card was seen.

    A boxed one was judged as it left the shoe.
    """
    last = questions.on_last_street(core) and "down" in core.street.faces and not placement.boxed
    return last and any(
        SUBJECT_OF[fault.irregularity] is Subject.CARD_PLACE and fault.seat == seat for fault in core.found
    )


def _boxed_came(core: Core, seat: int, card: str | None) -> None:
    """Count a boxed card among the exposed ones: the first has its own ruling, a later one is an exposed card too."""
    if core.round.exposures.owners:
        hole_seen(core, seat, card)
    else:
        _note(core.round.exposures, seat, card, owner=astray.owner(core, seat, card))


def card_seen(core: Core, seat: int | None, card: str | None) -> None:
    """Rule on a player's face-down card that was seen through the dealer.

    The ruling depends on which card it is.
    """
    round_ = core.round
    betting = round_.betting
    owner, number = _whose_and_number(core, seat, card)
    if round_.street == 0 and number == 1 and "up" in core.street.faces:
        if owner in round_.stud.closed:
            return
        core.find(
            Irregularity.FIRST_CARD_UP,
            seat=owner,
            then=lambda _, __: _note(round_.exposures, seat, card, owner=owner),
        )
        return
    waits = core.rounds.phase == "dealing" or (betting is not None and betting.open and not betting.begun)
    last = questions.on_last_street(core) and "down" in core.street.faces
    if seat is not None and last and number and waits and astray.is_latest(core, seat, card):
        final_seen(core, seat, card)
        return
    hole_seen(core, seat, card)


def shown_by_player(core: Core, seat: int) -> None:
    """Rule once a round on a player who shows cards; not when a hand has won, in a book that stops there."""
    won = core.rounds.phase == "settling"
    if not won or core.book.showdown.cards_hidden == "always":
        core.find(Irregularity.PLAYER_EXPOSED, {"cards": "own"}, seat=seat, once=(Matter.PLAYER_EXPOSED, seat))


def final_seen(core: Core, seat: int | None, card: str | None) -> None:
    """Rule once on a player's last hole card that was seen."""
    round_ = core.round
    if seat is None or (Matter.FINAL_CARD, seat) in round_.rulings.matters:
        return
    exposures = round_.exposures
    core.find(
        Irregularity.FINAL_HOLE_EXPOSED,
        {"opens": "this" if openers.final_opener(core) is None else "other"},
        seat=seat,
        once=(Matter.FINAL_CARD, seat),
        then=lambda _, __: exposures.note_seen(card),
    )


def turned_in_order(core: Core, seat: int) -> bool:
    """Whether a card turned face up before a player is one that belongs face up."""
    round_ = core.round
    if core.rounds.phase != "dealing" and (round_.betting is None or round_.betting.begun):
        return False
    due = sum(street.faces.count("up") for street in core.book.streets[: round_.street])
    deal = round_.deals.current
    number = deal.dealt.get(seat, 0) if deal is not None else 0
    due += [questions.face_due(core, seat, n) for n in range(1, number + 1)].count("up")
    return due > 0 and round_.tracker.ups(SEAT_ZONE[seat]) <= due

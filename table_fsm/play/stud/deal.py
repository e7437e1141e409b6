"""Stud: cards dealt to the players on every street, open and closed, and what is wrong with one that comes.

ACT 2001, appendix D; TAS 2018, part B. The counting is `dealing`'s, the putting right `seat_cards`'.
"""

from table_fsm.core.core import Core
from table_fsm.felt import SEAT_ZONE
from table_fsm.play.betting import actions, rounds
from table_fsm.play.deal import seats
from table_fsm.play.stud import last_cards
from table_fsm.poker.cards.tracker import Placement
from table_fsm.poker.dealing import Deal, DealFault
from table_fsm.rulebook.irregularities import Irregularity

# -- what the book has


def next_to_players(core: Core) -> bool:
    """Whether the street after the one in progress begins with cards to the players."""
    following = core.round.street + 1
    return following < len(core.book.streets) and core.book.streets[following].own_cards > 0


def on_last_street(core: Core) -> bool:
    """Whether the street in progress is the book's last, and gives each player a card."""
    return core.round.street > 0 and core.round.street + 1 == len(core.book.streets) and core.street.own_cards > 0


def face_due(core: Core, seat: int, number: int) -> str | None:
    """How the seat's card of that number lies in the deal in progress, the first being 1; None beyond the deal."""
    faces = core.street.faces
    if not 1 <= number <= len(faces):
        return None
    if core.round.street == 0 and seat in core.round.stud.closed:
        return "up" if number == 1 else "down"
    return faces[number - 1]


def next_face(core: Core, seat: int) -> str:
    """How the next card to this seat lies."""
    deal = core.round.deal
    return face_due(core, seat, deal.dealt.get(seat, 0) + 1 if deal is not None else 1) or "down"


def looks_matter(core: Core) -> bool:
    """Whether a player's look at their cards can be one at the cards of this deal: not where they all lie open."""
    return core.round.street == 0 or "down" in core.street.faces


def unseen(core: Core, fault: DealFault, seat: int) -> str:
    """Whether a fault of the deal can be put right with no card shown that belongs face down: "yes" or "no".

    Who is missed in the pass of closed cards gets the next one of it, and so on round the table: the first open card
    of the second pass would then belong face down. A card to nobody belongs to the player who was due it.
    """
    deal = core.round.deal
    if deal is None or "up" not in core.street.faces:
        return "yes"
    tracker, closed = core.round.tracker, core.round.stud.closed
    if fault is DealFault.EXTRA_HAND:
        due = deal.due()
        wants_closed = due is not None and next_face(core, due) == "down"
        return "no" if wants_closed and tracker.ups(SEAT_ZONE[seat]) else "yes"
    open_cards = any(tracker.ups(SEAT_ZONE[other]) > (other in closed) for other in deal.ring)
    lacks_closed = face_due(core, seat, deal.dealt.get(seat, 0) + 1) == "down"
    return "no" if fault is DealFault.PLAYER_MISSED and lacks_closed and open_cards else "yes"


# -- a deal to the players after a betting round


def open_deal(core: Core) -> None:
    """The betting has ended: the next cards go to the players who are still in, all-in or not."""
    round_ = core.round
    betting, before = round_.betting, round_.deal
    assert betting is not None
    if before is not None:
        round_.deals_before.append(before)
    gone = {seat for seat in betting.live if not _holds_cards(core, seat)}
    deal = Deal(list(betting.live), core.street.own_cards, gone)
    round_.deal = deal
    round_.errors.clear()
    round_.in_hand = 0
    round_.looks.seats.clear()
    if not round_.stud.burns_owed:  # else what came too soon is burnt
        for seat in round_.stud.early:
            deal.take(seat)
        round_.stud.early.clear()
    last_cards.judge_supply(core)
    if core.collecting() or round_ is not core.round:
        return
    seats.complete_if_so(core)


def _holds_cards(core: Core, seat: int) -> bool:
    """Whether cards lie before the player. Where no fold was keyed, cards taken away are all that tells of one."""
    return core.round.tracker.holds(SEAT_ZONE[seat]) > 0


def complete(core: Core) -> None:
    """Everybody has a card, or one in the centre is everybody's: the betting opens."""
    round_ = core.round
    betting, deal = round_.betting, round_.deal
    assert betting is not None
    if round_.stud.communal and not round_.stud.communal_shown:
        return
    if deal is not None and not round_.stud.communal:
        for seat in [seat for seat in betting.live if seat not in deal.dealt]:
            actions.fold(core, seat)  # passed over with no cards left: folded, with no keypad to say so
            if round_.decided:
                return
    rounds.open_next_street(core)


def folded(core: Core, seat: int) -> None:
    """A player folded while a later street is dealt: no card is due any more."""
    round_ = core.round
    if core.rounds.phase == "dealing" and round_.street > 0 and round_.deal is not None:
        round_.deal.leave(seat)
        seats.complete_if_so(core)


# -- faces


def card_lies_open(core: Core, seat: int, placement: Placement) -> None:
    """A card came face up to a player."""
    deal = core.round.deal
    number = deal.dealt.get(seat, 0) if deal is not None else 0
    stud = core.round.stud
    top_seen, stud.top_seen = stud.top_seen, False
    beside = core.round.street > 0 or "up" in core.street.faces
    due = face_due(core, seat, number)
    if due == "up" or (beside and due is None):  # none is due: the card itself is the fault
        return
    first_open = core.round.street == 0 and number == 1 and "up" in core.street.faces
    if placement.boxed or top_seen:
        if first_open:
            stud.closed.add(seat)
        return
    card_seen(core, seat, placement.card)


def card_seen(core: Core, seat: int | None, card: str | None) -> None:
    """A player's face-down card was seen through the dealer: which one it is decides what is said."""
    round_ = core.round
    deal, betting = round_.deal, round_.betting
    number = deal.dealt.get(seat, 0) if deal is not None and seat is not None else 0
    if round_.street == 0 and number == 1 and "up" in core.street.faces:
        if card is not None:
            round_.exposures.seen.add(card)
        if seat in round_.stud.closed:
            return
        if core.rule(Irregularity.FIRST_CARD_UP, seat=seat) is not None:
            round_.exposures.owners.append(seat)
        return
    waits = core.rounds.phase == "dealing" or (betting is not None and betting.open and not betting.begun)
    last = on_last_street(core) and "down" in core.street.faces
    if seat is not None and last and number and waits and _is_last_card(core, seat, card):
        final_seen(core, seat, card)
        return
    seats.hole_seen(core, seat, card)


def _is_last_card(core: Core, seat: int, card: str | None) -> bool:
    """Whether the card seen is the last one dealt to the seat, as far as the readers can tell."""
    names = core.round.tracker.names(SEAT_ZONE[seat])
    return card is None or card not in names[:-1]


def final_seen(core: Core, seat: int | None, card: str | None) -> None:
    """A player's last hole card was seen. Each once."""
    round_ = core.round
    if seat is None or ("final", seat) in round_.ruled_seats:
        return
    round_.ruled_seats.add(("final", seat))
    if card is not None:
        round_.exposures.seen.add(card)
    core.rule(Irregularity.FINAL_HOLE_EXPOSED, seat=seat)


def turned_in_order(core: Core, seat: int) -> bool:
    """Whether a card turned face up before a player is one that belongs face up."""
    round_ = core.round
    if core.rounds.phase != "dealing" and (round_.betting is None or round_.betting.begun):
        return False
    due = sum(street.faces.count("up") for street in core.book.streets[: round_.street])
    deal = round_.deal
    number = deal.dealt.get(seat, 0) if deal is not None else 0
    due += [face_due(core, seat, n) for n in range(1, number + 1)].count("up")
    return due > 0 and round_.tracker.ups(SEAT_ZONE[seat]) <= due


# -- too soon


def too_soon(core: Core, seat: int) -> bool:
    """Whether a card to a player is one of the next street's while the betting goes on.

    Before betting has begun it is one too many of the initial deal, in a book that has a row for that.
    """
    betting, deal = core.round.betting, core.round.deal
    if betting is None or not betting.open or not next_to_players(core):
        return False
    assert core.rulebook is not None
    if betting.begun or core.round.street > 0 or not core.rulebook.has_own_row(Irregularity.EXCESS_CARD):
        return betting.begun or core.round.street > 0 or deal is None or seat not in deal.short
    return False


def came_too_soon(core: Core, seat: int) -> None:
    """A card of the next street came before the betting had ended. The others of the same fault are not told again."""
    core.round.stud.early.append(seat)
    rule_too_soon(core)


def rule_too_soon(core: Core) -> None:
    """Rule on the next street's first card, seen or dealt before the betting has ended."""
    ruled = core.round.board.ruled
    if Irregularity.BOARD_PREMATURE.value in ruled:
        return
    if core.rule(Irregularity.BOARD_PREMATURE) is not None:
        ruled.add(Irregularity.BOARD_PREMATURE.value)

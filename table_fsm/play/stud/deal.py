"""The deal of stud: cards to the players on every street, open and closed.

ACT 2001, appendix D; TAS 2018, part B. `table_fsm.poker.dealing` counts the cards, `table_fsm.play.deal.seats` corrects
a deal.
"""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.core.round import Matter
from table_fsm.felt import SEAT_OF, SEAT_ZONE, Face
from table_fsm.play.stud import open_cards
from table_fsm.poker.dealing import Deal, DealFault
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import PENDING_OUTCOMES

# -- what the book has


def unseen(core: Core, fault: DealFault, seat: int) -> str:
    """The fact `unseen`: "yes" if a fault can be corrected without showing a closed card.

    Else "no". A player missed in the pass of closed cards gets the next one of it, and so on round the table: the first
    open card of the second pass would then belong face down. A card to nobody belongs to the player who was due it.
    """
    deal = core.round.deals.current
    if deal is None or "up" not in core.street.faces:
        return "yes"
    tracker, closed = core.round.tracker, core.round.stud.closed
    if fault is DealFault.EXTRA_HAND:
        due = deal.due()
        wants_closed = due is not None and questions.next_face(core, due) == "down"
        return "no" if wants_closed and tracker.ups(SEAT_ZONE[seat]) else "yes"
    shown = {core.round.exposures.lies_of(other) for other in closed}  # where those cards lie
    open_cards = any(tracker.ups(SEAT_ZONE[other]) > (other in shown) for other in deal.ring)
    lacks_closed = questions.face_due(core, seat, deal.dealt.get(seat, 0) + 1) == "down"
    return "no" if fault is DealFault.PLAYER_MISSED and lacks_closed and open_cards else "yes"


# -- a deal to the players after a betting round


def open_deal(core: Core) -> None:
    """Begin the deal of a later street to the players still in, all-in or not."""
    round_ = core.round
    betting = round_.betting
    assert betting is not None
    gone = {seat for seat in betting.live if not _holds_cards(core, seat)}
    deal = Deal(list(betting.live), core.street.own_cards, gone)
    round_.deals.begin_next(deal)
    round_.looks.forget()
    if not round_.stud.burns_owed:  # else the cards that came too soon are burnt
        for seat in round_.stud.early:
            deal.take(seat)
            open_cards.came(core, seat, None, up=round_.tracker.lies_up(SEAT_ZONE[seat]))
        round_.stud.early.clear()


def owed_before(core: Core) -> list[int]:
    """Players in the round who get the card of the street before that they were missed for, before this deal begins.

    A ruling has ordered it, and the betting was closed at a table that keys no actions before it came.
    """
    deals, betting = core.round.deals, core.round.betting
    if not deals.owed_before or core.rounds.phase != "dealing" or deals.current is None or deals.current.begun:
        return []
    return [seat for seat in deals.owed_before if betting is not None and betting.is_live(seat)]


def face_owed(core: Core, seat: int) -> Face:
    """The face of that card."""
    before = core.round.street - 1
    number = core.round.deals.earlier[-1].dealt[seat]
    if before == 0 and seat in core.round.stud.closed:
        return "down"
    return core.book.streets[before].faces[number]


def _holds_cards(core: Core, seat: int) -> bool:
    """Whether cards lie before the player.

    Where no fold was keyed, only the cards taken away show it.
    """
    return core.round.tracker.holds(SEAT_ZONE[seat]) > 0


def complete(core: Core) -> None:
    """Open the betting when everybody has a card, or one in the centre counts for all."""
    round_ = core.round
    betting, deal = round_.betting, round_.deals.current
    assert betting is not None
    if round_.stud.communal and not round_.stud.communal_shown:
        return
    if deal is not None and not round_.stud.communal:
        for seat in [seat for seat in betting.live if seat not in deal.dealt]:
            core.flow.fold(seat)  # passed over with no cards left: a fold that no keypad reported
            if round_.showdown.decided:
                return
    core.flow.open_next_street()


def folded(core: Core, seat: int) -> None:
    """Take a fold while a later street is dealt: the seat is due no more cards."""
    round_ = core.round
    if core.rounds.phase == "dealing" and round_.street > 0 and round_.deals.current is not None:
        round_.deals.current.leave(seat)
        core.flow.deal_complete()


# -- faces


def first_card_moved(core: Core, before: str | None, seat: int) -> None:
    """Take a first card that was shown along to its seat, whose other cards come face down if it lies up there."""
    stud, exposures, deal = core.round.stud, core.round.exposures, core.round.deals.current
    other = SEAT_OF.get(before or "")
    if deal is None or other is None or other == seat:
        return
    counted = exposures.whose_at(other)
    if counted == other and (other not in stud.closed or deal.dealt.get(other)):
        return
    exposures.change_owner(other, seat)
    if counted not in stud.closed:
        return
    stud.reopen(counted)
    if deal.dealt.get(seat) == 1 and core.round.tracker.lies_up(SEAT_ZONE[seat]):
        stud.close(seat)


# -- too soon


def too_soon(core: Core, seat: int) -> bool:
    """Whether a card to a player is one of the next street's while the betting goes on.

    Before betting has begun it is one too many of the initial deal, in a book that has a row for that.
    """
    betting, deal = core.round.betting, core.round.deals.current
    if betting is None or not betting.open or not questions.next_to_players(core):
        return False
    if betting.begun or core.round.street > 0 or not core.has_row(Irregularity.EXCESS_CARD):
        return betting.begun or core.round.street > 0 or deal is None or seat not in deal.short
    return False


def came_too_soon(core: Core, seat: int) -> None:
    """Rule on a card of the next street before the end of the betting, once for all of them.

    One that comes after a person has decided on those before it is a fault of its own.
    """
    core.round.stud.early.append(seat)
    asks = core.row(Irregularity.BOARD_PREMATURE).outcome in PENDING_OUTCOMES
    if asks and not core.has_pending(Irregularity.BOARD_PREMATURE):
        core.round.rulings.reopen((Matter.STREET, Irregularity.BOARD_PREMATURE.value))
    rule_too_soon(core)


def taken_back(core: Core, seat: int) -> bool:
    """Whether a card that leaves a player is one that came too soon; forgets it."""
    early = core.round.stud.early
    if seat not in early:
        return False
    early.remove(seat)
    return True


def rule_too_soon(core: Core) -> None:
    """Rule on the next street's first card, seen or dealt before the betting has ended."""
    core.find(Irregularity.BOARD_PREMATURE, once=(Matter.STREET, Irregularity.BOARD_PREMATURE.value))

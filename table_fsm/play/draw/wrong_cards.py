"""Cards that go wrong in the draw (ACT 2001, 17.1(d), (e)).

Each is another player's, or one too many, until it lies where it belongs.
"""

from table_fsm.core.core import Core
from table_fsm.core.deal_state import DealError
from table_fsm.felt import SEAT_OF
from table_fsm.play.draw import progress
from table_fsm.poker.cards.places import Origin, Placement
from table_fsm.poker.draw_order import DrawOrder
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Row


def went_wrong(core: Core, draw: DrawOrder, seat: int, card: str | None, irregularity: Irregularity) -> None:
    """Rule on a card that is another player's, or nobody's. Only a look by who has it makes that graver."""
    facts = {"card": "other"} if irregularity is Irregularity.DEALT_OUT_OF_TURN else {}
    draw.misplace(seat, card)
    looked = "no" if core.options.look_sensor is not False else "unknown"
    deals = core.round.deals

    def ruled(number: int, _: Row) -> None:
        draw.wrong.append(number)
        deals.note_error(DealError(number, irregularity.value, seat, own_look=True))

    core.find(irregularity, {"looked": looked, "during": "later", **facts}, seat=seat, then=ruled)


def was_asked_for(core: Core, draw: DrawOrder, seat: int) -> None:
    """Count a card too many among the player's replacements, because the number is keyed again and has risen."""
    too_many = _too_many_at(core, seat)
    if too_many and draw.outstanding(seat) and seat in draw.misplaced:
        draw.let_keep(seat)
        if draw.in_order:
            draw.forget_wrong_names()
        _end_rulings(core, draw, too_many[:1])


def card_removed(core: Core, seat: int) -> bool:
    """Take a card that left a player in the draw; return whether it belongs to the draw.

    It was lifted, passed to the dealer, or a wrong one is taken back.
    """
    draw = progress.drawing(core)
    if draw is None:
        return False
    if seat in draw.misplaced:
        draw.take_back(seat)
        _end_rulings(core, draw, _too_many_at(core, seat)[:1])  # nobody can look at it any more
    return True


def card_off_table(core: Core, seat: int) -> None:
    """Take a card that left a player and the table: if one went wrong there, nobody can look at it any more."""
    draw = progress.drawing(core)
    if draw is None or seat not in draw.misplaced:
        return
    mine = [error.ruling for error in core.round.deals.errors if error.seat == seat and error.ruling in draw.wrong]
    card_removed(core, seat)
    core.round.deals.forget_ruled(mine[:1])


def put_back(core: Core, placement: Placement) -> None:
    """Take a card that went wrong and comes back to the undealt cards."""
    draw = progress.drawing(core)
    seat = SEAT_OF.get(placement.zone_before or "")
    if draw is not None and placement.origin is Origin.LIFTED and seat in draw.taken:
        draw.lay_down(seat, undealt=True)
        put_right(core, draw)


def taken_back_from(core: Core) -> int | None:
    """The seat from which a card that went wrong is to be taken back; None for none."""
    draw = progress.drawing(core)
    return draw.misplaced[-1] if draw is not None and draw.misplaced else None


def _too_many_at(core: Core, seat: int) -> list[int]:
    """Rulings on cards too many that came to this player."""
    wrong = Irregularity.EXCESS_CARD.value
    return [error.ruling for error in core.round.deals.errors if error.irregularity == wrong and error.seat == seat]


def put_right(core: Core, draw: DrawOrder) -> None:
    """End the rulings on wrong cards once each lies where it belongs; a later look does no harm."""
    if draw.in_order:
        draw.forget_wrong_names()
        _end_rulings(core, draw, draw.wrong)


def _end_rulings(core: Core, draw: DrawOrder, rulings: list[int]) -> None:
    core.resolve([pending for pending in core.standing.pending if pending.id in rulings])
    core.round.deals.forget_ruled(rulings)
    draw.wrong = [ruling for ruling in draw.wrong if ruling not in rulings]

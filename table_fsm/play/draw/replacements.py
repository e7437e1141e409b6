"""Cards that come to players in the draw (ACT 2001, B 2.4, 17.1(d), (e)).

A hand's number of cards is judged when betting begins (17.8), not here.
"""

from table_fsm.core.core import Core
from table_fsm.felt import SEAT_OF, SEAT_ZONE
from table_fsm.play.deck import cutting
from table_fsm.play.draw import faults, progress, undealt, wrong_cards
from table_fsm.poker.cards.places import Origin, Placement
from table_fsm.poker.draw_order import AT_ONCE, WHOLE_HAND, DrawOrder, SeatDraw
from table_fsm.rulebook.irregularities import Irregularity


def card_came(core: Core, seat: int, placement: Placement, *, up: bool) -> None:
    """Take a card from the stub to a player: a replacement, one too many, or another's."""
    draw = progress.drawing(core)
    if draw is None:
        return
    if placement.origin is Origin.NOWHERE:
        undealt.card_left_shoe(core)
    wrong = _what_is_wrong(core, draw, seat)
    if wrong is None:
        _given(core, draw, seat, draw.seats[seat])
    else:
        wrong_cards.went_wrong(core, draw, seat, placement.card, wrong)
    if up and not (placement.boxed or core.round.stud.top_seen):  # else it was judged while it lay on top
        faults.seen(core, seat, placement.card)
    core.round.stud.top_gone()
    cutting.discards_dealt(core)
    core.judge()
    if core.collecting():
        return
    progress.end_if_complete(core)


def moved_here(core: Core, seat: int, placement: Placement) -> bool:
    """Take a lifted card that came to a seat; return whether it belongs to the draw.

    It does if it is a wrong card being moved, or a replacement.
    """
    draw = progress.drawing(core)
    if draw is None or seat not in draw.order:
        return False
    mine = draw.seats[seat]
    before = SEAT_OF.get(placement.zone_before or "")
    if _is_taken_unread(draw, seat, placement):
        core.round.tracker.exchange_lifted(SEAT_ZONE[draw.taken[0]], placement)
        before = draw.taken[0]
    if before in draw.taken:
        draw.lay_down(before)
        wrong = _what_is_wrong(core, draw, seat)
        if wrong is None:
            mine.get()
            wrong_cards.put_right(core, draw)
            progress.end_if_complete(core)
        elif before == seat:
            draw.misplace(seat)  # it has been ruled on as it came
        else:
            wrong_cards.went_wrong(core, draw, seat, placement.card, wrong)
        return True
    unread = placement.card is None and placement.zone_before == SEAT_ZONE[seat]
    if unread and draw.outstanding(seat) and not core.standing.shoe_gives_cards:
        mine.pass_one(None)  # no shoe and no names: a card that comes to a seat due cards is one of them
        mine.get()
        progress.end_if_complete(core)
        return True
    return False


def _is_taken_unread(draw: DrawOrder, seat: int, placement: Placement) -> bool:
    """Whether a card without a name is one that was taken back, though discards were lifted that it may be too.

    A player who is due no card lays back what they took up.
    """
    if placement.card is not None or not draw.taken:
        return False
    before = SEAT_OF.get(placement.zone_before or "")
    return before not in draw.taken and (before != seat or draw.outstanding(seat) > 0)


def _what_is_wrong(core: Core, draw: DrawOrder, seat: int) -> Irregularity | None:
    """What is wrong with a card that comes to this seat: it is another player's, or one too many; None for nothing."""
    mine = draw.seats[seat] if seat in draw.order else None
    if mine is None or not _takes(core, draw, seat, mine):
        return Irregularity.DEALT_OUT_OF_TURN
    return Irregularity.EXCESS_CARD if _is_one_too_many(core, draw, seat, mine) else None


def _takes(core: Core, draw: DrawOrder, seat: int, mine: SeatDraw) -> bool:
    """Whether the card may be this player's.

    A card too many is theirs too where no other player is due one. A fifth one waits for the others (2.5(a)), and once
    all have drawn for the fifth that comes before it.
    """
    others_due = any(draw.owed_at_once(other) for other in draw.order if other != seat)
    fifth = mine.asked == WHOLE_HAND and mine.given >= WHOLE_HAND - 1
    if fifth and draw.outstanding(seat) and draw.to_draw() is None and draw.due() != seat:
        return False
    if draw.outstanding(seat) and not (fifth and others_due):
        return True
    lifted = core.round.tracker.lifted_from(SEAT_ZONE[seat])
    if mine.asked is None and mine.mucked + lifted > mine.given:
        return True
    return not others_due


def _is_one_too_many(core: Core, draw: DrawOrder, seat: int, mine: SeatDraw) -> bool:
    """Whether the player has had all cards that they announced, and has passed no more than those.

    A player who has announced none gets none where numbers are keyed (2.4), but for cards that were seen to leave. At
    other tables a card may replace one that no reader saw leave: hands are counted as betting begins.
    """
    lifted = core.round.tracker.lifted_from(SEAT_ZONE[seat]) - draw.taken.count(seat)
    if mine.asked is None:
        return _is_keyed(core, draw) and mine.given >= mine.mucked + lifted
    return not draw.outstanding(seat) and mine.given >= mine.passed(lifted)


def _is_keyed(core: Core, draw: DrawOrder) -> bool:
    """Whether the table has a keypad: an action of this round has been keyed, or a number of this draw."""
    betting = core.round.betting
    return (betting is not None and betting.ever_keyed) or any(mine.asked is not None for mine in draw.seats.values())


def _given(core: Core, draw: DrawOrder, seat: int, mine: SeatDraw) -> None:
    if mine.asked is None and not mine.given:
        faults.judge_late(core, draw, seat)
    mine.get()
    progress.has_decided(core, seat)
    if mine.given == AT_ONCE:
        mine.out_at_fourth = _settled(core)
    elif mine.given == WHOLE_HAND and draw.excludes(seat, core.round.tracker.lifted_from(SEAT_ZONE[seat])):
        mine.fifth_at_once = _came_at_once(core, draw, mine)
        faults.judge_discard(core, draw)


def _came_at_once(core: Core, draw: DrawOrder, mine: SeatDraw) -> bool:
    """Whether a fifth card came straight behind the fourth. Only a shoe can tell."""
    before = mine.out_at_fourth
    straight = before is not None and _settled(core) - before == 1
    return straight and core.standing.shoe_gives_cards and not draw.discarded


def _settled(core: Core) -> int:
    """Number of cards that have left the shoe and come to rest."""
    return core.round.tracker.left_shoe - len(core.round.tracker.mouth)

"""Tabling of hands when a player is all in and nobody can bet any more.

The Star 7.28, 7.29; Onyx, Showdown 9 and 13. The hands lie open before the next card of the board, and before its burn.
Without a keypad an all-in is not known, and nothing is judged.
"""

from typing import Final

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.core.round import Matter
from table_fsm.felt import SEAT_ZONE
from table_fsm.play.tournament import hand_for_hand
from table_fsm.rulebook.irregularities import Irregularity

_HANDS_DOWN: Final = (Matter.HANDS_DOWN, None)
_ENDED: Final = (Matter.ROUND_END, Irregularity.NOT_TABLED.value)


def hands_due(core: Core) -> list[int]:
    """Seats whose hands should lie open by now and do not, in dealing order.

    Empty where the book does not require it.
    """
    if not must_lie_open(core):
        return []
    if hand_for_hand.showdown_held(core):  # hands stay down until the other tables are done
        return []
    betting, tracker = core.round.betting, core.round.tracker
    assert betting is not None
    zones = [(seat, SEAT_ZONE[seat]) for seat in betting.live]
    mucked = core.round.showdown.mucked_unseen
    return [
        seat
        for seat, zone in zones
        if tracker.ups(zone) < tracker.holds(zone) or (seat in mucked and _unseen(core, seat))
    ]


def judge(core: Core) -> None:
    """Rule, once a round, on a card burnt or dealt to the board while hands that must be open lie face down."""
    if _HANDS_DOWN in core.round.rulings.matters:
        return
    down = hands_due(core)
    if down:
        core.find(Irregularity.NOT_TABLED, {"noticed": "next_card"}, seat=down[0], once=_HANDS_DOWN)


def mucked_unseen(core: Core, seat: int) -> bool:
    """Rule on a live hand that is folded or mucked although it must be tabled; return whether it is one.

    It stays live: its cards are to be turned up. What is still unseen as the round ends is folded then.
    """
    betting = core.round.betting
    if betting is None or not betting.is_live(seat) or not must_lie_open(core) or not _unseen(core, seat):
        return False
    unseen = core.round.showdown.mucked_unseen
    facts = {"noticed": "held" if hand_for_hand.showdown_held(core) else "mucked"}
    core.find(
        Irregularity.NOT_TABLED, facts, seat=seat, once=(Matter.HANDS_DOWN, seat), then=lambda _, __: unseen.add(seat)
    )
    return True


def came_back(core: Core, seat: int, *, up: bool) -> bool:
    """Take a card that comes back from the discards to be tabled; return whether it is one."""
    if seat not in core.round.showdown.mucked_unseen:
        return False
    if up:
        core.round.tracker.turn_last(SEAT_ZONE[seat])
    if not _unseen(core, seat):
        core.round.showdown.mucked_unseen.discard(seat)
    return True


def judge_end(core: Core, *, told: bool) -> bool:
    """Rule on a round that is ended with an all-in called and hands unseen; return whether it may end.

    It may once the ruling waits for nobody, or is asked for again. Hands that others have shown to are folded then.
    `told`: the floor has been called already, because the round is not over.
    """
    betting = core.round.betting
    if betting is None or not must_lie_open(core):
        return True
    unseen = [seat for seat in betting.live if _unseen(core, seat)]
    unsaid = set(unseen) - core.round.showdown.mucked_unseen
    if unsaid and not told and _ENDED not in core.round.rulings.matters:
        core.find(Irregularity.NOT_TABLED, {"noticed": "ended"}, seat=min(unsaid), once=_ENDED)
        core.judge()
        if core.collecting() or core.has_pending(Irregularity.NOT_TABLED):
            return False
    if len(unseen) < len(betting.live):
        for seat in unseen:
            core.flow.fold(seat)
    return True


def must_lie_open(core: Core) -> bool:
    """Whether an all-in is called and the book has all live hands open from then on, where a reader can tell."""
    # Hot path, asked after most events: what a book or a round mostly lacks is asked first.
    if core.book.showdown.all_in != "before_the_next_card":
        return False
    return _nothing_to_bet(core) and not questions.hands_unseen(core)


def _unseen(core: Core, seat: int) -> bool:
    return core.round.tracker.ups(SEAT_ZONE[seat]) < questions.cards_of_a_hand(core)[0]


def _nothing_to_bet(core: Core) -> bool:
    """Whether a live player is all in and no two live players can bet against each other."""
    betting = core.round.betting
    if betting is None or core.round.showdown.decided or core.rounds.phase not in {"betting", "board", "showdown"}:
        return False
    if not betting.some_all_in or len(betting.live) < 2:
        return False
    if betting.open:
        return betting.certain and not betting.contested
    return core.rounds.phase == "showdown" or len(betting.able) < 2

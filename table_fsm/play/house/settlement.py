"""Settlement of house-banked rounds, from the dealer's right, as each hand is opened."""

from typing import Final

from table_fsm import outputs
from table_fsm.core.core import Core
from table_fsm.core.house_state import BettingBox
from table_fsm.felt import BOARD, SEAT_ZONE
from table_fsm.poker.hands.evaluation import HandRank, rank_hand
from table_fsm.poker.uth_payouts import Limits, PlayStage, Settlement, Wagers, qualifies, settle, settle_fold

_STAGES: Final = {
    "pre_flop": PlayStage.BEFORE_FLOP,
    "flop": PlayStage.AFTER_FLOP,
    "river": PlayStage.RIVER,
}


def settle_shown(core: Core) -> None:
    """Settle the hands that can be settled once the dealer's hand is open.

    These are folded hands and hands whose cards are open.
    """
    house = core.round.house
    if not house.dealer_open:
        return
    dealer = _dealer_hand(core)
    for seat in sorted(house.boxes, reverse=True):
        box = house.boxes[seat]
        if box.settled or box.void or not (box.ante and box.blind):
            continue
        if box.folded:
            _give(core, seat, box, settle_fold(_wagers(box), _stage(box), _limits(core, box)))
            continue
        cards = core.round.tracker.shown(SEAT_ZONE[seat])
        if dealer is not None and len(cards) == 2:
            hand = rank_hand(cards, _board(core))
            _give(core, seat, box, settle(hand, dealer, _wagers(box), _stage(box), _limits(core, box)))
    if all(box.settled or box.void or not (box.ante and box.blind) for box in house.boxes.values()):
        core.move("won")


def dealer_qualifies(core: Core) -> bool:
    """Whether the dealer's open hand is known to have one pair or better (9.2)."""
    dealer = _dealer_hand(core)
    return dealer is not None and qualifies(dealer)


def settle_rest(core: Core) -> None:
    """Settle folded hands at the round's end, because the dealer's hand stayed closed."""
    for seat in sorted(core.round.house.boxes, reverse=True):
        box = core.round.house.boxes[seat]
        if box.folded and not box.settled and not box.void and box.ante and box.blind:
            _give(core, seat, box, settle_fold(_wagers(box), _stage(box), _limits(core, box)))


def _dealer_hand(core: Core) -> HandRank | None:
    cards = core.round.tracker.shown("dealer")
    board = _board(core)
    return rank_hand(cards, board) if len(cards) == 2 and len(board) == len(BOARD) else None


def _board(core: Core) -> list[str]:
    return [card for zone in BOARD for card in core.round.tracker.shown(zone)]


def _wagers(box: BettingBox) -> Wagers:
    return Wagers(ante=box.ante, blind=box.blind, trips=box.trips or None, play=box.play or None)


def _stage(box: BettingBox) -> PlayStage | None:
    return _STAGES[box.play_street] if box.play and box.play_street is not None else None


def _limits(core: Core, box: BettingBox) -> Limits:
    options = core.options
    return Limits(
        table_min=options.table_min,
        table_max=options.table_max,
        max_payout=options.max_payout,
        marked=frozenset(box.marked),
    )


def _give(core: Core, seat: int, box: BettingBox, amounts: Settlement) -> None:
    box.settled = True
    hand = amounts.hand.value if amounts.hand is not None else None
    core.emit(outputs.Settlement(seat, hand, amounts.ante, amounts.blind, amounts.trips, amounts.play))

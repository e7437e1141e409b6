"""The undealt cards in the draw (ACT 2001, B 2.5(b), 2.6).

Cards leave them, one is discarded before the last fifth card, and discards are shuffled in.
"""

from collections.abc import Mapping
from typing import Final

from table_fsm.core.core import Core
from table_fsm.felt import SEAT_OF, SEAT_ZONE
from table_fsm.play.deck import cutting, stub_count
from table_fsm.play.deck.stub_count import StubCount
from table_fsm.play.draw import progress
from table_fsm.poker.cards.places import Origin, Placement
from table_fsm.poker.draw_order import DrawOrder
from table_fsm.rulebook.irregularities import Irregularity

_STUB: Final = {"pack": "stub"}


def card_left_shoe(core: Core) -> None:
    """Count a card that left the undealt cards.

    With none left the discards must be shuffled first (2.6).
    """
    draw = progress.drawing(core)
    if draw is None:
        return
    if draw.stub <= 0 and not draw.stub_ruled:
        core.find(Irregularity.NOT_SHUFFLED, _STUB)
        _discards_back(core, draw, None)  # they are dealt unshuffled, and that has been ruled on
        draw.stub_ruled = True
    draw.leave_stub()


def before_placed(core: Core, zone: str) -> None:
    """Note a discard that no reader saw, when a card comes to a seat with two out of the shoe."""
    draw, mouth = core.round.draw, core.round.tracker.mouth
    if draw is None or len(mouth) < 2 or progress.drawing(core) is None:
        return
    seat = SEAT_OF.get(zone)
    if seat is not None and draw.discard_due() and draw.due() == seat:
        core.round.tracker.discard_mouth()
        draw.discarded = True


def discards(core: Core, placement: Placement) -> bool:
    """Take a card from the stub that is discarded or burnt; return whether 2.5(b) requires it."""
    draw = progress.drawing(core)
    if draw is None:
        return False
    if placement.origin is Origin.NOWHERE:
        card_left_shoe(core)
    core.round.stud.top_gone()
    if not draw.may_discard():
        return False
    draw.discarded = True
    return True


def stub_shuffled(core: Core, count: int | None) -> bool:
    """Return the others' discards to the stub, but not those of players who replace all five.

    Source: 2.6. `count`: number of undealt cards afterwards, where the shoe counts. Returns whether a draw is in
    progress.
    """
    draw = progress.drawing(core)
    if draw is None:
        return False
    right = _right_count(core, draw, progress.lifted_cards(core, draw))
    _discards_back(core, draw, count)
    stub_count.judge(core, count, right)
    draw.stub_ruled = False
    cutting.discards_shuffled(core)
    return True


def _right_count(core: Core, draw: DrawOrder, lifted: Mapping[int, int]) -> StubCount | None:
    """The right count of the undealt cards that are being shuffled with discards (2.6).

    The most there can be are all cards but those that players hold, because it is not seen whose discards went in.
    `lifted`: cards that have left each seat. None where it is not known (as `stub_count.on_table`).
    """
    deal = core.round.deals.current
    if deal is None or stub_count.in_doubt(core):
        return None
    players = [(draw.seats[seat], cards) for seat, cards in lifted.items()]
    held = sum(deal.need - mine.passed(cards) + mine.given for mine, cards in players)
    return StubCount(draw.stub + draw.returnable(lifted), core.deck_size - held)


def _discards_back(core: Core, draw: DrawOrder, count: int | None) -> None:
    lifted = progress.lifted_cards(core, draw)
    back = draw.returnable(lifted)
    due = draw.due()
    tracker = core.round.tracker
    kept: set[str] = set()
    for seat in draw.order:
        mine = draw.seats[seat]
        if seat == due or draw.excludes(seat, lifted[seat]):
            kept.update(mine.names)
            if mine.mucked + lifted[seat] <= mine.passed(lifted[seat]):
                mine.pass_lifted(lifted[seat], tracker.discard_lifted(SEAT_ZONE[seat]))
            continue
        whole = mine.mucked + lifted[seat] <= mine.passed(lifted[seat])
        mine.pass_lifted(tracker.forget_lifted(SEAT_ZONE[seat], gone=whole), [])
        tracker.forget_mucked(mine.names)
        mine.shuffled_in(0 if whole else lifted[seat])
    tracker.return_mucked(kept)
    draw.fill_stub(count if count is not None else draw.stub + back)

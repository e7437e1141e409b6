"""The count of undealt cards that were shuffled in the round, against the cards that lie on the table.

The undealt cards are those of the deck that lie nowhere else. Some places are not known: a card taken up from a live
hand may have been shuffled in or laid aside. Then the right count is a range. It is not judged where a card may have
been missed, or where a ruling of the round has said that the cards of the pack are in doubt.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.core.round import Matter
from table_fsm.felt import BOARD_ZONES, SEAT_OF
from table_fsm.poker.cards.places import LiftedCard
from table_fsm.rulebook.irregularities import Irregularity

_COUNTED = {"found": "count_in_round"}
_CARDS_IN_DOUBT = frozenset(
    {Matter.BACK, Matter.DOUBTED, Matter.DEALT_BY_HAND, Matter.TOO_MANY_CARDS, Matter.STUB_COUNT}
)


@dataclass(frozen=True, slots=True)
class StubCount:
    """The least and the greatest number of undealt cards that are in order."""

    least: int
    most: int


def on_table(core: Core) -> StubCount | None:
    """The right count of the undealt cards that are being shuffled, with what goes back to them.

    Ask before the shuffle is taken. None where it is not known: a device was away, the shoe has a fault, or a ruling of
    the round has said that the pack's cards are in doubt. From a draw on the draw itself knows.
    """
    tracker = core.round.tracker
    if core.round.draw is not None or in_doubt(core):
        return None
    lying = sum(len(cards) for cards in tracker.zones.values())
    sure = core.deck_size - lying - len(tracker.mouth) - _out_for_good(core, tracker.lifted) + _boxed_back(core)
    return StubCount(sure - _somewhere(core, tracker.lifted), sure + _still_on_board(core))


def in_doubt(core: Core) -> bool:
    """Whether a card may have been missed, or the cards of the pack are in doubt already."""
    standing = core.standing
    if core.round.doubts.reader_lost or standing.offline or standing.zone_troubles or standing.faults:
        return True
    return any(matter[0] in _CARDS_IN_DOUBT for matter in core.round.rulings.matters)


def _boxed_back(core: Core) -> int:
    """Number of boxed cards on the table that a ruling sends back: the shuffle takes them, reported or not."""
    tracker, boxed = core.round.tracker, core.round.stud.boxed
    return sum(out.boxed for out in tracker.mouth) + (boxed is not None and tracker.holds(boxed[0]) > 0)


def _still_on_board(core: Core) -> int:
    """Number of cards that a ruling sends back and no reader saw leave the board: they may have been shuffled in."""
    return questions.cards_too_many(core) if core.round.board.stub_owed else 0


def _out_for_good(core: Core, lifted: Sequence[LiftedCard]) -> int:
    """Number of lifted cards that are not among the undealt ones: off the table, or discards of hands that are out."""
    return sum(card.off_table or _folded(core, card.zone) for card in lifted)


def _folded(core: Core, zone: str) -> bool:
    seat, betting = SEAT_OF.get(zone), core.round.betting
    return seat is not None and betting is not None and not betting.is_live(seat)


def _somewhere(core: Core, lifted: Sequence[LiftedCard]) -> int:
    """Number of lifted cards of which it is not known whether they were shuffled in."""
    to_stub = core.round.board.stub_owed
    return sum(
        not card.off_table and not _folded(core, card.zone) and not (to_stub and card.zone in BOARD_ZONES)
        for card in lifted
    )


def judge(core: Core, count: int | None, right: StubCount | None) -> None:
    """Rule on a count of the undealt cards that is not the right one; `count`: None where nothing was counted."""
    if count is None or right is None or right.least <= count <= right.most:
        return
    which = Irregularity.SHORT_DECK if count < right.least else Irregularity.FOREIGN_CARD
    core.find(which, _COUNTED, deck=core.round.deck, once=(Matter.STUB_COUNT, None))

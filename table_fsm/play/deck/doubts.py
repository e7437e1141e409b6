"""Doubts about the deck from the cards that were seen: sorted, short, doubled cards.

A deck that was not shuffled shows in the order of its cards, within the round (`sorted_deck`). A card that is missing
or doubled shows over many rounds (`unseen_cards`). The memory of a deck is dropped when a full check finds the deck
complete, and when its cards are changed. Shoe and readers are reconciled as a round ends. A ruling names cards only
when their round is over.

Catalogue F count, F identity, F shuffle.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from table_fsm.core.core import Core
from table_fsm.core.round import Matter
from table_fsm.core.standing import DeckRecord
from table_fsm.poker.cards import sorted_deck
from table_fsm.poker.cards.unseen_cards import UnseenCards
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Row
from table_fsm.rulebook.outcomes import Outcome

ENOUGH_TO_JUDGE: Final = 9
"""Number of named cards at which the order is judged within a round. It is enough for a deck that was not shuffled
at all."""
FEWEST_TO_JUDGE: Final = 7
"""Least number of named cards: fewer can be in any order by chance."""
_SORTED: Final = {"pack": "sorted"}
_READERS: Final = {"found": "readers"}
_OVER_ROUNDS: Final = {"found": "over_rounds"}
_MOVES_NO_CARD: Final = frozenset(
    {
        Outcome.PLAY_ON,
        Outcome.WARN,
        Outcome.PENALTY_FLOOR,
        Outcome.FOLD_HAND,
        Outcome.CHECK_HAND,
        Outcome.BINDING,
        Outcome.MAY_CALL_OR_FOLD,
        Outcome.ALL_OPTIONS,
        Outcome.RETURN_BET,
        Outcome.RETURN_EXCESS,
        Outcome.TREAT_AS_CALL,
        Outcome.COMPLETE_RAISE,
        Outcome.ADD_OR_FOLD,
        Outcome.CAP_BETS_AT_LARGEST,
        Outcome.CAP_BETS_AT_MINIMUM,
    }
)
"""Outcomes that move no card. After other rulings people move cards by hand, and their zones are not known."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of the deck.

    `cards`: the cards concerned, named only when the round is over.
    """

    irregularity: Irregularity
    facts: Mapping[str, str]
    cards: tuple[str, ...] = ()


# -- the order of the cards


def judge_order(core: Core) -> None:
    """Rule on a sorted deck, once enough cards of the round have been named."""
    round_ = core.round
    if round_.doubts.order_judged or round_.tracker.order.named < ENOUGH_TO_JUDGE or core.collecting():
        return
    if _sorted(core):
        _find(core, Finding(Irregularity.NOT_SHUFFLED, _SORTED), round_.deck)


def _sorted(core: Core) -> bool:
    """Whether the cards came in an order that no shuffle leaves.

    Every order in which they may have come is tried. Judged once for each number of named cards.
    """
    tracker = core.round.tracker
    judged = core.round.doubts
    if judged.order_told or judged.order_judged == tracker.order.named or _ruled(core, Irregularity.NOT_SHUFFLED):
        return False
    core.round.doubts.order_judged = tracker.order.named
    ways, orders = tracker.order.arrangements(ENOUGH_TO_JUDGE)
    # Most rounds leave one order: a fraction divided and hashed anew there would cost more than the judgement.
    odds = sorted_deck.FALSE_ALARMS / ways if ways > 1 else sorted_deck.FALSE_ALARMS
    return any(sorted_deck.judge(order, tracker.deck, odds) is not None for order in orders)


def _ruled(core: Core, irregularity: Irregularity) -> bool:
    """Whether the irregularity has been ruled on, or waits for a person, in this round."""
    rulings, standing = core.round.rulings, core.standing
    if rulings.matters and (Matter.START, irregularity.value) in rulings.matters:
        return True
    return bool(standing.pending) and any(
        p.irregularity == irregularity.value and p.round_number == standing.round_number for p in standing.pending
    )


# -- the end of a round


def at_end(core: Core) -> list[Finding]:
    """The faults of the deck after a round that ended in good order.

    `tell` rules on them once the round is over.
    """
    found = []
    if core.round.tracker.order.named >= FEWEST_TO_JUDGE and _sorted(core):
        found.append(Finding(Irregularity.NOT_SHUFFLED, _SORTED))
    if _cards_lost(core):
        found.append(Finding(Irregularity.SHORT_DECK, _READERS))
    return found + _doubts_over_rounds(core)


def tell(core: Core, deck: str | None, findings: list[Finding]) -> None:
    """Rule on the findings of `at_end` about the pack of that name."""
    for finding in findings:
        _find(core, finding, deck)


def take_over(core: Core) -> None:
    """Go on with what a snapshot has kept of the doubts: the order that has been told is not told again."""
    core.round.doubts.order_told = core.standing.carried_order_told


def _find(core: Core, finding: Finding, deck: str | None) -> None:
    record, key = core.deck(deck), core.deck_key(deck) or None
    judged = core.round.doubts

    def ruled(_: int, __: Row) -> None:
        if finding.facts is _SORTED:
            judged.order_told = True  # a person may have let the round go on: the same cards are not told again
        if finding.facts is _OVER_ROUNDS:
            record.doubted.append(finding.irregularity.value)

    core.find(finding.irregularity, finding.facts, deck=key, pack_cards=finding.cards, then=ruled)


def _cards_lost(core: Core) -> bool:
    """Whether the shoe gave a card that no reader saw come to rest.

    Only for a round that all readers followed to its end.
    """
    tracker, standing = core.round.tracker, core.standing
    if not tracker.mouth or core.round.doubts.reader_lost:
        return False
    if standing.offline or standing.zone_troubles or standing.faults:
        return False
    return all(Outcome(given.outcome) in _MOVES_NO_CARD for given in core.round.rulings.given.values())


def _doubts_over_rounds(core: Core) -> list[Finding]:
    """Add the round to the memory of the deck; return doubts that have not been reported yet."""
    tracker = core.round.tracker
    record = core.deck(core.round.deck)
    memory = _memory(record, core.deck_cards)
    memory.add_round(tracker.order.by_chance, tracker.where)
    doubt = memory.judge()
    if doubt is None:
        return []
    found = []
    for irregularity, cards in (
        (Irregularity.SHORT_DECK, doubt.unseen),
        (Irregularity.DUPLICATE_CARD, doubt.doubled),
    ):
        if cards and irregularity.value not in record.doubted:
            found.append(Finding(irregularity, _OVER_ROUNDS, cards))
    return found


def without_count(core: Core) -> None:
    """Add the places of the cards of a round that does not count to the memory of the deck."""
    if core.round.tracker.where:
        _memory(core.deck(core.round.deck), core.deck_cards).add_round((), core.round.tracker.where)


def _memory(record: DeckRecord, deck: frozenset[str]) -> UnseenCards:
    """The memory of a deck; empty for one that had other cards before."""
    if record.seen is None or not record.seen.is_of(deck):
        record.seen = UnseenCards.of(deck)
    return record.seen


def forget(record: DeckRecord) -> None:
    """Drop the memory of a deck that was found complete or whose cards were changed."""
    record.seen = None
    record.doubted.clear()


# -- counts within a round


def too_many_out(core: Core) -> bool:
    """Whether more cards have left the shoe than the deck has.

    Ask only while no card can have gone back.
    """
    tracker = core.round.tracker
    return len(tracker.order.cards) > len(tracker.deck)

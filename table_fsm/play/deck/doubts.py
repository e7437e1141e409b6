"""What the cards seen say about the deck: sorted, short, or with a card twice; and whether shoe and readers agree.

A deck that was not shuffled shows in the order of its cards, within the round (`sorted_deck`). A card that is missing
or doubled shows over many rounds (`unseen_cards`): what is remembered of a deck is thrown away when a full check finds
it whole, and when its cards are changed. Shoe and readers are reconciled as a round ends. Cards are named beside a
ruling only when their round is over.

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
from table_fsm.rulebook.irregularities import Irregularity, Outcome

ENOUGH_TO_JUDGE: Final = 9
"""Cards named when the order is judged within a round: enough for a deck that was not shuffled at all."""
FEWEST_TO_JUDGE: Final = 7
"""Fewer cards in any order can be chance."""
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
"""After other rulings cards are put right by hand: where they all came to rest is not known."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of the deck. `cards`: those it is about, to be named when the round is over."""

    irregularity: Irregularity
    facts: Mapping[str, str]
    cards: tuple[str, ...] = ()


# -- the order of the cards


def judge_order(core: Core) -> None:
    """The round has moved on: once enough cards have been named, a sorted deck is told."""
    round_ = core.round
    if round_.doubts.order_judged or round_.tracker.order.named < ENOUGH_TO_JUDGE or core.collecting():
        return
    if _sorted(core):
        _rule(core, Finding(Irregularity.NOT_SHUFFLED, _SORTED), round_.deck)


def _sorted(core: Core) -> bool:
    """Whether the cards come as no shuffle leaves them, in any order they may have come in. Asked once for the same."""
    tracker = core.round.tracker
    if core.round.doubts.order_judged == tracker.order.named or _ruled(core, Irregularity.NOT_SHUFFLED):
        return False
    core.round.doubts.order_judged = tracker.order.named
    ways, orders = tracker.order.arrangements(ENOUGH_TO_JUDGE)
    odds = sorted_deck.FALSE_ALARMS / ways
    return any(sorted_deck.judge(order, tracker.deck, odds) is not None for order in orders)


def _ruled(core: Core, irregularity: Irregularity) -> bool:
    """A deck known not to be shuffled, or not asked to be, is not told of again in the same round."""
    return (Matter.START, irregularity.value) in core.round.rulings.matters or any(
        p.irregularity == irregularity.value and p.round_number == core.standing.round_number
        for p in core.standing.pending
    )


# -- the end of a round


def at_end(core: Core) -> list[Finding]:
    """A round has ended in good order: what is wrong with its deck. To be told once the round is over (`tell`)."""
    found = []
    if core.round.tracker.order.named >= FEWEST_TO_JUDGE and _sorted(core):
        found.append(Finding(Irregularity.NOT_SHUFFLED, _SORTED))
    if _cards_lost(core):
        found.append(Finding(Irregularity.SHORT_DECK, _READERS))
    return found + _doubts_over_rounds(core)


def tell(core: Core, deck: str | None, findings: list[Finding]) -> None:
    """Rule on what `at_end` found, of the pack of that name."""
    for finding in findings:
        _rule(core, finding, deck)


def _rule(core: Core, finding: Finding, deck: str | None) -> None:
    core.rule(
        finding.irregularity,
        finding.facts,
        deck=core.deck_key(deck) or None,
        beside_others=True,
        cards=finding.cards,
        beyond_round=True,
    )


def _cards_lost(core: Core) -> bool:
    """The shoe gave a card that no reader saw come to rest, in a round that all readers followed to its end."""
    tracker, standing = core.round.tracker, core.standing
    if not tracker.mouth or core.round.doubts.reader_lost or standing.offline or standing.faults:
        return False
    return all(Outcome(given.outcome) in _MOVES_NO_CARD for given in core.round.rulings.given.values())


def _doubts_over_rounds(core: Core) -> list[Finding]:
    """One more round is remembered of the deck. What that says, the first time it is said."""
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
            record.doubted.append(irregularity.value)
            found.append(Finding(irregularity, _OVER_ROUNDS, cards))
    return found


def without_count(core: Core) -> None:
    """A round that does not count is over: its cards are there, and say nothing else."""
    if core.round.tracker.where:
        _memory(core.deck(core.round.deck), core.deck_cards).add_round((), core.round.tracker.where)


def _memory(record: DeckRecord, deck: frozenset[str]) -> UnseenCards:
    """What is remembered of a deck; nothing yet of one that had other cards before."""
    if record.seen is None or not record.seen.is_of(deck):
        record.seen = UnseenCards.of(deck)
    return record.seen


def forget(record: DeckRecord) -> None:
    """The deck has been found whole, or its cards were changed: what was seen before says nothing of it now."""
    record.seen = None
    record.doubted.clear()


# -- counts within a round


def too_many_out(core: Core) -> bool:
    """More cards have left the shoe than the deck has; not asked once cards may have gone back."""
    tracker = core.round.tracker
    return len(tracker.order.cards) > len(tracker.deck)

"""The opener of a betting round by the cards showing.

ACT 2001 D 1.2; TAS 2018 B 11.1(a), 11.2(a); low games ours. Public cards only: those that lie face up before a player.
If one of those cards was not read, the opener is not known; then nothing is judged about the turn until somebody acts,
who is taken to have opened.

Ours: all-in players do not count, since they bet no more; equals come in the order of the deal; a fold by the player
who should open passes it to the next one clockwise.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from table_fsm.core.core import Core
from table_fsm.felt import SEAT_ZONE
from table_fsm.poker.hands.open_hands import OpenHand, card_alone, low_open_hand, open_hand, suited_card
from table_fsm.prompts.shapes import OpeningCards

_Worth: TypeAlias = Callable[[list[str]], OpenHand]
_MOST_OPEN: Final = 4


def _lowest(cards: list[str]) -> OpenHand:
    return min(map(card_alone, cards))


def _highest(cards: list[str]) -> OpenHand:
    return max(map(card_alone, cards))


def _highest_by_suit(cards: list[str]) -> OpenHand:
    return max(suited_card(card) for card in cards)


@dataclass(frozen=True, slots=True)
class _Opening:
    """How the cards showing decide who opens."""

    cards: OpeningCards
    """What a prompt calls them."""
    worth: _Worth
    """What a player's open cards are worth; of equals the first in the order of the deal opens."""
    lowest: bool = False
    """The least worth opens, not the greatest."""
    whole: bool = False
    """All open cards count together, so that different numbers of them do not compare."""


_LOW_CARD: Final = _Opening("low_card", _lowest, lowest=True)
_HIGH_CARD: Final = _Opening("high_card", _highest)
_OPENINGS: Final[Mapping[str, _Opening]] = MappingProxyType(
    {
        "high_card": _HIGH_CARD,
        "high_card_by_suit": _Opening("high_card", _highest_by_suit),
        "high_hand": _Opening("high_hand", open_hand, whole=True),
        "low_hand": _Opening("low_hand", low_open_hand, lowest=True, whole=True),
    }
)
"""By the `opener` of a street in a book."""


def _opening(core: Core) -> _Opening | None:
    """How the cards open the street in progress; None where they do not."""
    if core.street.opener == "low_or_high_card":
        return _LOW_CARD if core.options.opener == "low" else _HIGH_CARD
    return _OPENINGS.get(core.street.opener)


def opens_by_cards(core: Core) -> bool:
    """Whether the street in progress is opened by the cards showing."""
    return _opening(core) is not None


def wanted(core: Core) -> OpeningCards:
    """Return which cards open this street. Raises AssertionError where the cards showing do not."""
    opening = _opening(core)
    assert opening is not None, f"the cards showing do not open this street: {core.street.opener} does"
    return opening.cards


def final_opener(core: Core) -> int | None:
    """The first player whose last card was seen, and who can bet: that one opens the last betting. None for nobody."""
    betting = core.round.betting
    able = betting.able if betting is not None else []
    return next((seat for seat in core.round.stud.final_shown if seat in able), None)


def choose(core: Core) -> None:
    """Set the opener of the betting if open cards decide and nobody has acted yet."""
    betting = core.round.betting
    if betting is None or not betting.open or betting.begun or betting.keyed:
        return
    if core.street.opener == "after_blinds":
        betting.open_after_blind(else_first=core.book.betting.inactive_last_blind == "from_button")
    if not opens_by_cards(core):
        return
    final = final_opener(core)
    if betting.last_street and final is not None:
        betting.open_tapping_out(final)
        return
    betting.first_to_act(_opener(core, betting.able))


def _opener(core: Core, able: list[int]) -> int | None:
    """The seat with the lowest or highest open cards, whichever opens.

    None where a card that should show was not read.
    """
    opening = _opening(core)
    showing = {seat: _showing(core, seat) for seat in able}
    hands = {seat: cards for seat, cards in showing.items() if cards is not None}
    if opening is None or not hands or len(hands) < len(showing):
        return None
    if opening.whole and (len({len(cards) for cards in hands.values()}) > 1 or _too_many(hands)):
        return None  # different numbers of cards do not compare
    worths = {seat: opening.worth(cards) for seat, cards in hands.items()}
    return (min if opening.lowest else max)(able, key=worths.__getitem__)  # of equals the first


def _too_many(hands: dict[int, list[str]]) -> bool:
    return any(len(cards) > _MOST_OPEN for cards in hands.values())


def _showing(core: Core, seat: int) -> list[str] | None:
    """A player's open cards; None if one was not read or does not show yet."""
    tracker = core.round.tracker
    zone = SEAT_ZONE[seat]
    names = tracker.shown(zone)
    due = core.book.open_cards[core.round.street]
    return names if names and len(names) == tracker.ups(zone) and len(names) >= due else None

"""pokerkit's `State`, set up by what the book's text asks for."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import pokerkit
from pokerkit import Automation, BettingStructure, Card, Deck, Mode, State
from pokerkit import Opening as TheirOpening
from pokerkit import Street as TheirStreet

from tests.second_opinion.differences import Known, Seen
from tests.second_opinion.games import Opener
from tests.second_opinion.hands import PACK, Hand

CARDS: Final = {name: next(iter(Card.parse(name))) for name in PACK}
"""pokerkit's cards by feltd's names."""
_AUTOMATIC: Final = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.RUNOUT_COUNT_SELECTION,
    Automation.CHIPS_PULLING,
)
_OPENINGS: Final = {
    Opener.HIGH_HAND: TheirOpening.HIGH_HAND,
    Opener.LOW_HAND: TheirOpening.LOW_HAND,
    Opener.HIGH_CARD_BY_SUIT: TheirOpening.HIGH_CARD,
    Opener.LOW_CARD: TheirOpening.LOW_CARD,
    Opener.HIGH_CARD: TheirOpening.HIGH_HAND,
}
SAME_OPENING: Final = frozenset({Opener.HIGH_HAND, Opener.LOW_HAND, Opener.HIGH_CARD_BY_SUIT})
"""Where pokerkit has the same opening as the text."""
_STRUCTURES: Final = {"pot": BettingStructure.POT_LIMIT, "structured": BettingStructure.FIXED_LIMIT}


class TextState(State):
    """pokerkit's state, which takes lent chips back before it collects bets and keeps the pots of the showdown."""

    lent: tuple[int, int] | None = None
    """Player and cents."""
    excess: tuple[int, int] = (0, 0)
    """Player and cents: what a folded player got back, because nobody matched it."""
    pots_at_showdown: tuple[tuple[int, tuple[int, ...]], ...] = ()

    def collect_bets(self, *, commentary: str | None = None) -> Any:
        if self.lent is not None:
            player, cents = self.lent
            self.lent = None
            self.bets[player] -= cents
            self.payoffs[player] += cents
        if not any(self.bets):  # none but those were there, which pokerkit does not expect
            self.bet_collection_status = False
            return self._update_bet_collection()
        self._note_excess()
        return super().collect_bets(commentary=commentary)

    def _note_excess(self) -> None:
        second, most = sorted(self.bets)[-2:]
        player = self.bets.index(most)
        if most > second and not self.statuses[player]:
            self.excess = player, most - second

    def _begin_showdown(self) -> None:
        self.pots_at_showdown = tuple((pot.amount, pot.player_indices) for pot in self.pots)
        super()._begin_showdown()

    def get_up_hand(self, player_index: int, board_index: int, hand_type_index: int) -> Any:
        """The hand; while pots are pushed the same for each pot, so that it is looked for once."""
        key = player_index, board_index, hand_type_index
        if self.street_index is not None:
            return super().get_up_hand(*key)
        if key not in self.hands:
            self.hands[key] = super().get_up_hand(*key)
        return self.hands[key]

    def _begin_hand_killing(self) -> None:
        """Kill no hand: the pots of killed hands would be told as one."""
        self.hands: dict[tuple[int, int, int], Any] = {}
        self._end_hand_killing()


def new_state(hand: Hand, seen: Seen) -> TextState:
    """A hand in pokerkit, ready for the cards: antes and blinds are posted."""
    antes, stacks, lent = _forced(hand, seen)
    state = TextState(
        _AUTOMATIC,
        Deck.STANDARD,
        _hand_types(hand),
        tuple(_streets(hand)),
        _STRUCTURES.get(hand.options["betting"], BettingStructure.NO_LIMIT),
        not hand.big_blind_ante,
        _turned(antes),
        _turned(_blinds(hand)),
        0,
        stacks,
        len(hand.seats),
        mode=Mode.CASH_GAME,
        divmod=_units(hand.table_min or 1),
    )
    if lent and hand.big_blind is not None:
        state.lent = (hand.big_blind, lent)
    return state


def _turned(amounts: list[int]) -> list[int]:
    """Forced bets turned round between two players, because pokerkit does so."""
    return amounts[::-1] if len(amounts) == 2 else amounts


def _blinds(hand: Hand) -> list[int]:
    blinds = [0] * len(hand.seats)
    for player, cents in zip(hand.poster_order, hand.blinds, strict=False):
        blinds[player] = cents
    return blinds


def _forced(hand: Hand, seen: Seen) -> tuple[list[int], list[int], int]:
    """Antes and stacks of all players, and what a big blind who cannot post it all is lent."""
    big, stacks = hand.big_blind, list(hand.stacks)
    antes = [0 if hand.big_blind_ante else hand.ante] * len(stacks)
    if big is None:
        return antes, stacks, 0
    ante = hand.ante_due
    if not hand.game.ante_first and (left := max(0, stacks[big] - hand.bet)) < ante:
        seen[Known.ANTE_AFTER_BLIND] += 1
        ante = left
    antes[big] = min(ante, stacks[big])
    lent = max(0, hand.bet - (stacks[big] - antes[big]))
    seen[Known.LENT_BLIND] += lent > 0
    stacks[big] += lent
    return antes, stacks, lent


def lifts_cap(hand: Hand) -> bool:
    """Whether the text lets two players raise as often as they like."""
    return hand.game.cap_lifted or bool(hand.options.get("final_table") and len(hand.seats) == 2)


def most_raises(hand: Hand, street: int) -> int | None:
    """The most raises in a betting round; None for no limit."""
    game = hand.game
    capped = hand.options["betting"] in game.capped and street < game.capped_streets
    return game.cap if capped and (hand.blinds or game.cap_on_antes) else None


def _streets(hand: Hand) -> Iterator[TheirStreet]:
    for number, street in enumerate(hand.game.streets):
        raises = most_raises(hand, number)
        bets = None if raises is None else raises + (0 if number == 0 and hand.blinds else 1)
        yield TheirStreet(
            False,
            tuple(face == "u" for face in street.own),
            street.board,
            street.draw,
            _OPENINGS.get(hand.opener(number), TheirOpening.POSITION),
            hand.least_raise(number),
            bets,
        )


def _hand_types(hand: Hand) -> tuple[Any, ...]:
    high = getattr(pokerkit, hand.game.hand)
    omaha = high is pokerkit.OmahaHoldemHand
    low_eight = pokerkit.OmahaEightOrBetterLowHand if omaha else pokerkit.EightOrBetterLowHand
    match hand.options.get("winner", "high"):
        case "low":
            return (pokerkit.RegularLowHand,)
        case "high_low":
            return high, pokerkit.RegularLowHand
        case "high_low_eight":
            return high, low_eight
        case _:
            return (high,)


def _units(unit: int) -> Callable[[int, int], tuple[int, int]]:
    """Division in whole units, the rest in cents (TAS C 15.3)."""

    def divide(cents: int, parts: int) -> tuple[int, int]:
        share = cents // (unit * parts) * unit
        return share, cents - share * parts

    return divide

"""The mistakes at the simulated table: names, games, and the prompts at which they happen."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from table_fsm.felt import Built


class Kind(StrEnum):
    """Kinds of games, by how their cards come."""

    FLOP = "flop"
    """A board in three parts, each behind a burn."""
    SINGLE = "single"
    """Communal cards that come one at a time, the first with the deal."""
    STUD = "stud"
    """Cards to the players on every street, open ones among them."""
    DRAW = "draw"
    """Closed hands whose cards may be replaced."""
    HOUSE = "house"
    """The house plays against every box."""


class Mistake(StrEnum):
    """Every mistake of dealer, players and cards."""

    # the shoe and the cards
    SHOE_JAM = "shoe_jam"
    LID_OPEN = "lid_open"
    BOXED_CARD = "boxed_card"
    MISSING_CARD = "missing_card"
    DOUBLED_CARD = "doubled_card"
    FOREIGN_CARD = "foreign_card"
    NO_SHUFFLE = "no_shuffle"
    SAME_DECK_AGAIN = "same_deck_again"
    CARD_FROM_NOWHERE = "card_from_nowhere"
    # the cut
    NO_CUT = "no_cut"
    CUT_EXPOSES_CARD = "cut_exposes_card"
    THIN_CUT = "thin_cut"
    # the deal
    FLASH_CARD = "flash_card"
    DEAL_FACE_UP = "deal_face_up"
    DEAL_OUT_OF_TURN = "deal_out_of_turn"
    MISS_PLAYER = "miss_player"
    EXTRA_CARD = "extra_card"
    THREE_CARDS = "three_cards"
    EXTRA_HAND = "extra_hand"
    MIX_CARDS = "mix_cards"
    WRONG_BUTTON = "wrong_button"
    # later cards to the players
    STREET_BEFORE_CLOSE = "street_before_close"
    FLASH_REPLACEMENT = "flash_replacement"
    REPLACEMENT_OUT_OF_TURN = "replacement_out_of_turn"
    REPLACEMENT_BEFORE_DRAW = "replacement_before_draw"
    # the board
    FLOP_BEFORE_CLOSE = "flop_before_close"
    NO_BURN = "no_burn"
    EXTRA_BURN = "extra_burn"
    BURN_FACE_UP = "burn_face_up"
    # the betting
    CLOSE_TOO_EARLY = "close_too_early"
    ACT_OUT_OF_TURN = "act_out_of_turn"
    BET_BETWEEN = "bet_between"
    SHORT_CALL = "short_call"
    CHECK_FACING_BET = "check_facing_bet"
    PLAYER_SHOWS_CARD = "player_shows_card"
    # the house's game
    FLASH_DEALER_CARD = "flash_dealer_card"
    BLIND_UNLIKE_ANTE = "blind_unlike_ante"
    TRIPS_ALONE = "trips_alone"
    LATE_WAGER = "late_wager"
    WRONG_PLAY_WAGER = "wrong_play_wager"
    # the money
    WRONG_COMMISSION = "wrong_commission"
    BOX_UNLOCKED = "box_unlocked"


_ROUNDS_TO_WAIT: Final = 3
"""Rounds for which a mistake may wait for its occasion."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """When a mistake can happen: in which kinds of games, and at which prompt, by its key.

    `keypad`: only where actions are keyed.
    """

    prompt: str
    games: frozenset[Kind] = frozenset(Kind)
    keypad: bool = False


_PLAYER: Final = frozenset(Kind) - {Kind.HOUSE}
_HOUSE: Final = frozenset({Kind.HOUSE})
_BURNT: Final = frozenset({Kind.FLOP})
_BOARD: Final = frozenset({Kind.FLOP, Kind.SINGLE})
_STUD: Final = frozenset({Kind.STUD})
_DRAW: Final = frozenset({Kind.DRAW})

OCCASIONS: Final[Mapping[Mistake, Occasion]] = MappingProxyType(
    {
        Mistake.SHOE_JAM: Occasion("deal"),
        Mistake.LID_OPEN: Occasion("deal"),
        Mistake.BOXED_CARD: Occasion("deal"),
        Mistake.MISSING_CARD: Occasion("shuffle"),
        Mistake.DOUBLED_CARD: Occasion("shuffle"),
        Mistake.FOREIGN_CARD: Occasion("shuffle"),
        Mistake.NO_SHUFFLE: Occasion("shuffle"),
        Mistake.SAME_DECK_AGAIN: Occasion("shuffle", _HOUSE),
        Mistake.CARD_FROM_NOWHERE: Occasion("deal", _HOUSE),
        Mistake.NO_CUT: Occasion("cut", _PLAYER),
        Mistake.CUT_EXPOSES_CARD: Occasion("cut", _PLAYER),
        Mistake.THIN_CUT: Occasion("cut", _PLAYER),
        Mistake.FLASH_CARD: Occasion("deal"),
        Mistake.DEAL_FACE_UP: Occasion("deal"),
        Mistake.DEAL_OUT_OF_TURN: Occasion("deal", _PLAYER),
        Mistake.MISS_PLAYER: Occasion("deal", _PLAYER),
        Mistake.EXTRA_CARD: Occasion("act", _PLAYER - _STUD),
        Mistake.THREE_CARDS: Occasion("deal", _HOUSE),
        Mistake.EXTRA_HAND: Occasion("deal"),
        Mistake.MIX_CARDS: Occasion("deal"),
        Mistake.WRONG_BUTTON: Occasion("collect", _PLAYER),
        Mistake.STREET_BEFORE_CLOSE: Occasion("act", _STUD),
        Mistake.FLASH_REPLACEMENT: Occasion("deal", _DRAW),
        Mistake.REPLACEMENT_OUT_OF_TURN: Occasion("deal", _DRAW),
        Mistake.REPLACEMENT_BEFORE_DRAW: Occasion("act", _DRAW),
        Mistake.FLOP_BEFORE_CLOSE: Occasion("act", _BOARD),
        Mistake.NO_BURN: Occasion("burn", _BURNT),
        Mistake.EXTRA_BURN: Occasion("burn", _BURNT),
        Mistake.BURN_FACE_UP: Occasion("burn", _BURNT),
        Mistake.CLOSE_TOO_EARLY: Occasion("act", _PLAYER, keypad=True),
        Mistake.ACT_OUT_OF_TURN: Occasion("act", _PLAYER, keypad=True),
        Mistake.BET_BETWEEN: Occasion("act", _PLAYER, keypad=True),
        Mistake.SHORT_CALL: Occasion("act", _PLAYER, keypad=True),
        Mistake.CHECK_FACING_BET: Occasion("act", _PLAYER, keypad=True),
        Mistake.PLAYER_SHOWS_CARD: Occasion("act", _PLAYER),
        Mistake.FLASH_DEALER_CARD: Occasion("decide", _HOUSE),
        Mistake.BLIND_UNLIKE_ANTE: Occasion("wagers", _HOUSE),
        Mistake.TRIPS_ALONE: Occasion("wagers", _HOUSE),
        Mistake.LATE_WAGER: Occasion("deal", _HOUSE),
        Mistake.WRONG_PLAY_WAGER: Occasion("decide", _HOUSE),
        Mistake.WRONG_COMMISSION: Occasion("collect", _PLAYER),
        Mistake.BOX_UNLOCKED: Occasion("collect", _PLAYER),
    }
)
"""The occasion of each mistake."""


_DRAWN: Final = (Mistake.FLASH_REPLACEMENT, Mistake.REPLACEMENT_OUT_OF_TURN)
_ANY_TIME: Final = frozenset(
    mistake
    for mistake, occasion in OCCASIONS.items()
    if occasion.prompt in ("deal", "act", "decide") and mistake not in (Mistake.EXTRA_CARD, *_DRAWN)
)
"""Mistakes whose occasion comes often in a round: the first one is not always taken."""


class MistakePlan:
    """When to make which mistake: in a share of the rounds, every kind before one is repeated."""

    def __init__(self, chance: random.Random, rate: float, kinds: tuple[Mistake, ...]) -> None:
        """Set the plan up.

        `rate`: share of the rounds that get a mistake, 0 to 1. `kinds`: those to choose from. Raises ValueError for a
        rate outside that range.
        """
        if not 0 <= rate <= 1:
            raise ValueError(f"the rate of mistakes is a share of the rounds from 0 to 1, and is {rate}")
        self._chance = chance
        self._rate = rate if kinds else 0.0
        self._kinds = kinds
        self._left: list[Mistake] = []
        self._armed: Mistake | None = None
        self._passes = 0
        self._waited = 0

    def new_round(self) -> None:
        """A round begins: decide whether a mistake is due in it.

        A mistake that has not found its occasion in a few rounds is put back.
        """
        if self._armed is not None:
            self._waited += 1
            if self._waited < _ROUNDS_TO_WAIT:
                return
            self._left.insert(0, self._armed)
            self._armed = None
        if self._chance.random() >= self._rate:
            return
        if not self._left:
            self._left = list(self._kinds)
            self._chance.shuffle(self._left)
        self._armed = self._left.pop()
        self._waited = 0
        self._passes = self._chance.randrange(4) if self._armed in _ANY_TIME else 0

    def due(self, prompt: str) -> Mistake | None:
        """The mistake to make at a prompt of this key; None for none."""
        if self._armed is None or OCCASIONS[self._armed].prompt != prompt:
            return None
        if self._passes:
            self._passes -= 1
            return None
        return self._armed

    def made(self) -> None:
        """The mistake was made."""
        self._armed = None


_OF_THE_SHOE: Final = frozenset(
    {Mistake.SHOE_JAM, Mistake.LID_OPEN, Mistake.BOXED_CARD, Mistake.CARD_FROM_NOWHERE, Mistake.DOUBLED_CARD}
)
_AT_THE_SEATS: Final = frozenset(
    {mistake for mistake, occasion in OCCASIONS.items() if occasion.prompt == "deal"}
    | {Mistake.EXTRA_CARD, Mistake.PLAYER_SHOWS_CARD, Mistake.DOUBLED_CARD}
) - {Mistake.SHOE_JAM, Mistake.LID_OPEN}
_AT_THE_BURNS: Final = frozenset({Mistake.NO_BURN, Mistake.EXTRA_BURN, Mistake.BURN_FACE_UP})
_UNSEEN: Final[Mapping[Built, frozenset[Mistake]]] = MappingProxyType(
    {
        Built.FULL: frozenset(),
        Built.NO_SHOE: _OF_THE_SHOE,
        Built.NO_SEAT_READERS: _AT_THE_SEATS,
        Built.BOARD_ONLY: _OF_THE_SHOE | _AT_THE_SEATS | _AT_THE_BURNS,
    }
)
"""Mistakes that a table which is built so cannot see."""


OF_NAMES: Final = frozenset({Mistake.CARD_FROM_NOWHERE, Mistake.DOUBLED_CARD, Mistake.FOREIGN_CARD})
"""Mistakes with a card that no chip of the pack has, or two have: where cards are chips a reader's fault tells them."""


OF_FACES: Final = frozenset(
    {
        Mistake.BOXED_CARD,
        Mistake.FLASH_CARD,
        Mistake.DEAL_FACE_UP,
        Mistake.FLASH_REPLACEMENT,
        Mistake.BURN_FACE_UP,
        Mistake.PLAYER_SHOWS_CARD,
    }
)
"""Mistakes that nobody sees where no device knows which side of a card is up."""


def possible(
    kind: Kind, *, keypad: bool, decks: int, built: Built = Built.FULL, faces: bool = True
) -> tuple[Mistake, ...]:
    """The mistakes that can happen at a table of this kind, and that it can see as it is built."""
    return tuple(
        mistake
        for mistake, occasion in OCCASIONS.items()
        if kind in occasion.games
        and mistake not in _UNSEEN[built]
        and (faces or mistake not in OF_FACES)
        and (keypad or not occasion.keypad)
        and (decks > 1 or mistake is not Mistake.SAME_DECK_AGAIN)
    )

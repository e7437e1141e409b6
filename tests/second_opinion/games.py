"""What each book's text asks for in betting and showdown, written from the text and not from feltd's books.

Amounts are cents. `Known` says where pokerkit cannot be set up so.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any, Final


class Opener(Enum):
    """Who opens a betting round."""

    POSITION = "position"
    """Behind the last blind on the first street, behind the button on all others."""
    AFTER_BLIND = "after_blind"
    """Behind the last blind; at the buck if that player has folded (ACT B 1.2, 1.3)."""
    LOW_CARD = "low_card"
    HIGH_CARD = "high_card"
    HIGH_HAND = "high_hand"
    LOW_HAND = "low_hand"
    HIGH_CARD_BY_SUIT = "high_card_by_suit"
    """The ace is the lowest card, spades are the highest suit (Razz 2)."""
    LOW_OR_HIGH_CARD = "low_or_high_card"
    """As the option `opener` says (ACT D 1.2)."""


class LeastBet(Enum):
    """The least opening bet."""

    ANY = "any"
    ANTE = "ante"
    BLIND = "blind"
    """The option table_min, else the last blind, else the ante."""
    DOUBLED_LAST = "doubled_last"
    """The last blind, or the ante; on the last street twice that."""


@dataclass(frozen=True, slots=True)
class Street:
    """Cards of a street: `own` to each player, `d` down, `u` up; `board` face up; or a draw, or a card given up."""

    own: str = ""
    board: int = 0
    draw: bool = False
    gives_up: bool = False
    opener: Opener = Opener.POSITION


@dataclass(frozen=True, slots=True)
class Game:
    """One book. `hand`: pokerkit's name of the high hand, `""` where only the low hand wins."""

    book: str
    streets: tuple[Street, ...]
    hand: str = "StandardHighHand"
    players: tuple[int, int] = (2, 10)
    seats: int = 10
    """The table's seats."""
    buck: bool = False
    """A buck, whose player posts first and is dealt the first card; else a button, behind which they are."""
    button_small_blind: bool = False
    """Of two players the button has the small blind (Onyx, Dealer Button 3; Star 7.37)."""
    stakes: tuple[str, ...] = ("blinds",)
    """`blinds`, `blinds+ante`, `ante`: as the book may be played."""
    blinds: tuple[int, int] = (2, 2)
    """Least and most players who post a blind."""
    big_blind_ante: bool = False
    ante_first: bool = True
    betting: tuple[str, ...] = ("no_limit",)
    least: LeastBet = LeastBet.ANY
    least_by_sign: bool = False
    """The option table_min is named in some hands; hands are divided in units of it."""
    cap: int | None = None
    """Most raises in a betting round."""
    capped: tuple[str, ...] = ()
    """The kinds of betting that the cap holds for."""
    capped_streets: int = 9
    """So many streets from the first are capped."""
    cap_on_antes: bool = False
    cap_lifted: bool = True
    """Between two players who contest a pot the cap does not hold, others being all in or not."""
    must_bet: bool = False
    """Without a blind nobody may check on the first street."""
    raise_as_call: bool = False
    short_reopens: bool = False
    """After an all-in that is less than a raise, those who have acted may raise."""
    completes: bool = False
    """An under-raise in a game of structured limits may be raised to the structured level."""
    options: Mapping[str, tuple[Any, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Other options, one value of each drawn for a hand."""


_BOARD: Final = (Street(board=3), Street(board=1), Street(board=1))
_HOLDEM: Final = (Street("dd"), *_BOARD)
_ACT_CAPPED: Final = ("no_limit", "pot", "half_pot", "structured", "manila")


def _act_holdem(name: str, **changes: Any) -> Game:
    return Game(
        f"act-2001-holdem-{name}",
        changes.pop("streets", _HOLDEM),
        buck=True,
        stakes=("blinds", "blinds", "blinds+ante", "ante"),
        blinds=(1, 3),
        least=changes.pop("least", LeastBet.BLIND),
        cap=3,
        capped=_ACT_CAPPED,
        must_bet=True,
        options={"ace": ("high_low",), "burn": (0, 1)},
        **changes,
    )


def _seven_cards(book: str, first: Opener, later: Opener, **changes: Any) -> Game:
    streets = (Street("ddu", opener=first), *[Street("u", opener=later)] * 3, Street("d", opener=later))
    return Game(book, streets, players=(2, 7), seats=8, buck=True, stakes=("ante",), must_bet=True, **changes)


_GAMES: Final = (
    Game(
        "tas-2018-holdem",
        _HOLDEM,
        players=(3, 10),
        stakes=("blinds", "blinds", "blinds", "ante"),
        blinds=(1, 3),
        betting=("no_limit", "no_limit", "pot", "half_pot", "limit", "structured"),
        least=LeastBet.BLIND,
        least_by_sign=True,
        cap=3,
        capped=("limit", "structured"),
        capped_streets=3,
        cap_on_antes=True,
        must_bet=True,
        completes=True,
        options={"burn": (0, 1, 2)},
    ),
    Game(
        "star-2025-holdem",
        _HOLDEM,
        players=(4, 10),
        button_small_blind=True,
        stakes=("blinds", "blinds+ante"),
        big_blind_ante=True,
        ante_first=False,
    ),
    Game(
        "onyx-cash",
        _HOLDEM,
        button_small_blind=True,
        stakes=("blinds",),
        betting=("no_limit", "pot", "limit"),
        cap=3,
        capped=("limit",),
        cap_lifted=False,
    ),
    Game(
        "onyx-tournament",
        _HOLDEM,
        button_small_blind=True,
        stakes=("blinds", "blinds+ante"),
        big_blind_ante=True,
        betting=("no_limit", "pot", "limit"),
        cap=3,
        capped=("limit",),
        cap_lifted=False,
    ),
    _act_holdem("no-limit"),
    _act_holdem("early-bird"),
    _act_holdem("instant-satellite"),
    _act_holdem("super-satellite"),
    _act_holdem("limit", betting=("structured",), least=LeastBet.DOUBLED_LAST),
    Game(
        "act-2001-omaha",
        (Street("dddd"), *_BOARD),
        "OmahaHoldemHand",
        buck=True,
        stakes=("blinds", "blinds", "blinds+ante", "ante"),
        blinds=(1, 3),
        betting=("pot",),
        least=LeastBet.BLIND,
        cap=3,
        capped=_ACT_CAPPED,
        must_bet=True,
        options={"ace": ("high_low",), "burn": (0, 1), "winner": ("high", "high", "high_low_eight")},
    ),
    Game(
        "act-2001-draw",
        (Street("ddddd"), Street(draw=True, opener=Opener.AFTER_BLIND)),
        players=(2, 8),
        seats=8,
        buck=True,
        stakes=("blinds", "blinds", "blinds+ante"),
        blinds=(1, 3),
        betting=("pot",),
        least=LeastBet.BLIND,
        cap=3,
        capped=_ACT_CAPPED,
        must_bet=True,
        options={"ace": ("high_low",)},
    ),
    Game(
        "act-2001-manila",
        (Street("ddd", board=1), *[Street(board=1)] * 4),
        "OmahaHoldemHand",
        players=(2, 9),
        seats=9,
        buck=True,
        blinds=(1, 1),
        betting=("manila",),
        least=LeastBet.BLIND,
        cap=3,
        capped=_ACT_CAPPED,
        must_bet=True,
        options={"ace": ("high_low",)},
    ),
    _seven_cards(
        "act-2001-stud7",
        Opener.LOW_OR_HIGH_CARD,
        Opener.HIGH_CARD,
        betting=("half_pot",),
        least=LeastBet.ANTE,
        options={
            "ace": ("high_low",),
            "opener": ("low", "high"),
            "winner": ("high", "high", "low", "high_low", "high_low_eight"),
        },
    ),
    Game(
        "tas-2018-stud5",
        (Street("du", opener=Opener.HIGH_HAND), *[Street("u", opener=Opener.HIGH_HAND)] * 3),
        players=(3, 10),
        stakes=("ante",),
        betting=("half_pot",),
        least=LeastBet.ANTE,
        least_by_sign=True,
        must_bet=True,
        raise_as_call=True,
        short_reopens=True,
    ),
    _seven_cards(
        "razz",
        Opener.HIGH_CARD_BY_SUIT,
        Opener.LOW_HAND,
        betting=("structured",),
        least=LeastBet.DOUBLED_LAST,
        cap=3,
        capped=("structured",),
        cap_on_antes=True,
        options={"winner": ("low",), "ace": ("high_low",)},
    ),
    Game(
        "pineapple",
        (Street("ddd"), Street(board=3, gives_up=True), Street(board=1), Street(board=1)),
        buck=True,
        stakes=("blinds", "blinds+ante"),
        blinds=(1, 3),
        least=LeastBet.BLIND,
        cap=3,
        capped=_ACT_CAPPED,
        must_bet=True,
        options={"ace": ("high_low",), "burn": (0, 1)},
    ),
)

GAMES: Final[Mapping[str, Game]] = MappingProxyType({game.book: game for game in _GAMES})
"""By the id of the book."""

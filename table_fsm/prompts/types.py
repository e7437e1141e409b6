"""What the dealer is asked to do next: a frozen type for each prompt.

`to_json` gives the object that stands under `prompt` in an output; `table_fsm.prompts.reading` reads one back. Amounts
are cents, or a tournament's points, None where they are not known; seats are numbers, zones those of events.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import Final, TypeAlias, get_args

from table_fsm.felt import Face
from table_fsm.prompts import shapes
from table_fsm.prompts.shapes import OpeningCards

# ---- cards ----


@dataclass(frozen=True, slots=True)
class Deal:
    """Deal the next card to `zone`."""

    zone: str
    face: Face

    def to_json(self) -> shapes.DealJson:
        return {"deal": self.zone, "face": self.face}


@dataclass(frozen=True, slots=True)
class DealMixed:
    """Put one of the four cards of a mixed flop back on the board, face up."""

    def to_json(self) -> shapes.DealMixedJson:
        return {"deal": "board", "face": "up"}


@dataclass(frozen=True, slots=True)
class Burn:
    """Burn `count` cards more."""

    count: int

    def to_json(self) -> shapes.BurnJson:
        return {"burn": self.count}


@dataclass(frozen=True, slots=True)
class Remove:
    """Take back the card that lies in `zone`."""

    zone: str

    def to_json(self) -> shapes.RemoveJson:
        return {"remove": self.zone}


@dataclass(frozen=True, slots=True)
class Turn:
    """Turn the cards of `zones` face up."""

    zones: tuple[str, ...]

    def to_json(self) -> shapes.TurnJson:
        return {"turn": list(self.zones)}


@dataclass(frozen=True, slots=True)
class MoveToBurn:
    """Put the board's card in `zone` on the burn pile: a ruling made it the burn."""

    zone: str

    def to_json(self) -> shapes.MoveToBurnJson:
        return {"move": self.zone, "to": "burn"}


@dataclass(frozen=True, slots=True)
class MixFlop:
    """Mix the four cards of `zones` face down: one becomes the next burn card, three the flop.

    Source: Onyx, Board Errors 3.
    """

    zones: tuple[str, ...]

    def to_json(self) -> shapes.MixFlopJson:
        return {"mix": list(self.zones)}


# ---- the pack ----


@dataclass(frozen=True, slots=True)
class CheckPack:
    """Check the pack card by card. `deck`: its colour, None where it is not known."""

    deck: str | None

    def to_json(self) -> shapes.CheckPackJson:
        return {"check": self.deck}


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Shuffle the pack. `deck`: its colour, None where it is not known."""

    deck: str | None

    def to_json(self) -> shapes.ShuffleJson:
        return {"shuffle": self.deck}


@dataclass(frozen=True, slots=True)
class ShuffleStub:
    """Shuffle the undealt cards."""

    def to_json(self) -> shapes.ShuffleStubJson:
        return {"shuffle_stub": True}


@dataclass(frozen=True, slots=True)
class Cut:
    """Have the cards cut.

    `by`: the zone of the seat that has the right to, None where any player may.
    """

    by: str | None = None

    def to_json(self) -> shapes.CutJson:
        return {"cut": True} if self.by is None else {"cut": True, "by": self.by}


# ---- before the deal ----


@dataclass(frozen=True, slots=True)
class MoveButton:
    """Move the button to `seat`."""

    seat: int

    def to_json(self) -> shapes.MoveButtonJson:
        return {"move": "button", "to": self.seat}


@dataclass(frozen=True, slots=True)
class DrawForButton:
    """Deal each player a card face up: the high card takes the button (Onyx, Dealer Button 1)."""

    def to_json(self) -> shapes.DrawForButtonJson:
        return {"draw": "button"}


@dataclass(frozen=True, slots=True)
class Wagers:
    """Have the players place their wagers against the house."""

    def to_json(self) -> shapes.WagersJson:
        return {"wagers": True}


@dataclass(frozen=True, slots=True)
class Post:
    """Have the blinds posted. `amounts`: by seat, in the order of the deal."""

    amounts: Mapping[int, int | None]

    def to_json(self) -> shapes.PostJson:
        return {"post": _by_text(self.amounts)}


@dataclass(frozen=True, slots=True)
class Ante:
    """Have the antes put in. `amounts`: by seat, in the order of the deal."""

    amounts: Mapping[int, int | None]

    def to_json(self) -> shapes.AnteJson:
        return {"ante": _by_text(self.amounts)}


# ---- betting ----


@dataclass(frozen=True, slots=True)
class ReturnBet:
    """A bet, or part of one, that goes back to `seat`: it stands beside another prompt."""

    seat: int
    cents: int | None


@dataclass(frozen=True, slots=True)
class Open:
    """Have the player with these cards showing open.

    Not every card was read, so the seat is not known.
    """

    cards: OpeningCards

    def to_json(self) -> shapes.OpenJson:
        return {"open": self.cards}


@dataclass(frozen=True, slots=True)
class Act:
    """Have `seat` act.

    `owes`: what a call takes. `check`: False where the player may not check though nothing is owed. `check_beats`:
    seats whose open cards the player must beat to check.
    """

    seat: int
    owes: int | None
    check: bool = True
    check_beats: tuple[int, ...] = ()
    return_bet: ReturnBet | None = None

    def to_json(self) -> shapes.ActJson:
        out: shapes.ActJson = {"act": self.seat, "owes": self.owes}
        if not self.check:
            out["check"] = False
        if self.check_beats:
            out["check_beats"] = list(self.check_beats)
        if self.return_bet is not None:
            out["return_bet"] = {str(self.return_bet.seat): self.return_bet.cents}
        return out


@dataclass(frozen=True, slots=True)
class Close:
    """Close the betting round, or the draw."""

    return_bet: ReturnBet | None = None

    def to_json(self) -> shapes.CloseJson:
        if self.return_bet is None:
            return {"close": "betting"}
        return {"close": "betting", "return_bet": {str(self.return_bet.seat): self.return_bet.cents}}


@dataclass(frozen=True, slots=True)
class Decide:
    """Have these seats decide, against the house."""

    seats: tuple[int, ...]

    def to_json(self) -> shapes.DecideJson:
        return {"decide": list(self.seats)}


@dataclass(frozen=True, slots=True)
class DrawCards:
    """Ask `seat` how many cards they replace."""

    seat: int

    def to_json(self) -> shapes.DrawCardsJson:
        return {"draw": self.seat}


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Have these seats give up `count` of their cards, without replacement.

    They hold too many cards.
    """

    seats: tuple[int, ...]
    count: int

    def to_json(self) -> shapes.GiveUpJson:
        return {"give_up": list(self.seats), "count": self.count}


# ---- the end, and waiting ----


@dataclass(frozen=True, slots=True)
class Show:
    """Have these seats show their hands, in this order.

    `by_key`: no reader sees that a hand lies open: the dealer presses the key for each that does.
    """

    seats: tuple[int, ...]
    by_key: bool = False

    def to_json(self) -> shapes.ShowJson:
        return {"show": list(self.seats), "by_key": True} if self.by_key else {"show": list(self.seats)}


@dataclass(frozen=True, slots=True)
class Collect:
    """Push the pots or settle, and collect the cards."""

    def to_json(self) -> shapes.CollectJson:
        return {"collect": True}


class WaitReason(StrEnum):
    """The reasons for which the dealer waits."""

    FLOOR = "floor"
    """A person's decision."""
    GO = "go"
    """The director, who lets the next hand or a showdown proceed, hand for hand."""
    PLAYERS = "players"


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait."""

    reason: WaitReason

    def to_json(self) -> shapes.WaitJson:
        return {"wait": self.reason.value}


deal: Final[Callable[[str, Face], Deal]] = cache(Deal)
"""Make a `Deal`. Most events ask for one again that was made before: this costs a fourth, and it is the same object."""
act: Final[Callable[[int, int | None, bool, tuple[int, ...], ReturnBet | None], Act]] = lru_cache(maxsize=512)(Act)
decide: Final[Callable[[tuple[int, ...]], Decide]] = lru_cache(maxsize=512)(Decide)
turn: Final[Callable[[tuple[str, ...]], Turn]] = lru_cache(maxsize=512)(Turn)
"""Make an `Act`, a `Decide` and a `Turn` in the same way; there are many of them, so that not all are kept."""

Prompt: TypeAlias = (
    Deal
    | DealMixed
    | Burn
    | Remove
    | Turn
    | MoveToBurn
    | MixFlop
    | CheckPack
    | Shuffle
    | ShuffleStub
    | Cut
    | MoveButton
    | DrawForButton
    | Wagers
    | Post
    | Ante
    | Open
    | Act
    | Close
    | Decide
    | DrawCards
    | GiveUp
    | Show
    | Collect
    | Wait
)
PROMPTS: Final[tuple[type[Prompt], ...]] = get_args(Prompt)
"""Every type of prompt."""


def _by_text(amounts: Mapping[int, int | None]) -> shapes.Amounts:
    return {str(seat): cents for seat, cents in amounts.items()}

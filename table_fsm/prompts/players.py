"""What the dealer is to have the players do: bet, decide, draw, give up cards."""

from dataclasses import dataclass
from typing import Literal, NotRequired, Self, TypeAlias

from table_fsm.prompts.shape import Amounts, Json, Shape, by_seat, seats_of

OpeningCards: TypeAlias = Literal["low_card", "high_card", "high_hand", "low_hand"]


@dataclass(frozen=True, slots=True)
class ReturnBet:
    """A bet, or part of one, that goes back to `seat`: it stands beside another prompt."""

    seat: int
    cents: int | None


class OpenJson(Shape):
    """Have the player open whose cards showing say so; not all of them were read."""

    open: OpeningCards


@dataclass(frozen=True, slots=True)
class Open:
    """Have the player with these cards showing open.

    Not every card was read, so the seat is not known.
    """

    cards: OpeningCards

    def to_json(self) -> OpenJson:
        return {"open": self.cards}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"open": "low_card" | "high_card" | "high_hand" | "low_hand" as cards}:
                return cls(cards)
            case _:
                return None


class ActJson(Shape):
    """Have a player act."""

    act: int
    """The seat."""
    owes: int | None
    """What a call takes; null where it is not known."""
    check: NotRequired[Literal[False]]
    """Present where the player may not check though nothing is owed."""
    check_beats: NotRequired[list[int]]
    """Seats whose open cards the player must beat to check."""
    return_bet: NotRequired[Amounts]
    """A bet that goes back."""


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

    def to_json(self) -> ActJson:
        out: ActJson = {"act": self.seat, "owes": self.owes}
        if not self.check:
            out["check"] = False
        if self.check_beats:
            out["check_beats"] = list(self.check_beats)
        if self.return_bet is not None:
            out["return_bet"] = {str(self.return_bet.seat): self.return_bet.cents}
        return out

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"act": int(seat), "owes": int() | None as owes}:
                beats = seats_of(data.get("check_beats", []))
                return cls(seat, owes, "check" not in data, beats, _return_bet(data))
            case _:
                return None


class CloseJson(Shape):
    """Close the betting round."""

    close: Literal["betting"]
    return_bet: NotRequired[Amounts]
    """A bet that goes back."""


@dataclass(frozen=True, slots=True)
class Close:
    """Close the betting round, or the draw."""

    return_bet: ReturnBet | None = None

    def to_json(self) -> CloseJson:
        if self.return_bet is None:
            return {"close": "betting"}
        return {"close": "betting", "return_bet": {str(self.return_bet.seat): self.return_bet.cents}}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"close": "betting"}:
                return cls(_return_bet(data))
            case _:
                return None


class DecideJson(Shape):
    """Have players decide: to play or to check or fold, against the house."""

    decide: list[int]
    """The seats."""


@dataclass(frozen=True, slots=True)
class Decide:
    """Have these seats decide, against the house."""

    seats: tuple[int, ...]

    def to_json(self) -> DecideJson:
        return {"decide": list(self.seats)}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"decide": seats}:
                return cls(seats_of(seats))
            case _:
                return None


class DrawCardsJson(Shape):
    """Ask a player how many cards they replace."""

    draw: int
    """The seat."""


@dataclass(frozen=True, slots=True)
class DrawCards:
    """Ask `seat` how many cards they replace."""

    seat: int

    def to_json(self) -> DrawCardsJson:
        return {"draw": self.seat}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"draw": int(seat)}:
                return cls(seat)
            case _:
                return None


class GiveUpJson(Shape):
    """Have players give up cards, for which they get none."""

    give_up: list[int]
    """The seats that hold too many."""
    count: int
    """How many cards each player gives up."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Have these seats give up `count` of their cards, without replacement.

    They hold too many cards.
    """

    seats: tuple[int, ...]
    count: int

    def to_json(self) -> GiveUpJson:
        return {"give_up": list(self.seats), "count": self.count}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"give_up": seats, "count": int(count)}:
                return cls(seats_of(seats), count)
            case _:
                return None


def _return_bet(data: Json) -> ReturnBet | None:
    seats = by_seat(data.get("return_bet"))
    return ReturnBet(*next(iter(seats.items()))) if seats else None

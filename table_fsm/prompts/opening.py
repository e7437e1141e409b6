"""What the dealer is asked to do before the deal: button, wagers, blinds and antes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Self

from table_fsm.prompts.shape import Amounts, Json, Shape, by_seat, by_text


class MoveButtonJson(Shape):
    """Move the button."""

    move: Literal["button"]
    to: int
    """The seat."""


@dataclass(frozen=True, slots=True)
class MoveButton:
    """Move the button to `seat`."""

    seat: int

    def to_json(self) -> MoveButtonJson:
        return {"move": "button", "to": self.seat}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"move": "button", "to": int(seat)}:
                return cls(seat)
            case _:
                return None


class DrawForButtonJson(Shape):
    """Begin the draw for the button."""

    draw: Literal["button"]


@dataclass(frozen=True, slots=True)
class DrawForButton:
    """Deal each player a card face up: the high card takes the button (Onyx, Dealer Button 1)."""

    def to_json(self) -> DrawForButtonJson:
        return {"draw": "button"}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"draw": "button"}:
                return cls()
            case _:
                return None


class WagersJson(Shape):
    """Have the players place their wagers."""

    wagers: Literal[True]


@dataclass(frozen=True, slots=True)
class Wagers:
    """Have the players place their wagers against the house."""

    def to_json(self) -> WagersJson:
        return {"wagers": True}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"wagers": True}:
                return cls()
            case _:
                return None


class PostJson(Shape):
    """Have the blinds posted."""

    post: Amounts


@dataclass(frozen=True, slots=True)
class Post:
    """Have the blinds posted. `amounts`: by seat, in the order of the deal."""

    amounts: Mapping[int, int | None]

    def to_json(self) -> PostJson:
        return {"post": by_text(self.amounts)}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"post": {**amounts}}:
                return cls(by_seat(amounts))
            case _:
                return None


class AnteJson(Shape):
    """Have the antes put in."""

    ante: Amounts


@dataclass(frozen=True, slots=True)
class Ante:
    """Have the antes put in. `amounts`: by seat, in the order of the deal."""

    amounts: Mapping[int, int | None]

    def to_json(self) -> AnteJson:
        return {"ante": by_text(self.amounts)}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"ante": {**amounts}}:
                return cls(by_seat(amounts))
            case _:
                return None

"""What the dealer is asked to do with single cards."""

from dataclasses import dataclass
from typing import Literal, Self

from table_fsm.felt import Face
from table_fsm.prompts.shape import Json, Shape


class DealJson(Shape):
    """Deal the next card."""

    deal: str
    """The zone that the card goes to."""
    face: Face


@dataclass(frozen=True, slots=True)
class Deal:
    """Deal the next card to `zone`."""

    zone: str
    face: Face

    def to_json(self) -> DealJson:
        return {"deal": self.zone, "face": self.face}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"deal": str(zone), "face": "down" | "up" as face} if zone != "board":
                return cls(zone, face)
            case _:
                return None


class DealMixedJson(Shape):
    """Put a card of the mixed four back, as a card of the flop."""

    deal: Literal["board"]
    face: Literal["up"]


@dataclass(frozen=True, slots=True)
class DealMixed:
    """Put one of the four cards of a mixed flop back on the board, face up."""

    def to_json(self) -> DealMixedJson:
        return {"deal": "board", "face": "up"}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"deal": "board"}:
                return cls()
            case _:
                return None


class BurnJson(Shape):
    """Burn cards."""

    burn: int
    """How many are still to be burnt."""


@dataclass(frozen=True, slots=True)
class Burn:
    """Burn `count` cards more."""

    count: int

    def to_json(self) -> BurnJson:
        return {"burn": self.count}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"burn": int(count)}:
                return cls(count)
            case _:
                return None


class RemoveJson(Shape):
    """Take back a card."""

    remove: str
    """The zone that the card lies in."""


@dataclass(frozen=True, slots=True)
class Remove:
    """Take back the card that lies in `zone`."""

    zone: str

    def to_json(self) -> RemoveJson:
        return {"remove": self.zone}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"remove": str(zone)}:
                return cls(zone)
            case _:
                return None


class TurnJson(Shape):
    """Turn cards face up."""

    turn: list[str]
    """The zones whose cards are to be turned."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Turn the cards of `zones` face up."""

    zones: tuple[str, ...]

    def to_json(self) -> TurnJson:
        return {"turn": list(self.zones)}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"turn": [*zones]}:
                return cls(tuple(map(str, zones)))
            case _:
                return None


class MoveToBurnJson(Shape):
    """Put a card of the board on the burn pile."""

    move: str
    """The zone that the card lies in."""
    to: Literal["burn"]


@dataclass(frozen=True, slots=True)
class MoveToBurn:
    """Put the board's card in `zone` on the burn pile: a ruling made it the burn."""

    zone: str

    def to_json(self) -> MoveToBurnJson:
        return {"move": self.zone, "to": "burn"}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"move": str(zone), "to": "burn"}:
                return cls(zone)
            case _:
                return None


class MixFlopJson(Shape):
    """Mix the four cards of the flop face down; one becomes the next burn card."""

    mix: list[str]
    """The zones that the four lie in."""


@dataclass(frozen=True, slots=True)
class MixFlop:
    """Mix the four cards of `zones` face down: one becomes the next burn card, three the flop.

    Source: Onyx, Board Errors 3.
    """

    zones: tuple[str, ...]

    def to_json(self) -> MixFlopJson:
        return {"mix": list(self.zones)}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"mix": [*zones]}:
                return cls(tuple(map(str, zones)))
            case _:
                return None

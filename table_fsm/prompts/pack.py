"""What the dealer is asked to do with the pack, and with the undealt cards."""

from dataclasses import dataclass
from typing import Literal, NotRequired, Self

from table_fsm.prompts.shape import Json, Shape


class CheckPackJson(Shape):
    """Check the pack, card by card."""

    check: str | None
    """The pack's colour, null where it is not known."""


@dataclass(frozen=True, slots=True)
class CheckPack:
    """Check the pack card by card. `deck`: its colour, None where it is not known."""

    deck: str | None

    def to_json(self) -> CheckPackJson:
        return {"check": self.deck}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"check": str() | None as deck}:
                return cls(deck)
            case _:
                return None


class ShuffleJson(Shape):
    """Shuffle the pack."""

    shuffle: str | None
    """The pack's colour, null where it is not known."""


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Shuffle the pack. `deck`: its colour, None where it is not known."""

    deck: str | None

    def to_json(self) -> ShuffleJson:
        return {"shuffle": self.deck}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"shuffle": str() | None as deck}:
                return cls(deck)
            case _:
                return None


class ShuffleStubJson(Shape):
    """Shuffle the undealt cards."""

    shuffle_stub: Literal[True]


@dataclass(frozen=True, slots=True)
class ShuffleStub:
    """Shuffle the undealt cards."""

    def to_json(self) -> ShuffleStubJson:
        return {"shuffle_stub": True}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"shuffle_stub": True}:
                return cls()
            case _:
                return None


class CutJson(Shape):
    """Have the cards cut."""

    cut: Literal[True]
    by: NotRequired[str]
    """The seat's zone, where one player has the right to cut."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Have the cards cut.

    `by`: the zone of the seat that has the right to, None where any player may.
    """

    by: str | None = None

    def to_json(self) -> CutJson:
        return {"cut": True} if self.by is None else {"cut": True, "by": self.by}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"cut": True, "by": str(seat)}:
                return cls(seat)
            case {"cut": True}:
                return cls()
            case _:
                return None

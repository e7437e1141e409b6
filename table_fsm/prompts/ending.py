"""What the dealer is asked to do at the end of a round, and while it waits."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, NotRequired, Self

from table_fsm.prompts.shape import Json, Shape, seats_of


class ShowJson(Shape):
    """Have players show their hands."""

    show: list[int]
    """The seats, in order."""
    by_key: NotRequired[Literal[True]]
    """Present where no reader sees that a hand lies open: the dealer presses the key for each that does."""


@dataclass(frozen=True, slots=True)
class Show:
    """Have these seats show their hands, in this order.

    `by_key`: no reader sees that a hand lies open: the dealer presses the key for each that does.
    """

    seats: tuple[int, ...]
    by_key: bool = False

    def to_json(self) -> ShowJson:
        return {"show": list(self.seats), "by_key": True} if self.by_key else {"show": list(self.seats)}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"show": seats}:
                return cls(seats_of(seats), "by_key" in data)
            case _:
                return None


class CollectJson(Shape):
    """Push the pots or settle, and collect the cards."""

    collect: Literal[True]


@dataclass(frozen=True, slots=True)
class Collect:
    """Push the pots or settle, and collect the cards."""

    def to_json(self) -> CollectJson:
        return {"collect": True}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"collect": True}:
                return cls()
            case _:
                return None


class WaitReason(StrEnum):
    """The reasons for which the dealer waits."""

    FLOOR = "floor"
    """A person's decision."""
    GO = "go"
    """The director, who lets the next hand or a showdown proceed, hand for hand."""
    PLAYERS = "players"


class WaitJson(Shape):
    """Wait."""

    wait: Literal["floor", "go", "players"]
    """For a person's decision; for the director, hand for hand; for players."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait."""

    reason: WaitReason

    def to_json(self) -> WaitJson:
        return {"wait": self.reason.value}

    @classmethod
    def read(cls, data: Json) -> Self | None:
        match data:
            case {"wait": str(reason)} if reason in _REASONS:
                return cls(WaitReason(reason))
            case _:
                return None


_REASONS: Final = frozenset(reason.value for reason in WaitReason)

"""Who does something at the page, what becomes of it, and why it may be refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from feltd.door.bounds import Name
from feltd.text.errors import FeltdError
from table_fsm.prompts.shapes import PromptJson


@dataclass(frozen=True, slots=True)
class Person:
    """A person who acts. `signature`: the name that the record gives; `address`: where they sat."""

    signature: Name
    account: Name
    role: Name
    address: Name

    @property
    def owner(self) -> str:
        """Whose account it is, of a token too: its `account` is the owner's name and its own id."""
        return self.account.partition(" ")[0]


@dataclass(frozen=True, slots=True)
class Answered:
    """The table's answer to an event by hand. `entry`: the last entry of it in the record.

    `refusal`: why the table did not take it, None where it did. `prompt`: what the dealer should do now.
    """

    entry: int
    refusal: str | None
    rulings: tuple[Mapping[str, Any], ...]
    prompt: PromptJson | None


class CommandRefused(FeltdError):  # noqa: N818 - an answer, not a failure
    """The table does not do this now; the message says why. Nothing was changed."""


class NoDatabaseError(CommandRefused):
    """The floor has no database now: what is asked may be there all the same. Nothing was changed."""


class OutOfBounds(CommandRefused):
    """A value that is asked says more than it may. The message names its place and the bound, and not the value."""


class MovedOn(CommandRefused):
    """Somebody else came first; the message says who, and with what. Look again, then decide."""


class StepRefused(CommandRefused):
    """A tournament does not take this step. Nothing was changed.

    `reason`: one of `floor_fsm.errors.Reason`; `words`: for people; `clause`: of the book, where it says so.
    """

    def __init__(self, reason: str, words: str, clause: str | None) -> None:
        super().__init__(words if clause is None else f"{words} ({clause})")
        self.reason = reason
        self.words = words
        self.clause = clause


class StepNotKnownError(FeltdError):
    """Nobody knows now whether the step was kept: look again, and decide then."""


class UnknownDeviceError(FeltdError):
    """The table has no device of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f'there is no device "{name}"')
        self.device = name


class PlayStopped(FeltdError):  # noqa: N818 - the name says the state of the thing
    """The record cannot be kept now, so the table takes nothing from a person either."""


class TableAwayError(FeltdError):
    """The table does not answer, so nobody knows how it stands; the message says what is done about it."""


class NotOnDiskError(FeltdError):
    """The command was carried out, but its record did not reach the disk.

    The message is the disk's fault.
    """

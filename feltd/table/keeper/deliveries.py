"""What the keeper of a table is given and what it gives: deliveries, people who act, answers as they are recorded."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from feltd.record import Source
from feltd.text.errors import FeltdError
from table_fsm.events import Event
from table_fsm.outputs import Output, Refusal


@dataclass(frozen=True, slots=True)
class Delivery:
    """Something for the table. `translate`: the events it is, at a time in table seconds; may raise DeviceError.

    `about`: the device or matter, for messages. `source`: the device's own name for it, None where it has none.
    `done`: called when the table has taken it.
    """

    about: str
    translate: Callable[[float], list[Event]]
    source: Source | None = None
    done: Callable[[], None] | None = None
    at: float | None = None
    """When it happened, in monotonic seconds, where that is known better than when it is taken."""


@dataclass(slots=True)
class Tally:
    """Counts for the metrics."""

    events: Counter[str] = field(default_factory=Counter)
    outputs: Counter[str] = field(default_factory=Counter)
    rulings: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)
    """By reader: cards that came to rest and that it gave no name."""
    refused: int = 0
    clock_steps: int = 0
    """How often the wall clock was set, `clock_step` by how many seconds the last time."""
    clock_step: float | None = None


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who acts from the page. `signature`: who the record says it was; `address`: where they sat."""

    signature: str
    account: str
    role: str
    address: str


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of something a person did: the table's answers, and the last entry of it in the record."""

    outputs: tuple[Output, ...]
    seq: int

    @property
    def refusal(self) -> str | None:
        """Why the table did not do it; None where it did."""
        reasons = [output.value.reason for output in self.outputs if isinstance(output.value, Refusal)]
        return reasons[0] if reasons else None


class PlayStopped(FeltdError):  # noqa: N818 - the name says the state of the thing
    """The record cannot be kept now, so nothing is taken from a person either."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One answer of the table as it stands in the record. `seq`: its entry; `wall`: seconds since 1970."""

    seq: int
    wall: float
    round: int
    output: Output


@dataclass(frozen=True, slots=True)
class GivenRuling:
    """A ruling and when it was given: wall seconds since 1970."""

    wall: float
    ruling: dict[str, Any]

"""What the keeper of a table is given, and what it counts."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from feltd.record import Source
from table_fsm.events import Event


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

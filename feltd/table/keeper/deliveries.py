"""The input of a table's keeper, and its counts."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from feltd.record import Source
from table_fsm.events import Event


@dataclass(frozen=True, slots=True)
class Delivery:
    """A delivery for the table.

    `translate`: makes its events at a time in table seconds; may raise DeviceError. `about`: the device or matter, for
    messages. `source`: the device's own name for it, None where it has none. `done`: called when the table has taken
    it.
    """

    about: str
    translate: Callable[[float], list[Event]]
    source: Source | None = None
    done: Callable[[], None] | None = None
    at: float | None = None
    """Monotonic seconds at which it happened, where that is known better than the time of the delivery."""
    kept_by_device: bool = False
    """Whether the device keeps it until it is acknowledged, through a power cut too: then its entries may wait."""


@dataclass(slots=True)
class Tally:
    """Counts for the metrics."""

    events: Counter[str] = field(default_factory=Counter)
    outputs: Counter[str] = field(default_factory=Counter)
    rulings: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)
    """Cards that came to rest without a name, by reader."""
    refused: int = 0
    clock_steps: int = 0
    """Number of steps of the wall clock; `clock_step`: seconds of the last one."""
    clock_step: float | None = None

"""A person's decision at the floor for one table, and what is known of it."""

from dataclasses import dataclass
from typing import Final

from feltd.door.commands import Person
from feltd.door.decisions import DecisionRequest
from feltd.door.wire.calls import Call
from feltd.door.wire.messages import MOST_TO_TABLE


@dataclass(frozen=True, slots=True)
class Order:
    """A decision for the table of this name."""

    table: str
    person: Person
    decision: DecisionRequest


@dataclass(frozen=True, slots=True)
class Ordered:
    """What became of an order.

    `result`: `done`, `refused` or `not known`; `words`: why it was refused, or is not known; `entry`: its last one in
    the table's record, 0 where it has none.
    """

    id: str
    result: str
    words: str
    entry: int


ORDER: Final[Call[Order, Ordered]] = Call("order", Order, Ordered, MOST_TO_TABLE)

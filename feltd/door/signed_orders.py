"""The order inside a command that the floor has signed, as JSON, and the command that it is at the table."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

from feltd.door.commands import Person
from feltd.door.decisions import DecisionRequest
from feltd.door.obeying import FloorCommand, TournamentCommand
from feltd.door.wire.codec import from_json, parse, to_json
from feltd.door.wire.errors import WireError
from feltd.door.wishing import WishCommand, WishedBook, WishedSettings, WishedVersion


@dataclass(frozen=True, slots=True)
class Order:
    """The JSON of a command's `order`: a decision, a tournament's event with why it is, or a wish with its why."""

    person: Person
    decision: DecisionRequest | None = None
    event: Mapping[str, Any] | None = None
    why: str = ""
    wish: WishedBook | None = None
    version: WishedVersion | None = None
    settings: WishedSettings | None = None


def order_text(person: Person, decision: DecisionRequest) -> str:
    """The order of a decision as JSON. A field at its default is left out: a table of before it knows no such field."""
    said = {one.name: getattr(decision, one.name) for one in fields(decision)}
    needed = {one.name for one in fields(decision) if one.default is MISSING}
    kept = {name: value for name, value in said.items() if name in needed or value is not None}
    return to_json({"person": person, "decision": kept}).decode()


def command_of(number: str, order: str, until: float, made: int = 0) -> FloorCommand | TournamentCommand | WishCommand:
    """What the table is asked. `until`: the table's clock. Raises WireError where the order says nothing."""
    read: Order = from_json(Order, parse(order.encode()), "order", strict=True)
    if read.decision is not None:
        return FloorCommand(number, read.person, read.decision, until, made)
    wish = read.wish or read.version or read.settings
    if wish is not None:
        return WishCommand(number, read.person, read.why, wish, until, made)
    if read.event is None:
        raise WireError("has no decision, no event and no wish", "order")
    return TournamentCommand(number, read.person, read.why, read.event, until, made)

"""A command of the floor handed to the table, and the table's answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from feltd.custody.messages import TEXT_MOST, Answer, Command, Result
from feltd.door import CommandRefused, DecisionRequest, NotOnDiskError, Person, PlayStopped
from feltd.door.asking.obeying import obeyed
from feltd.door.obeying import FloorCommand, TournamentCommand
from feltd.door.wire.codec import from_json, parse
from feltd.door.wire.errors import WireError
from feltd.text.errors import FeltdError


@dataclass(frozen=True, slots=True)
class Order:
    """The JSON of a command's `order`: a decision, or a tournament's event with why it is."""

    person: Person
    decision: DecisionRequest | None = None
    event: Mapping[str, Any] | None = None
    why: str = ""


async def obey(table: Path, command: Command, offset: float | None) -> Answer:
    """Have the table obey; return what to tell the floor.

    `offset`: seconds by which the floor's clock is ahead of this machine's.
    """
    if offset is None:
        return _answer(command, Result.REFUSED, 0, "the uplink has just begun and has not yet compared the clocks")
    try:
        order: Order = from_json(Order, parse(command.order.encode()), "order", strict=True)
        done = await obeyed(table, command_of(command.id, order, command.until - offset))
    except (CommandRefused, PlayStopped, WireError) as refusal:
        return _answer(command, Result.REFUSED, 0, str(refusal))
    except NotOnDiskError as fault:
        return _answer(command, Result.NOT_KNOWN, 0, f"it was done, and the table's disk failed then: {fault}")
    except FeltdError as fault:
        return _answer(command, Result.NOT_KNOWN, 0, str(fault))
    if done.refusal is not None:
        return _answer(command, Result.REFUSED, done.entry, done.refusal)
    return _answer(command, Result.DONE, done.entry, "")


def command_of(number: str, order: Order, until: float) -> FloorCommand | TournamentCommand:
    """What the table is asked. Raises WireError where the order says nothing."""
    if order.decision is not None:
        return FloorCommand(number, order.person, order.decision, until)
    if order.event is None:
        raise WireError("has neither a decision nor an event", "order")
    return TournamentCommand(number, order.person, order.why, order.event, until)


def _answer(command: Command, result: Result, entry: int, words: str) -> Answer:
    printable = "".join(letter if letter.isprintable() else " " for letter in words)
    return Answer(command.id, result.value, entry, printable[:TEXT_MOST])

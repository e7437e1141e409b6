"""What the device of the lamp's bench reports: rounds with mistakes, played beforehand, as a device's messages.

An errand is a message that changes a lamp, with everything that has happened at the table since the errand before it.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from devices.drivers.base import Driver
from devices.simulated.direct import DirectTable
from feltd.simulated.games import options_for
from table_fsm.events import Event, TableOpen, Tick, event_to_dict, parse_event
from table_fsm.outputs import Kind
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table
from tests.bench.rounds import HOLDEM, books, game


@dataclass(frozen=True, slots=True)
class Message:
    """A device of this role said this, or (no role) the table itself opened or heard the time, at `t` seconds."""

    t: float
    role: str | None
    body: dict[str, Any]

    def event(self) -> Event:
        """The event of a message without a role."""
        return parse_event(json.dumps(self.body))


@dataclass(slots=True)
class Errand:
    """`before`: what the table hears first, in order. `message`: what changes a lamp."""

    message: Message
    before: list[Message] = field(default_factory=list)


class _Listener:
    """A driver that notes what its device says."""

    def __init__(self, driver: Driver[Any], notes: list[Message]) -> None:
        self._driver = driver
        self._notes = notes
        self.observe = driver.observe
        self.commands = driver.commands

    def events(self, body: Mapping[str, Any], t: float) -> list[Event]:
        self._notes.append(Message(t, self._driver.role, dict(body)))
        return self._driver.events(body, t)


def errands(rulebooks: Mapping[str, Rulebook], count: int) -> list[Errand]:
    """The first `count` of them, of rounds of Hold'em in each of which something goes wrong."""
    table = Table(rulebooks)
    notes: list[Message] = []
    found: list[Errand] = []

    def apply(event: Event) -> list[dict[str, Any]]:
        if isinstance(event, Tick | TableOpen):
            notes.append(Message(event.t, None, event_to_dict(event)))
        outputs = table.apply(event)
        if any(output.kind is Kind.LAMP for output in outputs) and notes[-1].role is not None:
            found.append(Errand(notes[-1], notes[:-1]))
            notes.clear()
        return [output.to_dict() for output in outputs]

    book = books()[HOLDEM]
    endless = game(book, 1_000_000, mistake_rate=1.0)
    playing = DirectTable(endless, apply, options=options_for(book), button=endless.button)
    for role, driver in playing.drivers.items():
        playing.drivers[role] = cast("Driver[Any]", _Listener(driver, notes))
    for _ in playing.play():
        if len(found) >= count:
            break
    return found[:count]


def write(file: Path, written: list[Errand]) -> None:
    """For the other process."""
    file.write_text(json.dumps([asdict(errand) for errand in written]))


def read(file: Path) -> list[Errand]:
    """In the other process."""
    return [
        Errand(Message(**errand["message"]), [Message(**before) for before in errand["before"]])
        for errand in json.loads(file.read_text())
    ]


def bodies(file: Path) -> list[dict[str, Any]]:
    """What the device is to report, in order."""
    return [errand["message"]["body"] for errand in json.loads(file.read_text())]

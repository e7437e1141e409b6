"""What a step of the acceptance is: a motion, and what must come of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from feltd.door.devices import TrialKind


class Act(Enum):
    """The motions of a step."""

    PRESS = "press"
    ON = "on"
    OFF = "off"
    UNPLUG = "unplug"
    PLUG = "plug"
    WORK = "work"
    """Something that only a person can do: hold a card to a reader, open a lid, decide."""
    LOOK = "look"
    """Nothing: it is looked at what stands there."""
    TEST = "test"
    """feltd is asked to test a device."""
    BEGIN_TESTS = "begin tests"
    END_TESTS = "end tests"


OF_FELTD: Final = frozenset({Act.TEST, Act.BEGIN_TESTS, Act.END_TESTS})
"""What feltd does, asked by a technician who is signed in."""


@dataclass(frozen=True, slots=True)
class Motion:
    """One thing to do. `words`: to a person; `device`: by its name at the table.

    `line`, `active_low`: of a pin; `cell`: of a key in a matrix, its row and column from 1; `test`, `lamp`: what feltd
    is asked for.
    """

    act: Act
    words: str
    line: int | None = None
    active_low: bool = True
    device: str = ""
    cell: tuple[int, int] | None = None
    test: TrialKind | None = None
    lamp: str | None = None


@dataclass(frozen=True, slots=True)
class Expected:
    """An event that the record must then have: its name, and at least these fields.

    `device`: the device that must have sent it. `alone`: that device may send nothing else with it, so that a part
    that answers for another is found.
    """

    event: str
    where: Mapping[str, Any] = field(default_factory=dict)
    device: str | None = None
    alone: bool = False

    def __str__(self) -> str:
        fields = ", ".join(f"{name} {value}" for name, value in self.where.items())
        return f"{self.event} ({fields})" if fields else self.event


@dataclass(frozen=True, slots=True)
class Message:
    """A message that a device under a listening test must send, with at least these fields.

    `any_of`: any of these events will do. `read`: a card must have been read.
    """

    any_of: tuple[str, ...]
    where: Mapping[str, Any] = field(default_factory=dict)
    read: bool = False

    def __str__(self) -> str:
        events = self.any_of[0] if len(self.any_of) == 1 else "any of its messages"
        fields = ", ".join(f"{name} {value}" for name, value in self.where.items())
        return f"{events} ({fields})" if fields else events


@dataclass(frozen=True, slots=True)
class Listening:
    """The messages that a device under test must send, in this order.

    The messages go to the test and not to the table. `alone`: the device may send nothing else.
    """

    device: str
    messages: tuple[Message, ...]
    alone: bool = False


class Shows(Enum):
    """The states of an output that a step looks for."""

    ON = "on"
    OFF = "off"
    ONCE = "once"
    """On for a moment, and off again."""


@dataclass(frozen=True, slots=True)
class Sense:
    """An output that is looked at or listened for.

    `question`: put to a person, yes passes. `line`, `active_low`: its pin, if it is on one. `device`, `lamp`: the
    device and its lamp, if it is on one. `fault`: the report's words if it is wrong.
    """

    shows: Shows
    question: str
    fault: str
    line: int | None = None
    active_low: bool = False
    device: str = ""
    lamp: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A motion, and its expected result, if any.

    `expected`: the event in the record. `listening`: the messages in a test, where feltd can run one; `expected` is
    not looked for then, because nothing of it reaches the table. `in_tests`: the step works only while devices are
    tested.
    """

    name: str
    motion: Motion
    expected: Expected | None = None
    listening: Listening | None = None
    sense: Sense | None = None
    in_tests: bool = False

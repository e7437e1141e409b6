"""What a step of the acceptance is: a motion, and what must come of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from feltd.door.devices import TrialKind


class Act(Enum):
    """What is done."""

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
    """An event that the record must have then: its name, and at least these fields. `device`: whose it must be.

    `alone`: nothing else of that device may come with it, so that a part that answers for another is found.
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
    """Something that a device which is listened to must say: the event of its message, and at least these fields.

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
    """A device whose words go to a test and not to the table: what it must say, in this order. `alone`: and nothing
    besides."""

    device: str
    messages: tuple[Message, ...]
    alone: bool = False


class Shows(Enum):
    """What an output does."""

    ON = "on"
    OFF = "off"
    ONCE = "once"
    """On for a moment, and off again."""


@dataclass(frozen=True, slots=True)
class Sense:
    """An output that is looked at or listened for. `question`: to a person, to be answered with yes; `line`,
    `active_low`: where it hangs on a pin; `device`, `lamp`: whose lamp it is, where it hangs on a device; `fault`: the
    words of the report where it is not so."""

    shows: Shows
    question: str
    fault: str
    line: int | None = None
    active_low: bool = False
    device: str = ""
    lamp: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A motion, and what it must bring about, if anything.

    `expected`: in the record; `listening`: in a test, where feltd can be asked for one: `expected` is not looked for
    then, because nothing of it reaches the table. `in_tests`: it is so only while devices are tested.
    """

    name: str
    motion: Motion
    expected: Expected | None = None
    listening: Listening | None = None
    sense: Sense | None = None
    in_tests: bool = False

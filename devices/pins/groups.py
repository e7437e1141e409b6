"""What a group of lines is: which lines, and how they become the messages of MESSAGES.md.

A group has no clock, no chip and no table. Its station asks it what a change means, what its state is, and what a post
sets; the answers are the messages of a device on a wire and go through the same driver.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from devices.drivers.base import Driver
from devices.pins.facts import Level, Pull
from devices.pins.sensor import Timing


@dataclass(frozen=True, slots=True)
class InputFacts:
    """One input. `active`: the level that means *on*. `place`: for people."""

    name: str
    line: int
    active: Level
    pull: Pull
    timing: Timing

    @property
    def place(self) -> str:
        """The place where it is wired, in words."""
        return f"line {self.line}"


@dataclass(frozen=True, slots=True)
class CellFacts:
    """One key of a matrix: its row and column, from 0."""

    name: str
    row: int
    column: int
    timing: Timing

    @property
    def place(self) -> str:
        """The place where it is wired, in words."""
        return f"row {self.row + 1}, column {self.column + 1}"


@dataclass(frozen=True, slots=True)
class MatrixFacts:
    """The lines of a matrix and its keys."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    diodes: bool
    cells: tuple[CellFacts, ...]


@dataclass(frozen=True, slots=True)
class OutputFacts:
    """One output.

    `active`: the level that means *on*. `first`: its state when it is taken and nothing was posted. `last`: its state
    when it is released; None leaves it as it is.
    """

    name: str
    line: int
    active: Level
    first: bool
    last: bool | None


@dataclass(frozen=True, slots=True)
class Step:
    """An output goes on or off, a number of seconds from now."""

    after: float
    output: str
    on: bool


class Group(ABC):
    """The lines of one kind of device."""

    role: ClassVar[str]
    inputs: tuple[InputFacts, ...] = ()
    outputs: tuple[OutputFacts, ...] = ()
    matrix: MatrixFacts | None = None
    patience: float = 0.0
    """Seconds for which inputs may contradict each other before that is reported."""

    @property
    def name(self) -> str:
        """The name of its slot."""
        return f"{self.role}:pins"

    @property
    def lines(self) -> tuple[int, ...]:
        """Return every line that it takes."""
        rows, columns = ((), ()) if self.matrix is None else (self.matrix.rows, self.matrix.columns)
        return (*(facts.line for facts in self.inputs), *rows, *columns, *(facts.line for facts in self.outputs))

    @abstractmethod
    def driver(self) -> Driver[Any]:
        """The driver of the device that it is."""

    def says(self, name: str, on: bool, now: Mapping[str, bool]) -> Sequence[Mapping[str, Any]]:
        """The messages of an input's change.

        `now`: the state of every working input, this one included.
        """
        return ()

    def state(self, now: Mapping[str, bool]) -> Mapping[str, Any]:
        """The full state, from the working inputs."""
        return {}

    def contradicting(self, now: Mapping[str, bool]) -> frozenset[str]:
        """Inputs that cannot all be right."""
        return frozenset()

    def post(self, name: str, args: Mapping[str, Any]) -> Sequence[Step]:
        """The steps of outputs that a post of the driver means."""
        return ()

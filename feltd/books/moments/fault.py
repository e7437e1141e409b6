"""A fault that can be made to happen, and the register of all of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from feltd.books.moments.scene import Scene
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.irregularities import Irregularity

Make: TypeAlias = Callable[[Scene], None]
Ask: TypeAlias = Callable[[Rulebook], Mapping[str, Any] | str]
"""Options that the table must be open with, or why the book has no such table."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which an irregularity comes about.

    `make` sends its events; it raises CannotError where the moment does not allow it.
    """

    irregularity: Irregularity
    name: str
    words: str
    make: Make
    options: Ask | None = None
    """Options that it needs; None: the usual ones."""
    seats: tuple[int, ...] | None = None
    """The players that it needs; None: the usual ones."""

    @property
    def key(self) -> str:
        """The irregularity with the fault's own name, by which tables and files name it."""
        return f"{self.irregularity.value}.{self.name}" if self.name else self.irregularity.value


class Register:
    """The faults of one subject, entered by a decorator."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def add(
        self,
        irregularity: Irregularity,
        name: str,
        words: str,
        *,
        options: Ask | None = None,
        seats: tuple[int, ...] | None = None,
    ) -> Callable[[Make], Make]:
        """Enter the decorated function as a fault."""

        def enter(make: Make) -> Make:
            self.faults.append(Fault(irregularity, name, words, make, options, seats))
            return make

        return enter


def needs(**options: Any) -> Ask:
    """These options, if the book takes them and their values."""

    def ask(book: Rulebook) -> Mapping[str, Any] | str:
        for name, value in options.items():
            rule = book.options.get(name)
            if rule is None:
                return f"the book has no option {name}"
            if rule.values is not None and value not in rule.values:
                return f"the option {name} cannot be {value}"
        return options

    return ask

"""The parts of a tournament's state, one for each subject, and the step from one state to the next."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, TypeVar

from floor_fsm.core.event import Event
from floor_fsm.core.output import Output
from floor_fsm.law.law import Law

PartT = TypeVar("PartT")


class Parts:
    """A state: the law, and each subject's own part. It is never changed; `having` makes another."""

    __slots__ = ("_parts", "law")

    def __init__(self, law: Law, parts: Mapping[type[Any], object]) -> None:
        self.law: Final = law
        self._parts: Final = MappingProxyType(dict(parts))

    def of(self, kind: type[PartT]) -> PartT:
        """The part of this type. Raises KeyError for a type that no subject has."""
        part = self._parts[kind]
        assert isinstance(part, kind)
        return part

    def having(self, part: object) -> "Parts":
        """The same state with another part of its type. Raises KeyError for a type that no subject has."""
        if type(part) not in self._parts:
            raise KeyError(type(part))
        return Parts(self.law, {**self._parts, type(part): part})

    def all(self) -> Iterable[object]:
        """Every part, in the order of the subjects."""
        return self._parts.values()


@dataclass(frozen=True, slots=True)
class Step:
    """What a subject makes of an event: its own part as it is now, and what it says."""

    part: object
    outputs: tuple[Output, ...] = ()


Take = Callable[[Parts, Any], Step]
"""Takes an event of one type; it sees what the subjects before it have made of it. Raises Refused."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One subject of a tournament.

    `part`: the type of its part of the state, which no other subject writes. `begin`: that part before anything
    happened. `takes`: the events that concern it. Several subjects may take one event; if one of them refuses, none
    of them has changed anything.
    """

    part: type[Any]
    begin: Callable[[Law], object]
    takes: Mapping[type[Event], Take]

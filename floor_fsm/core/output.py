"""The base of the outputs: what tables, desks and screens are told."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Output:
    """Something that a tournament says after an event. Each kind is a type of its own."""

    kind: ClassVar[str]

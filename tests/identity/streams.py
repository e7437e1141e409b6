"""What every stream of events is to the player."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

Raw: TypeAlias = dict[str, Any]
"""An event as a JSON object, without its `t`."""

Outputs: TypeAlias = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Fresh:
    """A new table is set up. `label` says to a person where the events that follow come from."""

    label: str


Item: TypeAlias = Fresh | str
"""A new table, or the JSON line of one event."""


class Stream(Protocol):
    """Events, and an ear for what the table answers to them."""

    def items(self) -> Iterator[Item]:
        """The lines, and before the first of each table a `Fresh`."""

    def heard(self, outputs: Outputs, view: dict[str, Any] | None) -> None:
        """What the table answered to the last line; `view` where it was looked at."""

"""Whose events the table took while other devices were away: nobody knows in which order what those kept belongs there.

A device numbers its own events and has no clock that others share. So after a power cut, or a loss of several links,
the table may rule on what nobody did. What is known is told: that it may be so, and of which devices.
"""

from collections.abc import Iterable
from typing import Final

from feltd.table.links.ends import TableEnds
from feltd.table.links.slots import Slot


class LateOrder:
    """Belongs to the bridge, which calls it where the table takes an event."""

    def __init__(self) -> None:
        self._before: Final[dict[str, set[str]]] = {}
        """By a device that is away, or still tells what it kept: whose events have been taken since."""
        self._told: Final[dict[str, set[str]]] = {}

    def before(self, slot: Slot, away: Iterable[str], table: TableEnds, *, kept: bool) -> None:
        """Before an event that the table takes. Between two rounds no ruling hangs on the order.

        `away`: those that were not up when it came. It may have waited for the record since.
        """
        name = slot.config.name
        if kept and not table.between_rounds() and (others := self.unknown(name)):
            table.told_late(slot, others)
        self.took(name, away)

    def took(self, name: str, away: Iterable[str]) -> None:
        """The table takes an event of the device `name`. `away`: those that were not up."""
        for other in away:
            if other != name:
                self._before.setdefault(other, set()).add(name)

    def unknown(self, name: str) -> tuple[str, ...]:
        """For an event that `name` kept: whose events were taken before it and may have happened after it.

        Each two devices are told once, until one of them is up.
        """
        others = self._before.get(name, set()) - self._told.get(name, set())
        for other in others:
            self._told.setdefault(name, set()).add(other)
            self._told.setdefault(other, set()).add(name)
        return tuple(sorted(others))

    def up(self, name: str) -> None:
        """The device has told all that it kept: what it tells now happens now."""
        self._before.pop(name, None)
        self._told.pop(name, None)
        for others in self._told.values():
            others.discard(name)  # else a later loss of the other one is not told


def late_words(name: str, others: Iterable[str]) -> str:
    """What the staff are told of a device whose kept event comes behind events of others."""
    return (
        f"{name} was away and now tells what it kept. Nobody knows its order against {', '.join(others)}: "
        "check the rulings of this round, and overrule those on what nobody did"
    )

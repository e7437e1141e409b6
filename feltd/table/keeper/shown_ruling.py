"""The ruling that the display shows, so that the display can follow when that ruling is settled.

The table's outputs clear the display when nothing asks for attention. An alarm that nobody has acknowledged keeps the
lamp lit after its cause has ended: without this, the display would go on giving the cause.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

from table_fsm.outputs import Display, Output, Ruling


class Holds(Protocol):
    """What the table holds after an event; asked for where it matters alone."""

    @property
    def waiting(self) -> Collection[int]:
        """Ids of the rulings that wait for a person."""

    @property
    def is_ruled(self) -> bool:
        """Whether it holds a ruling that is not settled."""

    @property
    def round_number(self) -> int:
        """The number of the round."""


class ShownRuling:
    """Follows what the table tells the display, event by event."""

    def __init__(self, waiting: Collection[int]) -> None:
        """`waiting`: ids of the rulings that wait for a person now."""
        self._shown = max(waiting, default=None)
        self._told = False
        """Whether a ruling is shown that waits for nobody."""
        self._late: int | None = None
        """The round in which such a ruling came already settled, with the end of a round; None where it did not."""

    def ends(self, outputs: Sequence[Output], table: Holds) -> bool:
        """Note the outputs of an event; return whether the ruling on the display has just ended.

        The display then has to show what the table has for it now: the latest ruling of those that still wait, or
        nothing. A ruling that never waits for a person stays until the end of the round, or a person's decision, has
        settled it. Where the event that ends the round brings it, it stays until the next round begins: else the dealer
        would never see it.
        """
        came = False
        for output in outputs:
            match output.value:
                case Ruling(id=ruling, pending=pending):
                    self._shown, self._told = (ruling, False) if pending else (None, True)
                    came, self._late = True, None
                case Display(text=""):
                    self._shown, self._told, self._late = None, False, None
        if self._told and not table.is_ruled:
            if came:
                self._late = table.round_number
            if self._late == table.round_number:
                return False
            self._told, self._late = False, None
            return True
        if self._shown is None or self._shown in (now := table.waiting):
            return False
        self._shown = max(now, default=None)
        return True

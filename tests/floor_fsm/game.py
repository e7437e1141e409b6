"""A tournament with everybody seated and entries over, for tests of what happens between tables."""

from typing import Any

from floor_fsm.core.output import Output
from floor_fsm.errors import Reason
from floor_fsm.messages.entries import LateClosed
from floor_fsm.messages.hands import HandOver, WentOut
from floor_fsm.state.seating import Seating
from tests.floor_fsm.refusing import refused
from tests.floor_fsm.support import Desk


class Game(Desk):
    """A tournament of two tables whose entries are closed, with everybody seated."""

    def __init__(self, law: str, players: int = 8, **terms: Any) -> None:
        super().__init__(law, tables=2, seats=5, **terms)
        self.enter(*(f"P{number}" for number in range(players)))
        self.draw()
        self.closing = self.say(LateClosed)

    def at(self, table: str) -> list[int]:
        """The entries at a table."""
        return list(self.tournament.parts.of(Seating).at(table).values())

    def over(self, table: str, *out: tuple[int, int], hand: int | None = None) -> list[Output]:
        """A table tells a hand; `out`: entries with their stacks, which they put in."""
        gone = tuple(WentOut(entry=entry, stack=chips, put_in=chips) for entry, chips in out)
        return self.say(HandOver, by=None, table=table, hand=hand, out=gone)

    def refuse(self, kind: Any, **fields: Any) -> tuple[Reason, str | None]:
        """The reason and clause with which an event is refused."""
        return refused(lambda: self.say(kind, **fields))

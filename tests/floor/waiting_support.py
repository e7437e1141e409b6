"""Waiting lists run by floord, for tests: a desk's steps in few words."""

from collections.abc import Callable
from typing import Any, Final

from feltd.books.shipped import waiting_sources
from feltd.door.pit.directing import DecidedBy, Opening, Step, Stepped
from feltd.door.pit.waiting import RoomAsk, RoomNews
from feltd.floor.groups import EVERYTHING, Sight
from feltd.floor.streams import Streams
from feltd.floor.waiting import Waiting
from tests.floor.directing_support import LEA, Clock

ROOM: Final = Opening("cash", "Cash games", "onyx-cash", LEA)
GAME: Final = {"ev": "game.listed", "game": "nl-1-2", "name": "Hold'em 1/2"}


def waiting(streams: Streams, clock: Callable[[], float] | None = None, **more: Any) -> Waiting:
    """A floord's waiting lists, under the books that come with feltd."""
    return Waiting(streams, waiting_sources(), clock or Clock(), **more)


def joins(number: int, name: str | None = None, game: str = "nl-1-2") -> dict[str, Any]:
    """Somebody waits."""
    return {"ev": "waiting.joined", "number": number, "person": f"p{number}", "name": name or f"Mx {number}",
            "game": game}  # fmt: skip


class AtDesk:
    """A desk that knows the last event."""

    def __init__(self, floor: Waiting, by: DecidedBy = LEA, sight: Sight = EVERYTHING) -> None:
        self.floor = floor
        self.by = by
        self.sight = sight

    def news(self) -> RoomNews:
        """How the lists stand."""
        return self.floor.news(RoomAsk("cash"), self.sight)

    def names(self) -> list[str]:
        """Who waits, in order."""
        return [one["name"] for one in self.news().lists["waits"]]

    async def say(self, *events: dict[str, Any]) -> Stepped:
        """Take these steps; return what became of the last."""
        for event in events:
            done = await self.floor.step(Step("cash", self.news().seq, event, self.by), self.sight)
        return done

    async def opened(self, people: int = 0) -> "AtDesk":
        """Make the lists, with one game and so many people."""
        await self.floor.open(ROOM)
        await self.say(GAME, *(joins(number) for number in range(1, people + 1)))
        return self

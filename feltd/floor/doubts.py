"""What a table told and its tournament did not take stands on the floor's own record, whoever ended before writing it.

An event and its note are two writes. A floord that ends between them leaves the event alone, and the database may be
away for the second one. So every floord looks, a little later, at each such event of the streams, once.
"""

import time
from collections.abc import Callable
from typing import Final

from feltd.floor.again import again_and_again
from feltd.floor.directing import Directing
from feltd.floor.engine import Engine
from feltd.floor.own_notes import OwnNotes
from feltd.floor.own_record import OwnRecord
from feltd.floor.refusals_kept import NOTE, RefusalsKept
from feltd.floor.trying import parts_not_taken

LOOK_EVERY: Final = 5.0
NOTED_WITHIN: Final = 10.0
"""Seconds behind an event in which the floord that kept it writes its note."""


class Doubts:
    """Belongs to one loop, in which `run` must run."""

    def __init__(self, directing: Directing, engine: Engine, clock: Callable[[], float] = time.time) -> None:
        """`clock`: seconds since 1970."""
        self._directing = directing
        self._clock = clock
        self._kept = RefusalsKept(OwnRecord(engine, clock))
        self._notes = OwnNotes(engine, NOTE)

    async def run(self) -> None:
        """Look again and again, until cancelled. A database that is away is asked again."""
        await again_and_again(self.look, "what was not taken of tables' hands", LOOK_EVERY)

    async def look(self) -> None:
        """Write the notes that are missing. Raises FloorAwayError; what is not written then is looked at again."""
        for fold in self._directing.folds():
            assert fold.made is not None
            while fold.doubted and fold.made.wall + fold.doubted[0].event.t + NOTED_WITHIN <= self._clock():
                one = fold.doubted[0]
                for refused, part in parts_not_taken(one.outputs):
                    await self._kept.keep_missing(fold.id, one.behind, one.event, refused, part, self._notes)
                fold.doubted.popleft()

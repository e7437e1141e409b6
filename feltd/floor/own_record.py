"""The floor's own record: who comes and goes at the pit page, and who is given which tables.

It is a journal in the tables' format among theirs, under a name that no table can have: chained, proved by night,
backed up and handed out as they are. So whoever changes what a person did there is found as at a table.
"""

import json
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from feltd.custody.errors import FloorAwayError
from feltd.custody.messages import Stand
from feltd.custody.rows import chains_of
from feltd.door.access import AccessFact
from feltd.floor.engine import Batch, Engine, Verdict
from feltd.floor.facts import OWN
from feltd.record.access import WordOf
from feltd.record.entries import FORMAT, EntryKind, HostEntry, Row, encode

PAGES_MOST: Final = 8
"""Pages whose last number is remembered: what one tells again, because no answer came, is not written again."""
_TRIES: Final = 8
_ALWAYS: Final = frozenset({"at", "times"})


class OwnRecord:
    """Writes it. Belongs to one loop. Another floord may write beside: each adds behind the other's last entry."""

    def __init__(self, engine: Engine, wall: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._wall = wall
        self._journal: bytes | None = None
        self._stand = Stand(0, bytes(32))
        self._numbers: dict[str, int] = {}

    async def access(self, page: str, facts: Sequence[AccessFact]) -> None:
        """Put on record what a pit page tells. Raises FloorAwayError."""
        after = self._numbers.get(page, 0)
        new = [fact for fact in facts if fact.n > after]
        await self.write([(HostEntry.ACCESS, _said(page, fact)) for fact in new])
        self._numbers.pop(page, None)
        self._numbers[page] = max([after, *(fact.n for fact in new)])
        while len(self._numbers) > PAGES_MOST:
            del self._numbers[next(iter(self._numbers))]

    async def note(self, body: Mapping[str, Any], unless: Callable[[bytes], Awaitable[bool]] | None = None) -> None:
        """Put something else on record. Raises FloorAwayError. `unless`: see `write`."""
        await self.write([(HostEntry.NOTE, body)], unless)

    async def write(
        self,
        entries: Sequence[tuple[HostEntry, Mapping[str, Any]]],
        unless: Callable[[bytes], Awaitable[bool]] | None = None,
    ) -> None:
        """Write entries together; they are on the disk. Raises FloorAwayError.

        `unless`: whether this journal has them already, by all that it has now; it is asked before each try, so what
        another floord writes meanwhile is not written twice.
        """
        for _ in range(_TRIES if entries else 0):
            if self._journal is None:
                await self._find()
            assert self._journal is not None
            if unless is not None and await unless(self._journal):
                return
            seq, wall, host = self._stand.seq, self._wall(), time.monotonic()
            rows = tuple(
                encode(_row(seq + number, name, host, wall, body)) for number, (name, body) in enumerate(entries, 1)
            )
            batch = Batch(OWN, self._journal, seq + 1, self._stand.chain, chains_of(self._stand.chain, rows)[-1], rows)
            [done] = await self._engine.append_many([batch])
            self._stand = done.stand
            if done.verdict is Verdict.ADDED:
                return
            if done.verdict not in {Verdict.NOT_NEXT, Verdict.DIFFERENT}:
                self._journal = None  # the database was put back, and has another one or none
        if entries:
            raise FloorAwayError("the floor's own record is not kept", "floord", "See `feltd floor status`")

    async def _find(self) -> None:
        """The floor's own journal: the oldest, so that two floords that begin at once go on in one."""
        for _ in range(2):
            for journal in await self._engine.status():
                if journal.table == OWN and not journal.stand.forked:
                    self._journal, self._stand = journal.journal, journal.stand
                    return
            await self._engine.open_journal(OWN, secrets.token_bytes(16), FORMAT)
        raise FloorAwayError("the floor's own record cannot be begun", "floord", "See `feltd floor status`")


def _row(seq: int, name: HostEntry, host: float, wall: float, body: Mapping[str, Any]) -> Row:
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=True, default=str)
    return Row(seq, EntryKind.HOST, name, None, host, wall, None, None, None, None, None, None, text, None, None)


def _said(page: str, fact: AccessFact) -> dict[str, Any]:
    """A fact as entries have it (`feltd.record.access`): fields that say something."""
    body = {"what": fact.what, "by": WordOf.PAGE, "page": page[:64], **asdict(fact)}
    body["from"] = body.pop("address")
    body["scope"] = list(fact.scope)
    return {name: value for name, value in body.items() if value or (name in _ALWAYS and value is not None)}

"""The engine on PostgreSQL. Its own module is the only one that knows asyncpg, which has no types of its own.

Any error of the database ends the connection to it, and no commit is cancelled: whether one happened is asked of the
head afterwards, never assumed. The role may execute the schema's functions and do nothing else.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import asyncpg

from feltd.custody.errors import CustodyError, FloorAwayError, FloorDamagedError, FloorUnfitError
from feltd.custody.messages import Stand
from feltd.custody.rows import chains_of, digests_of, packed, unpacked
from feltd.floor.alone import PostgresAlone
from feltd.floor.arriving import PostgresArrivals
from feltd.floor.elsewhere import PostgresFloords
from feltd.floor.engine import (
    BATCHES_BYTES,
    FORKS_MOST,
    JOURNALS_MOST,
    Alarm,
    AlarmKind,
    Appended,
    Batch,
    Given,
    JournalStatus,
    Ordered,
    Redeemed,
    Seen,
    Signed,
    Verdict,
    no_such_journal,
    table_is_shut,
    too_many_journals,
)
from feltd.floor.groups import PostgresGroups
from feltd.floor.passing import PostgresPassed
from feltd.floor.postgres_facts import PostgresFacts
from feltd.floor.postgres_standing import PostgresStanding
from feltd.floor.postgres_streams import PostgresStreams
from feltd.floor.postgres_wishes import PostgresWishes
from feltd.floor.refused import Refused
from feltd.floor.searched import PostgresSearched
from feltd.floor.servers import FAULTS, History, Memory, Promoted, Servers
from feltd.floor.streams import StreamKind
from feltd.record.entries import chain_start
from feltd.record.signed_heads import SignedHead

EDITION: Final = 28
"""Of the schema. SQL is only added to, so a newer database serves an older program."""
SCHEMA: Final = tuple(
    Path(__file__).with_name(f"{name}.sql")
    for name in (
        *("schema", "enrolment", "tournaments", "exports", "custody"),
        *("groups", "packing", "searching", "players", "wishes", "standby", "appending", "admitting", "trends"),
        *("elsewhere", "beside", "arriving", "passing", "grouped"),
    )
)
"""In the order in which they run."""
CONNECTIONS: Final = 4
CONNECT_WITHIN: Final = 10.0
"""Seconds."""
TURN_WITHIN: Final = 30.0
"""Seconds for one of the connections to be free: where a thousand tables call at once on a slow machine, whoever is
sent away calls again and makes it worse. An uplink waits for 60."""
PREPARE: Final = "Run `feltd floor prepare` with the database's owner; it adds what is missing and takes nothing away"
PREPARE_TRIES: Final = 5
"""Tables that call meanwhile may lock what it has locked, and the server then ends one of both."""
_TOO_MANY: Final = "too many"
_R = TypeVar("_R")


class PostgresEngine:
    """Journals in a PostgreSQL database. Belongs to one loop; close it."""

    def __init__(self, pool: Any, place: str, servers: Servers) -> None:
        self._pool = pool
        self.servers = servers
        self._place = place
        self.tournaments = PostgresStreams(self._do)
        self.waiting = PostgresStreams(self._do, StreamKind.WAITING)
        self.facts = PostgresFacts(self._do)
        self.standing = PostgresStanding(self._do)
        self.floords = PostgresFloords(self._do)
        self.groups = PostgresGroups(self._do)
        self.searched = PostgresSearched(self._do)
        self.wishes = PostgresWishes(self._do)
        self.arrivals = PostgresArrivals(self._do)
        self.passed = PostgresPassed(self._do)
        self.alone = PostgresAlone(servers.connect, lambda fault: _away(place, fault))
        self._trouble: str | None = None
        self._refused = Refused()
        self._damage: tuple[str, History | None] | None = None

    @classmethod
    async def open(cls, address: str, memory: Memory | None = None) -> "PostgresEngine":
        """Connect to a database, `postgresql://…`; of several servers to the primary.

        `memory`: the newest promotion that was seen; None begins with none. Raises FloorAwayError where it cannot be
        reached, CustodyError where its schema is older than this program.
        """
        place, servers = place_of(address), Servers(address, memory)
        try:
            pool = await asyncpg.create_pool(
                connect=servers.connect,
                min_size=1,
                max_size=CONNECTIONS,
                timeout=CONNECT_WITHIN,
                statement_cache_size=64,
                reset=_as_it_was,
            )
        except (*FAULTS, ValueError) as fault:
            raise _away(place, fault) from None
        engine = cls(pool, place, servers)
        try:
            await engine.require_edition()
        except BaseException:
            await engine.close()
            raise
        return engine

    @property
    def trouble(self) -> str | None:
        """See `Engine`. What this server could not read of its disk is said until another one is the primary.

        What it refuses is said until it does that: what works beside it hid a full disk.
        """
        if self._trouble is None and self._damage is not None and self._damage[1] == self.servers.newest:
            return self._damage[0]
        return self._trouble or self._refused.words(self.servers.newest)

    async def require_edition(self) -> None:
        """Raises CustodyError where the database has no schema, or an older one than this program wants."""
        try:
            edition = await self._do(lambda connection: connection.fetchval("SELECT floor.edition_number()"))
        except FloorAwayError as fault:
            if not isinstance(fault.__cause__, asyncpg.InvalidSchemaNameError | asyncpg.UndefinedFunctionError):
                raise
            edition = 0
        if edition < EDITION:
            raise CustodyError(
                f"the database is older than this program (edition {edition}, wanted is {EDITION})",
                self._place,
                PREPARE,
            )

    async def close(self) -> None:
        """Close every connection. What was begun is finished first, for a short time."""
        try:
            await asyncio.wait_for(self._pool.close(), CONNECT_WITHIN)
        except TimeoutError:
            self._pool.terminate()

    async def open_journal(self, table: str, journal: bytes, edition: int) -> Appended:
        """See `Engine`."""
        row = await self._do(
            lambda connection: connection.fetchrow(
                "SELECT * FROM floor.open_journal($1, $2, $3, $4, $5)",
                *(table, journal, min(edition, 2**31 - 1), chain_start(journal), JOURNALS_MOST),
            )
        )
        if row["verdict"] == _TOO_MANY:
            raise too_many_journals(table)
        if row["verdict"] == Verdict.SHUT:
            raise table_is_shut(table)
        return Appended(Verdict(row["verdict"]), _stand(row))

    async def append_many(self, batches: Sequence[Batch]) -> list[Appended]:
        """See `Engine`."""
        given = [
            (
                batch.table,
                batch.journal,
                batch.first,
                batch.before,
                b"".join(digests_of(batch.rows)),
                packed(batch.rows),
            )
            for batch in batches
        ]
        columns = [list(column) for column in zip(*given, strict=True)]
        found = await self._do(
            lambda connection: connection.fetch("SELECT * FROM floor.append_many($1, $2, $3, $4, $5, $6)", *columns)
        )
        return [Appended(Verdict(row["verdict"]), _stand(row)) for row in sorted(found, key=lambda row: int(row["n"]))]

    async def chain_at(self, journal: bytes, seq: int) -> bytes:
        """See `Engine`."""
        found = await self.batches(journal, seq - 1, 1)
        if not found or seq < found[0].first:
            return chain_start(journal)
        return chains_of(found[0].before, found[0].rows)[seq - found[0].first + 1]

    async def keep_fork(self, batch: Batch, alarm: Alarm) -> Stand:
        """See `Engine`."""
        row = await self._do(
            lambda connection: connection.fetchrow(
                "SELECT * FROM floor.keep_fork($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
                *(batch.table, batch.journal, batch.first, batch.before, batch.chain, packed(batch.rows), FORKS_MOST),
                *(alarm.kind.value, alarm.seq, alarm.text),
            )
        )
        return Stand(row["seq"], row["chain"], forked=True)

    async def raise_alarm(self, alarm: Alarm) -> None:
        """See `Engine`."""
        values = (alarm.table, alarm.journal, alarm.kind.value, alarm.seq, alarm.text)
        await self._do(lambda connection: connection.execute("SELECT floor.raise_alarm($1, $2, $3, $4, $5)", *values))

    async def note_seen(self, seen: Seen) -> Stand:
        """See `Engine`."""
        values = (seen.journal, seen.head, seen.offset, seen.within)
        row = await self._do(
            lambda connection: connection.fetchrow("SELECT * FROM floor.note_seen($1, $2, $3, $4)", *values)
        )
        if row["seq"] is None:
            raise no_such_journal(seen.table, seen.journal)
        return _stand(row)

    async def signed(self, journal: bytes) -> Signed | None:
        """See `Engine`."""
        row = await self._do(lambda connection: connection.fetchrow("SELECT * FROM floor.signed($1)", journal))
        return None if row is None else _signed(row)

    async def pin(self, journal: bytes, signed: Signed) -> bool:
        """See `Engine`."""
        values = (journal, signed.first_key, signed.at)
        pinned = await self._do(lambda connection: connection.fetchval("SELECT floor.pin($1, $2, $3)", *values))
        return bool(pinned == signed.first_key)

    async def add_heads(self, journal: bytes, heads: Sequence[SignedHead], before: Signed, after: Signed) -> bool:
        """See `Engine`."""
        columns = (
            [head.seq for head in heads], [head.wall_ms for head in heads], [head.chain for head in heads],
            [head.next_key for head in heads], [head.signature for head in heads],
        )  # fmt: skip
        added = await self._do(
            lambda connection: connection.fetchval(
                "SELECT floor.add_heads($1, $2, $3, $4, $5, $6, $7, $8)", journal, before.at, after.at, *columns
            )
        )
        return bool(added)

    async def heads_of(self, journal: bytes, after: int, most: int) -> list[SignedHead]:
        """See `Engine`."""
        found = await self._do(
            lambda connection: connection.fetch("SELECT * FROM floor.heads_behind($1, $2, $3)", journal, after, most)
        )
        return [
            SignedHead(row["seq"], row["wall_ms"], row["chain"], row["next_key"], row["signature"]) for row in found
        ]

    async def add_order(self, ordered: Ordered) -> None:
        """See `Engine`."""
        values = (ordered.id, ordered.table, ordered.journal, ordered.head, ordered.until, ordered.order)
        await self._do(lambda connection: connection.execute("SELECT floor.add_order($1, $2, $3, $4, $5, $6)", *values))

    async def settle_order(self, ordered: Ordered) -> None:
        """See `Engine`."""
        values = (ordered.id, ordered.result.value, ordered.entry, ordered.words)
        await self._do(lambda connection: connection.execute("SELECT floor.settle_order($1, $2, $3, $4)", *values))

    async def open_orders(self) -> list[Ordered]:
        """See `Engine`."""
        found = await self._do(lambda connection: connection.fetch("SELECT * FROM floor.open_orders()"))
        return [
            Ordered(row["id"], row["owner"], row["journal"], row["head"], row["until"], row["what"]) for row in found
        ]

    async def pits(self) -> dict[bytes, str]:
        """See `Engine`."""
        found = await self._do(lambda connection: connection.fetch("SELECT * FROM floor.pits()"))
        return {row["journal"]: row["state"] for row in found}

    async def keep_pits(self, folds: Sequence[tuple[bytes, int, str]]) -> None:
        """See `Engine`."""
        columns = [list(column) for column in zip(*folds, strict=True)]
        await self._do(lambda connection: connection.execute("SELECT floor.keep_pits($1, $2, $3)", *columns))

    async def add_access(self, page: str, text: str) -> None:
        """See `Engine`."""
        await self._do(lambda connection: connection.execute("SELECT floor.add_access($1, $2)", page, text))

    async def set_shut(self, table: str, *, shut: bool, who: str, why: str) -> bool:
        """See `Engine`."""
        values = (table, shut, who, why)
        return bool(await self._do(lambda one: one.fetchval("SELECT floor.set_shut($1, $2, $3, $4)", *values)))

    async def shut_tables(self) -> frozenset[str]:
        """See `Engine`."""
        found = await self._do(lambda connection: connection.fetch("SELECT * FROM floor.shut_tables()"))
        return frozenset(row["owner"] for row in found)

    async def add_code(self, digest: bytes, table: str, until: float, who: str) -> None:
        """See `Engine`."""
        values = (digest, table, until, who)
        await self._do(lambda connection: connection.execute("SELECT floor.add_code($1, $2, $3, $4)", *values))

    async def redeem(self, digest: bytes, key: bytes, now: float) -> tuple[Redeemed, str]:
        """See `Engine`."""
        row = await self._do(lambda one: one.fetchrow("SELECT * FROM floor.redeem($1, $2, $3)", digest, key, now))
        return Redeemed(row["verdict"]), row["owner"]

    async def add_certificate(self, given: Given, behind: str | None = None) -> bool:
        """See `Engine`."""
        values = (given.table, given.serial, given.key, given.ends, given.how, behind)
        added = await self._do(
            lambda one: one.fetchval("SELECT floor.give_certificate($1, $2, $3, $4, $5, $6)", *values)
        )
        return bool(added)

    async def certificates(self) -> list[Given]:
        """See `Engine`."""
        found = await self._do(lambda connection: connection.fetch("SELECT * FROM floor.certificates()"))
        return [_given(row) for row in found]

    async def last_certificate(self, table: str) -> Given | None:
        """See `Engine`."""
        found = await self.last_certificates([table])
        return found[0] if found else None

    async def last_certificates(self, tables: Sequence[str]) -> list[Given]:
        """See `Engine`."""
        asked = list(tables)
        found = await self._do(lambda one: one.fetch("SELECT * FROM floor.last_certificates($1)", asked))
        return [_given(row) for row in found]

    async def batches(self, journal: bytes, after: int, most: int) -> list[Batch]:
        """See `Engine`."""
        found = await self._do(
            lambda connection: connection.fetch("SELECT * FROM floor.batches_behind($1, $2, $3)", journal, after, most)
        )
        return _batches(journal, found)

    async def batches_of_many(self, behind: Sequence[tuple[bytes, int]], most: int) -> list[list[Batch]]:
        """See `Engine`."""
        columns = [journal for journal, _ in behind], [after for _, after in behind]
        found = await self._do(
            lambda connection: connection.fetch("SELECT * FROM floor.batches_of_many($1, $2, $3)", *columns, most)
        )
        rows: list[list[Any]] = [[] for _ in behind]
        for row in found:
            rows[row["n"] - 1].append(row)
        return [_batches(journal, of_it) for (journal, _), of_it in zip(behind, rows, strict=True)]

    async def clock(self) -> float:
        """See `Engine`."""
        return float(await self._do(lambda connection: connection.fetchval("SELECT floor.clock()")))

    async def status(self) -> list[JournalStatus]:
        """See `Engine`."""
        found = await self._do(lambda connection: connection.fetch("SELECT * FROM floor.status()"))
        signed = await self._do(lambda connection: connection.fetch("SELECT * FROM floor.signed(NULL)"))
        of_journal = {row["journal"]: _signed(row) for row in signed}
        return [
            JournalStatus(
                row["owner"], row["journal"], _stand(row), row["told"], row["seen"], row["clock_offset"],
                row["clock_within"], row["forks"], of_journal.get(row["journal"]),
            )
            for row in found
        ]  # fmt: skip

    async def alarms(self) -> list[Alarm]:
        """See `Engine`."""
        found = await self._do(lambda connection: connection.fetch("SELECT * FROM floor.alarms()"))
        return [
            Alarm(row["owner"], row["journal"], AlarmKind(row["kind"]), row["seq"], row["words"], row["times"])
            for row in found
        ]

    async def promotions(self) -> list[Promoted]:
        """Who made a standby the primary, oldest first."""
        found = await self._do(lambda connection: connection.fetch("SELECT * FROM floor.promotions()"))
        return [Promoted(**dict(row)) for row in found]

    async def _do(self, work: Callable[[Any], Awaitable[_R]]) -> _R:
        """Do one statement to its end, also where whoever waits for it goes away. Raises FloorAwayError."""
        return await asyncio.shield(asyncio.ensure_future(self._done(work)))

    async def _done(self, work: Callable[[Any], Awaitable[_R]]) -> _R:
        asked = getattr(work, "__code__", work)  # the same for each call from one place
        try:
            async with self._pool.acquire(timeout=TURN_WITHIN) as connection:
                try:
                    done = await work(connection)
                except BaseException:
                    with suppress(asyncpg.InterfaceError):  # it is closed already; what ended it is raised
                        connection.terminate()
                    raise
        except FloorAwayError as nowhere:
            self._trouble = f"{nowhere.what}. {nowhere.remedy}"
            raise
        except FAULTS as fault:
            away = _away(self._place, fault)
            self._trouble = f"{away.what}. {away.remedy}"
            self._refused.take(asked, fault, self._trouble, self.servers.newest)
            if isinstance(away, FloorDamagedError):
                self._damage = self._trouble, self.servers.newest
            raise away from fault
        self._trouble = None
        self._refused.done(asked)
        return done


async def prepare(address: str) -> None:
    """Bring the schema of a database to this program's edition, as its owner. Raises FloorAwayError."""
    place = place_of(address)
    try:
        connection = await asyncpg.connect(address, timeout=CONNECT_WITHIN)
        try:
            for _ in range(PREPARE_TRIES - 1):
                with suppress(asyncpg.DeadlockDetectedError):  # tables call meanwhile; the last try tells it
                    return await _prepare(connection)
            await _prepare(connection)
        finally:
            await connection.close()
    except (*FAULTS, ValueError) as fault:
        raise _away(place, fault) from None


async def _prepare(connection: Any) -> None:
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(6646469)")
        for part in SCHEMA:
            await connection.execute(part.read_text(encoding="utf-8"))


def place_of(address: str) -> str:
    """The address of a database without a password, for people."""
    before, at, behind = address.rpartition("@")
    scheme, slashes, user = before.rpartition("//")
    return f"{scheme}{slashes}{user.partition(':')[0]}{at}{behind.partition('?')[0]}"


async def _as_it_was(_connection: Any) -> None:
    """Leave a session as it is: each work is one statement, which sets, locks and listens to nothing beyond its end.

    asyncpg's own four statements behind each work took a fourteenth of floord's processor with a thousand tables.
    """


def _batches(journal: bytes, found: Sequence[Any]) -> list[Batch]:
    """Rows of the database as batches, as few as have `BATCHES_BYTES`."""
    batches: list[Batch] = []
    size = 0
    for row in found:
        if size > BATCHES_BYTES:
            break
        rows = unpacked(row["rows"])
        size += sum(map(len, rows))
        batches.append(Batch(row["owner"], journal, row["first"], row["before"], row["chain"], rows))
    return batches


def _stand(row: Any) -> Stand:
    return Stand(row["seq"], row["chain"], row["forked"])


def _signed(row: Any) -> Signed:
    return Signed(row["first_key"], row["at"], row["seq"], row["key"], row["wall_ms"])


def _given(row: Any) -> Given:
    return Given(row["owner"], row["serial"], row["key"], row["ends"], row["how"])


def _away(place: str, fault: BaseException) -> FloorAwayError:
    words = str(fault).partition("\n")[0] or type(fault).__name__
    if isinstance(fault, asyncpg.DiskFullError):
        return FloorAwayError(
            f"the disk of the floor's database is full: {words}",
            place,
            "Make room on its disk, or give it a larger one; tables keep their rows meanwhile and send them afterwards",
        )
    if isinstance(fault, asyncpg.DataCorruptedError | asyncpg.IndexCorruptedError):
        return FloorDamagedError(
            f"the floor's database cannot read what is on its disk: {words}",
            place,
            "Let a standby be the primary, and keep this server's disk as evidence; without a standby look at the "
            "disk, and put the floor back from a backup: tables bring what that lacks",
        )
    if isinstance(fault, asyncpg.DataError):
        return FloorUnfitError(f"the database does not take what it is given: {words}", place, "Report it as a fault")
    if isinstance(fault, asyncpg.InvalidSchemaNameError | asyncpg.UndefinedFunctionError):
        return FloorAwayError(f"the database is older than this program: {words}", place, PREPARE)
    return FloorAwayError(
        f"the database does not do what it is asked: {words}",
        place,
        "See that the server runs and lets this role in; nothing is lost meanwhile, tables keep their rows",
    )

"""Old batches packed, many into one: a table's rows deflated together take a fraction of what they take one by one.

The database's owner packs, never the daemon. A pack takes the place of its batches in one transaction, where the
database has made the chain anew over the pack's digests; before that it was unpacked again and compared here.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import asyncpg

from feltd.custody.errors import CustodyError, CustodyWireError, FloorAwayError
from feltd.custody.rows import chains_of, digests_of, packed, unpacked
from feltd.floor.postgres import PostgresEngine, place_of

ROWS: Final = 1000
"""Entries of a pack."""
BYTES: Final = 1024 * 1024
"""Of its rows: a reader inflates so much at once."""
_BATCHES: Final = 200
_WITHIN: Final = 10.0


@dataclass(frozen=True, slots=True)
class Packed:
    """What was packed. `before`, `after`: bytes of the deflated rows; `faults`: what is left as it is, in words."""

    packs: int = 0
    batches: int = 0
    entries: int = 0
    before: int = 0
    after: int = 0
    faults: tuple[str, ...] = ()

    def with_(self, pack: "_Pack", size: int) -> "Packed":
        """With one pack more, of so many bytes."""
        return Packed(
            self.packs + 1, self.batches + pack.batches, self.entries + len(pack.rows), self.before + pack.size,
            self.after + size, self.faults,
        )  # fmt: skip


@dataclass(slots=True)
class _Pack:
    """Batches that follow each other."""

    first: int
    before: bytes
    chain: bytes
    rows: tuple[bytes, ...] = ()
    batches: int = 0
    size: int = 0

    def takes(self, rows: tuple[bytes, ...]) -> bool:
        """Whether these rows still have room."""
        return len(self.rows) + len(rows) <= ROWS and sum(map(len, (*self.rows, *rows))) <= BYTES


async def pack_old(address: str, older_than: float) -> Packed:
    """Pack the batches of every journal that came before `older_than` (seconds since 1970), as the database's owner.

    The last few of a journal stay as they are until they fill half a pack. A batch that is not as it was taken in
    stays, and so does what follows it. Raises FloorAwayError, CustodyError for a database of an older edition.
    """
    engine = await PostgresEngine.open(address)
    try:
        journals = [(one.table, one.journal) for one in await engine.status()]
    finally:
        await engine.close()
    done, place = Packed(), place_of(address)
    try:
        connection = await asyncpg.connect(address, timeout=_WITHIN)
        try:
            for table, journal in journals:
                done = await _pack_journal(connection, table, journal, older_than, done)
        finally:
            await connection.close()
    except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as fault:
        raise FloorAwayError(
            f"the database does not do what it is asked: {fault}", place, "Give its owner's address; what is packed is"
        ) from None
    return done


async def _pack_journal(connection: Any, table: str, journal: bytes, older_than: float, done: Packed) -> Packed:
    try:
        async for pack in _packs(connection, journal, older_than):
            done = done.with_(pack, await _put(connection, journal, pack))
    except CustodyError as fault:
        words = f"table {table}, journal {journal.hex()}: {fault.what}"
        return Packed(done.packs, done.batches, done.entries, done.before, done.after, (*done.faults, words))
    return done


async def _packs(connection: Any, journal: bytes, older_than: float) -> AsyncIterator[_Pack]:
    """What can be packed, in order. Raises CustodyError at a batch that is not as it was taken in."""
    old = datetime.fromtimestamp(older_than, UTC)
    pack: _Pack | None = None
    after = 0
    while found := await connection.fetch(
        "SELECT * FROM floor.batches_to_pack($1, $2, $3, $4)", journal, after, old, _BATCHES
    ):
        for row in found:
            rows = _proved(row)
            after = row["first"] + len(rows) - 1
            follows = pack is not None and row["first"] == pack.first + len(pack.rows) and row["before"] == pack.chain
            if pack is None or not follows or not pack.takes(rows):
                if pack is not None and pack.batches > 1:
                    yield pack
                pack = _Pack(row["first"], row["before"], row["chain"])
            pack.rows, pack.chain = (*pack.rows, *rows), row["chain"]
            pack.batches, pack.size = pack.batches + 1, pack.size + len(row["rows"])
    if pack is not None and pack.batches > 1 and len(pack.rows) * 2 >= ROWS:
        yield pack


def _proved(row: Any) -> tuple[bytes, ...]:
    """The rows of a batch. Raises CustodyError where they are not those that its chain was made of."""
    try:
        rows = unpacked(row["rows"])
    except CustodyWireError as fault:
        raise _not_packed(row["first"], fault.what) from None
    if not rows or chains_of(row["before"], rows)[-1] != row["chain"]:
        raise _not_packed(row["first"], "it is not as it was taken in")
    return rows


async def _put(connection: Any, journal: bytes, pack: _Pack) -> int:
    """Put a pack in the place of its batches; return its bytes. Raises CustodyError where nothing was changed."""
    data = packed(pack.rows)
    rows = unpacked(data)
    if rows != pack.rows:
        raise _not_packed(pack.first, "the pack does not give its rows again")
    last = pack.first + len(rows) - 1
    values = (journal, pack.first, last, pack.before, pack.chain, b"".join(digests_of(rows)), data)
    if not await connection.fetchval("SELECT floor.pack($1, $2, $3, $4, $5, $6, $7)", *values):
        raise _not_packed(pack.first, "the database has other batches there, or another run packs them")
    return len(data)


def _not_packed(first: int, why: str) -> CustodyError:
    return CustodyError(f"the batch of entry {first} is left as it is: {why}", "floor", "See `feltd floor verify`")

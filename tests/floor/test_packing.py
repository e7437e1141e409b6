"""Old batches packed: proofs, restores and backups read packs as batches, half packed too, and while it is done."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest
from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.cli.exits import FINE, PROBLEMS
from feltd.custody.errors import CustodyError, FloorAwayError
from feltd.custody.rows import chains_of, digests_of, packed
from feltd.floor import packing, restoring
from feltd.floor.engine import Batch, Verdict
from feltd.floor.packing import Packed, pack_old
from feltd.floor.pit_book import PitBook
from feltd.floor.postgres import EDITION, PREPARE_TRIES, SCHEMA, PostgresEngine, prepare
from feltd.floor.proving import faults_of, prove_all
from feltd.floor.restoring import newest_of, restore
from feltd.record.entries import chain_start
from feltd.record.rows import JournalRows
from tests.floor.conftest import as_owner, emptied
from tests.floor.custody_support import FakeJournal
from tests.floor.postgres_support import Server
from tests.floor.test_standing import up
from tests.running import eventually

LATER = 4_000_000_000.0
SWITCHED_OFF = "SET session_replication_role = replica; "


@asynccontextmanager
async def floor_of(postgres: Server, *entries: int) -> AsyncIterator[tuple[PostgresEngine, list[FakeJournal]]]:
    """A floor with a journal of so many entries each, in batches of ten."""
    await emptied(postgres)
    engine = await PostgresEngine.open(postgres.address("floord"))
    try:
        yield engine, [await up(engine, number, many) for number, many in enumerate(entries, 1)]
    finally:
        await engine.close()


async def rows_of(engine: PostgresEngine, journal: FakeJournal) -> list[bytes]:
    """All rows that the floor has of a journal, read in pieces."""
    rows: list[bytes] = []
    while batches := await engine.batches(journal.journal_id, len(rows), 3):
        for batch in batches:
            rows += batch.rows[len(rows) + 1 - batch.first :]
    return rows


def test_what_is_old_is_packed_and_reads_as_before(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "ROWS", 100)

    async def work() -> None:
        owner = postgres.address("owner")
        async with floor_of(postgres, 255, 40, 5) as (engine, journals):
            assert await pack_old(owner, 0.0) == Packed()
            done = await pack_old(owner, LATER)
            assert (done.packs, done.batches, done.entries, done.faults) == (3, 26, 255, ())
            assert 0 < done.after < done.before
            assert await pack_old(owner, LATER) == Packed()
            first = journals[0]
            assert [len(one.rows) for one in await engine.batches(first.journal_id, 0, 9)] == [100, 100, 55]
            for seq in (1, 99, 100, 101, 250, 255):
                assert await engine.chain_at(first.journal_id, seq) == first.chains[seq]
            first.play(20)
            [added] = await engine.append_many([first.batch("1", 256, 275)])
            assert added.verdict is Verdict.ADDED
            for journal in journals:
                assert await rows_of(engine, journal) == journal.rows
            proof, faults = await prove_all(engine)
            assert (proof.entries, faults) == (320, [])
            status = await engine.status()
            await restore(engine, newest_of(status, "1", None), tmp_path / "copy.journal")
            with JournalRows(tmp_path / "copy.journal") as copy:
                assert copy.stored(0, 999, 10**7).rows == tuple(first.rows)
            book = PitBook(engine, lambda: 0.0)
            await book.load()
            await book.catch_up()
            line = book.line("1")
            assert line is not None
            assert line.fold.seq == 275

    asyncio.run(work())


def test_it_is_packed_while_a_proof_and_a_restore_read_it(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "ROWS", 95)
    monkeypatch.setattr(restoring, "_BATCHES", 1)
    monkeypatch.setattr("feltd.floor.proving._BATCHES", 1)

    async def work() -> None:
        owner = postgres.address("owner")
        async with floor_of(postgres, 200, 200) as (engine, journals):
            [first, second] = await engine.status()

            async def pack(_took: float) -> None:
                await pack_old(owner, LATER)

            assert [fault async for fault in faults_of(engine, first, pack)] == []
            async with floor_of(postgres, 200, 200) as (engine, journals):
                read = engine.batches

                async def batches(journal: bytes, after: int, most: int) -> list[object]:
                    found = await read(journal, after, most)
                    await pack_old(owner, LATER)
                    return found  # type: ignore[return-value]

                monkeypatch.setattr(engine, "batches", batches)
                cut = second.stand.__class__(150, journals[1].chains[150])
                for stand, file in ((second.stand, "whole"), (cut, "cut")):
                    one = second.__class__("2", second.journal, stand, None, None, None, None, 0)
                    await restore(engine, one, tmp_path / file)
                    with JournalRows(tmp_path / file) as copy:
                        assert copy.stored(0, 999, 10**7).rows == tuple(journals[1].rows[: stand.seq])

    asyncio.run(work())


def test_a_kill_between_leaves_all_or_nothing_and_it_goes_on(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "ROWS", 100)

    async def work() -> None:
        async with floor_of(postgres, 60) as (engine, [journal]):
            connection = await asyncpg.connect(postgres.address("owner"))
            whole = journal.batch("1", 1, 60)
            digests = b"".join(digests_of(whole.rows))
            values = (journal.journal_id, 1, 60, whole.before, whole.chain, digests, packed(whole.rows))
            ask = "SELECT floor.pack($1, $2, $3, $4, $5, $6, $7)"
            pid = await connection.fetchval("SELECT pg_backend_pid()")
            await connection.execute("BEGIN")
            assert await connection.fetchval(ask, *values) is True
            await as_owner(postgres, f"SELECT pg_terminate_backend({pid})")
            await eventually(connection.is_closed)
            assert len(await engine.batches(journal.journal_id, 0, 99)) == 6
            assert (await prove_all(engine))[1] == []
            connection = await asyncpg.connect(postgres.address("owner"))
            for n, wrong in (
                (1, 11),
                (2, 59),
                (3, bytes(32)),
                (4, whole.before),
                (5, digests[:-1]),
                (5, digests[::-1]),
            ):
                given = (*values[:n], wrong, *values[n + 1 :])
                assert await connection.fetchval(ask, *given) is False
            await connection.close()
            assert len(await engine.batches(journal.journal_id, 0, 99)) == 6
            assert (await pack_old(postgres.address("owner"), LATER)).packs == 1

    asyncio.run(work())


def test_a_batch_that_was_changed_stays_as_evidence_and_others_are_packed(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "ROWS", 100)

    async def work() -> None:
        async with floor_of(postgres, 60, 60) as (engine, [first, _]):
            for change in ("chain = sha256(chain)", "rows = 'x'"):
                which = f"last = 30 AND journal = '\\x{first.journal_id.hex()}'"
                await as_owner(postgres, f"{SWITCHED_OFF} UPDATE floor.batch SET {change} WHERE {which}")
                done = await pack_old(postgres.address("owner"), LATER)
                [words] = done.faults
                assert "table 1" in words
                assert "the batch of entry 21 is left as it is" in words
            assert done.packs == 0
            assert len(await engine.batches(first.journal_id, 30, 99)) == 3

    asyncio.run(work())


@pytest.mark.parametrize(
    "statement",
    [
        "SET ROLE floord; SELECT floor.pack('', 1, 1, '', '', '', '')",
        "SET ROLE floord; SET floor.packing = 'on'; DELETE FROM floor.batch",
        "SET ROLE floord; SELECT * FROM floor.packed",
        "DELETE FROM floor.batch",
        "TRUNCATE floor.packed",
        "SET floor.packing = 'on'; UPDATE floor.batch SET rows = ''",
        "SET floor.packing = 'on'; DELETE FROM floor.packed",
    ],
)
def test_the_daemon_packs_nothing_and_nobody_changes_a_pack(postgres: Server, statement: str) -> None:
    with pytest.raises(asyncpg.PostgresError, match=r"permission denied|is refused: what is kept"):
        asyncio.run(as_owner(postgres, statement))


@pytest.fixture
def other(postgres: Server) -> Iterator[str]:
    """The name of an empty database."""
    name = f"other_{uuid4().hex[:8]}"
    asyncio.run(as_owner(postgres, f"CREATE DATABASE {name}"))
    yield name
    asyncio.run(as_owner(postgres, f"DROP DATABASE {name} WITH (FORCE)"))


def run(*words: object) -> Result:
    done = CliRunner().invoke(cli, ["floor", *map(str, words)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done


def test_a_backup_of_packs_comes_back_whole(
    postgres: Server, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "ROWS", 300)
    owner, new = postgres.address("owner"), postgres.address("owner", other)

    async def fill() -> None:
        async with floor_of(postgres, 300):
            pass

    asyncio.run(fill())
    told = run("pack", owner, "--days", 0)
    assert (told.exit_code, told.output.startswith("30 batches with 300 entries are 1 packs now: ")) == (FINE, True)
    assert run("backup", owner, tmp_path / "backup").exit_code == FINE
    back = run("restore-all", tmp_path / "backup", new)
    assert back.output == "1 journals with 300 entries came back: all of it is as it was taken in\n"
    asyncio.run(as_owner(postgres, f"{SWITCHED_OFF} UPDATE floor.packed SET chain = before"))
    assert run("verify", "--config", _settings(tmp_path, postgres)).exit_code == PROBLEMS


def _settings(folder: Path, postgres: Server) -> Path:
    file = folder / "floor.toml"
    words = f'certificate = "c"\nkey = "k"\nauthority = "a"\ndatabase = "{postgres.address("floord")}"\n'
    file.write_text(f"[floor]\n{words}")
    return file


def test_a_batch_needs_a_head_of_its_journal_and_no_journal_goes(postgres: Server) -> None:
    async def work() -> None:
        ask = "SELECT count(*) FROM pg_constraint WHERE conrelid = 'floor.batch'::regclass AND contype = 'f'"
        connection = await asyncpg.connect(postgres.address("owner"))
        key = "CONSTRAINT batch_journal_fkey FOREIGN KEY (journal) REFERENCES floor.journal"
        await connection.execute(f"ALTER TABLE floor.batch ADD {key} NOT VALID")
        await prepare(postgres.address("owner"))
        assert await connection.fetchval(ask) == 0, "as a database of before 0.12.0 had it"
        with pytest.raises(asyncpg.PostgresError, match="journal"):
            await connection.execute("DELETE FROM floor.journal")
        await connection.close()
        engine = await PostgresEngine.open(postgres.address("floord"))
        start = chain_start(bytes(16))
        batch = Batch("7", bytes(16), 1, start, chains_of(start, (b"row",))[-1], (b"row",))
        [done] = await engine.append_many([batch])
        assert (done.verdict, await engine.batches(bytes(16), 0, 9)) == (Verdict.UNKNOWN, [])
        await engine.close()

    asyncio.run(work())


def test_a_schema_is_brought_up_beside_a_table_that_has_the_same_locks_in_another_order(postgres: Server) -> None:
    """The server ended one of both for a deadlock."""

    async def work() -> None:
        owner, table = [await asyncpg.connect(postgres.address("owner")) for _ in range(2)]
        key = "CONSTRAINT batch_journal_fkey FOREIGN KEY (journal) REFERENCES floor.journal"
        await owner.execute(f"ALTER TABLE floor.batch ADD {key} NOT VALID")
        waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'floor.journal'::regclass"
        async with table.transaction():
            await table.execute("LOCK TABLE floor.journal IN ROW SHARE MODE")
            preparing = asyncio.create_task(prepare(postgres.address("owner")))
            while not await owner.fetchval(waits):
                assert not preparing.done()
            await table.execute("LOCK TABLE floor.head, floor.batch IN ROW EXCLUSIVE MODE")
        await preparing
        left = await owner.fetchval("SELECT count(*) FROM pg_constraint WHERE conname = 'batch_journal_fkey'")
        assert left == 0
        for opened in (owner, table):
            await opened.close()

    asyncio.run(work())


def test_each_function_of_the_schema_has_a_name_of_its_own(postgres: Server) -> None:
    """The schema of 0.11 names them without arguments: beside two of one name its `prepare` failed."""

    async def work() -> None:
        owner = await asyncpg.connect(postgres.address("owner"))
        ask = "SELECT proname FROM pg_proc WHERE pronamespace = 'floor'::regnamespace GROUP BY 1 HAVING count(*) > 1"
        assert await owner.fetch(ask) == []
        await owner.close()

    asyncio.run(work())


@pytest.mark.parametrize(("ends", "tried"), [(2, 3), (PREPARE_TRIES, PREPARE_TRIES)])
def test_a_schema_that_the_server_ended_for_a_deadlock_is_tried_again(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: int, tried: int
) -> None:
    deadlock = "RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'"
    part = tmp_path / "part.sql"
    part.write_text(f"DO $$ BEGIN IF nextval('public.tried') <= {ends} THEN {deadlock}; END IF; END $$")
    monkeypatch.setattr("feltd.floor.postgres.SCHEMA", (part,))

    async def work() -> None:
        owner = await asyncpg.connect(postgres.address("owner"))
        await owner.execute("CREATE SEQUENCE public.tried")
        with pytest.raises(FloorAwayError, match="deadlock") if ends == PREPARE_TRIES else nullcontext():
            await prepare(postgres.address("owner"))
        assert await owner.fetchval("SELECT last_value FROM public.tried") == tried
        await owner.execute("DROP SEQUENCE public.tried")
        await owner.close()

    asyncio.run(work())


def test_a_database_of_the_edition_before_is_brought_up_and_loses_nothing(postgres: Server, other: str) -> None:
    address = postgres.address("owner", other)

    async def work() -> None:
        connection = await asyncpg.connect(address)
        for part in SCHEMA[: [one.stem for one in SCHEMA].index("groups")]:
            await connection.execute(part.read_text())
        assert await connection.fetchval("SELECT floor.edition_number()") == 9
        journal = FakeJournal(1)
        journal.play(30)
        batch, digests = journal.batch("1", 1, 30), b"".join(digests_of(journal.rows))
        await connection.fetch("SELECT floor.open_journal('1', $1, 2, $2, 9)", journal.journal_id, batch.before)
        await connection.fetch(
            "SELECT floor.append_many($1, $2, $3, $4, $5, $6)",
            ["1"], [journal.journal_id], [1], [batch.before], [digests], [packed(batch.rows)],
        )  # fmt: skip
        await connection.close()
        with pytest.raises(CustodyError, match=f"edition 9, wanted is {EDITION}"):
            await PostgresEngine.open(address)
        for _ in range(2):
            await prepare(address)
        engine = await PostgresEngine.open(postgres.address("floord", other))
        try:
            assert await rows_of(engine, journal) == journal.rows
            assert (await prove_all(engine))[1] == []
            assert await engine.groups.rows() == []
        finally:
            await engine.close()

    asyncio.run(work())


def test_large_batches_are_read_a_few_at_a_time(postgres: Server) -> None:
    async def work() -> None:
        journal = FakeJournal(1)
        async with floor_of(postgres) as (engine, _):
            await engine.open_journal("1", journal.journal_id, 2)
            id_ = f"'\\x{journal.journal_id.hex()}'::bytea"
            large = f"decode(repeat('00', {5 * 1024 * 1024}), 'hex')"
            for n in range(1, 5):
                put = f"INSERT INTO floor.batch (journal, first, last, before, chain, rows) VALUES ({id_}, {n}, {n}"
                await as_owner(postgres, f"{put}, '', '', {large})")
            for ask, many in ((f"batches_behind({id_}, 0, 20)", 1), (f"batches_to_pack({id_}, 0, 'infinity', 200)", 2)):
                count = f"(SELECT count(*) FROM floor.{ask})"
                await as_owner(postgres, f"DO $$ BEGIN ASSERT {count} = {many}, {count}; END $$")

    asyncio.run(work())

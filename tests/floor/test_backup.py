"""A backup of the floor and of its keys comes back whole; what is damaged or in the way is refused in words."""

import asyncio
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest
from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.cli.exits import FINE, PROBLEMS
from feltd.custody.errors import CustodyError, FloorAwayError
from feltd.floor.backup import DUMP, PAGE, _begin_epoch, back_up, back_up_tonight, put_back
from feltd.floor.engine import Alarm, AlarmKind
from feltd.floor.facts import Fact, FactKind, Made
from feltd.floor.numbering import STEP, following
from feltd.floor.postgres import PostgresEngine
from feltd.floor.sealed_files import seal, unseal
from feltd.floor.standing import NEWS_FROM
from tests.floor.conftest import as_owner, emptied
from tests.floor.custody_support import FakeJournal
from tests.floor.postgres_support import Server
from tests.floor.test_heads import told
from tests.floor.test_scenes import Line
from tests.floor.tls_support import casino

PASSPHRASE = "a horse, and a staple"


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(cli, ["floor", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def new(postgres: Server) -> Iterator[str]:
    """An empty database, by its address."""
    name = f"tried_{uuid4().hex[:8]}"
    asyncio.run(as_owner(postgres, f"CREATE DATABASE {name}"))
    yield postgres.address("owner", name)
    asyncio.run(as_owner(postgres, f"DROP DATABASE {name} WITH (FORCE)"))


newer = new
"""Another one."""


@pytest.fixture
def floor(postgres: Server) -> str:
    """A floor with two journals, signed heads and an alarm."""

    async def filled() -> None:
        await emptied(postgres)
        engine = await PostgresEngine.open(postgres.address("floord"))
        for number in (1, 2):
            journal = FakeJournal(number)
            journal.play(1200)
            journal.sign()
            line = await Line(journal, engine).hello()
            await line.all_up()
            await told(line)
        await engine.raise_alarm(Alarm("7", bytes(16), AlarmKind.HEADS, 5, "a wrong head"))
        await engine.close()

    asyncio.run(filled())
    return postgres.address("owner")


async def all_of(address: str) -> tuple[object, ...]:
    """What a floor says of everything that it keeps."""
    engine = await PostgresEngine.open(address)
    try:
        status = await engine.status()
        rows = [await engine.batches(one.journal, 0, 1000) for one in status]
        heads = [await engine.heads_of(one.journal, 0, 1000) for one in status]
        return status, rows, heads, await engine.standing.standing(closed=True)
    finally:
        await engine.close()


def test_a_backup_comes_back_whole_into_an_empty_database_and_goes_on(tmp_path: Path, floor: str, new: str) -> None:
    folder = tmp_path / "backup"
    taken = run("backup", floor, folder)
    assert (taken.exit_code, taken.output.startswith(f"{folder}: 2 journals")) == (FINE, True)
    assert [oct(one.stat().st_mode & 0o077) for one in (folder, folder / PAGE)] == ["0o0", "0o0"]
    back = run("restore-all", folder, new)
    assert (back.exit_code, back.output) == (
        FINE, "2 journals with 2400 entries came back: all of it is as it was taken in\n",
    )  # fmt: skip
    assert asyncio.run(all_of(new)) == asyncio.run(all_of(floor))

    async def go_on() -> None:
        journal = FakeJournal(1)
        journal.play(1230)
        engine = await PostgresEngine.open(new.replace("owner@", "floord@"))
        line = await Line(journal, engine).hello()
        await line.all_up()
        assert {one.stand.seq for one in await engine.status()} == {1230, 1200}
        await engine.raise_alarm(Alarm("9", bytes(16), AlarmKind.FORK, 1, "numbers go on"))
        await engine.close()

    asyncio.run(go_on())
    with pytest.raises(CustodyError, match="there is a floor in this database"):
        asyncio.run(put_back(folder, new))
    with pytest.raises(CustodyError, match="not there yet"):
        asyncio.run(back_up(floor, folder))


async def numbered(address: str) -> tuple[int, int, int]:
    """The numbers of a new fact, of a new alarm, and of the news of it."""
    engine = await PostgresEngine.open(address)
    try:
        [behind, *_] = await engine.facts.behind()
        made = Made(behind, behind.seq + 1, "", [Fact(1, FactKind.RULING, None, 1.0, {})])
        assert await engine.facts.keep([made]) == [True]
        await engine.raise_alarm(Alarm("9", bytes(16), AlarmKind.FORK, 1, "numbers go on"))
        standing = await engine.standing.standing()
        return await engine.facts.last(), standing[-1].number, await engine.standing.last()
    finally:
        await engine.close()


def test_what_is_numbered_after_a_return_has_numbers_that_nothing_had_before(
    tmp_path: Path, floor: str, new: str, newer: str
) -> None:
    asyncio.run(back_up(floor, tmp_path / "backup"))
    given = [asyncio.run(numbered(floor))]  # told outside, and not in the backup
    for address in (new, newer):  # nor is what was told between the two
        assert asyncio.run(put_back(tmp_path / "backup", address)).older is None
        given.append(asyncio.run(numbered(address)))
    for one, later in pairwise(given):
        assert all(number < behind for number, behind in zip(one, later, strict=True))
    assert given[-1][0] < NEWS_FROM < given[0][2]
    with pytest.raises(FloorAwayError, match="does not do what it is asked"):
        asyncio.run(_begin_epoch(f"postgresql:///none?host={tmp_path}"))


@pytest.mark.parametrize(
    ("last", "timed", "number"),
    [(7, 28_000, 28_001), (7, 7, STEP + 1), (STEP, 28_000, 2 * STEP + 1), (7, -1, STEP + 1)],
)
def test_numbers_follow_the_time_and_jump_where_they_are_ahead_of_it(last: int, timed: int, number: int) -> None:
    assert following(last, timed) == number


def test_a_backup_of_an_older_edition_is_brought_to_this_one(
    tmp_path: Path, floor: str, new: str, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def made_older() -> None:
        connection = await asyncpg.connect(new)
        await connection.execute("DROP FUNCTION floor.here, floor.give_certificate, floor.last_certificates")
        await connection.execute("DELETE FROM floor.edition WHERE number > 17")
        await connection.close()

    asyncio.run(back_up(floor, tmp_path / "backup"))
    asyncio.run(put_back(tmp_path / "backup", new))
    asyncio.run(made_older())
    with monkeypatch.context() as patch:
        patch.setattr("feltd.floor.postgres.EDITION", 17)
        patch.setattr("feltd.floor.backup.EDITION", 17)
        asyncio.run(back_up(new, tmp_path / "older"))
    asyncio.run(as_owner(postgres, "CREATE DATABASE tried_older"))
    try:
        back = run("restore-all", tmp_path / "older", postgres.address("owner", "tried_older"))
        assert back.exit_code == FINE
        assert "the backup is of an older feltd (edition 17): the database was brought to this one's" in back.output
        asyncio.run(numbered(postgres.address("floord", "tried_older")))
    finally:
        asyncio.run(as_owner(postgres, "DROP DATABASE tried_older WITH (FORCE)"))


def test_a_backup_that_was_changed_or_lacks_entries_is_told(
    tmp_path: Path, floor: str, new: str, postgres: Server
) -> None:
    folder = tmp_path / "backup"
    asyncio.run(back_up(floor, folder))
    dump, page = folder / DUMP, folder / PAGE
    whole, said = dump.read_bytes(), json.loads(page.read_text())
    dump.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(CustodyError, match="not as it was written"):
        asyncio.run(put_back(folder, new))
    dump.unlink()
    with pytest.raises(CustodyError, match="cannot be read"):
        asyncio.run(put_back(folder, new))
    dump.write_bytes(whole)
    for text in ("{", "[]", '{"format": 2}', '{"format": 1, "sha256": "x", "heads": 3}'):
        page.write_text(text)
        with pytest.raises(CustodyError, match="no page of a backup"):
            asyncio.run(put_back(folder, new))
    page.unlink()
    with pytest.raises(CustodyError, match="Name the folder"):
        asyncio.run(put_back(folder, new))
    said["heads"][bytes(16).hex()] = 5
    page.write_text(json.dumps(said))
    back = run("restore-all", folder, new)
    assert back.exit_code == PROBLEMS
    assert f"journal {bytes(16).hex()}: ends at entry 0, the backup had it up to entry 5" in back.output


def test_rows_that_were_changed_before_the_backup_are_found_when_it_is_tried(
    tmp_path: Path, floor: str, new: str, postgres: Server
) -> None:
    changed = "UPDATE floor.batch SET chain = before WHERE first = 1"
    asyncio.run(as_owner(postgres, f"SET session_replication_role = replica; {changed}"))
    asyncio.run(back_up(floor, tmp_path / "backup"))
    back = run("restore-all", tmp_path / "backup", new)
    assert back.exit_code == PROBLEMS
    assert back.output.count("are not as they were taken in") == 2
    assert "2 NOT WHOLE" in back.output


def test_the_keys_come_back_from_one_sealed_file_by_its_passphrase_alone(tmp_path: Path) -> None:
    folder, file, into = casino(tmp_path / "casino", "7"), tmp_path / "casino.sealed", tmp_path / "new"
    empty = tmp_path / "empty"
    into.mkdir()
    empty.mkdir()
    (folder / "floor.toml").write_text("no key")
    assert run("seal", folder, file, "--passphrase", PASSPHRASE).exit_code == FINE
    assert file.stat().st_mode & 0o077 == 0
    assert (folder / "authority.key").read_bytes()[:40] not in file.read_bytes()
    assert run("unseal", file, into, "--passphrase", PASSPHRASE).exit_code == FINE
    names = sorted(one.name for one in folder.iterdir() if one.suffix in (".pem", ".key"))
    assert sorted(one.name for one in into.iterdir()) == names
    for name in names:
        assert (into / name).read_bytes() == (folder / name).read_bytes()
        assert (into / name).stat().st_mode & 0o077 == 0
    with pytest.raises(CustodyError, match="Nothing is written over"):
        unseal(file, into, PASSPHRASE)
    with pytest.raises(CustodyError, match="Nothing is written over"):
        seal(folder, file, PASSPHRASE)
    with pytest.raises(CustodyError, match="does not open"):
        unseal(file, into, PASSPHRASE + "x")
    sealed = file.read_bytes()
    file.write_bytes(sealed[:-1] + bytes([sealed[-1] ^ 1]))
    with pytest.raises(CustodyError, match="does not open"):
        unseal(file, into, PASSPHRASE)
    file.write_bytes(b"nonsense")
    with pytest.raises(CustodyError, match="no sealed files"):
        unseal(file, into, PASSPHRASE)
    with pytest.raises(CustodyError, match="too short"):
        seal(folder, tmp_path / "other", "short")
    with pytest.raises(CustodyError, match="no certificate and no key"):
        seal(empty, tmp_path / "other", PASSPHRASE)


def test_a_timer_keeps_the_newest_backups_and_removes_older_ones_and_none_of_others(
    tmp_path: Path, floor: str, new: str
) -> None:
    other = tmp_path / "floor-of-mine"
    other.mkdir()
    link = tmp_path / "floor-2020-01-01T021500Z"
    link.symlink_to(other)
    cut_off = tmp_path / "floor-2026-11-20T021500Z"
    cut_off.mkdir()
    taken = [asyncio.run(back_up_tonight(floor, tmp_path, 2, at)) for at in (0.0, 86_400.0, 172_800.0)]
    assert [journals for _, journals, _ in taken] == [2, 2, 2]
    assert [gone for _, _, gone in taken] == [0, 0, 1]
    there = {one.name for one in tmp_path.iterdir()}
    assert there == {other.name, link.name, "floor-1970-01-02T000000Z", "floor-1970-01-03T000000Z"}
    assert run("restore-all", taken[-1][0], new).exit_code == FINE
    by_command = run("backup", floor, tmp_path, "--keep", 1)
    assert "2 journals; 2 older backups are removed" in by_command.output


def test_a_backup_that_fails_removes_none(tmp_path: Path, floor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asyncio.run(back_up_tonight(floor, tmp_path, 1, 0.0))

    def fails(*_: object) -> None:
        raise CustodyError("no room", "disk", "Make room")

    monkeypatch.setattr("feltd.floor.backup._run", fails)
    with pytest.raises(CustodyError):
        asyncio.run(back_up_tonight(floor, tmp_path, 1, 86_400.0))
    assert (tmp_path / "floor-1970-01-01T000000Z" / PAGE).is_file()

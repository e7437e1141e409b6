"""What leaves the floor: parts of records that prove themselves by the tables' signed heads, and hands."""

import asyncio
from pathlib import Path

import pytest
from pokerkit import HandHistory

from feltd.cli.exits import FINE, PROBLEMS, USAGE
from feltd.floor.engine import Engine
from feltd.floor.exporting import Part, write_export
from feltd.floor.postgres import PostgresEngine
from feltd.floor.restoring import restore
from feltd.record.export import verify_export
from feltd.record.signed_heads import heads_file, read_heads
from feltd.text.errors import JournalExportInvalid, JournalForeign, JournalMissing
from tests.feltd.test_hand_history import BLINDS, simulate
from tests.floor.conftest import as_owner, emptied
from tests.floor.custody_support import FakeJournal
from tests.floor.postgres_support import Server
from tests.floor.test_commands import FLOOR, run
from tests.floor.test_engines import Run
from tests.floor.test_restoring import taken_up


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a table that played some hands."""
    folder = tmp_path_factory.mktemp("played")
    simulate(folder, "tas-2018-holdem", BLINDS, (1, 2, 3, 5), rounds=3)
    return folder / "table.journal"


def test_a_part_is_proved_by_the_heads_that_the_table_has_signed(engine: Run, played: Path, tmp_path: Path) -> None:
    async def work(floor: Engine) -> None:
        await taken_up(floor, played)
        [status] = await floor.status()
        await restore(floor, status, tmp_path / "copy.journal")

    engine(work)
    copy = tmp_path / "copy.journal"
    whole = write_export(copy, Part(), tmp_path / "whole.jsonl")
    made = write_export(copy, Part(round=2), tmp_path / "two.jsonl")
    assert whole.first == 1 < made.first < made.last <= whole.last
    heads = read_heads(heads_file(played))
    lines = made.file.read_text().splitlines()
    proof = verify_export(lines, heads=heads)
    assert (proof.first, proof.last, proof.signed) == (made.first, made.last, made.signed)
    assert proof.signed is not None
    changed = [line.replace('"round":2', '"round":3') for line in lines]
    assert changed != lines
    with pytest.raises(JournalExportInvalid, match="not as it was written"):
        verify_export(changed, heads=heads)
    with pytest.raises(JournalForeign, match="already"):
        write_export(copy, Part(), tmp_path / "two.jsonl")
    with pytest.raises(JournalMissing, match="no round 99"):
        write_export(copy, Part(round=99), tmp_path / "none.jsonl")
    with pytest.raises(JournalMissing, match="nothing was written"):
        write_export(copy, Part(until=1.0), tmp_path / "none.jsonl")


def test_the_commands_hand_parts_and_hands_out_and_anybody_proves_them(
    played: Path, tmp_path: Path, postgres: Server
) -> None:
    file, out = tmp_path / "floor.toml", tmp_path / "out"
    file.write_text(FLOOR.format(port=1, database=postgres.address("floord")))

    async def work() -> str:
        await emptied(postgres)
        floor = await PostgresEngine.open(postgres.address("floord"))
        await taken_up(floor, played, "7")
        await floor.open_journal("8", FakeJournal(1).journal_id, 2)  # called in, and sent nothing
        [one, _] = await floor.status()
        await floor.close()
        return f"7-{one.journal.hex()[:8]}"

    stem = asyncio.run(work())
    made = run("floor", "export", "--config", file, "--into", out, "--phh", "whole")
    assert f"{stem}.jsonl: entries 1 to " in made.output
    assert made.exit_code == FINE, made.output
    hands = sorted((out / stem).iterdir())
    assert hands
    assert HandHistory.loads(hands[0].read_text()).table == "7"
    proved = run("journal", "verify", out / f"{stem}.jsonl", "--witness", out / f"{stem}.heads")
    assert proved.exit_code == FINE, proved.output
    assert "signed up to entry" in proved.output
    forged = run(
        "journal", "verify", out / f"{stem}.jsonl", "--witness", out / f"{stem}.heads", "--first-key", "ab" * 32
    )
    assert (forged.exit_code, "first key is not the one given" in forged.output) == (PROBLEMS, True)
    again = run("floor", "export", "7", "--config", file, "--into", out)
    assert (again.exit_code, "already" in again.output) == (PROBLEMS, True)
    one = run("floor", "export", "7", "--config", file, "--into", tmp_path / "one", "--round", "2", "--phh", "public")
    assert one.exit_code == FINE, one.output
    assert [hand.name for hand in (tmp_path / "one" / stem).iterdir()] == ["round-2.phh"]
    both = run("floor", "export", "--config", file, "--into", out, "--round", "2", "--since", "2026-01-01")
    assert both.exit_code == USAGE

    async def access() -> None:
        taken = "SELECT 1 FROM floor.access WHERE page = 'shell' AND facts LIKE '%exported%'"
        await as_owner(postgres, f"DO $$ BEGIN ASSERT (SELECT count(*) FROM ({taken}) a) = 3; END $$")

    asyncio.run(access())


def test_heads_of_another_record_prove_nothing(played: Path, tmp_path: Path) -> None:
    simulate(tmp_path, "tas-2018-holdem", BLINDS, (1, 2), rounds=1)
    made = write_export(tmp_path / "table.journal", Part(), tmp_path / "part.jsonl")
    lines = made.file.read_text().splitlines()
    with pytest.raises(JournalExportInvalid, match="of another record"):
        verify_export(lines, heads=read_heads(heads_file(played)))
    file = made.file.with_suffix(".heads")
    told = file.read_text().splitlines()
    file.write_text("\n".join([told[0], *(line[:-1] + ("0" if line[-1] != "0" else "1") for line in told[1:])]) + "\n")
    with pytest.raises(JournalExportInvalid, match="not as they were signed"):
        verify_export(lines, heads=read_heads(file))

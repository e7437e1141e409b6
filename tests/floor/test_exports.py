"""What leaves the floor: parts of records that prove themselves by the tables' signed heads, and hands."""

import asyncio
import os
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from pokerkit import HandHistory

from feltd.cli.exits import FINE, PROBLEMS, USAGE
from feltd.custody.rows import chains_of
from feltd.floor.deriving import Deriving
from feltd.floor.engine import Alarm, AlarmKind, Batch, Engine
from feltd.floor.exporting import Part, write_export
from feltd.floor.facts import Behind, Fact, FactKind, Made, Reading, RoundsWanted, Told
from feltd.floor.postgres import PostgresEngine
from feltd.floor.restoring import restore
from feltd.record import EntryKind, HostEntry, JournalReader, Span
from feltd.record.export import verify_export
from feltd.record.signed_heads import heads_file, read_heads
from feltd.text.errors import JournalExportInvalid, JournalForeign, JournalMissing
from tests.feltd.table_support import HOLDEM
from tests.feltd.test_hand_history import BLINDS, simulate
from tests.feltd.test_recovery import record, rounds
from tests.floor.conftest import as_owner, emptied
from tests.floor.custody_support import FakeJournal
from tests.floor.pit_support import entry
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


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a table at which much went wrong, cut off in its last round."""
    folder = tmp_path_factory.mktemp("ruled")
    events = rounds(HOLDEM, 3)
    record(folder, events[: len(events) * 9 // 10])
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


@pytest.mark.parametrize("ending", [".jsonl", ".heads"])
@pytest.mark.parametrize("looked", [True, False])
def test_a_link_that_leads_nowhere_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, looked: bool
) -> None:
    """Laid before the command looks, or behind its look."""
    simulate(tmp_path, "tas-2018-holdem", BLINDS, (1, 2), rounds=1)
    out = tmp_path / "out"
    out.mkdir()
    (out / f"part{ending}").symlink_to(tmp_path / "of-root")
    if not looked:
        monkeypatch.setattr(os.path, "lexists", lambda _file: False)
    with pytest.raises(JournalForeign, match="something is there already"):
        write_export(tmp_path / "table.journal", Part(), out / "part.jsonl")
    assert not (tmp_path / "of-root").exists()


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


async def all_facts(floor: Engine) -> list[Told]:
    """Every fact of what the floor has."""
    await Deriving(floor).turn()
    found: list[Told] = []
    while some := await floor.facts.news(len(found) and found[-1].number, 50):
        found += some
    return found


def test_facts_are_made_of_every_row_once_and_again_from_the_beginning(engine: Run, ruled: Path) -> None:
    async def work(floor: Engine) -> None:
        await taken_up(floor, ruled)
        told = []
        found = await all_facts(floor)
        assert found == await all_facts(floor), "nothing comes twice"
        kinds = [one.fact.kind for one in found]
        with JournalReader.open(ruled) as reader:
            told = [row.name for row in reader.rows(Span()) if row.kind == "output"]
            starts = len(list(reader.rows(Span(kind=EntryKind.HOST, name=HostEntry.ROUND_BEGIN))))
        assert kinds.count(FactKind.RULING) == told.count("ruling") > 0
        assert kinds.count(FactKind.ALARM) == told.count("alarm")
        assert kinds.count(FactKind.ROUND_BEGIN) == starts > 1
        assert starts - 1 <= kinds.count(FactKind.ROUND_END) <= starts
        assert await floor.facts.behind() == []
        late = Behind(found[0].journal, 1, 0, "")
        assert await floor.facts.keep([Made(late, 1, "", [])]) == [False], "another has done so already"
        rounds = await floor.facts.rounds(RoundsWanted())
        assert [one.number for one in rounds] == sorted((one.number for one in rounds), reverse=True)
        assert sum(one.rulings for one in rounds) <= kinds.count(FactKind.RULING)
        with_ruling = next(one for one in found if one.fact.kind is FactKind.RULING and one.fact.round is not None)
        for wanted, number in (
            (
                RoundsWanted(table="7", tables=("7",), kind=with_ruling.fact.body["irregularity"]),
                with_ruling.fact.round,
            ),
            (RoundsWanted(before=rounds[0].began + 1.0, most=1), rounds[0].number),
            (RoundsWanted(since=rounds[0].began, until=rounds[0].began, book=rounds[0].book), rounds[0].number),
        ):
            assert number in [one.number for one in await floor.facts.rounds(wanted)], wanted
        for wanted in (
            RoundsWanted(table="8"), RoundsWanted(tables=("8",)), RoundsWanted(since=1e10), RoundsWanted(until=1.0),
            RoundsWanted(book="none"), RoundsWanted(dealer="none"), RoundsWanted(kind="none"),
            RoundsWanted(result="none"), RoundsWanted(before=1.0),
        ):  # fmt: skip
            assert await floor.facts.rounds(wanted) == [], wanted

    engine(work)


class Written:
    """A journal's rows as they are given here, with the state that is kept between two of them."""

    def __init__(self) -> None:
        self.state = ""
        self.seq = 0

    def take(self, kind: str, name: str, body: object, answers: int | None = None) -> Fact | None:
        reading = Reading.from_text(self.state)
        self.seq += 1
        fact = reading.take(self.seq, entry(self.seq, kind, name, body, answers))
        self.state = reading.to_text()
        return fact


def test_a_decision_says_who_and_whether_the_table_took_it() -> None:
    table = Written()
    note = {"note": "a person acted at the page", "who": "lea", "role": "supervisor", "from": "10.0.0.1", "why": None}
    assert table.take("host", "note", {**note, "command": "ab"}) is None
    fact = table.take("event", "supervisor", {"decision": "confirm", "staff": "Lea", "ruling": 3, "minutes": 5})
    assert fact is not None
    assert (fact.kind, fact.body["who"], fact.body["command"], fact.body["minutes"]) == (
        FactKind.DECISION, "lea", "ab", 5.0,
    )  # fmt: skip
    refused = table.take("output", "error", {"error": {"ev": "supervisor"}}, 2)
    assert refused is not None
    assert (refused.kind, refused.body) == (FactKind.REFUSED, {"of": 2})
    assert table.take("output", "error", {"error": {}}, 2) is None
    by_badge = table.take("event", "supervisor", {"decision": "void"})
    assert by_badge is not None
    assert by_badge.body["who"] is None
    settled = table.take("host", "note", {"note": "rulings wait no more", "rulings": [3, "x", 2**40]})
    assert settled is not None
    assert settled.body == {"rulings": [3]}


def test_the_round_has_its_dealer_book_and_first_end() -> None:
    table = Written()
    table.take("event", "table.open", {"rulebook": "onyx-cash"})
    table.take("event", "badge", {"role": "supervisor", "staff": "Lea"})
    table.take("event", "badge", {"role": "dealer", "staff": "Max"})
    begun = table.take("host", "round.begin", {})
    assert begun is not None
    assert begun.body == {"book": "onyx-cash", "dealer": "Max"}
    table.take("output", "phase", {"phase": "complete"})
    end = table.take("host", "round.end", {"key": "secret"})
    assert end is not None
    assert end.body == {"result": "complete"}
    assert table.take("host", "round.end", {"key": "secret"}) is None
    assert table.take("output", "ruling", {"ruling": None}) is None
    assert table.take("odd", "thing", {}) is None


HOSTILE: Any = {
    "what": "signed_in\0", "who": "\ud800", "times": 2**80, "since": float("nan"), "deep": [[[[[[[[[[1]]]]]]]]]],
    "yes": True, "some": 1.5, "n": 7,
}  # fmt: skip


def test_what_a_table_writes_by_force_breaks_no_view(postgres: Server) -> None:
    async def work() -> None:
        await emptied(postgres)
        floor = await PostgresEngine.open(postgres.address("floord"))
        try:
            journal = FakeJournal(5)
            said = [
                entry(1, "host", "access", HOSTILE),
                entry(2, "output", "ruling", {"ruling": {"id": "x", "seat": 2**40, "pending": 3, "also": [1, "a"]}}),
                entry(3, "output", "alarm", {"alarm": {"kind": 1, "seat": "n"}}),
                entry(4, "event", "supervisor", {"decision": ["a"], "minutes": -1, "ruling": True}),
                entry(5, "output", "error", {}, 4),
                b"no row",
                entry(7, "output", "alarm", {"alarm": {}}, wall=float("inf")),
                entry(8, "output", "alarm", {"alarm": {"kind": "\0"}}),
            ]
            opened = await floor.open_journal("5", journal.journal_id, 2)
            chain = chains_of(opened.stand.chain, said)[-1]
            await floor.append_many([Batch("5", journal.journal_id, 1, opened.stand.chain, chain, tuple(said))])
            assert len(await all_facts(floor)) == 4
            assert await floor.facts.last() > 0
        finally:
            await floor.close()
        await read_views(postgres)

    asyncio.run(work())


VIEWS = ("rounds", "rulings", "alarms", "decisions", "access")


async def read_views(running: Server) -> dict[str, list[dict[str, Any]]]:
    """All of every view, as the role that may read them."""
    await as_owner(
        running,
        "DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'analyst') THEN"
        " CREATE ROLE analyst LOGIN IN ROLE floor_exports; END IF; END $$",
    )
    connection = await asyncpg.connect(running.address("analyst"))
    try:
        for statement in (
            "SELECT * FROM floor.fact", "SELECT * FROM floor.batch", "SELECT floor.facts_behind()",
            "DELETE FROM exports.rounds", "INSERT INTO exports.access DEFAULT VALUES",
        ):  # fmt: skip
            with pytest.raises((asyncpg.InsufficientPrivilegeError, asyncpg.ObjectNotInPrerequisiteStateError)):
                await connection.execute(statement)
        return {view: [dict(row) for row in await connection.fetch(f"SELECT * FROM exports.{view}")] for view in VIEWS}
    finally:
        await connection.close()


def test_the_views_show_what_tables_say_openly_to_a_role_that_can_do_nothing_else(
    postgres: Server, ruled: Path
) -> None:
    async def work() -> dict[str, list[dict[str, Any]]]:
        await emptied(postgres)
        floor = await PostgresEngine.open(postgres.address("floord"))
        try:
            await taken_up(floor, ruled, "7")
            await floor.raise_alarm(Alarm("7", bytes(16), AlarmKind.WIRE, 0, "not understood"))
            await floor.add_access("pit", '{"what": "signed_in", "who": "lea"}')
            await all_facts(floor)
        finally:
            await floor.close()
        return await read_views(postgres)

    found = asyncio.run(work())
    assert {row["table_name"] for row in found["rounds"]} == {"7"}
    assert {row["rulebook"] for row in found["rounds"]} == {HOLDEM}
    assert "complete" in {row["result"] for row in found["rounds"]}
    assert all(row["words"] and row["clause"] for row in found["rulings"])
    assert [row["words"] for row in found["alarms"] if row["source"] == "custody"] == ["not understood"]
    assert [(row["source"], row["account"]) for row in found["access"]] == [("floor", "lea")]
    documented = Path("docs/floor.md").read_text(encoding="utf-8")
    for view, rows in found.items():
        assert f"`exports.{view}`" in documented
        for column in rows[0] if rows else ():
            assert f"`{column}`" in documented, f"{view}.{column} stands in no guide"

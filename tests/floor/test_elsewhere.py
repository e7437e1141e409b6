"""Two floords on one database: the pit of each shows the tables of both, and says where those of the other are."""

import asyncio
import logging
import time
from dataclasses import replace
from pathlib import Path

import pytest

from feltd.custody.errors import FloorAwayError
from feltd.custody.messages import Answer, Command, Refused, Result, to_bytes
from feltd.door.commands import CommandRefused, Person
from feltd.door.floor_signing import command_text, is_signed
from feltd.door.pit.orders import Order
from feltd.door.pit.state import PitSince, PitTable
from feltd.floor.commanding import HOLDS_MOST, Desk, Patience
from feltd.floor.custody import CLOCK_WORDS, DISK_WORDS
from feltd.floor.elsewhere import GONE_AFTER, Elsewhere, MemoryFloords, Others, floord_name
from feltd.floor.engine import Alarm, AlarmKind, Ordered, Seen
from feltd.floor.memory import MemoryEngine
from feltd.floor.pit_book import PASSES_AFTER, PitBook
from feltd.floor.pit_socket import Pit
from feltd.floor.signing import FloorKey, make_signing_key
from feltd.page.pit.shown import table_as_json
from tests.floor.commanded import LEA, MISDEAL
from tests.floor.conftest import as_owner
from tests.floor.custody_support import FakeJournal
from tests.floor.pit_support import NOW, Floor, alarm
from tests.floor.postgres_support import Server
from tests.floor.test_scenes import Run
from tests.running import eventually, running


def test_a_floord_is_called_by_its_machine_and_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "db1")
    assert floord_name(7443) == "db1:7443"


def test_each_floord_says_what_it_has_and_hears_of_the_others(engine: Run) -> None:
    async def work(floor: MemoryEngine) -> None:
        assert await floor.floords.here("a", "db1:1", ["7", "8"]) == Others()
        assert await floor.floords.here("b", "db2:1", []) == Others(frozenset({"db1:1"}), {"7": "db1:1", "8": "db1:1"})
        assert await floor.floords.here("a", "db1:1", ["8"]) == Others(frozenset({"db2:1"}))
        assert (await floor.floords.here("b", "db2:1", [])).tables == {"8": "db1:1"}

    engine(work)  # type: ignore[arg-type]


def test_a_floord_that_says_nothing_is_not_there_any_more(postgres: Server) -> None:
    clock = [0.0]
    floords = MemoryFloords(lambda: clock[0])

    async def work() -> None:
        await floords.here("a", "one", ["7"])
        clock[0] = GONE_AFTER - 1
        assert await floords.here("b", "other", []) == Others(frozenset({"one"}), {"7": "one"})
        clock[0] = GONE_AFTER
        assert await floords.here("b", "other", []) == Others()
        from feltd.floor.postgres import PostgresEngine

        engine = await PostgresEngine.open(postgres.address("floord"))
        await engine.floords.here("a", "one", ["7"])
        await as_owner(postgres, f"UPDATE floor.floord SET at = now() - interval '{GONE_AFTER + 1} seconds'")
        assert await engine.floords.here("b", "other", []) == Others()
        await as_owner(postgres, "DELETE FROM floor.floord")
        await engine.close()

    asyncio.run(work())


def tables(book: PitBook) -> dict[str, PitTable]:
    return {table.name: table for table in book.news(PitSince("", 0)).tables}


def test_the_pit_of_each_floord_shows_the_tables_of_both(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)

    async def work() -> None:
        clock = [NOW]
        monkeypatch.setattr("tests.floor.pit_support.MemoryEngine", lambda _: MemoryEngine(lambda: clock[0]))
        one = Floor(tmp_path)
        other = PitBook(one.engine, lambda: clock[0])
        await other.load()
        here, there = Elsewhere(one.engine.floords, one.book, "db1:1"), Elsewhere(one.engine.floords, other, "db2:1")

        async def looked() -> dict[str, PitTable]:
            await here.look()
            await there.look()
            await other.catch_up()
            return tables(other)

        await one.table("7", ("output", "phase", {"phase": "dealing"}), ("output", "alarm", {"alarm": alarm()}))
        await one.table("8")
        status = (await one.engine.status())[0]
        await one.engine.note_seen(Seen("7", status.journal, 5, -3.0, 0.1))
        await one.engine.raise_alarm(Alarm("7", status.journal, AlarmKind.CLOCK, 0, CLOCK_WORDS))
        await one.engine.raise_alarm(Alarm("7", status.journal, AlarmKind.DISK, 0, DISK_WORDS))
        found = await looked()
        seven = found["7"]
        assert (seven.connected, seven.floord, seven.phase) == (True, "db1:1", "dealing")
        assert (seven.lag, seven.heard) == (3, NOW)
        assert [one.kind for one in seven.alarms] == ["device_offline"]
        assert [words.partition(":")[0] for words in seven.wrong] == ["clock", "disk"]
        assert (found["8"].connected, found["8"].floord, found["8"].wrong) == (True, "db1:1", ())
        assert "link" not in {item["kind"] for item in table_as_json(seven)["items"]}
        assert table_as_json(seven)["floord"] == "db1:1"
        assert tables(one.book)["7"].floord == ""

        revision = other.news(PitSince("", 0)).revision
        await looked()
        assert other.news(PitSince("", 0)).revision == revision  # nothing is new, and nothing is told

        clock[0] += PASSES_AFTER
        assert (await looked())["7"].wrong == ()
        one.gone("7")
        found = await looked()
        assert (found["7"].connected, found["7"].floord) == (False, "")
        other.came("8", status.journal, status.stand)  # it called the other one, before the first has noticed
        assert (await looked())["8"].floord == ""
        clock[0] += GONE_AFTER
        await there.look()
        assert "another floord on this database is here: db2:1" in caplog.text
        assert "the floord db1:1, on this database too, says nothing any more" in caplog.text

    asyncio.run(work())


def test_a_new_journal_of_another_floords_table_is_folded_from_its_beginning(tmp_path: Path) -> None:
    async def work() -> None:
        one = Floor(tmp_path)
        other = PitBook(one.engine)
        await one.table("7", ("output", "phase", {"phase": "dealing"}))
        await other.load()
        del one.journals["7"]
        one.journals["spare"] = FakeJournal(9)
        await one.table("7", ("output", "phase", {"phase": "idle"}))
        await Elsewhere(one.engine.floords, one.book, "db1:1").look()
        await Elsewhere(one.engine.floords, other, "db2:1").look()
        await other.catch_up()
        assert tables(other)["7"].phase == "idle"

    asyncio.run(work())


def test_a_decision_for_a_table_of_another_floord_says_where_that_is(tmp_path: Path) -> None:
    async def work() -> None:
        one = Floor(tmp_path)
        await one.table("7")
        other = Floor(tmp_path)
        other.engine = one.engine
        book = PitBook(one.engine)
        await Elsewhere(one.engine.floords, one.book, "db1:1").look()
        await Elsewhere(one.engine.floords, book, "db2:1").look()
        person = Person("Berg", "berg", "director", "10.0.0.1")
        with pytest.raises(CommandRefused, match=r"7 is connected to the floord db1:1, and what is passed on must be"):
            await Pit(other.desk, book, one.engine).order(Order("7", person, MISDEAL))

    asyncio.run(work())


def test_a_decision_at_another_floord_is_passed_on_signed_and_answered_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feltd.floor.commanding.PASSED_EVERY", 0.01)

    async def work() -> None:
        one, key = Floor(tmp_path), make_signing_key(tmp_path)[1]
        one.desk = Desk(one.engine, key=key)
        await one.table("7")
        other, book = Desk(one.engine, key=key), PitBook(one.engine)
        here, there = (Elsewhere(one.engine.floords, at, name) for at, name in ((one.book, "db1:1"), (book, "db2:1")))
        for floord in (here, there, here):
            await floord.look()
        assert here.has_others
        sent: list[Command] = []

        def answers(command: Command) -> Answer:
            sent.append(command)
            return Answer(command.id, Result.DONE, 9, "")

        one.answers = answers
        async with running(one.desk.run(lambda: here.has_others)), running(other.run(lambda: there.has_others)):
            told = await Pit(other, book, one.engine).order(Order("7", LEA, MISDEAL))
        assert (told.result, told.entry) == ("done", 9)
        [command] = sent
        text = command_text(command.id, one.journals["7"].journal_id, command.made, command.until, command.order)
        assert is_signed(text, command.signature, (key.public,))
        assert await one.engine.passed.open() == []

    asyncio.run(work())


def test_what_no_known_key_has_signed_is_not_sent_and_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Who may write in the database could have floord send its tables any message."""

    async def work() -> None:
        one = Floor(tmp_path)
        for name in ("own", "others", "strange"):
            (tmp_path / name).mkdir()
        own, others, strange = (make_signing_key(tmp_path / name)[1] for name in ("own", "others", "strange"))
        one.desk = Desk(one.engine, patience=Patience(0.3, 0.1, 0.1), key=own, others=[others.public])
        await one.table("7")
        journal = one.journals["7"].journal_id
        until = time.time() + 5.0

        def signed(number: str, key: FloorKey, until: float = until, order: str = "{}") -> Command:
            return Command(number, until, order, 1, key.command(number, journal, 1, until, order))

        far = until + HOLDS_MOST
        cases: list[tuple[Refused | Command, float, str]] = [
            (Refused("go away", "floor", "nothing"), until, "expected now is command"),
            (signed("b" * 32, own), until, "another row"),
            (signed("2" * 32, own, order="[]"), until, "something else than its own row"),
            (signed("3" * 32, own, until + 1.0), until, "something else than its own row"),
            (signed("4" * 32, own, far), far, "it holds for longer than 60 s"),
            (signed("5" * 32, strange), until, "no key that this floord knows has signed it"),
            (Command("6" * 32, until, "{}"), until, "no key that this floord knows has signed it"),
        ]
        for place, (message, holds, _) in enumerate(cases):
            row = Ordered(str(place) * 32, "7", journal, 0, holds, "{}")
            await one.engine.passed.add(row, to_bytes(message))
        for _ in range(2):
            await one.desk.take_passed()
        told = [record.message for record in caplog.records if "is not sent" in record.message]
        assert (len(told), one.obeyed) == (len(cases), [])
        assert all(words in line for (_, _, words), line in zip(cases[2:], told[2:], strict=True))
        for number, key in (("8" * 32, own), ("9" * 32, others)):
            await one.engine.passed.add(Ordered(number, "7", journal, 0, until, "{}"), to_bytes(signed(number, key)))
        await one.desk.take_passed()
        await asyncio.gather(*one.desk._sending)
        assert len(one.obeyed) == 2

    asyncio.run(work())


def test_what_no_floord_takes_up_or_keeps_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feltd.floor.commanding.PASSED_EVERY", 0.01)

    async def away(*_values: object) -> None:
        raise FloorAwayError("gone", "there", "Wait")

    async def work() -> None:
        one = Floor(tmp_path)
        await one.table("7")
        desk = Desk(one.engine, patience=Patience(0.05, 0.01, 0.01))
        told = await desk.pass_on("7", "{}", one.journals["7"].journal_id, 0)
        assert (told.result, told.words) == (
            Result.NOT_KNOWN, "the table has not answered: its record will tell what became of it",
        )  # fmt: skip
        [(kept, _)] = await one.engine.passed.open()
        assert kept.id == told.id
        await one.desk.take_passed()  # it is too late
        assert one.obeyed == []
        for name in ("add", "told", "open"):
            monkeypatch.setattr(one.engine.passed, name, away)
        assert (await desk.pass_on("7", "{}", one.journals["7"].journal_id, 0)).result is Result.NOT_KNOWN
        async with running(desk.run(lambda: True)):  # a database that is away is asked again
            await asyncio.sleep(0)

    asyncio.run(work())


def test_what_is_passed_on_is_kept_for_the_other_until_it_is_settled(engine: Run) -> None:
    async def work(floor: MemoryEngine) -> None:
        journal = FakeJournal(1).journal_id
        await floor.open_journal("7", journal, 2)
        ordered = Ordered("ab" * 16, "7", journal, 0, 5.0, "{}")
        await floor.passed.add(ordered, b"signed")
        await floor.add_order(replace(ordered, id="cd" * 16))
        assert await floor.passed.open() == [(ordered, b"signed")]
        assert await floor.passed.told(ordered) == ordered
        done = replace(ordered, result=Result.DONE, entry=9, words="so it is")
        await floor.settle_order(done)
        assert await floor.passed.told(ordered) == done
        assert await floor.passed.open() == []
        unknown = replace(ordered, id="ef" * 16)
        assert await floor.passed.told(unknown) == unknown

    engine(work)  # type: ignore[arg-type]


def test_it_looks_until_it_ends_and_a_database_that_is_away_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feltd.floor.elsewhere.LOOK_EVERY", 0.01)
    asked: list[str] = []

    class Away(MemoryFloords):
        async def here(self, run: str, name: str, tables: object) -> Others:
            asked.append(name)
            raise FloorAwayError("gone", "there", "Wait")

    async def work() -> None:
        book = PitBook(MemoryEngine(lambda: 0.0))
        async with running(Elsewhere(Away(lambda: 0.0), book, "db1:1").run()):
            await eventually(lambda: len(asked) > 2)

    asyncio.run(work())

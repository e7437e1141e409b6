"""A person's decision at the floor: carried out once, on record, settled by the journal where nobody answered."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltd.custody.certificates import context_of_floor
from feltd.custody.messages import Answer, Command, Result, from_bytes
from feltd.door import CommandRefused, DecisionRequest, Person, SeenAlarms, TableAwayError
from feltd.door.asking.obeying import obeyed
from feltd.door.asking.pit_door import ordered_once
from feltd.door.obeying import CUT_OFF, FloorCommand, FloorReceipt, Obeyed, ShownCode, SignedCommand, TournamentCommand
from feltd.door.pit.orders import Order
from feltd.door.serving.listener import OpenDoor, listening
from feltd.door.serving.records import RecordReaders
from feltd.door.signed_orders import order_text
from feltd.door.wire.messages import Purpose
from feltd.door.wishing import Setting
from feltd.door.witnessing import WitnessWord
from feltd.floor.commanding import NOT_DONE_AFTER, Desk, Patience, Reach, found_in_journal
from feltd.floor.engine import Batch, Engine, Ordered
from feltd.floor.memory import MemoryEngine
from feltd.floor.pit_book import PitBook
from feltd.floor.pit_socket import Pit, PitReception
from feltd.floor.serving import receiving
from feltd.record.entries import Row, decode, encode
from feltd.record.notes import BY_HAND_NOTE, FLOOR_MAY_NOT_NOTE
from feltd.record.rows import JournalRows
from feltd.table.keeper.floor_memory import FloorMemory, memory_file_of
from feltd.table.keeper.obeying import FloorMay, Obeying, require_words
from feltd.table.keeper.wished_settings import SettingWishes, TableWishes
from feltd.table.keeper.wishes import BookWishes
from feltd.text.language import Language
from feltd.uplink.calling import Clocks
from feltd.uplink.obeying import obey
from table_fsm.events import DeviceState, FloorCalled
from tests.feltd.door_support import hello, said_to
from tests.feltd.page_support import Page
from tests.feltd.table_support import BOOKS, opening, tournament_opening
from tests.floor.custody_support import FakeJournal
from tests.floor.test_uplink import called
from tests.floor.tls_support import casino, own
from tests.running import eventually

Run = Callable[[Callable[[Engine], Awaitable[None]]], None]

LEA = Person("Lea", "lea", "floor", "10.20.0.9")
CALLED = {"ev": "floor.called"}
ACKNOWLEDGE = DecisionRequest("acknowledge", None, None, None)
SEEN = SeenAlarms(1e9, False, (), None)
ID = "ab" * 16
IN_FILE = {Setting.LANGUAGE: Language.ENGLISH, Setting.SHORT_LOSS: 2.0, Setting.GATHER: 0.0}
"""What a table's own file says of the settings that a floor may wish."""


class Obeyer:
    """A table with an alarm, and the floor's way into it."""

    def __init__(
        self,
        folder: Path,
        may: tuple[str, ...] = ("acknowledge",),
        *,
        tournament: bool = False,
        keys: tuple[bytes, ...] = (),
        books: tuple[str, ...] = (),
    ) -> None:
        self.books = books
        self.keys = keys
        self.folder = folder
        self.may = may
        self.tournament = tournament
        self._page: Page | None = None

    def start(self) -> Page:
        """The table, made in the loop."""
        if self._page is None:
            self._page = Page(self.folder)
            self.again()
        return self._page

    @property
    def page(self) -> Page:
        """The table."""
        return self.start()

    def again(self) -> None:
        """The table's process starts again: it knows what its record says."""
        page = self.page
        memory = FloorMemory(memory_file_of(page.bench.journal.path))
        roles = ("shoe", "reader", "dropbox")
        self.obeying = Obeying(
            page.bench.keeper,
            FloorMay(self.may, tournament=self.tournament, keys=self.keys),
            lambda: page.bench.time.wall,
            lambda: JournalRows(page.bench.journal.path),
            page.bench.synced,
            memory,
            page.bench.journal.reader.journal_id,
            TableWishes(
                BookWishes(BOOKS, self.books, opening(), roles, memory),
                SettingWishes((), IN_FILE, memory, lambda setting, value: None),
            ),
        )

    def command(self, decision: DecisionRequest = ACKNOWLEDGE, number: str = ID, left: float = 5.0) -> FloorCommand:
        return FloorCommand(number, LEA, decision, self.page.bench.time.wall + left)

    async def take(self, command: FloorCommand | TournamentCommand) -> Obeyed:
        self.start()
        return await self.obeying.take(command)

    async def obey_signed(self, command: SignedCommand) -> Obeyed:
        self.start()
        return await self.obeying.take_signed(command)

    async def obey(self, command: FloorCommand) -> Obeyed:
        return await self.take(command)

    async def obey_tournament(self, command: TournamentCommand) -> Obeyed:
        return await self.take(command)

    async def show_code(self, code: ShownCode) -> bool:
        raise CommandRefused("nothing is shown here")

    async def hear_witness(self, word: WitnessWord) -> None:
        raise CommandRefused("nothing is heard here")

    async def take_receipt(self, receipt: FloorReceipt) -> bool:
        raise CommandRefused("this table takes none")

    def notes(self) -> list[dict[str, object]]:
        """What people did, by the record."""
        with JournalRows(self.page.bench.journal.path) as record:
            return [entry.body for entry in record.entries() if entry.body.get("note") == BY_HAND_NOTE]


@pytest.fixture
def table(tmp_path: Path) -> Obeyer:
    return Obeyer(tmp_path)


def test_a_command_acts_once_however_often_it_comes(table: Obeyer) -> None:
    async def work() -> None:
        first, second = await asyncio.gather(table.take(table.command()), table.take(table.command()))
        assert first == second == await table.take(table.command())
        table.again()
        assert await table.take(table.command()) == first, "the record knows the id after a restart"
        late = table.command(left=-1.0)
        assert await table.take(late) == first, "also when it comes too late"
        [note] = table.notes()
        assert (note["who"], note["role"], note["from"], note["command"]) == ("lea", "floor", "10.20.0.9", ID)
        other = await table.take(table.command(number="cd" * 16))
        assert other.entry > first.entry

    asyncio.run(work())


def test_a_command_of_which_the_note_alone_is_on_record_was_not_done(table: Obeyer) -> None:
    """The table ended between note and event. After a start other entries come behind the note."""

    async def work() -> None:
        page = table.page
        note = page.bench.keeper.note_by_hand(LEA, "supervisor", None, command=ID)
        await page.bench.synced()
        table.again()
        cut = Obeyed(ID, note, CUT_OFF)
        assert await table.take(table.command()) == cut
        page.bench.take(FloorCalled)
        page.bench.keeper.note_by_hand(LEA, "supervisor", None, command="cd" * 16)
        page.bench.keeper.note_by_hand(LEA, "another", None)
        await page.bench.synced()
        table.again()
        assert (await table.take(table.command(number="cd" * 16))).refusal == CUT_OFF

    asyncio.run(work())


def test_what_the_table_itself_refuses_is_told_with_its_reason_also_after_a_restart(tmp_path: Path) -> None:
    table = Obeyer(tmp_path, may=("misdeal",))

    async def work() -> None:
        misdeal = DecisionRequest("misdeal", None, None, "cards on the floor")
        refused = await table.take(table.command(misdeal))
        assert refused.refusal
        table.again()
        assert await table.take(table.command(misdeal)) == refused

    asyncio.run(work())


def test_the_floor_shelves_an_alarm_and_ends_that_where_the_file_lets_it(tmp_path: Path) -> None:
    table = Obeyer(tmp_path, may=("shelve", "unshelve"))

    async def work() -> None:
        bench = table.page.bench
        bench.keeper.open_with(opening())
        bench.take(FloorCalled)
        shelve = DecisionRequest("shelve", None, None, "the key sticks", None, "floor_called", None, 30)
        assert (await table.take(table.command(shelve))).refusal is None
        [shelf] = bench.keeper.table.view()["shelves"]
        assert (shelf["kind"], shelf["by"]) == ("floor_called", "Lea")
        with pytest.raises(CommandRefused, match="needs a reason"):
            await table.take(table.command(replace(shelve, reason=None), "1" * 32))
        unshelve = DecisionRequest("unshelve", None, None, None, None, "floor_called")
        assert (await table.take(table.command(unshelve, "2" * 32))).refusal is None
        assert bench.keeper.table.view()["shelves"] == []
        bench.take(DeviceState, device="shoe", online=False)
        grave = replace(shelve, alarm="device_offline", device="shoe")
        refused = await table.take(table.command(grave, "3" * 32))
        assert "cannot be shelved" in (refused.refusal or "")

    asyncio.run(work())


def test_a_stolen_floor_does_what_the_file_lets_it_and_that_is_on_record(table: Obeyer) -> None:
    async def work() -> None:
        for number in range(3):
            with pytest.raises(CommandRefused, match=r"\[floor\] may"):
                await table.take(table.command(DecisionRequest("resume", None, None, None), f"{number:032x}"))
        await table.page.bench.synced()
        [note] = table.notes()
        assert (note["what"], note["asked"]) == (FLOOR_MAY_NOT_NOTE, "resume"), "told once, or it could fill the card"
        with pytest.raises(CommandRefused, match="too late"):
            await table.take(table.command(number="1" * 32, left=-0.5))
        with pytest.raises(CommandRefused, match="has ended or is acknowledged"):
            await table.take(table.command(replace(ACKNOWLEDGE, alarm="device_offline"), "2" * 32))
        with pytest.raises(CommandRefused, match="no id"):
            await table.take(table.command(number="../../etc"))

    asyncio.run(work())


@pytest.mark.parametrize(
    ("person", "decision"),
    [
        (replace(LEA, account="x" * 65), ACKNOWLEDGE),
        (replace(LEA, address="a\nb"), ACKNOWLEDGE),
        (replace(LEA, signature=""), ACKNOWLEDGE),
        (LEA, replace(ACKNOWLEDGE, reason="x" * 501)),
        (LEA, replace(ACKNOWLEDGE, reason="a\0bc")),
        (LEA, replace(ACKNOWLEDGE, decision="burn")),
        (LEA, replace(ACKNOWLEDGE, decision="void")),
        (LEA, replace(ACKNOWLEDGE, outcome="misdeal")),
        (LEA, DecisionRequest("overrule", 3, "burn", "a reason")),
        (LEA, DecisionRequest("overrule", None, "misdeal", "a reason")),
        (LEA, replace(ACKNOWLEDGE, seat=3)),
        (LEA, replace(ACKNOWLEDGE, alarm="As Kd")),
        (LEA, replace(ACKNOWLEDGE, device="As Kd")),
        (LEA, replace(ACKNOWLEDGE, alarm="jam", seen=replace(SEEN, devices=("As Kd",)))),
        (LEA, replace(ACKNOWLEDGE, ruling=3, seen=SEEN)),
        (LEA, DecisionRequest("resume", None, None, None, seen=SEEN)),
    ],
)
def test_words_that_the_tables_page_would_not_send_are_refused(person: Person, decision: DecisionRequest) -> None:
    with pytest.raises(CommandRefused):
        require_words(person, decision)


@asynccontextmanager
async def at_the_door(table: Obeyer, folder: Path) -> AsyncIterator[Path]:
    """The table's socket, for the uplink's user alone."""
    page = table.page
    readers = RecordReaders(page.bench.journal.path)
    door = OpenDoor(page.door, "Table 7", page.bench.journal.reader.journal_id, readers, table)
    place = folder / "door.sock"
    try:
        async with listening(place, os.getuid() + 1, door, os.getuid()):
            yield place
    finally:
        readers.close()
        page.close()


def test_an_uplink_brings_commands_and_asks_nothing_else(table: Obeyer, tmp_path: Path) -> None:
    async def work() -> None:
        async with at_the_door(table, tmp_path) as place:
            assert (await obeyed(place, table.command())).refusal is None
            command = Command(ID, table.page.bench.time.wall + 8.0, order_of(ACKNOWLEDGE))
            assert (await obey(place, command, 3.0)).result == Result.DONE
            assert (await obey(place, command, None)).result == Result.REFUSED
            assert (await obey(place, replace(command, order="{}"), 3.0)).result == Result.REFUSED
            refused = await obey(place, replace(command, id="3" * 32), 60.0)
            assert (refused.result, "too late" in refused.words) == (Result.REFUSED, True)
        gone = await obey(place, command, 3.0)
        assert (gone.result, "does not run" in gone.words) == (Result.REFUSED, True)

    asyncio.run(work())


def order_of(decision: DecisionRequest) -> str:
    return order_text(Person("Lea", "lea", "floor", "10.20.0.9"), decision)


def test_what_somebody_saw_at_the_floor_is_acknowledged_and_nothing_else(table: Obeyer, tmp_path: Path) -> None:
    async def work() -> None:
        bench = table.page.bench
        for device in ("shoe", "badge", "keys"):
            bench.take(DeviceState, device=device, online=False)
        bench.take(DeviceState, device="badge", online=True)
        bench.time.pass_(1.0)
        bench.take(DeviceState, device="markers", online=False)
        seen = replace(SEEN, until=table.page.state()["alarms"][0]["since"], devices=("shoe", "badge", "gone"))
        left = []
        async with at_the_door(table, tmp_path) as place:
            for number, cleared in enumerate((True, False)):
                decision = replace(ACKNOWLEDGE, alarm="device_offline", seen=replace(seen, cleared=cleared))
                command = Command(f"{number:032x}", bench.time.wall + 8.0, order_of(decision))
                assert (await obey(place, command, 3.0)).result == Result.DONE
                alarms = bench.keeper.table.view()["alarms"]
                left.append([one["device"] for one in alarms if not one["acknowledged"]])
        assert left == [["shoe", "keys", "markers"], ["keys", "markers"]]

    asyncio.run(work())


def test_an_older_table_is_told_no_field_that_it_does_not_know_and_never_acknowledges_more() -> None:
    plain = json.loads(order_of(replace(ACKNOWLEDGE, alarm="jam")))["decision"]
    assert plain == {"decision": "acknowledge", "ruling": None, "outcome": None, "reason": None, "alarm": "jam"}
    refusal = "order.decision: has 1 fields that nobody here knows; table and page must come from one installation"

    async def work() -> None:
        engine = MemoryEngine(lambda: 1000.0)
        desk = Desk(engine, lambda: 1000.0)

        async def older(data: bytes) -> None:
            command: Command = from_bytes(data, {"command": Command})
            assert "seen" in json.loads(command.order)["decision"]
            await desk.answered("7", Answer(command.id, Result.REFUSED, 0, refusal))

        desk.join("7", Reach(older, bytes(16)), obeys=True)
        done = await Pit(desk, PitBook(engine), engine).order(Order("7", LEA, replace(ACKNOWLEDGE, seen=SEEN)))
        assert (done.result, "at the table's own page" in done.words) == (Result.REFUSED, True)

    asyncio.run(work())


@pytest.mark.parametrize("ahead", [0.0, 9.0, -9.0])
def test_a_decision_goes_from_the_pits_socket_to_the_table_and_back(
    table: Obeyer, tmp_path: Path, ahead: float
) -> None:
    """`ahead`: of the clock by which the desk times decisions. The table heard of another one, and refused each."""
    folder = casino(tmp_path / "casino", "7")

    async def work() -> None:
        engine = MemoryEngine(lambda: 1000.0)
        desk, book = Desk(engine, lambda: table.page.bench.time.wall + ahead), PitBook(engine)
        clocks = Clocks(lambda: table.page.bench.time.wall)
        context = context_of_floor(own(folder, "floor"))
        async with (
            at_the_door(table, tmp_path) as place,
            receiving(engine, "127.0.0.1", 0, context, desk, book) as server,
        ):
            port = server.sockets[0].getsockname()[1]
            pit = tmp_path / "pit"
            async with listening(pit, os.getuid(), PitReception(Pit(desk, book, engine), book)):
                unsent = await ordered_once(pit, Order("7", LEA, ACKNOWLEDGE))
                assert (unsent.result, "nothing was sent" in unsent.words) == (Result.REFUSED, True)
                at = type("At", (), {"place": place})
                async with called(at, f"wss://127.0.0.1:{port}", folder, clocks=clocks) as uplink:  # type: ignore[arg-type]
                    await eventually(lambda: uplink._offset is not None)
                    assert uplink._offset == pytest.approx(ahead, abs=1.0)
                    done = await ordered_once(pit, Order("7", LEA, ACKNOWLEDGE))
                    assert (done.result, done.words) == (Result.DONE, "")
                    assert done.entry > 0
                    assert engine.orders[done.id].result is Result.DONE
                with pytest.raises(CommandRefused, match=r"decision\.reason: must have 0 to 500 characters"):
                    await ordered_once(pit, Order("7", LEA, replace(ACKNOWLEDGE, reason="x" * 501)))
                many = SeenAlarms(1.0, cleared=False, devices=("d" * 64,) * 200, deck=None)
                with pytest.raises(CommandRefused, match="too long"):
                    await ordered_once(pit, Order("7", LEA, replace(ACKNOWLEDGE, seen=many)))
                [refused] = await said_to(pit, hello(Purpose.TABLE))
                assert "no table's" in refused.why
        with pytest.raises(TableAwayError):
            await ordered_once(tmp_path / "nothing", Order("7", LEA, ACKNOWLEDGE))

    asyncio.run(work())


QUICK = Patience(until=0.02, again=0.005, grace=0.01)


class Clock:
    """Seconds that pass as it is looked at: on a busy machine a decision is sent again as often as on a quiet one."""

    STEP = 0.01

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        self.now += self.STEP
        return self.now


def host(seq: int, note: str, **details: object) -> bytes:
    body = json.dumps({"note": note, **details})
    return encode(Row(seq, "host", "note", None, 1.0, 2.0, 1, None, None, None, None, None, body, None, None))


def output(seq: int, name: str, answers: int | None, body: object) -> bytes:
    kind = "event" if answers is None else "output"
    return encode(Row(seq, kind, name, 1.0, 1.0, 2.0, 1, None, answers, None, None, None, json.dumps(body), None, None))


@pytest.mark.parametrize("refused", [False, True])
def test_silence_is_not_known_and_the_journal_settles_it(engine: Run, refused: bool) -> None:
    async def work(floor: Engine) -> None:
        clock, journal, sent = Clock(), FakeJournal(1), []

        async def send(data: bytes) -> None:
            sent.append(data)

        await floor.open_journal("7", journal.journal_id, 2)
        desk, reach = Desk(floor, clock, QUICK), Reach(send, journal.journal_id, 0)
        desk.join("7", reach, obeys=True)
        told = await desk.order("7", order_of(ACKNOWLEDGE))
        assert told.result is Result.NOT_KNOWN
        assert "its record will tell" in told.words
        assert len(sent) > 1, "it was sent again"
        assert {from_bytes(data, {"command": Command}).id for data in sent} == {told.id}
        assert [one.id for one in await floor.open_orders()] == [told.id]
        await desk.answered("8", Answer(told.id, "done", 9, "another table's word counts for nothing"))
        await desk.answered("7", Answer(told.id, "not known", 0, "no disk"))

        journal.rows = [
            b"of a newer kind",
            host(2, BY_HAND_NOTE, command=told.id),
            output(3, "supervisor", None, {"ev": "supervisor"}),
            output(4, "alarm", 3, {"alarm": {}}),
            *([output(5, "error", 3, {"error": {"reason": "no"}})] if refused else []),
            host(6 if refused else 5, "between rounds"),
        ]
        opened = await floor.open_journal("7", journal.journal_id, 2)
        batch = Batch("7", journal.journal_id, 1, opened.stand.chain, bytes(32), tuple(journal.rows))
        await floor.append_many([batch])
        later = Desk(floor, clock, QUICK)
        await later.load()
        await later.look("7", journal.journal_id, 99, 5)
        assert await floor.open_orders(), "the rest is on its way"
        await later.look("7", journal.journal_id, 5, 5)
        assert await floor.open_orders() == []
        found = await found_in_journal(floor, told)
        assert found is not None
        assert found.result is (Result.REFUSED if refused else Result.DONE)
        assert found.words == ("no" if refused else "")

    engine(work)


def test_what_the_journal_does_not_have_was_not_done() -> None:
    async def work() -> None:
        floor, journal, clock = MemoryEngine(lambda: 1.0), FakeJournal(1), Clock()
        await floor.open_journal("7", journal.journal_id, 2)
        await floor.add_order(Ordered(ID, "7", journal.journal_id, 0, clock() - 1.0, "{}"))
        desk = Desk(floor, clock)
        await desk.load()
        await desk.look("7", journal.journal_id, 0, 0)
        assert floor.orders[ID].result is Result.NOT_KNOWN
        clock.now += NOT_DONE_AFTER
        await desk.look("8", journal.journal_id, 0, 0)
        assert floor.orders[ID].result is Result.NOT_KNOWN
        await desk.look("7", journal.journal_id, 0, 0)
        assert floor.orders[ID].result is Result.REFUSED
        assert "was not done" in floor.orders[ID].words

    asyncio.run(work())


@given(st.binary(max_size=300))
def test_bytes_that_are_no_entry_are_told_so_and_raise_nothing_else(data: bytes) -> None:
    with suppress(ValueError):
        assert encode(decode(data)) == data


def test_an_entry_is_read_back_as_it_was_written() -> None:
    data = host(7, "a note", command=ID)
    assert encode(decode(data)) == data
    for cut in (data[:-1], data + b"N", data[:40], data.replace(b"Tnote"[1:], b"note", 1)[:-3]):
        with pytest.raises(ValueError):  # noqa: PT011 - any
            decode(cut)


SITS = {"ev": "seat.in", "seat": 4}
CUP = Person("tournament cup", "floord", "tournament", "floor")


def seating(table: Obeyer, number: str = ID, event: dict[str, Any] | None = None) -> TournamentCommand:
    return TournamentCommand(number, CUP, "event 17: entry 4", event or SITS, table.page.bench.time.wall + 5.0)


def test_a_tournament_seats_a_player_once_between_rounds_and_that_is_on_record(tmp_path: Path) -> None:
    table = Obeyer(tmp_path, tournament=True)

    async def work() -> None:
        table.page.bench.keeper.open_with(tournament_opening())
        taken = await table.take(seating(table, event={"ev": "seat.out", "seat": 4}))
        assert taken.refusal is None
        assert await table.take(seating(table, event={"ev": "seat.out", "seat": 4})) == taken
        back = await table.take(seating(table, "2" * 32))
        assert back.refusal is None
        assert (await table.take(seating(table, "3" * 32))).refusal == "seat 4 is taken"
        table.again()
        assert await table.take(seating(table, "2" * 32)) == back
        note = table.notes()[1]
        assert (note["who"], note["what"], note["why"]) == ("floord", "seat.in", "event 17: entry 4")
        for number, (event, words) in enumerate([
            ({"ev": "misdeal"}, "no event"), ({"ev": "table.close"}, "has no table.close for a table"),
            ({"ev": "supervisor", "decision": "void", "staff": "x"}, "has no supervisor"),
        ]):  # fmt: skip
            with pytest.raises(CommandRefused, match=words):
                await table.take(seating(table, f"{number:032d}", event))
        with pytest.raises(CommandRefused, match="3 to 500"):
            await table.take(replace(seating(table, "4" * 32), why="x"))
        with pytest.raises(CommandRefused, match="too late"):
            await table.take(replace(seating(table, "5" * 32), until=0.0))
        field = {"ev": "tournament.field", "entrants": 20, "remaining": 12}
        assert (await table.take(seating(table, "7" * 32, field))).refusal is None
        table.page.close()

    asyncio.run(work())


def test_a_table_whose_file_has_no_tournament_or_that_plays_none_seats_nobody(table: Obeyer, tmp_path: Path) -> None:
    async def work() -> None:
        for number in range(2):
            with pytest.raises(CommandRefused, match=r"\[floor\] tournament = true"):
                await table.take(seating(table, f"{number:032d}"))
        await table.page.bench.synced()
        [note] = table.notes()
        assert (note["what"], note["asked"]) == (FLOOR_MAY_NOT_NOTE, "seat.in")
        table.tournament = True
        table.again()
        with pytest.raises(CommandRefused, match="plays no tournament now"):
            await table.take(seating(table, "3" * 32))
        table.page.bench.keeper.open_with(tournament_opening())
        async with at_the_door(table, tmp_path) as place:
            order = json.dumps({"person": asdict(CUP), "event": {"ev": "seat.out", "seat": 3}, "why": "moved away"})
            command = Command(ID, table.page.bench.time.wall + 8.0, order)
            assert (await obey(place, command, 3.0)).result == Result.DONE
            nothing = Command("4" * 32, command.until, json.dumps({"person": asdict(CUP)}))
            answer = await obey(place, nothing, 3.0)
            assert (answer.result, "no decision, no event and no wish" in answer.words) == (Result.REFUSED, True)

    asyncio.run(work())

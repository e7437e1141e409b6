"""What became of a command whose answer never came is settled by the record, whichever floord has the table then."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from feltd.custody.certificates import context_of_floor
from feltd.custody.messages import Beat, Hello, Result, Rows
from feltd.custody.rows import chains_of
from feltd.floor.commanding import NOT_DONE_AFTER, Desk, Reach, found_in_journal
from feltd.floor.engine import Batch, Engine, Ordered
from feltd.floor.memory import MemoryEngine
from feltd.floor.serving import receiving
from feltd.record.notes import BY_HAND_NOTE, WISH_NOTE, WISH_SETTINGS_NOTE, WISH_VERSION_NOTE
from tests.floor.custody_support import FakeJournal
from tests.floor.test_admission import asked, calling
from tests.floor.test_orders import ID, Clock, host, output
from tests.floor.tls_support import casino, own
from tests.running import eventually_answers

Run = Callable[[Callable[[Engine], Awaitable[None]]], None]


def test_what_a_note_alone_says_is_waited_for_and_then_was_not_done(engine: Run) -> None:
    """The table ends between its note and the event: what comes behind is another start, or nothing."""

    async def work(floor: Engine) -> None:
        journal, clock = FakeJournal(1), Clock()
        await floor.open_journal("7", journal.journal_id, 2)
        rows = [host(1, BY_HAND_NOTE, command=ID), host(2, "feltd starts")]
        batch = Batch("7", journal.journal_id, 1, journal.chains[0], bytes(32), tuple(rows[:1]))
        [added] = await floor.append_many([batch])
        ordered = Ordered(ID, "7", journal.journal_id, 0, clock() - 1.0, "{}")
        await floor.add_order(ordered)
        desk = Desk(floor, clock)
        await desk.load()
        await desk.look("7", journal.journal_id, 1, 1)
        assert [one.id for one in await floor.open_orders()] == [ID], "the event may be on its way"
        alone = await found_in_journal(floor, ordered)
        await floor.append_many([replace(batch, first=2, before=added.stand.chain, rows=tuple(rows[1:]))])
        await desk.look("7", journal.journal_id, 2, 2)
        assert await floor.open_orders() == []
        found = await found_in_journal(floor, ordered, whole=False)
        assert found is not None
        assert found == alone
        assert (found.result, found.entry) == (Result.REFUSED, 1)
        assert found.words.startswith("the table ended before it did anything")

    engine(work)


@pytest.mark.parametrize("what", [WISH_NOTE, WISH_SETTINGS_NOTE, WISH_VERSION_NOTE])
def test_what_comes_behind_the_note_of_a_wish_is_no_answer_to_it(what: str) -> None:
    async def work() -> None:
        floor, journal = MemoryEngine(lambda: 1.0), FakeJournal(1)
        await floor.open_journal("7", journal.journal_id, 2)
        rows = [
            host(1, BY_HAND_NOTE, command=ID, what=what),
            output(2, "seat.given", None, {"ev": "seat.given"}),
            output(3, "error", 2, {"error": {"reason": "the seat is taken"}}),
        ]
        await floor.append_many([Batch("7", journal.journal_id, 1, journal.chains[0], bytes(32), tuple(rows))])
        found = await found_in_journal(floor, Ordered(ID, "7", journal.journal_id, 0, 1.0, "{}"))
        assert found is not None
        assert (found.result, found.entry) == (Result.DONE, 1)

    asyncio.run(work())


def test_a_command_of_a_record_that_is_gone_holds_up_nothing_at_the_new_one() -> None:
    async def work() -> None:
        floor, old, new, clock = MemoryEngine(lambda: 1.0), FakeJournal(1), FakeJournal(2), Clock()
        other = "b" * 32
        for journal in (old, new):
            await floor.open_journal("7", journal.journal_id, 2)
        rows = (host(1, BY_HAND_NOTE, command=other), output(2, "supervisor", None, {}), output(3, "alarm", 2, {}))
        await floor.append_many([Batch("7", old.journal_id, 1, old.chains[0], bytes(32), rows)])
        for one in (ID, other):
            await floor.add_order(Ordered(one, "7", old.journal_id, 0, clock(), "{}"))
        desk = Desk(floor, clock)
        await desk.load()
        assert desk.unsettled("7")
        desk.join("7", Reach(lambda _data: asyncio.sleep(0), new.journal_id), obeys=True)
        assert not desk.unsettled("7")
        await desk.look("7", new.journal_id, 0, 0)
        assert len(await floor.open_orders()) == 2
        clock.now += NOT_DONE_AFTER + 1
        for _ in range(2):
            await desk.load()
            await desk.look("7", new.journal_id, 0, 0)
            assert floor.orders[other].result is Result.DONE
            assert floor.orders[ID].result is Result.NOT_KNOWN, "nobody can say that it was not done"

    asyncio.run(work())


def test_what_a_floord_left_open_that_died_is_settled_by_the_other_one(tmp_path: Path) -> None:
    """The other floord has run all the while; the table comes to it, with the record of what it did."""
    folder = casino(tmp_path / "casino", "7")

    async def work() -> None:
        journal = FakeJournal(1)
        engine = MemoryEngine(lambda: 1000.0)
        await engine.open_journal("7", journal.journal_id, 2)
        context = context_of_floor(own(folder, "floor"))
        async with receiving(engine, "127.0.0.1", 0, context) as server:
            await engine.add_order(Ordered(ID, "7", journal.journal_id, 0, 1000.0, "{}"))  # the one that dies
            rows = (
                host(1, BY_HAND_NOTE, command=ID), output(2, "supervisor", None, {}), output(3, "alarm", 2, {}),
                host(4, "between rounds"), host(5, "between rounds"),
            )  # fmt: skip
            chain = chains_of(journal.chains[0], rows)[-1]
            floor = f"wss://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            async with calling(floor, folder, "7") as table:
                await asked(table, Hello(1, journal.journal_id, 2, "a test"))
                await asked(table, Rows(1, journal.chains[0], chain, 5, 0, rows))

                async def settled() -> bool:
                    await asked(table, Beat(1000.0, 5))
                    return engine.orders[ID].result is Result.DONE

                async with asyncio.timeout(60):
                    await eventually_answers(settled)
        assert engine.orders[ID].entry == 3

    asyncio.run(work())

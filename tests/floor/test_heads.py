"""Heads that tables sign, at the floor: kept, proved against its own chain, and alarmed where they are another's."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from feltd.custody.messages import Beat, Time
from feltd.floor.engine import AlarmKind, Batch, Engine, Signed
from feltd.floor.heads import KNOWN, witness_lines
from feltd.floor.memory import MemoryEngine
from feltd.floor.told import status_lines
from feltd.record.rows import JournalRows
from feltd.record.signed_heads import FirstKey, HeadLines, SignedHead, heads_file, read_heads, size_of
from feltd.text.errors import FeltdError
from feltd.uplink.sending import Sender
from tests.feltd.door_support import apart
from tests.floor.custody_support import FakeJournal
from tests.floor.test_scenes import Line
from tests.floor.test_uplink import called, write
from tests.floor.tls_support import casino, floor_with
from tests.running import eventually

Run = Callable[[Callable[[Engine], Awaitable[None]]], None]


def signed_journal(history: int = 0) -> FakeJournal:
    """Thirty entries, a head behind each tenth."""
    journal = FakeJournal(1, history)
    for _ in range(3):
        journal.play(10)
        journal.sign()
    return journal


async def told(line: Line, heads: HeadLines | None = None) -> Time:
    """The floor's answer to a beat with what is to be sent."""
    heads = heads or line.sender.heads() or HeadLines(0, ())
    answer = await line.session.take(Beat(1000.0, 30, heads_at=heads.at, heads=heads.lines))
    assert isinstance(answer, Time)
    line.sender.heard(answer.stand)
    return answer


def test_heads_are_kept_once_in_order_and_no_further_than_the_rows(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        journal = signed_journal()
        line = await Line(journal, floor).hello()
        assert (await told(line)).signed == size_of(journal.signed[:1]), "the key, and no head before its rows"
        rest = HeadLines(size_of(journal.signed[:1]), tuple(journal.signed[1:]))
        assert (await told(line, rest)).signed == rest.at
        await line.all_up()
        first = line.sender.heads()
        assert (await told(line)).signed == (await told(line, first)).signed == size_of(journal.signed)
        assert [str(head) for head in await floor.heads_of(journal.journal_id, 0, 99)] == journal.signed[1:]
        assert line.sender.heads() is None
        assert await floor.alarms() == []
        [status] = await floor.status()
        assert "signed up to entry 30" in status_lines([status], 1000.0)[0]
        assert [line async for line in witness_lines(floor, status)] == journal.signed
        again = await Line(journal, floor).hello()
        assert again.sender.heads() is None, "the floor said what it has"

    engine(work)


def other_key(lines: list[str]) -> list[str]:
    head = SignedHead.parse(lines[2])
    return [*lines[:2], str(replace(head, signature=bytes(64))), lines[3]]


def other_chain(lines: list[str]) -> list[str]:
    return [lines[0], *signed_journal(history=1).signed[1:]]


@pytest.mark.parametrize(
    ("change", "words", "kept"),
    [
        (other_key, "not signed by the key that was named", 1),
        (other_chain, "of another history than the floor's", 0),
        (lambda lines: [*lines[:2], "what", lines[3]], "comes what is none", 1),
        (lambda lines: ["feltd-heads 2", *lines[1:]], "does not begin as one", 0),
        (lambda lines: [str(FirstKey(bytes(16), bytes(32)))], "of another journal", 0),
    ],
)
def test_a_wrong_head_is_alarmed_and_the_rows_go_on(
    change: Callable[[list[str]], list[str]], words: str, kept: int
) -> None:
    async def work() -> None:
        floor, journal = MemoryEngine(lambda: 1000.0), signed_journal()
        line = await Line(journal, floor).hello()
        await line.all_up()
        await told(line, HeadLines(0, tuple(change(journal.signed))))
        [alarm] = await floor.alarms()
        assert alarm.kind is AlarmKind.HEADS
        assert words in alarm.text
        assert "who shows its certificate" in alarm.text
        assert len(await floor.heads_of(journal.journal_id, 0, 99)) == kept
        journal.play(5)
        assert (await line.all_up()).seq == 35, "nothing is lost by it"

    asyncio.run(work())


def test_a_key_that_is_pinned_stays(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        journal = signed_journal()
        line = await Line(journal, floor).hello()
        await line.all_up()
        other = bytes(range(32))
        assert await floor.pin(journal.journal_id, Signed(other, 0, 0, other))
        await told(line)
        [alarm] = await floor.alarms()
        assert "another key than the one that is pinned" in alarm.text
        assert await floor.signed(journal.journal_id) == Signed(other, 0, 0, other)

    engine(work)


def test_a_key_that_was_pinned_before_the_table_came_is_taken_up(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        journal = signed_journal()
        line = await Line(journal, floor).hello()
        key = FirstKey.parse(journal.signed[0]).key
        assert await floor.pin(journal.journal_id, Signed(key, 0, 0, key))
        await line.all_up()
        assert (await told(line)).signed == size_of(journal.signed)
        head = SignedHead.parse(journal.signed[-1])
        before = Signed(key, 0, 0, key)
        assert not await floor.add_heads(journal.journal_id, [head], before, before), "another was quicker"

    engine(work)


def signed_once_more(journal: FakeJournal) -> None:
    journal.play(10)
    journal.sign()


def test_two_connections_bring_the_same_heads_once(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        journal = signed_journal()
        one, two = await Line(journal, floor).hello(), await Line(journal, floor).hello()
        await one.all_up()
        await told(one)
        signed_once_more(journal)
        await one.all_up()
        next_one = one.sender.heads()
        await two.all_up()
        await told(two)  # the first does not know of it
        assert (await told(one, next_one)).signed == size_of(journal.signed)
        signed_once_more(journal)
        await one.all_up()
        assert (await told(one)).signed == size_of(journal.signed)
        assert [str(head) for head in await floor.heads_of(journal.journal_id, 0, 99)] == journal.signed[1:]
        assert await floor.alarms() == []

    engine(work)


def test_heads_that_a_floor_has_lost_are_brought_again_on_the_same_connection() -> None:
    async def work() -> None:
        floor = MemoryEngine(lambda: 1.0)
        journal = signed_journal()
        line = await Line(journal, floor).hello()
        await line.all_up()
        await told(line)
        kept = floor.journals[journal.journal_id]
        kept.heads, kept.signed = [], Signed(FirstKey.parse(journal.signed[0]).key, 0, 0, bytes(32))
        signed_once_more(journal)
        await line.all_up()
        assert (await told(line)).signed == 0, "as it has it, and not as this connection had it"
        assert (await told(line)).signed == size_of(journal.signed)
        assert [str(head) for head in floor.journals[journal.journal_id].heads] == journal.signed[1:]
        assert await floor.alarms() == []

    asyncio.run(work())


def test_a_head_of_newest_entries_is_held_against_the_floors_chain_though_nothing_is_read(engine: Run) -> None:
    class Unread(MemoryEngine):
        async def batches(self, journal: bytes, after: int, most: int) -> list[Batch]:
            raise AssertionError("a table that plays costs a read for each beat")

    async def work(floor: Engine) -> None:
        journal = signed_journal()
        line = await Line(journal, floor).hello()
        await line.all_up()
        await told(line)
        signed_once_more(journal)
        journal.play(KNOWN - 1)
        await line.all_up()
        if isinstance(floor, MemoryEngine):
            floor.__class__ = Unread
        heads, forged = line.sender.heads(), signed_journal(history=1)
        signed_once_more(forged)
        assert heads is not None
        assert (await told(line, HeadLines(heads.at, tuple(forged.signed[-1:])))).signed == heads.at
        [alarm] = await floor.alarms()
        assert "of another history than the floor's" in alarm.text
        assert (await told(line, heads)).signed == size_of(journal.signed)

    engine(work)


def test_a_table_that_gives_no_heads_goes_up_as_before() -> None:
    class Older(FakeJournal):
        def heads(self, at: int, most: int) -> HeadLines:
            raise FeltdError('the record\'s reader knows no "heads"')

    async def work() -> None:
        line = await Line(Older(1), MemoryEngine(lambda: 1.0)).hello()
        assert line.sender.heads() is line.sender.heads() is None
        assert len(line.warnings) == 1

    asyncio.run(work())
    assert Sender(FakeJournal(1), print).heads() is None


def test_a_real_tables_heads_come_to_the_floor(tmp_path: Path) -> None:
    folder = casino(tmp_path / "casino", "7")

    async def work() -> None:
        floor = MemoryEngine(lambda: 1000.0)
        async with apart(tmp_path) as at, floor_with(floor, folder) as address:
            path = at.bench.journal.path
            await write(at, 3)
            at.bench.journal.close()
            heads = read_heads(heads_file(path))
            assert heads is not None
            assert heads.heads
            async with called(at, address, folder):
                journal = heads.first.journal_id
                await eventually(lambda: journal in floor.journals and floor.journals[journal].heads)
                assert tuple(floor.journals[journal].heads) == heads.heads
                assert floor.kept_alarms == []
            with JournalRows(path) as record:
                assert record.heads(10**9, 5).lines == ()

    asyncio.run(work())

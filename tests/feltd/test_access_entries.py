"""Sign-ins and exports put on record: chained, within a budget, and nothing else depends on them."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from feltd.door import AccessFact, CommandRefused, ExportFact, Person, PlayStopped
from feltd.door.access import (
    EXPORTS_AT_ONCE,
    FACTS_MOST,
    FAILURES_A_MINUTE,
    FAILURES_AT_ONCE,
    NAMES_MOST,
    SESSIONS_AT_ONCE,
    TEXT_MOST,
)
from feltd.record import EntryKind, HostEntry, JournalReader, Span
from feltd.record.access import AccessKind, Part, SessionEnd
from feltd.record.export import verify_export
from feltd.record.verify import verify
from feltd.table.keeper.recovery import recover
from tests.feltd.door_support import Apart, apart, connected
from tests.feltd.history_support import recorded_page
from tests.feltd.page_support import Page, index_of, open_page
from tests.feltd.table_support import BOOKS, KEY, opening
from tests.running import eventually

ANNA = Person("S7", "anna", "supervisor", "10.0.0.7")
PAGE = "0badcafe"
IN = AccessFact(1, AccessKind.SIGNED_IN, 1_800_000_000.5, "anna", "supervisor", "10.0.0.7")
OUT = AccessFact(2, AccessKind.SESSION_OVER, 1_800_000_900.0, "anna", "supervisor", "10.0.0.7", SessionEnd.TIME)
FAILED = AccessFact(
    3, AccessKind.SIGN_IN_FAILED, 1_800_000_960.0, address="10.0.0.9", times=7, since=1_800_000_905.0,
    names={"anna": 4}, unknown=3, turned_away=2,
)  # fmt: skip
ROUND = ExportFact(Part.ROUND, 1_800_000_000.0, round=1)


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with open_page(tmp_path, opening()) as page:
        yield page


def run(*commands: Coroutine[Any, Any, object]) -> None:
    async def all_of_them() -> None:
        for command in commands:
            await command

    asyncio.run(all_of_them())


def entries(page: Page) -> list[dict[str, Any]]:
    with JournalReader.open(page.bench.journal.path) as reader:
        return [entry.body for entry in reader.entries(Span(kind=EntryKind.HOST, name=HostEntry.ACCESS))]


def tell(page: Page, *facts: AccessFact) -> None:
    run(page.door.tell_access(PAGE, facts))


# -- what an entry says


def test_what_a_page_tells_is_an_entry_that_says_whose_word_it_is(page: Page) -> None:
    tell(page, IN, OUT, FAILED)
    word = {"by": "page", "page": PAGE}
    assert entries(page) == [
        {"what": "signed_in", **word, "n": 1, "at": 1_800_000_000.5, "who": "anna", "role": "supervisor",
         "from": "10.0.0.7"},
        {"what": "session_over", **word, "n": 2, "at": 1_800_000_900.0, "who": "anna", "role": "supervisor",
         "from": "10.0.0.7", "how": "time"},
        {"what": "sign_in_failed", **word, "n": 3, "at": 1_800_000_960.0, "from": "10.0.0.9", "times": 7,
         "since": 1_800_000_905.0, "names": {"anna": 4}, "unknown": 3, "turned_away": 2},
    ]  # fmt: skip


def test_an_export_is_an_entry_that_is_on_the_disk_before_the_command_returns(page: Page) -> None:
    async def told() -> None:
        hand = ExportFact(Part.HAND_HISTORY, 1_800_000_001.0, round=1, cards=False)
        entry = await page.door.note_export(ANNA, hand)
        assert page.bench.journal.synced >= entry

    run(page.door.note_export(ANNA, ROUND), told())
    who = {"by": "page", "who": "anna", "role": "supervisor", "from": "10.0.0.7"}
    assert entries(page) == [
        {"what": "exported", "at": 1_800_000_000.0, **who, "of": "round", "round": 1},
        {"what": "exported", "at": 1_800_000_001.0, **who, "of": "hand_history", "round": 1, "cards": False},
    ]


def test_entries_are_chained_and_stand_in_exports_as_any_other(tmp_path: Path) -> None:
    page = recorded_page(tmp_path, rounds=1)
    tell(page, IN)
    with JournalReader.open(page.bench.journal.path, KEY) as reader:
        assert verify(reader).sound
        last = reader.head().seq
    with page.door.open_record() as record:
        lines = list(record.export(1, last))
    assert verify_export(lines).last == last
    assert '"name":"access"' in lines[-2].replace(" ", "")
    page.close()


# -- a page that repeats, lies or floods


def test_what_is_told_twice_is_written_once(page: Page) -> None:
    tell(page, IN, OUT)
    tell(page, IN, OUT, FAILED)
    assert [entry["n"] for entry in entries(page)] == [1, 2, 3]
    run(page.door.tell_access("0ther000", (IN,)))
    assert [(entry["page"], entry["n"]) for entry in entries(page)][3:] == [("0ther000", 1)]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"what": AccessKind.EXPORTED}, "no fact that a page tells"),
        ({"who": None}, "lacks who"),
        ({"who": "a" * (TEXT_MOST + 1)}, "longer than 64"),
        ({"address": "10.0.0.7\n"}, "cannot be printed"),
        ({"n": 0}, "must rise"),
        ({"n": 2**60}, "beyond reason"),
        ({"times": -1}, "below 0"),
        ({"names": {f"a{n}": 1 for n in range(NAMES_MOST + 1)}}, "more than 8 names"),
        ({"left_out": {"cards": 1}}, "nobody here knows"),
    ],
)
def test_what_no_page_of_ours_says_is_refused_whole(page: Page, change: dict[str, Any], says: str) -> None:
    good = replace(IN, n=0 if change.get("n") == 0 else 1)
    with pytest.raises(CommandRefused, match=says):
        tell(page, good, replace(IN, **{"n": 2, **change}))
    assert entries(page) == []


def test_too_many_facts_in_one_message_and_a_mark_that_is_none_are_refused(page: Page) -> None:
    with pytest.raises(CommandRefused, match="more than 32 facts"):
        tell(page, *(replace(IN, n=n + 1) for n in range(FACTS_MOST + 1)))
    with pytest.raises(CommandRefused, match="mark of a page"):
        run(page.door.tell_access("0badcafe" * 9, (IN,)))
    assert entries(page) == []


def test_a_flood_fills_the_budget_and_is_counted_to_the_last_one(page: Page) -> None:
    facts = [replace(FAILED, n=n + 1, times=3, turned_away=1) for n in range(2000)]
    for start in range(0, len(facts), FACTS_MOST):
        tell(page, *facts[start : start + FACTS_MOST])
    assert len(entries(page)) == FAILURES_AT_ONCE
    page.door.access.beat()
    page.bench.time.pass_(600.0)
    tell(page, replace(FAILED, n=9999, times=3, turned_away=1))
    page.door.access.beat()
    run(page.bench.synced())
    found = entries(page)
    written = sum(entry["times"] + entry["turned_away"] for entry in found if entry["what"] == "sign_in_failed")
    left = [entry for entry in found if entry["what"] == "left_out"]
    assert [entry["by"] for entry in left] == ["table"]
    assert written + left[0]["left_out"]["sign_in_failed"] == 4 * 2001
    assert len(found) == FAILURES_AT_ONCE + 2


def test_a_night_of_floods_of_every_kind_writes_so_much_and_no_more(page: Page) -> None:
    """What a page can make the table write in an hour, whatever it says."""
    number = 0

    async def everything() -> None:
        nonlocal number
        for _ in range(6):
            for fact in (IN, OUT, FAILED, AccessFact(1, AccessKind.LEFT_OUT, 1.0, left_out={"signed_in": 1})):
                number += FACTS_MOST
                facts = tuple(replace(fact, n=number + n) for n in range(FACTS_MOST))
                await page.door.tell_access(PAGE, facts)
            for _ in range(20):
                try:
                    await page.door.note_export(ANNA, ROUND)
                except CommandRefused:
                    break

    before = page.bench.journal.health.appended
    for _ in range(60):
        run(everything())
        page.bench.time.pass_(60.0)
        page.door.access.beat()
    run(page.bench.synced())
    wrote = page.bench.journal.health.appended - before
    budget = SESSIONS_AT_ONCE + FAILURES_AT_ONCE + EXPORTS_AT_ONCE + 1 + 60 * (4 + FAILURES_A_MINUTE + 6 + 1)
    assert budget - 12 <= wrote <= budget


def test_failures_leave_sign_ins_and_exports_their_places(page: Page) -> None:
    for start in range(0, 20 * FACTS_MOST, FACTS_MOST):
        tell(page, *(replace(FAILED, n=start + n + 1) for n in range(FACTS_MOST)))
    tell(page, replace(IN, n=10_000))
    run(page.door.note_export(ANNA, ROUND))
    assert [entry["what"] for entry in entries(page)][-2:] == ["signed_in", "exported"]


def test_exports_beyond_the_budget_are_refused_and_counted(page: Page) -> None:
    async def many() -> None:
        for _ in range(EXPORTS_AT_ONCE):
            await page.door.note_export(ANNA, ROUND)
        for _ in range(3):
            with pytest.raises(CommandRefused, match="more than 6 exports a minute"):
                await page.door.note_export(ANNA, ROUND)
        page.door.access.beat()
        page.bench.time.pass_(11.0)
        await page.door.note_export(ANNA, ROUND)

    run(many())
    found = entries(page)
    assert [entry["left_out"] for entry in found if entry["what"] == "left_out"] == [{"exported": 3}]
    assert sum(entry["what"] == "exported" for entry in found) == EXPORTS_AT_ONCE + 1


def test_what_was_left_out_is_told_when_the_table_stops(page: Page) -> None:
    async def many() -> None:
        page.door.access.close()
        for start in range(0, SESSIONS_AT_ONCE + FACTS_MOST, FACTS_MOST):
            await page.door.tell_access(PAGE, tuple(replace(IN, n=start + n + 1) for n in range(FACTS_MOST)))
        page.door.access.close()
        await page.bench.synced()

    run(many())
    assert entries(page)[-1]["left_out"] == {"signed_in": FACTS_MOST}


# -- a record that takes nothing


def test_while_the_record_cannot_be_kept_nothing_is_taken_and_later_it_is(tmp_path: Path) -> None:
    async def scene() -> None:
        page = Page(tmp_path)
        bench = page.bench
        bench.open_table()
        await bench.synced()
        bench.journal.max_bytes = 1
        bench.journal._writer._close()  # the limit takes effect when the file is opened again
        bench.journal.append_note("x" * 200_000)
        await eventually(lambda: bench.failures)
        before = bench.journal.health.appended
        with pytest.raises(PlayStopped):
            await page.door.tell_access(PAGE, (IN,))
        with pytest.raises(PlayStopped):
            await page.door.note_export(ANNA, ROUND)
        page.door.access.beat()
        assert bench.journal.health.appended == before
        bench.journal.max_bytes = None
        bench.journal.retry()
        await eventually(lambda: bench.keeper.stopped is None)
        await page.door.tell_access(PAGE, (IN,))
        assert [entry["what"] for entry in entries(page)] == ["signed_in"]
        page.close()

    asyncio.run(scene())


# -- nothing depends on them


def test_a_round_goes_on_the_same_with_entries_in_between(tmp_path: Path) -> None:
    """Snapshots, restarts and the history pass them over."""

    def played(folder: Path, between: Callable[[Page], None]) -> tuple[str, list[tuple[Any, ...]]]:
        folder.mkdir()
        page = recorded_page(folder, rounds=3)
        between(page)
        page.bench.open_table()
        between(page)
        run(page.bench.synced())
        again = recover(page.bench.journal, BOOKS)
        assert again.table.digest(counts=False) == page.bench.keeper.table.digest(counts=False)
        index = index_of(page.bench.journal.path, folder / "another.index")
        index.catch_up()
        rows = [tuple(row) for row in index.select("SELECT number, result, seats FROM rounds ORDER BY number")]
        index.close()
        page.close()
        return again.table.digest(counts=False), rows

    plain = played(tmp_path / "one", lambda page: None)
    assert plain[1]
    assert played(tmp_path / "other", lambda page: tell(page, IN, OUT, FAILED)) == plain


# -- over the door


def test_the_real_door_carries_them_and_refuses_what_is_none(tmp_path: Path) -> None:
    async def scene() -> None:
        async with apart(tmp_path) as at, connected(at) as door:
            await door.tell_access(PAGE, (IN, OUT, FAILED))
            entry = await door.note_export(ANNA, ROUND)
            assert at.bench.journal.synced >= entry
            with pytest.raises(CommandRefused, match="must rise"):
                await door.tell_access(PAGE, (OUT, IN))
            assert [entry["what"] for entry in entries(at.page)] == [
                "signed_in", "session_over", "sign_in_failed", "exported",
            ]  # fmt: skip

    asyncio.run(scene())


def test_old_news_hurries_nothing_that_may_wait_and_what_is_not_on_the_disk_is_waited_for(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []
    flush = page.bench.journal.flush

    async def counted() -> int:
        flushed.append(page.bench.journal.synced)
        return await flush()

    monkeypatch.setattr(page.bench.journal, "flush", counted)
    tell(page, IN)
    assert len(flushed) == 1
    for _ in range(5):
        tell(page, IN)
        tell(page)
    assert len(flushed) == 1
    tell(page, OUT)
    assert len(flushed) == 2


def test_a_flood_over_the_door_leaves_decisions_their_turn(tmp_path: Path) -> None:
    """Each message is a command: a page that sends them without a pause waits for its turn like any other."""

    async def flood(at: Apart) -> None:
        number = 0
        while True:
            number += FACTS_MOST
            await at.door.tell_access(PAGE, tuple(replace(FAILED, n=number + n) for n in range(FACTS_MOST)))

    async def scene() -> None:
        async with apart(tmp_path) as at, connected(at) as door:
            flooding = asyncio.ensure_future(flood(at))
            await eventually(lambda: len(entries(at.page)) == FAILURES_AT_ONCE)
            assert (await door.state()).name == "Table 7"
            assert await door.note_export(ANNA, ROUND)
            flooding.cancel()
            await asyncio.gather(flooding, return_exceptions=True)

    asyncio.run(scene())

"""A wish is on a table's record once, whoever sends it again and wherever the table's process ends."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest

from feltd.door import CommandRefused, PlayStopped
from feltd.door.wishing import AHEAD_MOST, BookPlay, Setting, TableSettings, number_at
from feltd.table.keeper.floor_memory import FloorMemory, memory_file_of
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.keeper.noted_wishes import NotedWishes
from tests.floor.test_book_wishes import ID, Wisher

GATHERS = TableSettings({"gather_seconds": 1.5})
LANGUAGE = TableSettings({"language": "de"})


@pytest.fixture
def table(tmp_path: Path) -> Wisher:
    made = Wisher(tmp_path)
    made.versions = True
    made.may_set = (Setting.GATHER, Setting.LANGUAGE)
    return made


async def _take(table: Wisher, number: int, wished: BookPlay | TableSettings | str = GATHERS) -> None:
    await table.obeying.take_signed(table.signed(wished, wished=number))


@contextmanager
def _ends_before_the_note(table: Wisher) -> Iterator[None]:
    with (
        patch.object(table.bench.keeper, "note_by_hand", side_effect=RuntimeError("the process ends")),
        pytest.raises(RuntimeError),
    ):
        yield


def _noted(table: Wisher) -> list[int]:
    return [note["wish"] for note in table.notes() if "wish" in note]


def test_a_wish_that_two_floords_send_is_taken_from_one_of_them_also_after_a_start(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        for wished in (GATHERS, table.play(), "0.9.0"):
            await _take(table, 7, wished)
            with pytest.raises(CommandRefused, match="has wish 7 already"):
                await _take(table, 7, wished)
        table.again()
        with pytest.raises(CommandRefused, match="has wish 7 already"):
            await _take(table, 7)
        await _take(table, 8)
        assert _noted(table) == [7, 7, 7, 8]

    asyncio.run(work())


def test_a_wish_with_a_number_of_another_year_is_refused_and_the_next_one_is_taken(table: Wisher) -> None:
    """Taken, it came before all others for years: who was numbered by a right clock was behind it."""

    async def work() -> None:
        table.start()
        far = max(0, number_at(table.time.wall)) + AHEAD_MOST + 1
        with pytest.raises(CommandRefused, match=f"wish {far} has a number of another year"):
            await _take(table, far)
        await _take(table, far - 1)
        assert _noted(table) == [far - 1]

    asyncio.run(work())


def test_a_wish_behind_a_later_one_is_refused_and_what_holds_stays(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        await _take(table, 7)
        with pytest.raises(CommandRefused, match="wish 6 comes behind wish 7"):
            await _take(table, 6, LANGUAGE)
        assert (_noted(table), table.has[Setting.GATHER]) == ([7], 1.5)

    asyncio.run(work())


def test_a_wish_that_was_refused_may_come_again(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        await _take(table, 6)
        for _ in range(2):
            with pytest.raises(CommandRefused, match="less than or equal"):
                await _take(table, 7, TableSettings({"gather_seconds": 11}))
        table.again()
        with pytest.raises(CommandRefused, match="has wish 6 already"):
            await _take(table, 6)
        await _take(table, 7)
        assert _noted(table) == [6, 7]

    asyncio.run(work())


@pytest.mark.parametrize("wished", ["settings", "book", "version"])
def test_a_start_notes_a_wish_that_is_remembered_and_not_noted(table: Wisher, wished: str) -> None:
    async def work() -> None:
        table.start()
        wishes: dict[str, BookPlay | TableSettings | str] = {"settings": GATHERS, "book": table.play()}
        what = wishes.get(wished, "0.9.0")
        order = table.signed(what, wished=7)
        with _ends_before_the_note(table):
            await table.obeying.take_signed(order)
        for _ in range(2):
            table.again()
            await table.bench.synced()
            [note] = [note for note in table.notes() if "wish" in note]
            assert (note["wish"], note["who"], note["at_start"]) == (7, "lea", True)
            assert (note["command"], note["why"]) == (order.id, "wish 7, approved by ben: now")
        with pytest.raises(CommandRefused, match="has wish 7 already"):
            await _take(table, 7, what)

    asyncio.run(work())


def test_a_start_notes_nothing_that_is_not_remembered_or_of_another_record(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        await _take(table, 6)
        with patch.object(table.settings, "keep", side_effect=RuntimeError), pytest.raises(RuntimeError):
            await _take(table, 7)
        table.again()
        assert _noted(table) == [6]
        with _ends_before_the_note(table):
            await _take(table, 8)
        memory = FloorMemory(memory_file_of(table.bench.journal.path))
        NotedWishes(memory, table.obeying._record, b"another record..").note_left_out(table.bench.keeper)
        assert _noted(table) == [6]

    asyncio.run(work())


def test_where_a_start_cannot_note_the_wish_a_later_one_does(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        with _ends_before_the_note(table):
            await _take(table, 7)
        with patch.object(TableKeeper, "note_by_hand", side_effect=PlayStopped("the record cannot be kept now")):
            table.again()
        assert _noted(table) == []
        table.again()
        await table.bench.synced()
        assert _noted(table) == [7]
        memory_file_of(table.bench.journal.path).write_text("{")
        table.again()
        assert _noted(table) == [7]

    asyncio.run(work())


@pytest.mark.parametrize("again", [True, False])
def test_the_next_wish_notes_first_what_is_in_force_and_left_out(table: Wisher, *, again: bool) -> None:
    """Else nobody could read whose the settings were that held until it."""

    async def work() -> None:
        table.start()
        stops = patch.object(TableKeeper, "note_by_hand", side_effect=PlayStopped("the record cannot be kept now"))
        with stops:
            with pytest.raises(PlayStopped):
                await _take(table, 7)
            if again:
                table.again()
            with pytest.raises(PlayStopped):
                await _take(table, 8, LANGUAGE)
            assert table.has[Setting.GATHER] == 1.5
        with pytest.raises(CommandRefused, match="less than or equal"):
            await _take(table, 9, TableSettings({"gather_seconds": 11}))
        await _take(table, 10, LANGUAGE)
        assert _noted(table) == [7, 10]
        assert [note.get("at_start") for note in table.notes() if note.get("wish") == 7] == [True if again else None]

    asyncio.run(work())


def test_a_wish_of_another_year_that_an_older_feltd_took_keeps_no_other_back(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        with patch("feltd.table.keeper.obeying.is_too_far", lambda *_: False):
            await _take(table, 3 * AHEAD_MOST)
        await _take(table, 7, LANGUAGE)
        with pytest.raises(CommandRefused, match="has wish 7 already"):
            await _take(table, 7, LANGUAGE)
        assert _noted(table) == [3 * AHEAD_MOST, 7]

    asyncio.run(work())


def test_where_the_process_ended_behind_the_note_the_record_tells(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        with patch.object(NotedWishes, "end"):
            await table.obeying.take_signed(table.signed(GATHERS, ID, 7))
        table.again()
        for number, words in ((7, "has wish 7 already"), (6, "wish 6 comes behind wish 7")):
            with pytest.raises(CommandRefused, match=words):
                await _take(table, number)
        assert _noted(table) == [7]

    asyncio.run(work())


def test_a_disk_that_fails_behind_the_note_makes_no_refusal_of_it(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        keep, calls = FloorMemory.keep_noting, 0

        def fails(memory: FloorMemory, *values: object) -> None:
            nonlocal calls
            calls += 1
            if calls == 3:
                raise CommandRefused("cannot be written")
            keep(memory, *values)  # type: ignore[arg-type]  # as it came

        with patch.object(FloorMemory, "keep_noting", fails):
            await _take(table, 7)
        with pytest.raises(CommandRefused, match="has wish 7 already"):
            await _take(table, 7)
        assert (_noted(table), calls) == ([7], 3)

    asyncio.run(work())


def test_a_record_that_was_begun_anew_has_no_wish_yet(table: Wisher) -> None:
    async def work() -> None:
        table.start()
        await _take(table, 7)
        memory = FloorMemory(memory_file_of(table.bench.journal.path))
        other = NotedWishes(memory, table.obeying._record, b"another record..")
        assert other._last("the floor wishes settings") == 0
        assert table.obeying._noted._last("the floor wishes settings") == 7

    asyncio.run(work())


@pytest.mark.parametrize(
    "noting",
    [
        '{"noting":7}',
        '{"x":{"taken":1}}',
        '{"x":{"journal":"","note":{"person":{"signature":"a","account":"a","role":"a","address":7},"why":"a","details":{"command":"a"}}}}',
        '{"x":{"journal":"","note":{"person":{"signature":"a","account":"a","role":"a","address":"a"},"why":"a","details":{"command":"a","made":null}}}}',
    ],
)
def test_a_file_that_says_something_else_is_not_what_the_table_wrote(tmp_path: Path, noting: str) -> None:
    file = tmp_path / "floor.json"
    file.write_text(f'{{"made":0,"noting":{noting},"wishes":{{}}}}')
    with pytest.raises(CommandRefused, match="not what this table wrote"):
        FloorMemory(file).read()

"""What a table is told of its witness, and what people read of it there."""

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from feltd.door import CommandRefused
from feltd.door.asking.obeying import witness_told
from feltd.door.serving.listener import OpenDoor, listening
from feltd.door.serving.records import RecordReaders
from feltd.door.witnessing import WitnessSays, WitnessWord
from feltd.record import JournalReader
from feltd.record.notes import WITNESS_CONTRADICTS_NOTE
from feltd.table.keeper.witnessed import (
    AWAY,
    AWAY_AFTER,
    BACK,
    CLEAR_AFTER,
    CONTRADICTED,
    TELL_AGAIN,
    Witnessed,
)
from feltd.text.catalogue import device_fault
from feltd.text.language import Language, speaking
from feltd.witness.wire import Address
from tests.feltd.page_support import Page
from tests.feltd.table_support import Bench, FakeTime
from tests.running import eventually, running
from tests.witness.witness_support import Table, at_work, sender, sent, witness_of

HAS, GONE, CONTRADICTS = (WitnessWord(says) for says in (WitnessSays.HAS, WitnessSays.AWAY, WitnessSays.CONTRADICTS))


class Watched:
    """A table's watch over its witness, and what it has told."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.told: list[str] = []
        self.shown = 0
        self.watch = Witnessed(bench.keeper, bench.journal, self.told.append, self._show)

    def _show(self) -> None:
        self.shown += 1

    def wait(self, seconds: float) -> None:
        self.bench.time.pass_(seconds)
        self.watch.beat()

    def notes(self) -> int:
        with JournalReader.open(self.bench.journal.path) as reader:
            return sum(entry.body.get("note") == WITNESS_CONTRADICTS_NOTE for entry in reader.entries())


def at_a_table(folder: Path, work: Callable[[Watched], None]) -> int:
    """Have something done at a table; how many notes of a contradiction its record has then."""

    async def whole() -> int:
        bench = Bench(folder, FakeTime())
        try:
            watched = Watched(bench)
            work(watched)
            await bench.synced()
            return watched.notes()
        finally:
            bench.journal.close()

    return asyncio.run(whole())


def test_a_table_without_a_sender_lacks_no_witness(tmp_path: Path) -> None:
    def work(table: Watched) -> None:
        table.wait(10 * AWAY_AFTER)
        assert table.told == []

    assert at_a_table(tmp_path, work) == 0


@pytest.mark.parametrize("first", [HAS, GONE])
def test_a_silence_is_told_at_its_end_and_not_a_second_before(tmp_path: Path, first: WitnessWord) -> None:
    def work(table: Watched) -> None:
        table.watch.hear(first)
        table.wait(AWAY_AFTER - 1)
        table.watch.hear(GONE)
        assert table.told == []
        table.wait(1)
        table.wait(1)
        assert table.told == [AWAY]
        table.watch.hear(HAS)
        table.watch.hear(HAS)
        assert table.told == [AWAY, BACK]
        table.wait(AWAY_AFTER)
        assert table.told == [AWAY, BACK, AWAY], "a sender that has ended says nothing, and is told all the same"

    assert at_a_table(tmp_path, work) == 0


def test_a_witness_that_is_heard_says_nothing(tmp_path: Path) -> None:
    def work(table: Watched) -> None:
        for _ in range(100):
            table.watch.hear(HAS)
            table.wait(10)
        table.wait(AWAY_AFTER - 11)
        assert table.told == []

    assert at_a_table(tmp_path, work) == 0


def test_what_lasts_is_told_each_ten_minutes(tmp_path: Path) -> None:
    def work(table: Watched) -> None:
        table.watch.hear(CONTRADICTS)
        for _ in range(int(TELL_AGAIN) - 1):
            table.wait(1)
            table.watch.hear(CONTRADICTS)
        assert table.told == [CONTRADICTED]
        table.wait(1)
        table.watch.hear(CONTRADICTS)
        assert table.told == [CONTRADICTED] * 2
        assert table.shown == 1, "the display is for the dealer"

    assert at_a_table(tmp_path, work) == 1


def test_a_contradiction_within_a_silence_is_told_and_ends_no_silence_as_good(tmp_path: Path) -> None:
    def work(table: Watched) -> None:
        table.watch.hear(GONE)
        table.wait(AWAY_AFTER)
        table.watch.hear(CONTRADICTS)
        assert table.told == [AWAY, CONTRADICTED]
        table.wait(CLEAR_AFTER - 1)
        table.watch.hear(HAS)
        assert table.told == [AWAY, CONTRADICTED], "no word ends a contradiction of a moment ago"
        table.wait(1)
        table.watch.hear(HAS)
        assert table.told == [AWAY, CONTRADICTED, BACK]
        table.watch.hear(CONTRADICTS)
        assert table.told[3:] == [CONTRADICTED]

    assert at_a_table(tmp_path, work) == 1


@pytest.mark.parametrize("seconds", [0.25, CLEAR_AFTER / 2, CLEAR_AFTER])
def test_an_hour_of_words_in_turn_fills_neither_list_nor_record_nor_display(tmp_path: Path, seconds: float) -> None:
    """Who has the sender's user says what they like, as often as the door takes it."""

    def work(table: Watched) -> None:
        for number in range(int(3600 / seconds)):
            table.watch.hear((CONTRADICTS, HAS, GONE)[number % 3])
            table.wait(seconds)
        assert table.told[0] == CONTRADICTED, "it is told at once"
        assert len(table.told) <= 2 * 3600 / CLEAR_AFTER
        assert table.shown == 1

    assert at_a_table(tmp_path, work) == 1


@pytest.mark.parametrize("words", [CONTRADICTED, AWAY, BACK])
def test_people_read_it_in_german(words: str) -> None:
    with speaking(Language.GERMAN):
        assert device_fault(words).startswith("Protokoll: ")


# -- the sender's part


def heard_of(folder: Path, table: Table, enough: Callable[[list[WitnessSays]], bool]) -> list[WitnessSays]:
    """What a table hears from its sender until that is enough."""
    heard: list[WitnessSays] = []

    async def tell(word: WitnessWord) -> None:
        heard.append(word.says)

    async def work(address: Address) -> None:
        async with running(sender(table, address, tell=tell).run()):
            await eventually(lambda: enough(heard))

    at_work(witness_of(folder, table), work)
    return heard


def test_a_sender_says_that_the_witness_has_the_record(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.sign(3, 9)
    assert heard_of(tmp_path / "witness", table, bool) == [WitnessSays.HAS]


@pytest.mark.parametrize("history", ["", "another"])
def test_a_sender_says_that_the_witness_has_another_history(tmp_path: Path, history: str) -> None:
    """Put back, and put back and played on."""
    table, folder = Table(tmp_path), tmp_path / "witness"
    table.sign(3, 9, 12)
    assert sent(folder, table) == [""]
    table.put_back(1)
    if history:
        table.sign(10, history=history)
    heard = heard_of(folder, table, lambda heard: len(heard) > 2)
    assert set(heard) == {WitnessSays.CONTRADICTS}


def test_a_sender_says_that_the_witness_is_not_reached_or_does_not_know_the_record(tmp_path: Path) -> None:
    table, stranger = Table(tmp_path), Table(tmp_path, "8")
    table.sign(3)
    stranger.sign(3)
    heard: list[WitnessSays] = []

    async def tell(word: WitnessWord) -> None:
        heard.append(word.says)

    gone: list[Address] = []

    async def work(address: Address) -> None:
        gone.append(address)
        async with running(sender(stranger, address, tell=tell).run()):
            await eventually(lambda: bool(heard))

    at_work(witness_of(tmp_path / "witness", table), work)

    async def alone() -> None:
        async with running(sender(table, gone[0], tell=tell).run()):
            await eventually(lambda: len(heard) > 2)

    asyncio.run(alone())
    assert set(heard) == {WitnessSays.AWAY}


def test_a_table_that_takes_no_such_word_keeps_no_head_from_the_witness(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One of before 0.13.0 knows the call by no name."""
    table = Table(tmp_path)
    table.sign(3)

    async def tell(word: WitnessWord) -> None:
        raise CommandRefused('the table knows no "hear_witness": the page is newer, restart the table')

    async def work(address: Address) -> None:
        one = sender(table, address, tell=tell)
        async with running(one.run()):
            await eventually(lambda: one.why == "" and "hear_witness" in caplog.text)

    at_work(witness_of(tmp_path / "witness", table), work)
    assert caplog.text.count("does not show how it stands") == 1


# -- through a table's door


def test_through_the_door_page_display_and_record_say_it_and_play_goes_on(tmp_path: Path) -> None:
    display: list[Mapping[str, Any]] = []

    async def work() -> list[str]:
        page = Page(tmp_path)
        page.bridge.indicating.show = display.append  # type: ignore[method-assign, assignment]
        readers = RecordReaders(page.bench.journal.path)
        door = OpenDoor(page.door, "Table 7", page.bench.journal.reader.journal_id, readers, page.door)
        try:
            async with listening(tmp_path / "door.sock", os.getuid(), door):
                for _ in range(3):
                    await witness_told(tmp_path / "door.sock", CONTRADICTS)
            await page.bench.synced()
            assert page.bench.keeper.stopped is None
            assert not page.bridge.indicating.put_back
            return [fault.text for fault in (await page.door.state()).faults]
        finally:
            readers.close()
            page.close()

    assert [fault for fault in asyncio.run(work()) if "witness" in fault] == [CONTRADICTED]
    text = "Record: a witness has other entries of it. Call a technician"
    assert display == [{"display": {"text": text, "rule": None}}]
    with JournalReader.open(tmp_path / "table.journal") as reader:
        assert [entry.body["note"] for entry in reader.entries() if "witness" in str(entry.body.get("note"))] == [
            WITNESS_CONTRADICTS_NOTE
        ]

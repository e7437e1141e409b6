"""The long run, for a short time: what it finds wrong is told, and a table that plays has nothing wrong."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from devices.simulated.people.sense import TableSense
from feltd.record import JournalReader
from feltd.table.journal import Journal
from table_fsm.outputs import Kind
from tests.devices.direct_play import game, play
from tests.floor.beside_table import prepared, settings
from tests.floor.postgres_support import WHY_NOT, binaries, server
from tests.running import until
from tests.soak.__main__ import fewest_first
from tests.soak.book import Ended, table_folder
from tests.soak.feed import Standing
from tests.soak.floor_beside import FloorBeside
from tests.soak.judging import Taken
from tests.soak.looking import FILLED, JUDGED, Sample, compared, grown
from tests.soak.page_reader import PageReader
from tests.soak.playing import DEALER, door_of, page_faults
from tests.soak.stretches import End, StretchFile, events_of, stretches

BOOK = "tas-2018-holdem"
ENOUGH = 2_000
"""Events of which a test plays some."""
COUNTERS = {"rulings", "outputs", "errors"}
"""What a dealer counts for himself."""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the database's user reaches."""
    with TemporaryDirectory(prefix="feltd-soak-", dir="/tmp") as name:
        os.chmod(name, 0o755)
        yield Path(name)


def soaking(folder: Path, events: int, *words: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.soak", "--book", BOOK, "--folder", str(folder), "--events", str(events)]
    return subprocess.Popen([*command, *words], stdout=subprocess.PIPE, text=True)


def processes_of(folder: Path) -> list[str]:
    """The command lines with this folder in them, this test's own process left out."""
    lines = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(one.read_text(encoding="utf-8", errors="replace").replace("\0", " "))
        except OSError:
            continue  # it has ended
    return [line for line in lines if str(folder) in line]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(binaries() is None, reason=WHY_NOT)
def test_a_run_that_is_ended_leaves_no_process_and_goes_on_where_it_was(folder: Path) -> None:
    first = soaking(folder, ENOUGH)
    until(lambda: first.poll() is not None or events_of(stretches(table_folder(folder, BOOK))) > 0)
    first.send_signal(signal.SIGTERM)
    said, _ = first.communicate()
    assert first.returncode == Ended.STOPPED, said
    assert "ended before its time: it goes on from there" in said
    assert processes_of(folder) == []
    [stretch] = stretches(table_folder(folder, BOOK))
    assert stretch.end is not None
    assert stretch.end.faults == ()
    played = events_of([stretch])
    assert 0 < played < ENOUGH

    second = soaking(folder, played + 20)
    said, _ = second.communicate()
    assert second.returncode == Ended.FINE, said
    assert f"{BOOK}: {played:,} of {played + 20:,} events so far" in said
    assert "and 2 stretches" in said
    for process in ("table", "page", "uplink", "floor", DEALER):
        assert f"; {process}: memory " in said
    assert "nothing is wrong" in said
    assert processes_of(folder) == []

    (table_folder(folder, BOOK) / "judgement.json").unlink()  # as where a run is ended while a book is judged
    third = soaking(folder, played + 20)
    said, _ = third.communicate()
    assert third.returncode == Ended.FINE, said
    assert "and 3 stretches" in said

    fourth = soaking(folder, played + 20)
    again, _ = fourth.communicate()
    assert fourth.returncode == Ended.FINE
    assert next(line for line in said.splitlines() if "nothing is wrong" in line) in again.splitlines()
    assert len(stretches(table_folder(folder, BOOK))) == 3, "a book that is played is not played again"


@pytest.mark.slow
@pytest.mark.skipif(binaries() is None, reason=WHY_NOT)
def test_a_floor_that_has_not_all_of_the_record_is_told(tmp_path: Path) -> None:
    path, key = tmp_path / "table.journal", bytes(32)
    journal = Journal.open(path, key)
    asyncio.run(journal.flush())
    journal.close()
    with JournalReader.open(path, key) as reader:
        entries = reader.head().seq
    with server() as database:
        asyncio.run(prepared(database))
        files = settings(tmp_path, database, door_of(tmp_path))
        found = asyncio.run(FloorBeside(tmp_path, database, files, ()).faults(path, key, patience=0.0))
    assert found == [f"the floor has not got {entries} entries, with their signed heads, within 0 s"]


def test_a_page_that_does_not_come_is_told() -> None:
    async def faults(*, there: bool, stopped: bool) -> list[str]:
        reader, stop = PageReader(0), asyncio.Event()
        if there:
            reader.came.set()
        if stopped:
            stop.set()
        return await page_faults(reader, stop, patience=0.01)

    assert asyncio.run(faults(there=False, stopped=False)) == ["no page was reached within 0.01 s"]
    assert asyncio.run(faults(there=True, stopped=False)) == []
    assert asyncio.run(faults(there=False, stopped=True)) == []


def test_a_process_that_grows_is_told() -> None:
    filling = [Sample(0, 60.0, 40), Sample(JUDGED // 5, 62.0, 40)]
    larger = [*filling, Sample(FILLED, 64.0, 41), Sample(JUDGED, 67.0, 42)]
    assert grown(larger) == ["memory grew from 64.0 to 67.0 MiB", "open files grew from 41 to 42"]
    assert grown([*larger[:3], Sample(JUDGED, 65.0, 41)]) == []
    few = [*larger[:3], Sample(JUDGED - 1, 67.0, 42)]
    assert grown(few) == []
    assert "too few events to judge both" in compared(few)
    assert "too few" not in compared(larger)
    later = [Sample(one.events + JUDGED, one.resident, one.descriptors) for one in larger]
    assert grown(later) == grown(larger), "each stretch has processes of its own"
    assert grown(later[:3]) == []


def test_a_dealer_who_takes_over_knows_what_one_knows_who_heard_everything() -> None:
    outputs = play(game(BOOK, seed=5, mistake_rate=1.0)).outputs
    kinds = [next(kind.value for kind in Kind if kind.value in output) for output in outputs]
    standing, heard = Standing(), TableSense()
    waited = 0
    for count, (kind, output) in enumerate(zip(kinds, outputs, strict=True), 1):
        standing.take(kind, output)
        heard.take((output,))
        newcomer = TableSense()
        newcomer.take(tuple(standing.told()))
        waited += heard.waits_for_floor
        assert known(newcomer) == known(heard), f"after {count} outputs"
    assert waited > 0, "no ruling waited"
    assert len(standing.told()) < 40 < len(outputs)


def known(sense: TableSense) -> dict[str, object]:
    return {name: value for name, value in vars(sense).items() if name not in COUNTERS}


def test_a_stretch_that_was_killed_is_read_as_far_as_it_was_written(tmp_path: Path) -> None:
    end = End({"shoe": ("b007", 7)}, ("it stood still",))
    with StretchFile(tmp_path) as whole:
        whole.looked(1.5, 20, {"table": Sample(10, 60.0, 40, 1.0)})
        whole.ended(end)
    with StretchFile(tmp_path) as killed:
        killed.looked(2.5, 30, {"table": Sample(15, 61.0, 40, 2.0)})
    with (tmp_path / "stretch-002.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"seconds": 3.5, "re')
    first, second = stretches(tmp_path)
    assert (first.seconds, first.read, first.end) == (1.5, 20, end)
    assert (second.seconds, second.samples, second.end) == (2.5, {"table": (Sample(15, 61.0, 40, 2.0),)}, None)
    assert events_of([first, second]) == 15
    assert events_of([]) == 0


def test_an_event_that_the_record_lacks_is_told() -> None:
    taken = Taken()
    for number in (1, 2, 4):
        taken.take("shoe", "b007", number)
    taken.take("shoe", "b008", 1)
    assert taken.faults == ["shoe: event 4 of its start b007 follows event 2"]
    assert taken.lacks({"shoe": ("b008", 1), "keys": ("b009", 0)}) == []
    assert taken.lacks({"shoe": ("b008", 3)}) == ["shoe: it made 3 events since its last start, the record has 1"]


def test_the_books_with_the_fewest_events_are_played_first() -> None:
    assert fewest_first({"a": (7, None), "b": (0, None), "c": (3, None)}) == ["b", "c", "a"]

"""Entries that may wait are committed together; what somebody waits for, and what no device keeps, is not held back."""

import asyncio
import sqlite3
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from annotated_types import Le

from feltd.record import EntryKind, JournalReader, Source, Span
from feltd.record.verify import verify
from feltd.table.config.config import JournalPlace
from feltd.table.host.health import SYNC_PATIENCE
from feltd.table.journal import Journal
from feltd.table.journal.gathering import GATHER_EVENTS, Gathering
from feltd.table.journal.writer import Writer
from feltd.table.keeper.deliveries import Delivery
from firmware_bridge.limits import WINDOW
from table_fsm.events import CardPlaced, SeatIn
from tests.feltd.table_support import BOOT, Bench, FakeTime
from tests.running import eventually

KEY = bytes(range(32))
DIGEST = "ab" * 32
LONG = 3600.0
"""Seconds that no test waits out."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.journal"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    opened = Journal.open(path, KEY, gather_seconds=LONG)
    yield opened
    opened.close()


def waiting(journal: Journal, number: int) -> int:
    """An event that its device keeps."""
    with journal.together(may_wait=True):
        return journal.append_event(
            CardPlaced(t=float(number), zone="seat:1", card="As"),
            source=Source("reader", b"boot", number),
            round_number=1,
            rulebook_digest=DIGEST,
        )


def groups(journal: Journal) -> int:
    return journal.health.counters.groups


def test_the_time_to_wait_changes_and_what_waits_is_committed(journal: Journal) -> None:
    async def work() -> None:
        journal.on_synced(lambda seq: None)
        first = waiting(journal, 1)
        journal.gather(0.0)
        await eventually(lambda: journal.synced == first)
        last = waiting(journal, 2)
        await eventually(lambda: journal.synced == last)
        journal.gather(LONG)
        waiting(journal, 3)
        assert journal.synced == last

    asyncio.run(work())


def test_what_may_wait_is_committed_together_once_somebody_asks(journal: Journal, path: Path) -> None:
    last = [waiting(journal, number) for number in range(1, 6)][-1]
    assert journal.synced == 0
    assert journal.health.accepting
    assert journal.flush_blocking() == last
    assert groups(journal) == 1
    with JournalReader.open(path, KEY) as reader:
        assert verify(reader).sound


def test_what_no_device_keeps_is_written_at_once_with_all_that_waits_before_it(journal: Journal) -> None:
    async def main() -> None:
        told = asyncio.Event()
        journal.on_synced(lambda seq: told.set() if seq == by_hand else None)
        waiting(journal, 1)
        by_hand = journal.append_note("a person decided")
        await told.wait()

    asyncio.run(main())
    assert journal.synced == journal.health.appended
    assert groups(journal) == 1


def test_a_rounds_end_is_written_at_once_though_its_event_may_wait(journal: Journal) -> None:
    async def main() -> None:
        waiting(journal, 1)
        with journal.together(may_wait=True):
            waiting(journal, 2)
            journal.end_round(1)
            last = journal.append_snapshot("{}", round_number=2, rulebook_digest=DIGEST)
        await eventually(lambda: journal.synced == last)
        waiting(journal, 3)  # the next round's begins to wait anew
        assert journal.synced == last

    asyncio.run(main())
    assert groups(journal) == 1


def test_what_waits_for_as_long_as_may_be_asked_is_not_taken_for_a_disk_that_hangs() -> None:
    [most] = [limit.le for limit in JournalPlace.model_fields["gather_seconds"].metadata if isinstance(limit, Le)]
    assert 2 * float(str(most)) < SYNC_PATIENCE


def test_so_many_events_wait_that_a_quick_device_never_stands_still(journal: Journal) -> None:
    assert 2 * GATHER_EVENTS <= WINDOW

    async def main() -> None:
        for number in range(1, GATHER_EVENTS):
            waiting(journal, number)
        assert journal.synced == 0
        waiting(journal, GATHER_EVENTS)
        await eventually(lambda: journal.synced == journal.health.appended)

    asyncio.run(main())


def test_what_waits_is_written_when_its_time_is_up(path: Path) -> None:
    journal = Journal.open(path, KEY, gather_seconds=0.01)

    async def main() -> None:
        waiting(journal, 1)
        await eventually(lambda: journal.synced == journal.health.appended)
        waiting(journal, 2)
        await eventually(lambda: journal.synced == journal.health.appended)

    asyncio.run(main())
    journal.close()


def test_closing_writes_what_waits(path: Path) -> None:
    journal = Journal.open(path, KEY, gather_seconds=LONG)
    last = waiting(journal, 1)
    journal.close()
    with JournalReader.open(path, KEY) as reader:
        assert verify(reader).entries == last


def test_what_waits_survives_a_disk_that_refuses_and_is_written_in_its_order(
    journal: Journal, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> object:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as while_full:
        while_full.setattr(Writer, "_insert", refuse)
        waiting(journal, 1)
        with pytest.raises(Exception, match="full"):
            journal.flush_blocking()
        waiting(journal, 2)
        journal.retry()
        with pytest.raises(Exception, match="full"):
            journal.flush_blocking()
    journal.retry()

    async def main() -> None:
        await eventually(lambda: journal.synced == journal.health.appended)

    asyncio.run(main())
    with JournalReader.open(path, KEY) as reader:
        assert verify(reader).sound
        assert [row.device_seq for row in reader.rows(Span(kind=EntryKind.EVENT))] == [1, 2]


def test_without_seconds_nothing_waits(path: Path) -> None:
    journal = Journal.open(path, KEY)

    async def main() -> None:
        waiting(journal, 1)
        await eventually(lambda: journal.synced == journal.health.appended)

    asyncio.run(main())
    journal.close()


def test_the_first_that_waits_says_how_long() -> None:
    now = [100.0]
    gathering = Gathering(10.0, lambda: now[0])
    assert gathering.left() is None
    assert not gathering.take([])
    now[0] = 109.0
    assert not gathering.take([])
    assert gathering.left() == 1.0
    now[0] = 110.5
    assert gathering.left() == 0.0
    assert gathering.take([])  # late: at once, however little it is
    gathering.over()
    assert gathering.left() is None


def test_an_event_is_acknowledged_only_when_it_is_written_and_its_answer_does_not_wait(tmp_path: Path) -> None:
    async def main() -> None:
        bench = Bench(tmp_path, FakeTime(), gather_seconds=LONG)
        bench.open_table()
        bench.journal.begin_round(1)
        await bench.synced()
        sent = len(bench.indicators.sent)
        bench.keeper.deliver(
            Delivery("seats", lambda t: [SeatIn(t=t, seat=4)], Source("seats", BOOT, 1), kept_by_device=True)
        )
        assert len(bench.indicators.observed) == 2  # the opening, and this
        assert bench.journal.synced < bench.journal.health.appended
        assert bench.indicators.acknowledged == []
        await bench.synced()
        assert bench.indicators.acknowledged == [("seats", 1)]
        bench.keeper.deliver(Delivery("pins", lambda t: [SeatIn(t=t, seat=5)], Source("pins", BOOT, 1)))
        await eventually(lambda: bench.indicators.acknowledged == [("seats", 1), ("pins", 1)])
        assert len(bench.indicators.sent) >= sent
        bench.journal.close()

    asyncio.run(main())


def test_between_rounds_nothing_waits(tmp_path: Path) -> None:
    async def main() -> None:
        bench = Bench(tmp_path, FakeTime(), gather_seconds=LONG)
        bench.open_table()
        bench.keeper.deliver(
            Delivery("seats", lambda t: [SeatIn(t=t, seat=4)], Source("seats", BOOT, 1), kept_by_device=True)
        )
        await eventually(lambda: bench.indicators.acknowledged == [("seats", 1)])
        bench.journal.close()

    asyncio.run(main())


def test_the_files_that_the_project_ships_let_nothing_wait_and_say_how() -> None:
    root = Path(__file__).parents[2]
    for file in ("debian/table.toml", "config/tables.model.toml", "config/table.example.toml"):
        text = (root / file).read_text(encoding="utf-8")
        assert "gather_seconds" not in tomllib.loads(text)["journal"], file
        assert "# gather_seconds = 10.0 " in text, file

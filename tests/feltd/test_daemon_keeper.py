"""The keeper: the order of things for an event, what is acknowledged when, and how play stops when the record does."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from devices.drivers.registry import driver_for
from feltd.door import Person
from feltd.record import Entry, EntryKind, JournalReader, Reveal, Source, Span
from feltd.record.drafts import Draft
from feltd.record.notes import BAD_MESSAGE_NOTE
from feltd.table.journal.writer import Writer
from feltd.table.keeper.deliveries import Delivery
from feltd.text.errors import JournalFull
from table_fsm.events import (
    CardPlaced,
    DeviceState,
    FloorCalled,
    SeatIn,
    ShoeCard,
    ShoeShuffled,
    Supervisor,
    TableClose,
    Tick,
    TournamentClock,
)
from table_fsm.outputs import Alarm, AlarmState, Level
from tests.feltd.history_support import record as dealt_rounds
from tests.feltd.table_support import BOOKS, BOOT, HOLDEM, KEY, UTH, Bench, FakeIndicators, tournament_opening
from tests.running import eventually, turns

Scene = Callable[[Bench], Awaitable[None]]


def play(folder: Path, scene: Scene, **journal: Any) -> Bench:
    """A scene with a keeper, in a loop of its own; the journal is closed after it."""

    async def run() -> Bench:
        bench = Bench(folder, **journal)
        try:
            await scene(bench)
        finally:
            bench.journal.close()
        return bench

    return asyncio.run(run())


def recorded(folder: Path, span: Span | None = None) -> list[tuple[str, str]]:
    with JournalReader.open(folder / "table.journal", KEY) as reader:
        return [(entry.kind, entry.name) for entry in reader.entries(span, reveal=Reveal.ALL)]


def test_indicators_are_told_before_the_record_has_the_event_and_the_drivers_note_it(tmp_path: Path) -> None:
    done_when_told: list[tuple[int, int]] = []

    async def scene(bench: Bench) -> None:
        before = bench.journal.health.appended

        def send(_outputs: object) -> None:
            done_when_told.append((bench.journal.health.appended - before, len(bench.indicators.observed)))

        bench.indicators.send = send  # type: ignore[method-assign, assignment]
        bench.open_table()
        assert [event.ev for event in bench.indicators.observed] == ["table.open"]

    play(tmp_path, scene)
    assert done_when_told == [(0, 0)]


def test_event_outputs_and_snapshot_are_recorded_in_this_order(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        bench.open_table()

    play(tmp_path, scene)
    kinds = recorded(tmp_path)
    assert kinds[0] == ("event", "table.open")
    assert ("output", "phase") in kinds
    assert kinds[-3:] == [("host", "note"), ("host", "resume"), ("host", "snapshot")]


def test_a_power_cut_parts_no_event_from_its_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are handed to the writer together, and it commits what it is handed as a whole."""
    handed: list[list[Draft]] = []
    hand_over = Writer.hand_over

    def noted(writer: Writer, drafts: Sequence[Draft], *, may_wait: bool = False) -> None:
        handed.append(list(drafts))
        hand_over(writer, drafts, may_wait=may_wait)

    monkeypatch.setattr(Writer, "hand_over", noted)

    async def scene(bench: Bench) -> None:
        dealt_rounds(bench, rounds=2)
        bench.keeper.count_anew()
        bench.keeper.act(Person("S7", "anna", "supervisor", "10.0.0.7"), None, FloorCalled(t=0.0))

    play(tmp_path, scene)
    answers = [(draft.answers, {one.seq for one in drafts}) for drafts in handed for draft in drafts]
    assert sum(answered is not None for answered, _ in answers) > 10
    assert [answered for answered, together in answers if answered is not None and answered not in together] == []


def test_a_rulebook_is_named_where_a_reader_asks_for_it_and_in_no_entry_between(tmp_path: Path) -> None:
    async def two_rounds(bench: Bench) -> None:
        dealt_rounds(bench, rounds=2)

    async def another_start(bench: Bench) -> None:
        for _ in range(2):
            bench.take(FloorCalled)

    play(tmp_path, two_rounds)
    play(tmp_path, another_start)
    with JournalReader.open(tmp_path / "table.journal", KEY) as reader:
        entries = list(reader.entries(reveal=Reveal.ALL))
    digest = BOOKS[HOLDEM].digest
    named = [entry for entry in entries if entry.rulebook_digest is not None]
    assert {entry.rulebook_digest for entry in named} == {digest}
    events = [entry for entry in entries if entry.kind == EntryKind.EVENT]
    states = [entry.seq for entry in entries if entry.name == "snapshot"]

    def names_it(before: Entry, event: Entry) -> bool:
        behind_state = any(before.seq < state < event.seq for state in states)
        return event.round != before.round or behind_state or event.name == "table.open" or event is events[-2]

    wanted = [event.seq for before, event in pairwise([events[0], *events]) if names_it(before, event)]
    assert [entry.seq for entry in named if entry.kind == EntryKind.EVENT] == wanted
    assert {entry.name for entry in named if entry.kind != EntryKind.EVENT} == {"resume", "snapshot"}
    assert len(wanted) < len(events) / 10


def test_an_event_is_acknowledged_when_it_is_synced_and_not_before(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        bench.open_table()
        bench.take(ShoeShuffled, by="shoe", seq=1, count=52)
        bench.take(SeatIn, by="keys", seq=1, seat=5)
        bench.take(SeatIn, by="keys", seq=2, seat=6)
        assert bench.indicators.acknowledged == []
        await bench.synced()
        assert bench.indicators.acknowledged[-1] == ("keys", 2)
        assert ("shoe", 1) in bench.indicators.acknowledged

    play(tmp_path, scene)


def test_a_message_that_breaks_the_rules_is_recorded_by_its_number_and_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shoe = driver_for("shoe")("shoe", {})

    async def scene(bench: Bench) -> None:
        bench.open_table()
        body = {"ev": "card_out", "card": "Kd", "face": "sideways"}
        bench.keeper.deliver(Delivery("shoe", lambda t: shoe.events(body, t), Source("shoe", BOOT, 1)))
        await bench.synced()
        assert bench.indicators.acknowledged == [("shoe", 1)]
        assert bench.journal.resume_points() == {"shoe": (BOOT, 1)}
        [(device, text)] = bench.indicators.faults
        assert device == "shoe"
        assert "face" in text
        assert "Kd" not in text

    with caplog.at_level(logging.DEBUG):
        play(tmp_path, scene)
    assert "Kd" not in caplog.text
    with JournalReader.open(tmp_path / "table.journal", KEY) as reader:
        [event] = [event for event in reader.events_since() if event.source is not None]
        notes = [entry.body["note"] for entry in reader.entries(Span(name="note"))]
    assert isinstance(event.event, Tick)
    assert "a device broke the rules of its messages" in notes


def test_a_device_that_floods_with_what_no_message_is_writes_one_entry_with_their_count(tmp_path: Path) -> None:
    keys = driver_for("keys")("keys", {})

    def say(bench: Bench, seq: int, body: dict[str, object]) -> None:
        bench.keeper.deliver(Delivery("keys", lambda t: keys.events(body, t), Source("keys", BOOT, seq)))

    async def scene(bench: Bench) -> None:
        bench.open_table()
        for seq in range(1, 33):
            say(bench, seq, {"ev": "temperature", "c": seq})
        await bench.synced()
        assert bench.indicators.acknowledged == [("keys", 1)]
        assert len(bench.indicators.faults) == 1
        bench.keeper.beat()
        await bench.synced()
        assert bench.indicators.acknowledged == [("keys", 1), ("keys", 32)]
        assert len(bench.indicators.faults) == 32

    play(tmp_path, scene)
    assert bad_messages(tmp_path) == [(None, 1), (31, 32)]


def test_what_was_gathered_of_a_device_is_recorded_before_anything_else_it_says(tmp_path: Path) -> None:
    keys = driver_for("keys")("keys", {})
    bodies = [{"ev": "temperature"}] * 3 + [{"ev": "seat_in", "seat": 5}, {"ev": "temperature"}]

    async def scene(bench: Bench) -> None:
        bench.open_table()
        for seq, body in enumerate(bodies, start=1):
            bench.keeper.deliver(
                Delivery("keys", lambda t, body=body: keys.events(body, t), Source("keys", BOOT, seq))  # type: ignore[misc]
            )
        await bench.synced()
        assert bench.journal.resume_points() == {"keys": (BOOT, 4)}
        bench.time.pass_(0.1)
        bench.keeper.deliver(Delivery("keys", lambda t: keys.events({"ev": "nonsense"}, t), Source("keys", BOOT, 6)))
        await bench.synced()
        assert bench.journal.resume_points() == {"keys": (BOOT, 6)}

    play(tmp_path, scene)
    assert bad_messages(tmp_path) == [(None, 1), (2, 3), (2, 6)]


def bad_messages(folder: Path) -> list[tuple[int | None, int | None]]:
    """Of each entry about messages against the rules: how many, where it says so, and the device's number after it."""
    with JournalReader.open(folder / "table.journal", KEY) as reader:
        entries = list(reader.entries(None, reveal=Reveal.ALL))
    return [
        (entry.body.get("times"), after.source.seq if after.source else None)
        for entry, after in pairwise(entries)
        if entry.body.get("note") == BAD_MESSAGE_NOTE
    ]


def test_a_full_disk_stops_play_and_nothing_is_acknowledged_until_it_is_written(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        bench.open_table()
        await bench.synced()
        bench.journal.max_bytes = 1
        bench.journal._writer._close()  # the limit takes effect when the file is opened again
        count = 0
        while not bench.failures:
            count += 1
            bench.take(SeatIn, by="keys", seq=count, seat=4)
            await asyncio.sleep(0.01)
        assert bench.keeper.stopped is not None
        assert bench.indicators.stopped == bench.keeper.stopped
        acknowledged = list(bench.indicators.acknowledged)
        bench.take(SeatIn, by="keys", seq=count + 1, seat=4)
        await turns()
        assert bench.indicators.acknowledged == acknowledged
        bench.journal.max_bytes = None
        bench.journal.retry()
        await eventually(lambda: bench.keeper.stopped is None)
        await bench.synced()
        assert_plays(bench)
        assert bench.indicators.acknowledged[-1] == ("keys", count + 1)
        assert bench.indicators.stops == 1

    play(tmp_path, scene)
    with JournalReader.open(tmp_path / "table.journal", KEY) as reader:
        seqs = [event.source.seq for event in reader.events_since() if event.source is not None]
        notes = [entry.body["note"] for entry in reader.entries(Span(name="note"))]
    assert seqs == list(range(1, len(seqs) + 1))
    assert "the record was interrupted" in notes


def test_what_the_journal_has_no_room_for_waits_untaken_and_comes_in_its_order(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        bench.open_table()
        await bench.synced()
        for seq in range(1, 60):  # no turn for the loop: nothing is reported synced meanwhile, however quick the disk
            bench.take(SeatIn, by="keys", seq=seq, seat=4)
            if bench.keeper.waiting:
                break
        if bench.keeper.waiting:
            assert bench.indicators.stopped is not None
        await eventually(lambda: bench.keeper.waiting == 0)
        await bench.synced()
        assert bench.keeper.stopped is None

    play(tmp_path, scene, backlog_limit=1)
    with JournalReader.open(tmp_path / "table.journal", KEY) as reader:
        seqs = [event.source.seq for event in reader.events_since() if event.source is not None]
    assert seqs == list(range(1, len(seqs) + 1))


def test_a_rounds_cards_are_sealed_until_it_ends(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        bench.open_table()
        bench.take(ShoeShuffled, count=52)
        bench.take(ShoeCard, card="Kd")
        bench.take(CardPlaced, zone="seat:1", card="Kd")
        assert bench.journal.open_rounds == (1,)

    play(tmp_path, scene)
    with JournalReader.open(tmp_path / "table.journal") as reader:
        assert "Kd" not in str([entry.body for entry in reader.entries()])
    assert (EntryKind.HOST, "round.begin") in recorded(tmp_path)
    # as it would be written: two bytes alone come by chance, in what is sealed
    assert b'"Kd"' not in (tmp_path / "table.journal").read_bytes()


def test_a_table_reopens_between_rounds_only(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        bench.open_table(HOLDEM)
        bench.open_table(HOLDEM)  # the same: no effect
        assert bench.keeper.tally.events["table.open"] == 1
        bench.take(ShoeShuffled, count=52)
        bench.take(ShoeCard, card="Kd")
        bench.take(CardPlaced, zone="seat:1", card="Kd")
        bench.open_table(UTH)
        assert book_of(bench) == HOLDEM
        bench.take(Supervisor, decision="misdeal", staff="S-1")
        bench.take(Supervisor, decision="resume", staff="S-1")
        assert book_of(bench) == UTH
        assert bench.keeper.tally.events["table.close"] == 1

    play(tmp_path, scene)


def book_of(bench: Bench) -> str | None:
    book = bench.keeper.table.rulebook
    return None if book is None else book.id


def assert_plays(bench: Bench) -> None:
    assert bench.keeper.stopped is None
    assert bench.indicators.stopped is None


def test_a_closed_table_is_opened_by_the_configuration(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        bench.open_table()
        bench.take(TableClose)
        bench.open_table()
        assert bench.keeper.tally.events["table.open"] == 2

    play(tmp_path, scene)


def test_time_passes_for_the_table_only_while_something_can_fall_due(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        bench.open_table()
        for _ in range(200):
            bench.time.pass_(1.0)
            bench.keeper.beat()
        assert bench.keeper.tally.events["tick"] == 0
        bench.take(DeviceState, device="shoe", online=False, reason="silent")
        bench.indicators.sent.clear()
        for _ in range(59):
            bench.time.pass_(1.0)
            bench.keeper.beat()
        assert bench.keeper.tally.events["tick"] == 0
        bench.time.pass_(2.0)
        bench.keeper.beat()
        assert escalations(bench.indicators) == 1
        bench.time.pass_(1.0)
        bench.keeper.beat()
        assert bench.keeper.tally.events["tick"] == 1

    play(tmp_path, scene)


def test_a_level_that_is_over_is_told_at_a_table_where_nothing_happens(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        bench.keeper.open_with(tournament_opening())
        bench.take(TournamentClock, running=True, elapsed=1195.0)
        bench.indicators.sent.clear()
        for _ in range(20):
            bench.time.pass_(1.0)
            bench.keeper.beat()
        assert bench.keeper.tally.events["tick"] == 1
        [level] = [output.value for output in bench.indicators.sent if isinstance(output.value, Level)]
        assert (level.level, level.blinds) == (2, (100, 200))

    play(tmp_path, scene)


def escalations(indicators: FakeIndicators) -> int:
    alarms = [output.value for output in indicators.sent if isinstance(output.value, Alarm)]
    return sum(alarm.state is AlarmState.ESCALATED for alarm in alarms)


def test_a_wall_clock_that_is_set_is_noted_once(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        bench.time.pass_(1.0)
        bench.keeper.beat()
        bench.time.wall += 3600
        bench.keeper.beat()
        bench.keeper.beat()

    play(tmp_path, scene)
    with JournalReader.open(tmp_path / "table.journal", KEY) as reader:
        [note] = [entry.body for entry in reader.entries(Span(name="note"))]
    assert note == {"note": "the wall clock was set", "seconds": 3600.0}


def test_a_journal_that_is_full_says_so_in_its_own_words(tmp_path: Path) -> None:
    async def scene(bench: Bench) -> None:
        bench.keeper.journal_failed(JournalFull("no room", tmp_path, "Make room"))
        assert bench.keeper.stopped == f"{tmp_path}: no room. Make room"

    play(tmp_path, scene)

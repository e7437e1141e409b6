"""The journal from the daemon's side: append, be told what is on the disk, read it again, go on after a restart."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feltd.bench.acknowledging import measure_acknowledgements
from feltd.record import EntryKind, JournalReader, Reveal, Seal, Source, Span, database
from feltd.record.drafts import Draft
from feltd.record.reader import KeptState
from feltd.record.verify import verify
from feltd.table.journal import Journal, JournalState
from feltd.table.journal.writer import Writer
from feltd.text.errors import JournalBacklog, JournalClosed, JournalEntryInvalid, JournalMissing
from table_fsm.events import (
    CardExposed,
    CardPlaced,
    CardRemoved,
    CardTurned,
    DeviceState,
    Event,
    HandEnd,
    SeatIn,
    ShoeCard,
    ShoeDeckChecked,
    Tick,
)
from table_fsm.outputs import Display, Gate, Lamp, LampName, Output, Phase
from tests.feltd.seal_support import PRIVATE, PUBLIC
from tests.some_outputs import ruling

KEY = bytes(range(32))
DIGEST = "ab" * 32
CARDS = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"] + ["Jo"]


def card(t: float, zone: str = "seat:1", name: str | None = "As") -> CardPlaced:
    return CardPlaced(t=t, zone=zone, card=name)


def take(journal: Journal, event: Event, number: int = 1, source: Source | None = None) -> int:
    return journal.append_event(event, source=source, round_number=number, rulebook_digest=DIGEST)


def answer(journal: Journal, output: Output, number: int = 1) -> int:
    return journal.append_output(output, round_number=number, rulebook_digest=DIGEST)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.journal"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    opened = Journal.open(path, KEY, monotonic=lambda: 50.0, wall=lambda: 1_700_000_000.5)
    yield opened
    opened.close()


def test_an_event_and_its_output_come_back_with_everything_that_was_said_of_them(journal: Journal) -> None:
    source = Source("reader:seats", b"boot-one", 41)
    seq = take(journal, SeatIn(t=1.5, seat=4), 7, source)
    answered = answer(journal, Output(1.5, Phase("betting", "flop")), 7)
    journal.flush_blocking()
    event, output = journal.reader.entries()
    assert (event.seq, event.kind, event.name, event.t) == (seq, EntryKind.EVENT, "seat.in", 1.5)
    assert (event.host_monotonic, event.wall, event.round, event.rulebook_digest) == (50.0, 1_700_000_000.5, 7, DIGEST)
    assert (event.source, event.seal) == (source, Seal.NONE)
    assert (output.seq, output.name, output.answers) == (answered, "phase", seq)
    assert output.body == {"t": 1.5, "phase": "betting", "street": "flop"}
    assert event.to_dict()["source"] == {"device": "reader:seats", "boot_id": b"boot-one".hex(), "seq": 41}


def test_what_is_appended_together_is_committed_as_one(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    handed: list[int] = []
    original = Writer.hand_over

    def counted(writer: Writer, drafts: Sequence[Draft], *, may_wait: bool = False) -> None:
        handed.append(len(drafts))
        original(writer, drafts, may_wait=may_wait)

    monkeypatch.setattr(Writer, "hand_over", counted)
    with journal.together():
        take(journal, HandEnd(t=2.0))
        with journal.together():
            journal.end_round(1)
            journal.append_snapshot("{}", round_number=2, rulebook_digest=DIGEST)
        journal.begin_round(2)
        with pytest.raises(RuntimeError, match="flush inside"):
            journal.flush_blocking(1)
    assert handed == [4]
    assert journal.flush_blocking() == 4


def test_what_was_appended_is_kept_even_if_the_block_ends_in_an_exception(journal: Journal) -> None:
    def block() -> None:
        with journal.together():
            take(journal, Tick(t=1.0))
            raise KeyError

    with pytest.raises(KeyError):
        block()
    journal.flush_blocking()
    assert [entry.name for entry in journal.reader.entries()] == ["tick"]


def test_the_loop_is_told_what_is_on_the_disk(path: Path) -> None:
    async def main() -> None:
        journal = Journal.open(path, KEY)
        told: list[int] = []
        all_told = asyncio.Event()
        journal.on_synced(told.append)
        journal.on_synced(lambda seq: all_told.set() if seq == 300 else None)
        last = 0
        for number in range(300):
            last = take(journal, Tick(t=float(number)))
        assert await journal.flush() == last == 300
        await all_told.wait()
        assert told == sorted(told)
        assert told[-1] == journal.synced == last
        assert len(told) < 300  # in groups
        journal.close()

    asyncio.run(main())


def test_a_reader_beside_the_writer_sees_what_is_synced(journal: Journal, path: Path) -> None:
    take(journal, Tick(t=1.0))
    journal.flush_blocking()
    with JournalReader.open(path) as reader:
        assert [entry.t for entry in reader.entries()] == [1.0]
        take(journal, Tick(t=2.0))
        journal.flush_blocking()
        assert [entry.t for entry in reader.entries()] == [1.0, 2.0]
    with pytest.raises(JournalClosed):
        next(reader.entries())


def test_nothing_is_written_while_nothing_is_appended(journal: Journal, path: Path) -> None:
    take(journal, Tick(t=1.0))
    journal.flush_blocking()
    groups = journal.health.counters.groups
    before = {file.name: (file.stat().st_size, file.stat().st_mtime_ns) for file in path.parent.iterdir()}
    journal.retry()  # nothing to retry: no effect either
    assert journal.flush_blocking() == 1
    assert {file.name: (file.stat().st_size, file.stat().st_mtime_ns) for file in path.parent.iterdir()} == before
    assert journal.health.counters.groups == groups


@pytest.mark.parametrize("idle", [0.0, 1e-6])
def test_the_log_is_emptied_and_its_space_used_again(
    journal: Journal, path: Path, monkeypatch: pytest.MonkeyPatch, idle: float
) -> None:
    monkeypatch.setattr("feltd.table.journal.writer.CHECKPOINTS", ((8, idle),))
    for number in range(2000):
        answer(journal, Output(float(number), Display("x" * 300)))
        journal.flush_blocking()
        if journal.health.counters.checkpoints == 5:
            break
    assert journal.health.counters.checkpoints >= 5
    assert journal.health.counters.checkpoint_error is None
    if idle == 0.0:
        assert path.with_name(path.name + "-wal").stat().st_size < 100 * 4096
    assert verify(journal.reader).sound


def test_recovery_reads_the_last_snapshot_and_what_came_after_it(path: Path) -> None:
    journal = Journal.open(path, KEY, sealed_to=PUBLIC)
    assert (journal.reader.last_snapshot(), journal.reader.last_t(), journal.resume_points()) == (None, None, {})
    journal.begin_round(1)
    take(journal, card(1.0), 1, Source("reader:seats", b"old-boot", 9))
    take(journal, ShoeCard(t=1.0, card="As"), 1, Source("shoe", b"shoeboot", 3))
    with journal.together():
        take(journal, HandEnd(t=2.0))
        journal.end_round(1)
        snapshot = journal.append_snapshot('{"round": 2}', round_number=2, rulebook_digest=DIGEST)
        journal.begin_round(2)
    after: list[Event] = [
        card(3.0, "seat:2", "Td"),
        card(3.5, "seat:3", None),
        CardRemoved(t=4.0, zone="seat:2", card="Td"),
    ]
    for number, event in enumerate(after):
        take(journal, event, 2, Source("reader:seats", b"new-boot", number))
    answer(journal, Output(4.0, Lamp(LampName.PLAY, on=True)), 2)
    journal.close()

    again = Journal.open(path, KEY)
    assert again.reader.last_snapshot() == KeptState(snapshot, '{"round": 2}')
    assert [recorded.event for recorded in again.events_since(snapshot)] == after
    assert again.resume_points() == {"reader:seats": (b"new-boot", 2), "shoe": (b"shoeboot", 3)}
    assert again.reader.last_t() == 4.0
    assert list(again.open_rounds) == [2]
    again.begin_round(2)  # a restart in mid-round: no second beginning
    sealed_before = [
        entry.seq for entry in again.reader.entries(Span(kind=EntryKind.EVENT)) if entry.seal is Seal.CLOSED
    ]
    again.end_round(2)
    again.end_round(2)
    assert not list(again.open_rounds)
    again.close()
    with JournalReader.open(path) as reader:
        assert len(sealed_before) == 3
        entries = list(reader.entries())
        assert [entry.name for entry in entries if entry.name.startswith("round.")] == [
            "round.begin", "round.key", "round.end", "round.begin", "round.key", "round.end",
        ]  # fmt: skip
        assert {entry.seal for entry in entries if entry.kind == EntryKind.EVENT} == {Seal.NONE, Seal.NEVER_SHOWN}
        assert verify(reader).sound
    with JournalReader.open(path, unseal=PRIVATE) as reader:
        first = {entry.seal for entry in reader.entries(Span(round=1, kind=EntryKind.EVENT))}
        assert first == {Seal.NONE, Seal.OPENED}


def test_entries_are_found_by_span_round_kind_name_device_and_time(path: Path) -> None:
    clock = iter(float(second) for second in range(100))
    journal = Journal.open(path, KEY, wall=lambda: next(clock))
    for number in range(1, 4):
        take(journal, Tick(t=float(number)), number)
        take(journal, SeatIn(t=float(number), seat=number), number, Source("keys", b"boot", number))
        answer(journal, ruling(float(number), id=number), number)
    journal.append_note("clock step", {"seconds": -3.5}, round_number=3)
    journal.flush_blocking()

    def seqs(span: Span) -> list[int]:
        return [entry.seq for entry in journal.reader.entries(span)]

    assert seqs(Span(after=2, until=5)) == [3, 4, 5]
    assert seqs(Span(round=2)) == [4, 5, 6]
    assert seqs(Span(kind=EntryKind.OUTPUT)) == [3, 6, 9]
    assert seqs(Span(name="seat.in", round=3)) == [8]
    assert seqs(Span(device="keys")) == [2, 5, 8]
    assert seqs(Span(wall_from=3.0, wall_to=5.0)) == [4, 5, 6]
    assert [entry.seq for entry in journal.reader.entries(newest_first=True)] == list(range(10, 0, -1))
    assert [entry.body["ruling"]["id"] for entry in journal.reader.rulings(2)] == [3, 2]
    (note,) = journal.reader.entries(Span(name="note"))
    assert note.body == {"note": "clock step", "seconds": -3.5}
    journal.close()


def test_iteration_pages_through_more_than_one_chunk(journal: Journal) -> None:
    with journal.together():
        for number in range(1700):
            take(journal, Tick(t=float(number)))
    journal.flush_blocking()
    assert [entry.seq for entry in journal.reader.entries()] == list(range(1, 1701))
    assert [entry.seq for entry in journal.reader.entries(newest_first=True)] == list(range(1700, 0, -1))


def test_replay_lines_are_the_events_with_the_cards_of_finished_rounds(journal: Journal) -> None:
    take(journal, card(1.0), 1)
    answer(journal, Output(1.0, Phase("dealing")))
    take(journal, CardExposed(t=1.5, zone="seat:1", card="As"), 1)
    journal.end_round(1)
    take(journal, card(2.0), 2)
    journal.flush_blocking()
    lines = [json.loads(line) for line in journal.reader.replay_lines()]
    assert [line.get("card") for line in lines] == ["As", "As", None]
    everything = [json.loads(line) for line in journal.reader.replay_lines(reveal=Reveal.ALL)]
    assert [line["card"] for line in everything] == ["As", "As", "As"]


def test_too_much_waiting_refuses_events_and_takes_their_answers(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal.open(path, KEY, backlog_limit=10)
    kept: list[Sequence[Draft]] = []
    original = Writer.hand_over
    monkeypatch.setattr(Writer, "hand_over", lambda _, drafts, **__: kept.append(drafts))  # a disk that takes its time
    for number in range(10):
        take(journal, Tick(t=float(number)))
    assert not journal.health.accepting
    with pytest.raises(JournalBacklog, match=r"10 entries wait for the disk.*keeps the event"):
        take(journal, Tick(t=10.0))
    assert answer(journal, Output(9.0, Gate(locked=True))) == 11
    monkeypatch.setattr(Writer, "hand_over", original)
    for drafts in kept:
        journal._writer.hand_over(drafts)
    assert journal.flush_blocking() == 11
    assert take(journal, Tick(t=10.0)) == 12
    journal.close()


@pytest.mark.parametrize(
    ("event", "source", "digest"),
    [
        (Tick(t=float("nan")), None, DIGEST),
        (Tick(t=1.0), Source("shoe", b"boot", 2**63), DIGEST),
        (Tick(t=1.0), Source("shoe", b"boot", -1), DIGEST),
        (Tick(t=1.0), Source("\ud800", b"boot", 1), DIGEST),
        (Tick(t=1.0), None, "abc"),
        (Tick(t=1.0), None, "zz" * 32),
    ],
)
def test_what_no_entry_can_hold_is_refused_before_it_gets_a_number(
    journal: Journal, event: Event, source: Source | None, digest: str
) -> None:
    with pytest.raises(JournalEntryInvalid):
        journal.append_event(event, source=source, round_number=1, rulebook_digest=digest)
    with pytest.raises(JournalEntryInvalid):
        journal.append_snapshot("no json", round_number=1, rulebook_digest=DIGEST)
    with pytest.raises(JournalEntryInvalid):
        journal.append_note("x", {"y": object()})
    with pytest.raises(JournalEntryInvalid, match="round -1"):
        take(journal, card(1.0), -1)
    assert list(journal.open_rounds) == []
    assert take(journal, Tick(t=2.0)) == journal.flush_blocking()
    assert verify(journal.reader).sound


def test_a_closed_journal_says_so(path: Path) -> None:
    journal = Journal.open(path, KEY)
    journal.close()
    journal.close()
    assert journal.health.state is JournalState.CLOSED
    with pytest.raises(JournalClosed):
        take(journal, Tick(t=1.0))


def test_a_round_that_is_not_there_or_has_no_cards_ends_quietly(journal: Journal) -> None:
    journal.end_round(9)
    journal.begin_round(1)
    journal.end_round(1)
    journal.begin_round(2)
    journal.flush_blocking()
    assert [entry.name for entry in journal.reader.entries()] == ["round.begin", "round.end", "round.begin"]
    with pytest.raises(JournalMissing):
        JournalReader.open(journal.path.with_name("other"))


NAMES = st.one_of(st.none(), st.sampled_from(CARDS), st.text(max_size=40).filter(lambda text: text.isprintable()))
TIMES = st.floats(allow_nan=False, allow_infinity=False)
FACES = st.sampled_from(["up", "down", "?"])
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(CardPlaced, t=TIMES, zone=st.text(max_size=9), card=NAMES, face=FACES),
    st.builds(ShoeCard, t=TIMES, card=NAMES, face=FACES, deck=st.sampled_from(["blue", None])),
    st.builds(CardTurned, t=TIMES, zone=st.just("board:1"), card=NAMES, face=FACES),
    st.builds(CardRemoved, t=TIMES, zone=st.just("seat:2"), card=NAMES),
    st.builds(ShoeDeckChecked, t=TIMES, count=st.just(52), missing=st.lists(st.sampled_from(CARDS), max_size=60)),
    st.builds(DeviceState, t=TIMES, device=st.just("shoe"), online=st.booleans(), reason=st.sampled_from(CARDS)),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(EVENTS, st.integers(1, 3), st.booleans()), max_size=30))
def test_any_events_come_back_as_they_were_taken_with_and_without_their_round_being_over(
    tmp_path: Path, steps: list[tuple[Event, int, bool]]
) -> None:
    path = tmp_path / "any.journal"
    for file in tmp_path.iterdir():
        file.unlink()
    journal = Journal.open(path, KEY, sealed_to=PUBLIC)
    for event, number, ends in steps:
        take(journal, event, number)
        if ends:
            journal.end_round(number)
    journal.close()
    again = Journal.open(path, KEY, sealed_to=PUBLIC)
    assert [recorded.event for recorded in again.events_since(0)] == [event for event, _, _ in steps]
    for number in again.open_rounds:
        again.end_round(number)
    again.close()
    with JournalReader.open(path, unseal=PRIVATE) as reader:
        assert [recorded.event for recorded in reader.events_since(0)] == [event for event, _, _ in steps]
        assert verify(reader).sound


def test_the_measure_gives_a_value_an_event(tmp_path: Path) -> None:
    measured = asyncio.run(measure_acknowledgements(tmp_path, events=20, pause=0.0))
    lengths = {
        len(measured.append),
        len(measured.acknowledged),
        len(measured.bare_append),
        len(measured.bare_overwrite),
    }
    assert lengths == {20}
    assert min(measured.acknowledged) > 0


@pytest.mark.parametrize("size", [1024, 4096])
def test_a_journal_keeps_its_pages_and_its_limit_counts_them(tmp_path: Path, size: int) -> None:
    path = tmp_path / "pages.journal"
    with pytest.MonkeyPatch.context() as before:
        before.setattr(database, "PAGE_BYTES", size)
        database.connect_writer(path, None).close()
    again = database.connect_writer(path, 1 << 20)
    assert database.page_bytes(again) == size
    assert again.execute("PRAGMA max_page_count").fetchone() == ((1 << 20) // size,)
    again.close()

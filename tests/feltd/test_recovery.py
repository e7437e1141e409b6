"""Recovery: cut off after any event, the table comes back as it was; what devices had reported is known again."""

import asyncio
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import pytest

import table_fsm.table
from devices.drivers.registry import driver_for
from devices.simulated.direct import play_rounds
from feltd.books.drill import run_drill
from feltd.books.shipped import rulebook_sources, structure_sources
from feltd.record import EntryKind, HostEntry, JournalReader, RecordedEvent, Span
from feltd.record.entries import Row, Seal
from feltd.record.notes import START_NOTE, UNPROVEN_NOTE
from feltd.simulated.games import game_for, options_for
from feltd.table.journal import Journal
from feltd.table.keeper import recovery
from feltd.table.keeper.clock import LONGEST_PAUSE, resumed_at
from feltd.table.keeper.deliveries import Delivery
from feltd.table.keeper.edition import RecoveryError, software
from feltd.table.keeper.recovery import Recovered, recover, state_mark
from feltd.table.keeper.reported_states import ReportedStates
from feltd.text.errors import JournalKeyMissing, JournalKeyWrong
from table_fsm.events import (
    CardPlaced,
    CountsLost,
    DropboxState,
    Event,
    FloorCalled,
    MarkerPlaced,
    ShoeCard,
    ShoeCleared,
    ShoeDeckChecked,
    ShoeFault,
    ShoeShuffled,
    TableClose,
    TableOpen,
    TestMode,
)
from table_fsm.library import Library
from table_fsm.outputs import Output, Ruling
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table
from tests.feltd.table_support import BOOKS, HOLDEM, KEY, UTH, Bench
from tests.snapshots import DRILLS


def rounds(book: str, seed: int) -> list[Event]:
    """A few rounds with mistakes in them."""
    options = options_for(BOOKS[book])
    game = game_for(BOOKS[book], (1, 2, 4, 5), options, seed=seed, rounds=4, mistake_rate=0.7)
    table = Table(BOOKS)
    return play_rounds(
        game, lambda event: [out.to_dict() for out in table.apply(event)], options=options, button=game.button
    )


def record(folder: Path, events: list[Event]) -> None:
    """Have a keeper take events and stop, as if cut off after the last."""

    async def run() -> None:
        bench = Bench(folder)
        try:
            for event in events:
                bench.keeper.deliver(Delivery("test", lambda _t, event=event: [event]))  # type: ignore[misc]
        finally:
            bench.journal.close()

    asyncio.run(run())


def recovered(
    folder: Path, books: Mapping[str, Rulebook] | None = None, observe: Callable[[Event], None] | None = None
) -> Recovered:
    journal = Journal.open(folder / "table.journal", KEY)
    try:
        return recover(journal, books or BOOKS, observe)
    finally:
        journal.close()


def never_stopped(events: list[Event]) -> Table:
    table = Table(BOOKS)
    for event in events:
        table.apply(event)
    return table


@pytest.mark.parametrize("book", [HOLDEM, UTH])
@pytest.mark.parametrize("seed", [1, 2])
def test_cut_off_anywhere_the_table_comes_back_as_it_was(book: str, seed: int, tmp_path: Path) -> None:
    events = rounds(book, seed)
    for number, cut in enumerate(range(seed, len(events), max(1, len(events) // 12))):
        folder = tmp_path / str(number)
        folder.mkdir()
        record(folder, events[:cut])
        found = recovered(folder)
        assert found.table.digest(counts=False) == never_stopped(events[:cut]).digest(counts=False), cut
        assert found.notes == []
        assert found.replayed < cut or cut < 40


def test_a_recovered_table_goes_on_like_one_that_never_stopped(tmp_path: Path) -> None:
    events = rounds(HOLDEM, 3)
    half = len(events) // 2
    record(tmp_path, events[:half])
    table = recovered(tmp_path).table
    whole = never_stopped(events[:half])
    for event in events[half:]:
        assert table.apply(event) == whole.apply(event)
    assert table.digest(counts=False) == whole.digest(counts=False)


def test_a_record_whose_rulebook_has_a_fault_now_is_not_gone_on_with(tmp_path: Path) -> None:
    """The table may open with another book today: without this one the record would be played to other rulings."""
    record(tmp_path, rounds(HOLDEM, 1))
    texts = rulebook_sources()
    texts[f"{HOLDEM}.toml"] = texts[f"{HOLDEM}.toml"].replace('by = "dealer"', 'by = "deeler"', 1)
    with pytest.raises(RecoveryError, match=rf"rulebook that has faults now: {HOLDEM}\.toml:\d+: ") as refused:
        recovered(tmp_path, Library(texts, structure_sources()))
    assert "Mend the rulebook" in refused.value.remedy


def test_an_empty_journal_gives_a_closed_table(tmp_path: Path) -> None:
    found = recovered(tmp_path)
    assert found.table.rulebook is None
    assert (found.last_t, found.last_wall, found.replayed) == (None, None, 0)


def test_a_snapshot_that_does_not_give_its_state_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events = rounds(HOLDEM, 1)
    record(tmp_path, events)
    with monkeypatch.context() as patch:
        said = {"shown": "0" * 64, "software": version("feltd")}
        patch.setattr("feltd.table.keeper.recovery._note_of", lambda journal, seq: said)
        with pytest.raises(JournalKeyMissing, match="holds a card that nobody was shown") as caught:
            recovered(tmp_path)
    assert "start the version that wrote the record" in caught.value.remedy


def taken_of_no_state(monkeypatch: pytest.MonkeyPatch, seqs: Collection[int]) -> None:
    """Have the notes beside these snapshots name another state."""
    note_of = recovery._note_of
    monkeypatch.setattr(
        recovery,
        "_note_of",
        lambda journal, seq: {**note_of(journal, seq), **({"shown": "0" * 64} if seq in seqs else {})},
    )


def snapshots_of(folder: Path) -> list[int]:
    """The entries of the snapshots of a record, newest first."""
    with JournalReader.open(folder / "table.journal") as reader:
        return [kept.seq for kept in reader.snapshots()]


def test_where_the_newest_snapshot_gives_no_state_the_one_before_is_gone_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two no card was dealt that nobody was shown, so nothing of it needs a key."""
    events = rounds(HOLDEM, 1)
    events = events[: last_end(events)]
    end = events[-1].t
    more: list[Event] = [
        TableClose(t=end + 1),
        TableOpen(t=end + 2, rulebook=HOLDEM, seats=[1, 2, 4], options={"blinds": [100, 200]}),
        TableClose(t=end + 3),
        TableOpen(t=end + 4, rulebook=HOLDEM, seats=[1, 2, 4], options={"blinds": [100, 200]}),
    ]
    record(tmp_path, events + more)
    newest, before, *_ = snapshots_of(tmp_path)
    taken_of_no_state(monkeypatch, {newest})
    found = recovered(tmp_path)
    assert found.notes == [
        f"the snapshot at entry {newest} does not give the state it was taken of",
        f"played from the snapshot at entry {before}",
    ]
    assert 0 < found.replayed <= len(more)
    assert found.counts_lost
    assert found.table.digest() == never_stopped(events + more).digest(counts=False)


def test_snapshots_are_tried_up_to_a_number_then_everything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[Event] = []
    for number in range(recovery.SNAPSHOTS_TRIED + 3):
        t = float(2 * number)
        events += [TableOpen(t=t, rulebook=HOLDEM, seats=[1, 2], options={"blinds": [100, 200]}), TableClose(t=t + 1)]
    record(tmp_path, events)
    kept = snapshots_of(tmp_path)
    tried = kept[: recovery.SNAPSHOTS_TRIED]
    assert len(kept) > len(tried)
    taken_of_no_state(monkeypatch, tried)
    found = recovered(tmp_path)
    assert found.notes[-1] == "played from the beginning"
    assert [note.split()[4] for note in found.notes[:-1]] == [str(seq) for seq in tried]
    assert found.replayed == len(events)


def test_a_state_that_its_snapshot_does_not_give_is_not_written_and_the_rounds_keys_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The proof before the writing fails: the record is played on from the state before, never-shown cards and all."""
    events = rounds(HOLDEM, 1)
    with monkeypatch.context() as patch:
        patch.setattr("feltd.table.keeper.keeper.gives_its_state", lambda *_: False)
        record(tmp_path, events)
    assert "is not given by its snapshot, which is not written" in caplog.text
    with JournalReader.open(tmp_path / "table.journal") as reader:
        notes = [entry.body["note"] for entry in reader.entries(Span(name=HostEntry.NOTE))]
        assert notes.count(UNPROVEN_NOTE) > 2
        assert not list(reader.rows(Span(name=HostEntry.SNAPSHOT)))
    found = recovered(tmp_path)
    assert (found.replayed, found.notes) == (len(events), [])
    assert found.table.digest(counts=False) == never_stopped(events).digest(counts=False)


def events_of(drill: str) -> list[Event]:
    """The events of a drill, at the times at which it plays them."""
    table, events = Table(BOOKS), []

    class Noting:
        def apply(self, event: Event) -> list[Output]:
            events.append(event)
            return table.apply(event)

    run_drill(DRILLS / drill, BOOKS, lambda _: Noting())
    return events


@pytest.mark.parametrize(
    "drill",
    [
        "act-2019-uth/4.6-a-wager-for-the-next-round-and-no-end-keyed.jsonl",
        "act-2019-uth/6.1-a-card-after-the-last-wager-is-settled.jsonl",
    ],
)
def test_a_card_that_ends_a_round_and_begins_the_next_belongs_to_the_next(drill: str, tmp_path: Path) -> None:
    """No state is kept after it: a start from there would not know the card. The round before is over all the same."""
    events = events_of(drill)
    numbers = [never_stopped(events[:n]).round_number for n in range(len(events) + 1)]
    cut = next(n for n in range(1, len(events)) if numbers[n] == 2)
    record(tmp_path, events[:cut])
    with JournalReader.open(tmp_path / "table.journal") as reader:
        kinds = {HostEntry.ROUND_BEGIN, HostEntry.ROUND_END, HostEntry.SNAPSHOT, HostEntry.ROUND_KEY}
        told = [(row.name, row.round) for row in reader.rows(Span()) if row.name in kinds]
    assert told[-3:] == [("round.end", 1), ("round.begin", 2), ("round.key", 2)]
    found = recovered(tmp_path)
    assert found.notes == []
    assert found.table.digest(counts=False) == never_stopped(events[:cut]).digest(counts=False)


def last_end(events: list[Event]) -> int:
    """After how many events the last round has just ended."""
    table, found = Table(BOOKS), 0
    for count, event in enumerate(events, 1):
        table.apply(event)
        found = count if table.at_round_boundary else found
    assert found
    return found


def test_a_start_counts_anew_and_the_record_says_so_once(tmp_path: Path) -> None:
    """The same rulings follow at the table and in a replay of its record."""
    events = rounds(HOLDEM, 3)
    end = last_end(events)
    record(tmp_path, events[:end])
    whole = never_stopped(events[:end])
    found = recovered(tmp_path)
    assert found.counts_lost
    assert found.notes == []
    assert found.table.digest() != whole.digest()
    whole.apply(CountsLost(t=whole.last_t))
    assert found.table.digest() == whole.digest()
    record(tmp_path, [CountsLost(t=whole.last_t), FloorCalled(t=whole.last_t, by="dealer")])
    again = recovered(tmp_path)
    assert not again.counts_lost, "the record says so, and a second start counts on from there"


def test_no_file_has_what_readers_counted(tmp_path: Path) -> None:
    """Who has the journal, its key and the short-lived keys could tell from it what the last round did not show."""
    events = rounds(HOLDEM, 3)
    record(tmp_path, events[: last_end(events)])
    with JournalReader.open(tmp_path / "table.journal", KEY) as reader:
        kept = list(reader.rows(Span(name=HostEntry.SNAPSHOT)))
    assert len(kept) > 2
    assert {row.sealed for row in kept} == {None}
    for row in kept:
        table = Table.restore(BOOKS, row.body)
        assert table.digest() == table.digest(counts=False)
    whole = json.loads(never_stopped(events[: last_end(events)]).snapshot())
    names = {name for deck in whole["decks"].values() for name in deck["seen"] or ()}
    assert "last_seen" in names
    files = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert not [name for name in names if f'"{name}"'.encode() in files and len(name) > len("read")]


@pytest.mark.parametrize("moment", ["between two rounds", "in mid-round"])
@pytest.mark.parametrize("whole_pack", [True, False])
def test_a_pack_that_was_checked_before_a_restart_raises_nothing_more(
    tmp_path: Path, moment: str, whole_pack: bool
) -> None:
    """Its cards stay sealed, the start opens them, and what follows is ruled as at a table that never stopped."""
    events = rounds(HOLDEM, 3)
    ends = [n for n in range(60, len(events)) if never_stopped(events[:n]).at_round_boundary]
    at = ends[0] if moment == "between two rounds" else (ends[0] + ends[1]) // 2
    missing = [] if whole_pack else ["Qh"]
    check = ShoeDeckChecked(t=events[at - 1].t, count=52 - len(missing), deck="blue", missing=missing)
    before = [*events[:at], check]
    record(tmp_path, before)
    found = recovered(tmp_path)
    whole = never_stopped(before)
    assert (found.notes, found.counts_lost) == ([], True)
    assert found.table.digest(counts=False) == whole.digest(counts=False)
    record(tmp_path, [CountsLost(t=check.t), *events[at:]])
    expected = [out.to_dict() for event in events[at:] for out in whole.apply(event)]
    with JournalReader.open(tmp_path / "table.journal") as reader:
        lost = next(iter(reader.rows(Span(name="counts.lost")))).seq
        given = [entry.body for entry in reader.entries(Span(after=lost, kind=EntryKind.OUTPUT))]
    assert json.loads(json.dumps(expected)) == given
    again = recovered(tmp_path)
    assert again.notes == []
    assert again.table.digest(counts=False) == whole.digest(counts=False)


def test_a_start_that_is_refused_says_the_same_again_and_destroys_no_key(tmp_path: Path) -> None:
    """In mid-round, without the short-lived keys: the second start must not name another cause than the first."""
    events = rounds(HOLDEM, 3)
    cut = next(n for n in range(60, len(events)) if isinstance(events[n - 1], CardPlaced))
    record(tmp_path, events[:cut])
    keys = tmp_path / "table.journal.keys"
    kept = keys.read_bytes()
    keys.unlink()
    said = set()
    for _ in range(2):
        with pytest.raises(JournalKeyWrong) as refused:
            Journal.open(tmp_path / "table.journal", KEY)
        said.add(str(refused.value))
    assert len(said) == 1
    assert not keys.exists()
    keys.write_bytes(kept)
    assert recovered(tmp_path).table.digest(counts=False) == never_stopped(events[:cut]).digest(counts=False)


def test_an_older_copy_of_the_record_beside_newer_keys_is_refused_and_the_keys_stay(tmp_path: Path) -> None:
    events = rounds(HOLDEM, 3)
    ends = [n for n in range(60, len(events) + 1) if never_stopped(events[:n]).at_round_boundary]
    record(tmp_path, events[: ends[0]])
    older = (tmp_path / "table.journal").read_bytes()
    record(tmp_path, events[ends[0] : ends[-1]])
    keys = (tmp_path / "table.journal.keys").read_bytes()
    for file in tmp_path.glob("table.journal-*"):
        file.unlink()
    (tmp_path / "table.journal").write_bytes(older)
    with pytest.raises(JournalKeyWrong, match="older than the short-lived keys beside it"):
        Journal.open(tmp_path / "table.journal", KEY)
    assert (tmp_path / "table.journal.keys").read_bytes() == keys


@pytest.mark.parametrize("restart", [False, True])
def test_a_check_of_the_pack_behind_a_round_publishes_no_folded_hand(tmp_path: Path, restart: bool) -> None:
    """Two cards are still out when the shoe counts: they are named to nobody, whether feltd starts anew or not."""
    events = rounds(HOLDEM, 3)
    cut = next(n for n in range(1, len(events)) if n > 60 and never_stopped(events[:n]).at_round_boundary)
    check = ShoeDeckChecked(t=events[cut - 1].t, count=50, deck="blue", missing=["Qh", "Qd"])
    parts = [[*events[:cut], check], events[cut:]] if restart else [[*events[:cut], check, *events[cut:]]]
    for part in parts:
        record(tmp_path, part)
    with JournalReader.open(tmp_path / "table.journal") as reader:
        checks = [entry for entry in reader.entries(Span(name="shoe.deck_checked")) if entry.seq > cut]
    assert [entry.seal for entry in checks if entry.body["count"] == 50] == [Seal.NEVER_SHOWN]


def record_by_another(folder: Path, events: list[Event], *, keeps_more: bool) -> None:
    """A journal as feltd 0.0.1 left it, whose digests were others; where it `keeps_more`, its snapshots too."""
    snapshot, digest = Table.snapshot, Table.digest
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recovery, "software", lambda: "0.0.1")
        patch.setattr(
            Table, "digest", lambda table, counts=True: sha256(digest(table, counts=counts).encode()).hexdigest()
        )
        if keeps_more:
            patch.setattr(
                Table,
                "snapshot",
                lambda table, counts: json.dumps({**json.loads(snapshot(table, counts=counts)), "tray": [5, 25]}),
            )
        record(folder, events)


def mid_round(events: list[Event]) -> int:
    """After how many events a late round is in the middle of its betting."""
    table, found = Table(BOOKS), 0
    for count, event in enumerate(events, 1):
        table.apply(event)
        if table.view()["phase"] == "betting" and table.round_number > 2:
            found = count
    assert found
    return found


@pytest.mark.parametrize("book", [HOLDEM, UTH])
@pytest.mark.parametrize("keeps_more", [False, True])
def test_an_upgrade_in_the_middle_of_a_round_loses_nothing(book: str, keeps_more: bool, tmp_path: Path) -> None:
    """Another version began the round. This one plays its events again, from the last snapshot or from the beginning,
    and goes on like a table that was never stopped; a note says what was done."""
    events = rounds(book, 3)
    cut = mid_round(events)
    record_by_another(tmp_path, events[:cut], keeps_more=keeps_more)
    found = recovered(tmp_path)
    whole = never_stopped(events[:cut])
    assert found.table.digest(counts=False) == whole.digest(counts=False)
    assert found.table.view()["phase"] == "betting"
    assert len(found.notes) == (not keeps_more), "its snapshots name their writer"
    assert keeps_more or found.notes[0].startswith(
        f"feltd 0.0.1 wrote the record up to here, and feltd {version('feltd')} goes on"
    )
    if keeps_more:
        assert found.replayed == cut, "that version could not take its own snapshots, and wrote none"
    else:
        assert found.replayed < cut
    for event in events[cut:]:
        assert found.table.apply(event) == whole.apply(event)
    assert found.table.digest(counts=False) == whole.digest(counts=False)


def test_after_an_upgrade_the_record_names_the_version_that_goes_on(tmp_path: Path) -> None:
    events = rounds(HOLDEM, 3)
    cut = mid_round(events)
    record_by_another(tmp_path, events[:cut], keeps_more=True)
    record(tmp_path, events[cut:])
    found = recovered(tmp_path)
    assert found.notes == []
    assert found.replayed < 60
    assert found.table.digest(counts=False) == never_stopped(events).digest(counts=False)


def test_a_text_that_changed_rounds_ago_stops_no_start_in_mid_round(tmp_path: Path) -> None:
    """The whole record is played again, and only the round in progress must be of the text that is there."""
    events = rounds(HOLDEM, 3)
    cut = mid_round(events)
    record_by_another(tmp_path, events[:cut], keeps_more=True)
    with JournalReader.open(tmp_path / "table.journal") as reader:
        last = reader.round_in_progress()
    with pytest.MonkeyPatch.context() as patch:
        since = Journal.events_since

        def edited_since(journal: Journal, seq: int, read: Callable[[int], object]) -> list[RecordedEvent]:
            return [
                event if event.round == last else replace(event, rulebook_digest="f" * 64)
                for event in since(journal, seq, read)
            ]

        patch.setattr(Journal, "events_since", edited_since)
        found = recovered(tmp_path)
    assert found.notes[-1] == f"the rulebook {HOLDEM} is not the text it was"
    assert found.table.digest(counts=False) == never_stopped(events[:cut]).digest(counts=False)


class OtherText(Rulebook):
    """A rulebook that has been edited."""

    @property
    def digest(self) -> str:
        return "f" * 64

    def rules_as(self, digest: str) -> bool:
        return digest == self.digest


def edited(book: str) -> dict[str, Rulebook]:
    return {**BOOKS, book: OtherText(BOOKS[book].book)}


def dealt(count: int) -> Iterator[Event]:
    yield TableOpen(t=0.0, rulebook=HOLDEM, seats=[1, 2, 3], options={"blinds": [100, 200]}, button=3)
    yield ShoeShuffled(t=1.0, deck="blue", count=52)
    for number in range(count):
        yield ShoeCard(t=2.0 + number, card="Kd", deck="blue")


def started(folder: Path, writer: str) -> None:
    """Note the start of a version of feltd, as the daemon does."""

    async def run() -> None:
        journal = Journal.open(folder / "table.journal", KEY)
        try:
            digests = {book.id: book.digest for book in BOOKS.values()}
            journal.append_note(START_NOTE, {"software": writer, "rulebooks": digests})
            await journal.flush()
        finally:
            journal.close()

    asyncio.run(run())


def entries(folder: Path) -> list[tuple[Row, bytes]]:
    with JournalReader.open(folder / "table.journal") as reader:
        return list(reader.rows_with_chain(Span()))


def refusal(folder: Path) -> RecoveryError:
    """Why no start goes on with the record under another text of the rulebook; nothing may be written by it."""
    before = entries(folder)
    with pytest.raises(RecoveryError) as caught:
        recovered(folder, edited(HOLDEM))
    assert entries(folder) == before
    assert str(folder / "table.journal") in str(caught.value)
    return caught.value


def test_a_rulebook_changed_in_mid_round_stops_the_start(tmp_path: Path) -> None:
    started(tmp_path, software())
    record(tmp_path, list(dealt(1)))
    fault = refusal(tmp_path)
    assert fault.what == "the round in progress was begun under another text of tas-2018-holdem"
    assert fault.remedy == "Bring that text back, end the round, and change the rulebook between two rounds"


def with_another_note(note: str, note_before: str | None) -> dict[str, Rulebook]:
    """The books, where one row of Hold'em that had no note has one."""
    book, structures = BOOKS[HOLDEM].book, BOOKS[HOLDEM].structures
    rows = [row.model_copy(update={"note_before": None}) for row in book.rulings]
    at = next(at for at, row in enumerate(rows) if row.note is None)
    rows[at] = rows[at].model_copy(update={"note": note, "note_before": note_before})
    return {**BOOKS, HOLDEM: Rulebook(book.model_copy(update={"rulings": tuple(rows)}), structures=structures)}


def test_a_round_goes_on_under_a_text_that_has_other_notes_alone(tmp_path: Path) -> None:
    """The book says what its notes were, and its digest with those is the record's."""
    noted = with_another_note("The other reading.", "")
    assert noted[HOLDEM].digest != BOOKS[HOLDEM].digest
    record(tmp_path, list(dealt(2)))
    found = recovered(tmp_path, noted)
    assert found.notes == []
    assert found.table.digest(counts=False) == never_stopped(list(dealt(2))).digest(counts=False)


@pytest.mark.parametrize("before", [None, "Not what it was."])
def test_a_note_that_was_another_before_stops_the_start(before: str | None, tmp_path: Path) -> None:
    """Nobody knows what else the text with that digest said."""
    started(tmp_path, software())
    record(tmp_path, list(dealt(1)))
    with pytest.raises(RecoveryError) as caught:
        recovered(tmp_path, with_another_note("The other reading.", before))
    assert caught.value.what == "the round in progress was begun under another text of tas-2018-holdem"


def test_another_version_in_mid_round_stops_the_start_and_says_which_goes_on(tmp_path: Path) -> None:
    started(tmp_path, "9.1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recovery, "software", lambda: "9.1")
        record(tmp_path, list(dealt(1)))
    fault = refusal(tmp_path)
    assert fault.what == (
        "feltd 9.1 wrote the round in progress (round 1) under another text of tas-2018-holdem, and "
        f"feltd {software()} would rule on it otherwise"
    )
    assert fault.remedy == (
        "Start feltd 9.1 again and end the round, or have a supervisor void it there; then change the version "
        "between two rounds"
    )


def recorded_by_another(folder: Path, answer: Callable[[Output], list[Output]]) -> None:
    """A record of feltd 9.1 in the middle of its first round, with a pack that nobody has checked or cut.

    `answer`: what 9.1 gave in the place of each output of this version.
    """
    started(folder, "9.1")
    apply = Table.apply
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recovery, "software", lambda: "9.1")
        patch.setattr(Table, "apply", lambda self, event: [new for out in apply(self, event) for new in answer(out)])
        record(folder, list(dealt(1)))


def under_clause(clause: str, output: Output) -> Output:
    if not isinstance(output.value, Ruling):
        return output
    return Output(output.t, replace(output.value, rule=clause))


def test_a_round_that_another_version_ruled_on_alike_goes_on(tmp_path: Path) -> None:
    recorded_by_another(tmp_path, lambda output: [output])
    found = recovered(tmp_path)
    assert found.notes == [
        f"feltd 9.1 wrote the record up to here, and feltd {software()} goes on with it in the middle of round 1: "
        "the events of that round were played again"
    ]
    assert found.table.digest(counts=False) == never_stopped(list(dealt(1))).digest(counts=False)


@pytest.mark.parametrize(
    ("answer", "was"),
    [
        (lambda output: [under_clause("9.9", output)], "9.9 warn and 9.9 stop_table"),
        (lambda output: [] if isinstance(output.value, Ruling) else [output], "nothing"),
        (
            lambda output: [output, output] if isinstance(output.value, Ruling) else [output],
            "9.4 warn and 9.4 warn and 2.3 stop_table and 2.3 stop_table",
        ),
    ],
)
def test_a_round_that_another_version_ruled_on_otherwise_stops_the_start(
    answer: Callable[[Output], list[Output]], was: str, tmp_path: Path
) -> None:
    """Its text is the one at hand, and players have acted by what was ruled."""
    recorded_by_another(tmp_path, answer)
    before = entries(tmp_path)
    with pytest.raises(RecoveryError) as caught:
        recovered(tmp_path)
    assert entries(tmp_path) == before
    with JournalReader.open(tmp_path / "table.journal") as reader:
        *_, event = reader.rows(Span(kind=EntryKind.EVENT))
    assert caught.value.what == (
        f"feltd 9.1 ruled {was} at entry {event.seq} of the round in progress (round 1), "
        f"and feltd {software()} rules 9.4 warn and 2.3 stop_table there"
    )
    assert caught.value.remedy.startswith("Start feltd 9.1 again and end the round")


def test_a_record_without_a_start_has_no_names_of_rulebooks(tmp_path: Path) -> None:
    record(tmp_path, list(dealt(1)))
    assert refusal(tmp_path).what == "the round in progress was begun under another text of its rulebook"


def test_a_rulebook_changed_between_rounds_is_taken_and_said(tmp_path: Path) -> None:
    record(tmp_path, list(dealt(0)))
    found = recovered(tmp_path, edited(HOLDEM))
    assert found.notes == ["the rulebook tas-2018-holdem is not the text it was"]


def test_drivers_know_again_what_was_reported_before_the_snapshot(tmp_path: Path) -> None:
    events: list[Event] = [
        *dealt(0),
        ShoeFault(t=3.0, kind="lid_open"),
        MarkerPlaced(t=4.0, marker="button", seat=2),
        DropboxState(t=5.0, present=True, locked=False),
        TestMode(t=6.0, on=True),
        TestMode(t=7.0, on=False),
        TableOpen(t=8.0, rulebook=HOLDEM, seats=[1]),
    ]
    record(tmp_path, events)
    shoe, markers = driver_for("shoe")("shoe", {}), driver_for("markers")("markers", {})

    def observe(event: Event) -> None:
        shoe.observe(event)
        markers.observe(event)

    recovered(tmp_path, observe=observe)
    assert shoe.state_events({"locked": True, "faults": []}, 9.0) == [ShoeCleared(t=9.0, kind="lid_open")]


def test_standing_reports_survive_being_written_down() -> None:
    standing = ReportedStates(
        [
            TableOpen(t=0.0, rulebook=HOLDEM, seats=[1, 2], options={"burn": 1}),
            ShoeFault(t=1.0, kind="jam", deck="blue"),
            ShoeFault(t=1.5, kind="lid_open"),
            MarkerPlaced(t=2.0, marker="button", seat=1),
            MarkerPlaced(t=3.0, marker="button", seat=2),
            DropboxState(t=4.0, present=False, locked=False),
            ShoeCleared(t=5.0, kind="jam", deck="blue"),
            ShoeCard(t=6.0, card="Kd"),
        ]
    )
    again = ReportedStates.from_data(standing.to_data())
    assert again.events() == standing.events()
    assert [event.ev for event in again.events()] == ["table.open", "shoe.fault", "marker.placed", "dropbox.state"]
    assert again.opening is not None
    assert again.opening.options == {"burn": 1}


def test_a_state_is_marked_by_the_key_so_that_nobody_finds_cards_by_trying(tmp_path: Path) -> None:
    table = never_stopped(list(dealt(1)))
    marks = set()
    for number, key in enumerate((KEY, bytes(32))):
        for begun in (False, True):
            journal = Journal.open(tmp_path / f"{number}{begun}.journal", key)
            if begun:
                journal.append_event(ShoeCard(t=1.0, card="As"), source=None, round_number=1, rulebook_digest=None)
            marks.add(state_mark(table, journal.mark))
            journal.close()
    assert len(marks | {table.digest(), table.digest()}) == 5


@pytest.mark.parametrize(
    ("last_t", "last_wall", "wall", "expected"),
    [
        (None, None, 100.0, (0.0, True)),
        (50.0, 1000.0, 1060.0, (110.0, True)),
        (50.0, 1000.0, 990.0, (50.001, False)),
        (50.0, 1000.0, 1000.0 + LONGEST_PAUSE + 1, (50.001, False)),
        (50.0, None, 1000.0, (50.001, False)),
    ],
)
def test_table_time_goes_on_by_the_wall_clock_where_that_is_sane(
    last_t: float | None, last_wall: float | None, wall: float, expected: tuple[float, bool]
) -> None:
    assert resumed_at(last_t, last_wall, wall) == expected


def test_a_start_makes_what_the_first_snapshot_of_a_new_record_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table_fsm.table._standing.cache_clear()
    found = recovered(tmp_path)
    monkeypatch.setattr(table_fsm.table, "TypeAdapter", None)
    assert found.replayed == 0
    for event in rounds(UTH, 1):
        found.table.apply(event)
        if found.table.at_round_boundary:
            found.table.snapshot(counts=False)
            return
    pytest.fail("no round ended")

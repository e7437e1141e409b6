"""Recovery of the table from the journal: the last snapshot, and a replay since then.

The result is the state at the last committed event, in the middle of a round too.

**A snapshot is proven twice.** Before it is written it is loaded again and compared with the table; one that gives
another state is not written, and the record says so. Beside it stands the digest of what it gives; a table restored
from it by the same software must have the same digest. Another version of feltd may keep a state in another form: its
snapshots are taken as they are.

**Where the newest snapshot gives no state** the one before is tried, and so on, a few of them; then everything is
played from the beginning. The record says which were passed over. A snapshot that is in the database has destroyed the
keys of the rounds before it. So what lies between two snapshots is played again only where no card of it stayed unseen;
else the start is refused, and nothing is guessed. The keys are not kept for longer to mend this: whoever took the disk
would open the cards of one more round, for a fault that the proof before the writing has made a rare one.

**What readers counted** of each pack over rounds is in no snapshot, since it tells cards that nobody was shown. So a
start from a snapshot counts anew: the event `counts.lost` says so in the record, and a replay does the same.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any, Final

from feltd.record import EntryKind, HostEntry, RecordedEvent, Span
from feltd.record.notes import SNAPSHOT_NOTE
from feltd.record.reader import KeptState
from feltd.table.journal import Journal
from feltd.table.keeper.edition import (
    EarlierRulings,
    RecoveryError,
    change_of_edition,
    round_of_another_text,
    rulings_of_another_version,
    software,
)
from feltd.table.keeper.reported_states import ReportedStates
from table_fsm.errors import RulebookError, TableError
from table_fsm.events import CountsLost, Event, HandShown
from table_fsm.outputs import Kind
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table, get_ready_for_snapshots

_NOTE_REACH: Final = 8
"""Number of entries before a snapshot in which its note is searched."""
SNAPSHOTS_TRIED: Final = 16
"""Snapshots tried at a start, newest first, before everything is played from the beginning: it is bounded by them."""


class Doing(StrEnum):
    """What a start does with the record."""

    READING = "reads its record"
    PLAYING = "plays its record again"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a start is: `done` of `of` entries, or events."""

    doing: Doing
    done: int
    of: int

    @property
    def percent(self) -> int:
        """Of what it is doing, from 0 to 100."""
        return 100 * self.done // self.of if self.of else 100

    def __str__(self) -> str:
        what = "entries" if self.doing is Doing.READING else "events"
        return f"{self.doing.value}: {self.done:,} of {self.of:,} {what} ({self.percent} %)"


def to_nobody(progress: Progress) -> None:
    """Where nobody wants to know how far a start is."""


@dataclass(slots=True)
class Recovered:
    """The recovered table and the end of its record.

    `notes`: remarkable facts for the log and the journal.
    """

    table: Table
    standing: ReportedStates
    resume: dict[str, tuple[bytes, int]]
    last_t: float | None = None
    last_wall: float | None = None
    replayed: int = 0
    notes: list[str] = field(default_factory=list)
    shown: set[int] = field(default_factory=set)
    """The entries of the dealer's words for a hand that the replay took."""
    counts_lost: bool = False
    """The table counts the cards of each pack anew: the record must say so with a `counts.lost`."""


def recover(
    journal: Journal,
    rulebooks: Mapping[str, Rulebook],
    observe: Callable[[Event], None] | None = None,
    told: Callable[[Progress], None] = to_nobody,
) -> Recovered:
    """Return the table as the journal left it.

    `observe` (for drivers): called with the reports that still hold and each event played again. `told`: called with
    each event that is read, and each that is played. Raises RecoveryError, JournalKeyWrong, JournalCorrupt.
    """
    other = round_of_another_text(journal.reader, rulebooks.values())
    if other is not None:
        raise other.error(journal.path)
    ruled = rulings_of_another_version(journal.reader)
    get_ready_for_snapshots()
    recovered = Recovered(Table(rulebooks), ReportedStates(), journal.resume_points())
    edition = change_of_edition(journal.reader)
    recovered.notes += [] if edition is None else [edition]
    with _whole_books(journal):
        after = _restore(journal, rulebooks, recovered)
        for event in recovered.standing.events():
            if observe is not None:
                observe(event)
        whole = journal.reader.head().seq - after

        def read(seq: int) -> None:
            told(Progress(Doing.READING, seq - after, whole))

        changed = _replay(journal.events_since(after, read), recovered, observe, told, ruled)
    journal.replayed(recovered.shown)
    recovered.notes += [f"the rulebook {book} is not the text it was" for book in sorted(changed)]
    recovered.last_t, recovered.last_wall = _end_of_record(journal, recovered.table)
    return recovered


def snapshot_note(table: Table, standing: ReportedStates) -> dict[str, Any]:
    """The content of the note beside a snapshot. It depends on no card that nobody was shown."""
    return {"software": software(), "shown": table.digest(counts=False), "standing": standing.to_data()}


def gives_its_state(table: Table, snapshot: str, rulebooks: Mapping[str, Rulebook]) -> bool:
    """Whether a snapshot without counts gives the state it was taken of, without them."""
    try:
        return Table.restore(rulebooks, snapshot).digest() == table.digest(counts=False)
    except RulebookError:
        raise
    except (TableError, ValueError, TypeError, KeyError):
        return False


def state_mark(table: Table, mark: Callable[[bytes], str]) -> str:
    """A mark of the table's state without its counts, for comparing two runs. `mark`: the journal's keyed mark.

    Keyed, because a bare digest would reveal face-down cards to anybody who tries all of them.
    """
    return mark(bytes.fromhex(table.digest(counts=False)))


@contextmanager
def _whole_books(journal: Journal) -> Iterator[None]:
    """Refuse to go on without a book that the record was played by: without it, other rulings would come of it."""
    try:
        yield
    except RulebookError as faults:
        raise RecoveryError(
            "it was played by a rulebook that has faults now: " + "; ".join(faults.problems),
            journal.path,
            "Mend the rulebook, or install feltd again; nothing was changed in the record.",
        ) from faults


def _restore(journal: Journal, rulebooks: Mapping[str, Rulebook], recovered: Recovered) -> int:
    """Restore the last usable snapshot; return the entry to go on after, 0 for none."""
    passed_over = False
    for kept in islice(journal.reader.snapshots(), SNAPSHOTS_TRIED):
        why = _take(kept, _note_of(journal, kept.seq), rulebooks, recovered)
        if why is None:
            if passed_over:
                recovered.notes.append(f"played from the snapshot at entry {kept.seq}")
            return kept.seq
        passed_over = True
        recovered.notes.append(f"the snapshot at entry {kept.seq} {why}")
    if passed_over:
        recovered.notes.append("played from the beginning")
    return 0


def _take(
    kept: KeptState, note: Mapping[str, Any], rulebooks: Mapping[str, Rulebook], recovered: Recovered
) -> str | None:
    """Go on from a snapshot, or return what is wrong with it. `note`: the one beside it."""
    try:
        table = Table.restore(rulebooks, kept.text)
        standing = ReportedStates.from_data(note.get("standing", []))
    except RulebookError:
        raise
    except (TableError, ValueError, TypeError, KeyError) as fault:
        return f"cannot be used ({type(fault).__name__})"
    with_counts = "digest" in note  # before edition 2
    if note.get("software") == software() and note.get("digest" if with_counts else "shown") != table.digest():
        return "does not give the state it was taken of"
    recovered.table, recovered.standing = table, standing
    recovered.counts_lost = not with_counts
    return None


def _note_of(journal: Journal, seq: int) -> dict[str, Any]:
    span = Span(after=seq - _NOTE_REACH, until=seq, kind=EntryKind.HOST, name=HostEntry.NOTE)
    for entry in journal.reader.entries(span, newest_first=True):
        if isinstance(entry.body, dict) and entry.body.get("note") == SNAPSHOT_NOTE:
            return entry.body
    return {}


def _replay(
    events: Sequence[RecordedEvent],
    recovered: Recovered,
    observe: Callable[[Event], None] | None,
    told: Callable[[Progress], None],
    ruled: EarlierRulings | None,
) -> set[str]:
    """Play events again; return the ids of rulebooks whose text is not the one that was recorded.

    Raises RecoveryError where `ruled`, by another version in the round in progress, is not what is ruled now.
    """
    changed: set[str] = set()
    table = recovered.table
    for recorded in events:
        outputs = table.apply(recorded.event)
        if ruled is not None:
            ruled.require_same(recorded, outputs)
        if isinstance(recorded.event, HandShown) and not any(output.kind is Kind.ERROR for output in outputs):
            recovered.shown.add(recorded.seq)
        recovered.standing.observe(recorded.event)
        if isinstance(recorded.event, CountsLost):  # an earlier start has said so: the count goes on from there
            recovered.counts_lost = False
        if observe is not None:
            observe(recorded.event)
        recovered.replayed += 1
        told(Progress(Doing.PLAYING, recovered.replayed, len(events)))
        book, digest = table.rulebook, recorded.rulebook_digest
        if book is not None and digest is not None and not book.rules_as(digest):
            changed.add(book.id)
    return changed


def _end_of_record(journal: Journal, table: Table) -> tuple[float | None, float | None]:
    """Table seconds and wall seconds at the end of the record."""
    last_t = journal.reader.last_t()
    if last_t is None:
        return None, None
    newest = next(journal.reader.entries(newest_first=True), None)
    return max(last_t, table.last_t), None if newest is None else newest.wall

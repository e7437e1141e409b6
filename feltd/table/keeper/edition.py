"""Which version of feltd wrote a record, and what a start says where another version finds it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from feltd.record import EntryKind, HostEntry, JournalReader, RecordedEvent, Reveal, Span
from feltd.record.notes import SNAPSHOT_NOTE, START_NOTE
from feltd.text.errors import JournalError
from feltd.text.version import version_of_feltd
from table_fsm.outputs import Kind, Output, Ruling

FIRST_RELEASE: Final = "0.1.0"
"""The only release whose starts do not name their version; its snapshots do."""

_NOTES: Final = Span(kind=EntryKind.HOST, name=HostEntry.NOTE)


class RecoveryError(JournalError):
    """A journal that this feltd, with these rulebooks, cannot continue."""


@dataclass(frozen=True, slots=True)
class OtherText:
    """A round in progress that was played under rulebooks whose texts are not those at hand.

    `books`: their ids, in order; empty where no start in the record names them. `writer`: the version of feltd that
    wrote the round.
    """

    round: int
    books: tuple[str, ...]
    writer: str

    def error(self, journal: Path) -> RecoveryError:
        """The reason why no start goes on with the round, and the remedy."""
        books = ", ".join(self.books) or "its rulebook"
        if self.writer == software():
            return RecoveryError(
                f"the round in progress was begun under another text of {books}",
                journal,
                "Bring that text back, end the round, and change the rulebook between two rounds",
            )
        return RecoveryError(
            f"feltd {self.writer} wrote the round in progress (round {self.round}) under another text of {books}, and "
            f"feltd {software()} would rule on it otherwise",
            journal,
            _end_it_there(self.writer),
        )


@dataclass(frozen=True, slots=True)
class EarlierRulings:
    """What another version of feltd has ruled in the round in progress, under the text that is at hand.

    `on`: clause, outcomes and seat of each ruling, by the entry of the event that brought it.
    """

    round: int
    writer: str
    journal: Path
    on: dict[int, list[str]] = field(default_factory=dict)

    def require_same(self, recorded: RecordedEvent, outputs: Sequence[Output]) -> None:
        """Raise RecoveryError where this version rules otherwise on an event: players have acted by that ruling."""
        if recorded.round != self.round:
            return
        was = self.on.get(recorded.seq, [])
        now = [_in_short(output.value.to_json()) for output in outputs if isinstance(output.value, Ruling)]
        if was == now:
            return
        raise RecoveryError(
            f"feltd {self.writer} ruled {' and '.join(was) or 'nothing'} at entry {recorded.seq} of the round in "
            f"progress (round {self.round}), and feltd {software()} rules {' and '.join(now) or 'nothing'} there",
            self.journal,
            _end_it_there(self.writer),
        )


def _end_it_there(writer: str) -> str:
    return (
        f"Start feltd {writer} again and end the round, or have a supervisor void it there; then change the "
        "version between two rounds"
    )


def _in_short(ruling: Any) -> str:
    seat = "" if ruling["seat"] is None else f" at seat {ruling['seat']}"
    return f"{ruling['rule']} {' + '.join([ruling['outcome'], *ruling['also']])}{seat}"


def software() -> str:
    """The version of feltd that runs."""
    return version_of_feltd()


def writer_named_by(note: Any) -> str | None:
    """Return the version of feltd that a note of the host names as its writer; None if it names none."""
    if isinstance(note, dict) and note.get("note") in (START_NOTE, SNAPSHOT_NOTE):
        return str(note.get("software", FIRST_RELEASE))
    return None


def last_writer(reader: JournalReader) -> str | None:
    """Return the version of feltd that wrote the end of the record.

    None if no feltd has started with it yet.
    """
    named = (writer_named_by(entry.body) for entry in reader.entries(_NOTES, newest_first=True))
    return next((writer for writer in named if writer is not None), None)


def change_of_edition(reader: JournalReader) -> str | None:
    """Return a remark if another version of feltd wrote the record.

    None if this version wrote it, or none has yet.
    """
    before = last_writer(reader)
    if before in (None, software()):
        return None
    remark = f"feltd {before} wrote the record up to here, and feltd {software()} goes on with it"
    number = reader.round_in_progress()
    if number is None:
        return f"{remark}, between two rounds"
    return f"{remark} in the middle of round {number}: the events of that round were played again"


def rulings_of_another_version(reader: JournalReader) -> EarlierRulings | None:
    """Return what another version of feltd has ruled in the round in progress.

    None between two rounds, and where this version wrote the end of the record. Raises JournalKeyMissing for a reader
    without the master key.
    """
    number, writer = reader.round_in_progress(), last_writer(reader)
    if number is None or writer in (None, software()):
        return None
    earlier = EarlierRulings(number, writer, reader.path)
    span = _of_last_round(reader, number, EntryKind.OUTPUT, Kind.RULING.value)
    for entry in reader.entries(span, reveal=Reveal.ALL):
        if entry.answers is not None:
            earlier.on.setdefault(entry.answers, []).append(_in_short(entry.body[Kind.RULING.value]))
    return earlier


class Text(Protocol):
    """What is asked of a rulebook at hand: whether it rules as the text with a digest does."""

    def rules_as(self, digest: str, /) -> bool: ...


def round_of_another_text(reader: JournalReader, books: Iterable[Text]) -> OtherText | None:
    """Return the round in progress if its rulebook's text is not at hand, nor one that rules as that does.

    None if it is, or between two rounds. `books`: the rulebooks at hand, asked for until the round's is found.
    Plays nothing, and needs no key.
    """
    number = reader.round_in_progress()
    if number is None:
        return None
    rows = reader.rows(_of_last_round(reader, number, EntryKind.EVENT))
    other = {row.rulebook.hex() for row in rows if row.rulebook is not None}
    at_hand = iter(books)
    while other and (book := next(at_hand, None)) is not None:
        other = {digest for digest in other if not book.rules_as(digest)}
    return OtherText(number, _ids_of(other, reader), last_writer(reader) or software()) if other else None


def _of_last_round(reader: JournalReader, number: int, kind: EntryKind, name: str | None = None) -> Span:
    begins = Span(kind=EntryKind.HOST, name=HostEntry.ROUND_BEGIN)
    begun = next(reader.rows(begins, newest_first=True))
    return Span(after=begun.seq, round=number, kind=kind, name=name)


def _ids_of(digests: set[str], reader: JournalReader) -> tuple[str, ...]:
    """The ids of rulebooks by their digests, as far as starts in the record name them."""
    left = set(digests)
    ids: set[str] = set()
    for entry in reader.entries(_NOTES, newest_first=True):
        if not left:
            break
        if isinstance(entry.body, dict) and entry.body.get("note") == START_NOTE:
            named = {digest: book for book, digest in entry.body.get("rulebooks", {}).items() if digest in left}
            ids.update(named.values())
            left -= named.keys()
    return tuple(sorted(ids))

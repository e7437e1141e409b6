"""The hands that a table has let go for its broadcast: each card, folded or not, and what a hand was worth."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from feltd.broadcast.course import Course, Held, Street
from feltd.page.history.replayed import each_event
from feltd.page.history.search import FoundRound
from feltd.record import EntryKind, HostEntry, Reveal, Span
from feltd.record.notes import BROADCAST_NOTE
from feltd.record.rows import JournalRows
from feltd.text.errors import FeltdError
from table_fsm.felt import Phase
from table_fsm.rulebook import Rulebook


@dataclass(frozen=True, slots=True)
class BroadcastHand:
    """A round that is over. `ended`: seconds since 1970. `result`: None where the record does not say how it ended."""

    round: int
    ended: float
    game: str
    held: tuple[Held, ...]
    streets: tuple[Street, ...]
    result: Phase | None = None


@dataclass(slots=True)
class LetGo:
    """The hands of a record as the table lets them go. `most`: the newest that are kept."""

    rulebooks: Mapping[str, Rulebook]
    most: int = 20
    hands: dict[int, BroadcastHand] = field(default_factory=dict)
    problems: dict[int, str] = field(default_factory=dict)
    """By round: why one cannot be told."""
    _seen: int = 0

    def catch_up(self, record: JournalRows) -> bool:
        """Read what has been let go since the last call; whether there was anything. Raises JournalError."""
        last = record.last_entry()
        new = sorted(set(self._rounds(record, last)))
        self._seen = last
        for number in new:
            try:
                self.hands[number] = _hand(record, number, self.rulebooks)
            except FeltdError as fault:
                self.problems[number] = str(fault)
        for number in sorted(self.hands)[: -self.most]:
            del self.hands[number]
        return bool(new)

    def _rounds(self, record: JournalRows, last: int) -> Iterator[int]:
        """The newest rounds of which a note says that they were let go, beyond what was seen."""
        span = Span(after=self._seen, until=last, kind=EntryKind.HOST, name=HostEntry.NOTE)
        found: set[int] = set()
        for entry in record.entries(span, reveal=Reveal.NOTHING, newest_first=True):
            if entry.body.get("note") == BROADCAST_NOTE and isinstance(entry.body.get("round"), int):
                found.add(entry.body["round"])
                yield entry.body["round"]
            if len(found) >= self.most:
                return


def _hand(record: JournalRows, number: int, rulebooks: Mapping[str, Rulebook]) -> BroadcastHand:
    """One round played again with all its cards. Raises HistoryError, JournalError."""
    round_ = _found(record, number)
    course: Course | None = None
    for _, _, _, table in each_event(record, round_, rulebooks):
        if table.rulebook is not None:
            course = course or Course(table.rulebook)
            course.see(table)
    if course is None:
        return BroadcastHand(number, round_.ended or 0.0, "", (), ())
    return BroadcastHand(number, round_.ended or 0.0, course.book.title, course.held(), course.told(), course.result)


def _found(record: JournalRows, number: int) -> FoundRound:
    """Where a round lies in the record."""

    def host(name: HostEntry, until: int | None = None, *, newest: bool = True) -> Iterable[tuple[int, float]]:
        of = number if until is None else None
        span = Span(kind=EntryKind.HOST, name=name, round=of, until=until)
        found = record.entries(span, reveal=Reveal.NOTHING, newest_first=newest)
        return ((entry.seq, entry.wall) for entry in found)

    began = next(iter(host(HostEntry.ROUND_BEGIN)), None)
    # What comes for a round behind its end, a check of the pack say, has a further end, in the midst of the next round.
    ended = next(iter(host(HostEntry.ROUND_END, newest=False)), None)
    if began is None or ended is None:
        raise FeltdError(f"round {number} has no beginning or no end in this record")
    before = next(iter(host(HostEntry.SNAPSHOT, began[0])), (0, 0.0))
    return FoundRound(number, before[0], began[0], ended[0], began[1], ended[1], None, None, None, None, (), 0)

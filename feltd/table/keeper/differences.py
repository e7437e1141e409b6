"""Differences between what a record says of its events and what this version of feltd answers to them.

The events are played in their order, from the beginning. Two things keep one difference from being listed again with
every later event:

- After a difference the table goes on from the next state that the record keeps between two rounds, where this version
  can take that; `Differences.out_of_step` lists those that it cannot. The state is without what readers counted of each
  pack: the table goes on with its own counts, and counts anew only behind rounds that were not played.
- Rulings are numbered in the order in which they come. A ruling that both versions give has its own number in each: a
  decision on it is played with the number that it has now, and the numbers alone make no difference. A decision on a
  ruling that this version does not give is left out.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from pydantic_core import to_json

from feltd.record import Entry, EntryKind, HostEntry, JournalReader, Reveal, Seal, Span
from feltd.record.gaps import Gaps
from feltd.table.keeper.edition import writer_named_by
from feltd.text.errors import JournalCorrupt
from table_fsm.errors import EventSyntaxError, TableError, UnknownEventError
from table_fsm.events import Event, Supervisor, parse_event
from table_fsm.outputs import Kind, Output, Refusal
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table

Json: TypeAlias = dict[str, Any]

_RULING: Final = Kind.RULING.value


@dataclass(frozen=True, slots=True)
class Difference:
    """An event that is answered otherwise than it was.

    `entry`: its number in the record. `t`: table seconds. `written_by`: the version of feltd that wrote it, None if the
    record does not say. `recorded` and `now`: the outputs, both None if they are of a round whose cards stay sealed.
    """

    entry: int
    round: int | None
    event: str
    t: float | None
    written_by: str | None
    recorded: Sequence[Json] | None
    now: Sequence[Json] | None

    def to_dict(self) -> Json:
        """The difference as JSON data."""
        return {
            "entry": self.entry,
            "round": self.round,
            "event": self.event,
            "t": self.t,
            "written_by": self.written_by,
            "recorded": self.recorded,
            "now": self.now,
        }


@dataclass(slots=True)
class _Pending:
    """An event with the recorded outputs that were read so far."""

    entry: Entry
    outputs: list[Entry] = field(default_factory=list)


class Differences:
    """The differences of one record, found by iterating; the totals are whole once that has ended.

    `events`: played so far. `differing`: those answered otherwise. `kinds`: how often each kind of difference came, in
    words. `out_of_step`: entries of kept states that this version could not take. `ended`: why the record was not
    played to its end, or None.
    """

    def __init__(self, reader: JournalReader, rulebooks: Mapping[str, Rulebook], until: int | None = None) -> None:
        """`until`: the last entry to read, None for the record's."""
        self._reader = reader
        self._until = until
        self._played = _Played(rulebooks)
        self._writer: str | None = None
        self.events = 0
        self.differing = 0
        self.kinds: Counter[str] = Counter()
        self.out_of_step: list[int] = []
        self.ended: str | None = None
        self.gaps = Gaps()
        """What was not played: it goes on from the next state that the record keeps."""

    def __iter__(self) -> Iterator[Difference]:
        """Play the record.

        With the journal's key the round in progress is played, too. Rounds with cards that nobody was shown are passed
        over (`gaps`), unless the reader has the private half that opens them. Raises JournalCorrupt for an entry with
        a broken seal and for an event that is none.
        """
        pending: _Pending | None = None
        reveal = Reveal.ALL if self._reader.master else Reveal.FINISHED
        for entry in self._reader.entries(Span(until=self._until), reveal=reveal):
            if entry.seal is Seal.BROKEN:
                raise _broken(entry, self._reader)
            if entry.kind == EntryKind.OUTPUT:
                if pending is not None and entry.answers == pending.entry.seq:
                    pending.outputs.append(entry)
                continue
            if entry.kind == EntryKind.HOST and entry.name not in (HostEntry.NOTE, HostEntry.SNAPSHOT):
                continue
            yield from self._finish(pending)
            pending = None
            if entry.kind == EntryKind.HOST:
                self._take_host_entry(entry)
            elif self.gaps.open or entry.seal is Seal.NEVER_SHOWN:
                self.gaps.pass_over(entry)
            elif entry.seal is Seal.CLOSED:
                self.ended = f"ended before entry {entry.seq}: its cards are sealed until round {entry.round} is over"
                return
            else:
                pending = _Pending(entry)
        yield from self._finish(pending)
        self.gaps.close(None)

    def _take_host_entry(self, entry: Entry) -> None:
        if entry.name == HostEntry.NOTE:
            self._writer = writer_named_by(entry.body) or self._writer
            return
        if self.gaps.open:
            self._played.missed()
        if entry.body and not self._played.get_in_step(json.dumps(entry.body)):
            self.out_of_step.append(entry.seq)
        elif entry.body:
            self.gaps.close(entry.seq)

    def _finish(self, pending: _Pending | None) -> Iterator[Difference]:
        """Play an event whose outputs are all read; give the difference, if there is one."""
        if pending is None:
            return
        entry, recorded = pending.entry, [output.body for output in pending.outputs]
        self.events += 1
        now = self._played.answers(_event(entry, self._reader), recorded)
        if self._played.in_numbers_of_now(recorded) == now:
            return
        self._played.in_step = False
        self.differing += 1
        self.kinds[_kind(recorded, now)] += 1
        sealed = any(self._is_sealed(output) for output in pending.outputs)
        yield Difference(
            entry.seq,
            entry.round,
            entry.name,
            entry.t,
            self._writer,
            None if sealed else recorded,
            None if sealed else now,
        )

    def _is_sealed(self, output: Entry) -> bool:
        """Whether an output was opened with the master key alone: its round is not over."""
        if output.seal is not Seal.OPENED:
            return False
        [again] = self._reader.entries(Span(after=output.seq - 1, until=output.seq))
        return again.seal is not Seal.OPENED


class _Played:
    """The table of this version, and the numbers that it gives to the rulings of the record."""

    def __init__(self, rulebooks: Mapping[str, Rulebook]) -> None:
        self._rulebooks = rulebooks
        self._table = Table(rulebooks)
        self._numbers: dict[int, int | None] = {}
        """By a ruling's number in the record: its number now, None if this version did not give it."""
        self.in_step = True
        """No difference since the beginning, or since the state that was taken last."""
        self._counts = True

    def missed(self) -> None:
        """Take note that events were not played."""
        self.in_step = self._counts = False

    def answers(self, event: Event | Output, recorded: Sequence[Json]) -> list[Json]:
        """The outputs to an event, as JSON data. An output in an event's place answers an event of an unknown name."""
        now = [_as_json(output) for output in ([event] if isinstance(event, Output) else self._apply(event))]
        self._note_numbers(recorded, now)
        return now

    def _apply(self, event: Event) -> Sequence[Output]:
        if isinstance(event, Supervisor) and event.ruling is not None:
            number = self._numbers.get(event.ruling, event.ruling)
            return [] if number is None else self._table.apply(replace(event, ruling=number))
        return self._table.apply(event)

    def in_numbers_of_now(self, recorded: Sequence[Json]) -> list[Json]:
        """Recorded outputs with the numbers that their rulings have now."""
        return [
            {**output, _RULING: self._renumbered(output[_RULING])} if _RULING in output else output
            for output in recorded
        ]

    def get_in_step(self, snapshot: str) -> bool:
        """Go on from a recorded state, if there was a difference before it; False if this version cannot take it."""
        if self.in_step:
            return True
        try:
            counts_of = self._table if self._counts else None
            self._table = Table.restore(self._rulebooks, snapshot, counts_of=counts_of)
        except (TableError, ValueError, TypeError, KeyError):
            return False
        self._numbers.clear()
        self.in_step = self._counts = True
        return True

    def _note_numbers(self, recorded: Sequence[Json], now: Sequence[Json]) -> None:
        left = _rulings(now)
        for ruling in _rulings(recorded):
            same = next((other for other in left if _subject(other) == _subject(ruling)), None)
            self._numbers[ruling["id"]] = None if same is None else same["id"]
            if same is not None:
                left.remove(same)

    def _renumbered(self, ruling: Json) -> Json:
        return {**ruling, **{key: self._number_now(ruling[key]) for key in ("id", "supersedes")}}

    def _number_now(self, number: int | None) -> int | None:
        if number is None:
            return None
        now = self._numbers.get(number)
        return number if now is None else now


def _event(entry: Entry, reader: JournalReader) -> Event | Output:
    """The event of an entry; for a name that this version does not know its answer to that. Raises JournalCorrupt."""
    try:
        return parse_event(to_json(entry.body))
    except UnknownEventError as unknown:
        return Output(unknown.t, Refusal(unknown.ev, str(unknown)))
    except EventSyntaxError as fault:
        raise JournalCorrupt(
            f"entry {entry.seq} is no event: {fault}", reader.path, "See what `feltd journal verify` says of it"
        ) from fault


def _broken(entry: Entry, reader: JournalReader) -> JournalCorrupt:
    return JournalCorrupt(
        f"entry {entry.seq}: its seal is broken, or the key is another's",
        reader.path,
        "See what `feltd journal verify` says of it",
    )


def _as_json(output: Output) -> Json:
    data: Json = json.loads(to_json(output.to_dict()))
    return data


def _rulings(outputs: Sequence[Json]) -> list[Json]:
    return [output[_RULING] for output in outputs if _RULING in output]


def _subject(ruling: Json) -> tuple[str, int | None]:
    """What makes two versions' rulings on one event the same."""
    return ruling["irregularity"], ruling["seat"]


# ---- in words


def _kind(recorded: Sequence[Json], now: Sequence[Json]) -> str:
    """The kind of a difference in words: by rulings where these differ, else by the outputs that do."""
    was, is_now = Counter(map(_in_words, _rulings(recorded))), Counter(map(_in_words, _rulings(now)))
    gone, new = list((was - is_now).elements()), list((is_now - was).elements())
    if gone or new:
        return f"was {' and '.join(gone) or 'no ruling'}; is {' and '.join(new) or 'no ruling'}"
    names = {_name(output) for output in recorded if output not in now}
    names |= {_name(output) for output in now if output not in recorded}
    return f"the rulings are the same; otherwise: {', '.join(sorted(names)) or 'the order of outputs'}"


def _in_words(ruling: Json) -> str:
    outcome = "+".join([ruling["outcome"], *ruling["also"]])
    return f"{ruling['irregularity']} ({ruling['rule']}: {outcome})"


def _name(output: Json) -> str:
    """The key of an output: the first besides its time."""
    return next(key for key in output if key != "t")

"""Reading of a journal, live or not: entries by kind, time and round; recovery; replay.

Its rows, and how they are paged: `stored_rows`.
"""

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from feltd.record.database import COLUMNS, connect_reader
from feltd.record.drafts import JSON
from feltd.record.entries import SHUT, Entry, EntryKind, HostEntry, Row, Seal, Source
from feltd.record.known_keys import KnownKeys
from feltd.record.row_json import parse
from feltd.record.sealing import AnyRoundKey, MasterKey, Opener
from feltd.record.short_keys import read_short_keys
from feltd.record.stored_rows import Span, StoredRows
from feltd.record.unseal_keys import PrivateKey
from feltd.text.errors import JournalCorrupt, JournalKeyMissing
from table_fsm.errors import TableError
from table_fsm.events import Event, parse_event
from table_fsm.outputs import Kind

BOOTS_SOUGHT: Final = 2000
"""So many rounds' ends are looked through for a boot of a device, the newest: some weeks of play."""


class Reveal(StrEnum):
    """The sealed fields that a reader opens."""

    NOTHING = "nothing"
    FINISHED = "finished"
    """Of rounds that are over: what their ends published, and with the private half of the pair all. No master key."""
    ALL = "all"
    """Of the round in progress too: recovery needs it. With the master key and the table's short-lived one."""


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """An event as it was taken in. `sealed`: its cards could not be opened and are None."""

    seq: int
    event: Event
    round: int | None
    rulebook_digest: str | None
    source: Source | None
    sealed: bool


@dataclass(frozen=True, slots=True)
class KeptState:
    """A state between two rounds (JSON), as the entry `seq` keeps it."""

    seq: int
    text: str


class JournalReader(StoredRows):
    """A journal opened for reading: its entries, with what the keys at hand open, and what a start needs of it."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        master: MasterKey | None,
        unseal: PrivateKey | None = None,
        *,
        broadcast_alone: bool = False,
    ) -> None:
        super().__init__(path, connection)
        self.master = master
        self.unseal = unseal
        self._keys = KnownKeys(
            self.journal_id, master, self.select, self._short_keys, unseal, broadcast_alone=broadcast_alone
        )

    @classmethod
    def open(
        cls,
        path: Path,
        master_key: bytes | None = None,
        unseal: PrivateKey | None = None,
        *,
        broadcast_alone: bool = False,
    ) -> "JournalReader":
        """Opens a journal for reading, beside its writer or after it.

        `unseal`: the private half that opens cards nobody was shown. `broadcast_alone`: it opens what was let go for
        the broadcast, and nothing else. Raises JournalMissing, JournalCorrupt, JournalForeign, JournalVersion,
        JournalReadOnly, JournalLocked, JournalDisk.
        """
        connection = connect_reader(path)
        try:
            master = None if master_key is None else MasterKey(master_key)
            return cls(path, connection, master, unseal, broadcast_alone=broadcast_alone)
        except BaseException:
            connection.close()
            raise

    # ---- entries

    def entries(
        self, span: Span | None = None, *, reveal: Reveal = Reveal.FINISHED, newest_first: bool = False
    ) -> Iterator[Entry]:
        """Yield the entries of a span in the order of `seq`.

        Parts that stay sealed are null, and the entry's `seal` says so. Raises JournalKeyMissing for Reveal.ALL without
        a master key, JournalCorrupt where the file cannot be read.
        """
        self._require_key_for(reveal)
        for row in self.rows(span or Span(), newest_first=newest_first):
            yield self._entry(row, reveal)

    def rulings(self, limit: int = 20) -> list[Entry]:
        """The latest rulings, newest first. Raises JournalCorrupt where entries stand before the first."""
        self.require_numbered()
        sql = f"SELECT {COLUMNS} FROM entries INDEXED BY rulings WHERE name = 'ruling' ORDER BY seq DESC LIMIT ?"  # noqa: S608 - constants
        return [self._entry(Row(*raw), Reveal.FINISHED) for raw in self.select(sql, [limit])]

    def opened(self, row: Row, reveal: Reveal) -> Any:
        """The sealed part of a row as JSON data, or None if nothing was sealed or it stays shut."""
        text = self._open(row, reveal)[1]
        return None if text is None else parse(text)

    # ---- recovery and replay

    def last_snapshot(self) -> KeptState | None:
        """The last state between two rounds that the record keeps, or None. Raises JournalCorrupt if it is shut."""
        return next(self.snapshots(), None)

    def snapshots(self) -> Iterator[KeptState]:
        """The states between two rounds that the record keeps, newest first. Raises JournalCorrupt if one is shut."""
        row = self.newest(HostEntry.SNAPSHOT)
        while row is not None:  # one by one: a state may be large, and most starts want the newest alone
            yield self._kept_state(row)
            row = self.newest(HostEntry.SNAPSHOT, row.seq)

    def _kept_state(self, row: Row) -> KeptState:
        if row.key is None:
            return KeptState(row.seq, row.body)
        seal, text = self._open(row, Reveal.ALL if self.master else Reveal.FINISHED)
        if text is None:
            raise JournalCorrupt(
                f"the snapshot at entry {row.seq} is sealed and does not open ({seal.value})",
                self.path,
                "Give the master key it was sealed with",
            )
        return KeptState(row.seq, text)

    def generation(self) -> tuple[int, bool]:
        """The generation of the short-lived key in use, and whether it has wrapped a key since the last snapshot.

        That of the last `round.key`, or the next where a snapshot is after it; 0 where no key names any. Raises
        JournalCorrupt.
        """
        key, snapshot = self.newest(HostEntry.ROUND_KEY), self.newest(HostEntry.SNAPSHOT)
        if key is None:
            return 0, False
        try:
            named = parse(key.body).get("generation")
            if named is None:  # before edition 2
                return 0, False
            used = snapshot is None or snapshot.seq < key.seq
            return int(named) + (not used), used
        except (ValueError, TypeError, AttributeError) as error:
            raise self.unreadable(key.seq) from error

    def events_since(self, seq: int = 0, *, until: int | None = None) -> Iterator[RecordedEvent]:
        """The events after entry `seq`, in order, as complete as the keys at hand allow.

        Raises JournalCorrupt.
        """
        return self.events(Span(after=seq, until=until))

    def events(self, span: Span) -> Iterator[RecordedEvent]:
        """The events of a span, in order; other kinds in it are left out.

        Raises JournalCorrupt, and JournalKeyMissing for an event that was sealed whole and stays shut.
        """
        reveal = Reveal.ALL if self.master else Reveal.FINISHED
        for row in self.rows(_only_events(span)):
            seal, body = self._event_body(row, reveal)
            shut = seal in SHUT
            try:
                event = parse_event(body)
            except TableError as error:
                if shut:
                    raise self._sealed_whole(row.seq) from None
                raise self.unreadable(row.seq) from error
            digest = row.rulebook.hex() if row.rulebook else None
            yield RecordedEvent(row.seq, event, row.round, digest, _source(row), shut)

    def verdicts(self, seq: int) -> dict[int, bool]:
        """By event after entry `seq` that has answers here: whether the table took it. Not every event has an answer.

        Raises JournalCorrupt.
        """
        taken: dict[int, bool] = {}
        for row in self.rows(Span(after=seq, kind=EntryKind.OUTPUT)):
            if row.answers is not None:
                taken[row.answers] = taken.get(row.answers, True) and row.name != Kind.ERROR
        return taken

    def replay_lines(self, span: Span | None = None, *, reveal: Reveal = Reveal.FINISHED) -> Iterator[str]:
        """The events of a span as JSON Lines, without line ends, as `feltd replay` reads them.

        Cards still sealed are left out.
        """
        self._require_key_for(reveal)
        for row in self.rows(_only_events(span or Span())):
            yield self._event_body(row, reveal)[1]

    def resume_points(self) -> dict[str, tuple[bytes, int]]:
        """By device: the boot and the sequence number of its last event that is in the journal."""
        points: dict[str, tuple[bytes, int]] = {}
        newest = self.newest(HostEntry.RESUME)
        if newest is not None:
            try:
                points = {name: (bytes.fromhex(boot), int(seq)) for name, (boot, seq) in parse(newest.body).items()}
            except (ValueError, TypeError, AttributeError) as error:
                raise self.unreadable(newest.seq) from error
        start = 0 if newest is None else newest.seq
        for row in self.rows(Span(after=start, kind=EntryKind.EVENT)):
            if row.device is not None and row.boot_id is not None and row.device_seq is not None:
                points[row.device] = (row.boot_id, row.device_seq)
        return points

    def holds_boot(self, device: str, boot_id: bytes) -> bool:
        """Whether the journal has an event of this boot of a device, as far as its newest rounds' ends tell.

        `BOOTS_SOUGHT` of them are looked through, since a running table asks: it must not wait for more.
        """
        ends = self.newest_numbers(HostEntry.RESUME, BOOTS_SOUGHT)
        sql = (
            "SELECT seq FROM entries INDEXED BY host_entries WHERE kind = 'host' AND name = ? AND seq >= ?"
            " AND instr(body, ?) > 0 LIMIT 1"
        )
        if ends and self.select(sql, [HostEntry.RESUME.value, ends[-1], f'"{boot_id.hex()}"']):
            return True
        span = Span(after=ends[0] if ends else 0, kind=EntryKind.EVENT, device=device)
        return any(row.boot_id == boot_id for row in self.rows(span))

    def last_t(self) -> float | None:
        """Table seconds of the last entry that has any; None in a journal without events."""
        found = self.select("SELECT t FROM entries WHERE t IS NOT NULL ORDER BY seq DESC LIMIT 1", [])
        return None if not found else float(found[0][0])

    def unpublished_keys(self) -> list[Row]:
        """The `round.key` entries whose round is not over: oldest first."""
        sql = (
            f"SELECT {COLUMNS} FROM entries WHERE seq IN ("  # noqa: S608 - constants
            "SELECT seq FROM entries WHERE kind = 'host' AND name = 'round.key' EXCEPT "
            "SELECT key FROM entries WHERE kind = 'host' AND name = 'round.end') ORDER BY seq"
        )
        return [Row(*raw) for raw in self.select(sql, [])]

    def round_in_progress(self) -> int | None:
        """The number of the round begun last, if it has not ended."""
        sql = (
            "SELECT name, round FROM entries WHERE kind = 'host' AND name IN ('round.begin', 'round.end')"
            " ORDER BY seq DESC LIMIT 1"
        )
        found = self.select(sql, [])
        return found[0][1] if found and found[0][0] == HostEntry.ROUND_BEGIN else None

    def unwrap(self, row: Row) -> AnyRoundKey | None:
        """The key of a `round.key` entry, by the master key and the short-lived one.

        None if one of them is another or is not there, or the entry is not sound.
        """
        return self._keys.unwrap(row)

    def unboxed(self, row: Row) -> AnyRoundKey | None:
        """The key of a `round.key` entry of a round that is over, by the private half; None where it does not open."""
        return self._keys.unboxed(row.seq)

    def forget_keys(self) -> None:
        """Forget the keys that were opened so far."""
        self._keys.forget()

    def sealed_with(self, key_ids: Collection[int]) -> Iterator[Row]:
        """The entries that these keys sealed, in order."""
        if key_ids:
            for row in self.rows(Span(after=min(key_ids))):
                if row.key in key_ids and row.sealed is not None:
                    yield row

    def last_round_begin(self) -> int:
        """The `seq` of the entry that began the last round; 0 for none."""
        row = self.newest(HostEntry.ROUND_BEGIN)
        return 0 if row is None else row.seq

    # ---- inside

    def _entry(self, row: Row, reveal: Reveal) -> Entry:
        seal, body = self._body(row, reveal)
        try:
            return Entry(
                row.seq,
                row.kind,
                row.name,
                row.t,
                row.host,
                row.wall,
                row.round,
                row.rulebook.hex() if row.rulebook is not None else None,
                row.answers,
                _source(row),
                parse(body),
                seal,
                self._sealed_to(row) if seal is Seal.NEVER_SHOWN else None,
            )
        except (ValueError, TypeError, AttributeError) as error:
            raise self.unreadable(row.seq) from error

    def _body(self, row: Row, reveal: Reveal) -> tuple[Seal, str]:
        """The state of the seal, and the body's JSON text with the opened parts put back."""
        if row.sealed is None:
            return Seal.NONE, row.body
        seal, text = self._open(row, reveal)
        if text is None:
            return seal, row.body
        try:
            body, secret = parse(row.body), parse(text)
        except (ValueError, TypeError) as error:
            raise self.unreadable(row.seq) from error
        if not isinstance(body, dict) or not isinstance(secret, dict):
            return seal, text
        return seal, JSON.encode({**body, **secret})

    def _event_body(self, row: Row, reveal: Reveal) -> tuple[Seal, str]:
        """As `_body`, but sealed parts are left out, not null.

        An event's lists may be absent, but never null.
        """
        seal, body = self._body(row, reveal)
        if seal in SHUT:
            try:
                body = JSON.encode({name: value for name, value in parse(body).items() if value is not None})
            except (ValueError, AttributeError) as error:
                raise self.unreadable(row.seq) from error
        return seal, body

    def _open(self, row: Row, reveal: Reveal) -> tuple[Seal, str | None]:
        if reveal is Reveal.NOTHING or row.sealed is None or row.key is None:
            return Seal.CLOSED, None
        if type(row.sealed) is not bytes or type(row.key) is not int:  # the database keeps what it is given
            raise self.unreadable(row.seq)
        end = self._keys.ended(row.key)
        key: Opener | None = end.opener if end is not None and end.opener.holds(row.seq) else None
        if key is None:
            key = self._keys.unboxed(row.key)
        if key is None and reveal is Reveal.ALL:  # after the round only until the next state is on the disk
            key = self._keys.unwrapped(row.key)
        if key is None:
            return (Seal.CLOSED if end is None else Seal.NEVER_SHOWN), None
        text = key.open(row.seq, row.sealed)
        return (Seal.BROKEN, None) if text is None else (Seal.OPENED, text)

    def _sealed_to(self, row: Row) -> str | None:
        end = self._keys.ended(row.key)
        return None if end is None else end.to

    def _short_keys(self) -> dict[int, bytes]:
        """Read anew each time: the table replaces them with each round."""
        return read_short_keys(self.path, self.journal_id) if self.master is not None else {}

    def _require_key_for(self, reveal: Reveal) -> None:
        if reveal is Reveal.ALL and self.master is None:
            raise JournalKeyMissing(
                "cards of the round in progress are sealed",
                self.path,
                "Give the master key, or wait until the round is over",
            )

    def _sealed_whole(self, seq: int) -> JournalKeyMissing:
        return JournalKeyMissing(
            f"entry {seq} is sealed whole, and nothing of it can be played",
            self.path,
            "Give the master key, or wait until the round is over",
        )


def _source(row: Row) -> Source | None:
    if row.device is None or row.boot_id is None or row.device_seq is None:
        return None
    return Source(row.device, row.boot_id, row.device_seq)


def _only_events(span: Span) -> Span:
    return Span(
        span.after, span.until, span.wall_from, span.wall_to, span.round, EntryKind.EVENT, span.name, span.device
    )

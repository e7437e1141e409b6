"""The journal as the daemon uses it: append without waiting, and learn what is synced.

`append_*` number an entry, write its body, take out what is to be sealed, and hand it to the writer's thread; that
costs some microseconds and no input or output. Everything between `with journal.together():` and its end is committed
as one: after a crash all of it is there or nothing.

**When too much waits** (`backlog_limit` entries not yet synced, because the disk is slow or refuses) `append_event`
raises JournalBacklog and takes nothing; the device keeps the event, since nobody acknowledged it. Outputs, snapshots,
notes and round marks belong to events already taken: they are always taken.

**When the disk refuses** the journal is *failed*: entries stay in memory, in order, `on_failed` is called, and
`retry` tries again. Nothing that was taken is lost while the process lives; nothing that was acknowledged is lost at
all.
"""

import asyncio
import concurrent.futures
import logging
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

from feltd.record.database import WriterLock, connect_reader, connect_writer, keep_first_key
from feltd.record.entries import EntryKind, HostEntry, Source
from feltd.record.log_check import require_whole_log
from feltd.record.notes import STRAY_HEAD_NOTE
from feltd.record.reader import JournalReader, RecordedEvent
from feltd.record.reports import Reports
from feltd.record.said_by_devices import came, to_body, told_up_to
from feltd.record.sealing import KEY_BYTES, NOTE_WORDS, WORDS_OF, MasterKey, derive
from feltd.record.short_keys import ShortKeys, require_record
from feltd.record.signed_heads import HeadsEnd, heads_file, read_end
from feltd.record.stored_rows import Span
from feltd.record.tail import require_signed, sound_head
from feltd.record.unseal_keys import PublicKey
from feltd.table.journal.health import Health, JournalState
from feltd.table.journal.rounds import BoxedRound, OpenRounds, wrong_key
from feltd.table.journal.signer import HeadSigner
from feltd.table.journal.signing import SPAN, Signing
from feltd.table.journal.staging import Clocks, Place, Staging
from feltd.table.journal.taking_out import take_out_cards, take_out_words
from feltd.table.journal.writer import Writer
from feltd.text.errors import (
    JournalBacklog,
    JournalClosed,
    JournalDisk,
    JournalEntryInvalid,
    JournalError,
    JournalKeyMissing,
)
from table_fsm.events import DeviceState, Event, event_to_dict
from table_fsm.outputs import Kind, Output

BACKLOG_LIMIT: Final = 10_000
_MARK: Final = b"feltd state 2"

_log = logging.getLogger(__name__)


class Journal:
    """A journal opened for writing; a file has one at a time.

    All methods belong to one thread, the loop's.
    """

    def __init__(  # noqa: PLR0913 - one a part of it that `open` has opened
        self,
        path: Path,
        connection: sqlite3.Connection,
        reader: JournalReader,
        lock: WriterLock,
        end: HeadsEnd | None,
        *,
        max_bytes: int | None,
        backlog_limit: int,
        sealed_to: PublicKey | None,
        clocks: Clocks,
        gather_seconds: float,
        sign_seconds: float,
        sign_at_rest: float,
    ) -> None:
        """Use `Journal.open`."""
        if reader.master is None:
            raise ValueError("a journal is written with its master key")
        self.path = path
        self.reader = reader
        self._master: MasterKey = reader.master
        self._lock = lock
        self._backlog_limit = backlog_limit
        head = sound_head(connection, reader, self._master)
        self._last_event: int | None = None
        self._resume = reader.resume_points()
        self._said = told_up_to(reader, head.seq)
        generation, used = reader.generation()
        self._short_keys = ShortKeys(path, reader.journal_id, generation, used=used)
        self._rounds = OpenRounds(reader, self._master, self._short_keys, sealed_to)
        require_signed(reader, head, end)
        signer = HeadSigner(path, reader.journal_id, end)
        self._short_keys.make_missing()
        signer.make_ready()
        stray = signer.keep_stray()
        keep_first_key(connection, path, signer.first_key)
        self.first_key: Final = signer.first_key
        self._signing = Signing(signer, clocks.wall, sign_seconds, sign_at_rest)
        self._reports = Reports(head.seq)
        self._writer = Writer(
            path,
            connection,
            reader.journal_id,
            head,
            self._master,
            self._short_keys,
            max_bytes,
            self._reports,
            self._signing,
            gather_seconds,
        )
        self._staging = Staging(path, head.seq, self._rounds, clocks, self._writer)
        # Over such a line the next head is written: the note's commit is the first that the signer hears of. A head
        # before it, and a kill, would leave a line put aside that no entry tells of.
        self._signing.start(head if stray is None else None)
        self._writer.start()
        if stray is not None:
            _log.error(
                "%s: behind the last signed head stood a line that no key of this record has signed; it is in %s now. "
                "Find out who wrote it",
                path,
                stray["file"],
            )
            self.append_note(STRAY_HEAD_NOTE, stray)

    @classmethod
    def open(  # noqa: PLR0913 - one a matter that its owner settles
        cls,
        path: Path,
        master_key: bytes | None,
        *,
        max_bytes: int | None = None,
        backlog_limit: int = BACKLOG_LIMIT,
        sealed_to: PublicKey | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        gather_seconds: float = 0.0,
        sign_seconds: float = SPAN,
        sign_at_rest: float = 0.0,
    ) -> "Journal":
        """Open the journal at `path` for writing, or make a new one there.

        Blocks for some milliseconds. `master_key`: 32 bytes. `max_bytes`: the database's size limit, or None.
        `sealed_to`: the public half of the pair that opens cards which no round showed; None: nobody opens them.
        `gather_seconds`: how long entries that may wait do so for others (`together`). `sign_seconds`: after which an
        entry that no head covers is signed. `sign_at_rest`: after which the last one is signed once more; 0: never.

        Raises JournalKeyMissing, JournalKeyWrong, JournalLocked, JournalReadOnly, JournalFull, JournalCorrupt,
        JournalForeign, JournalVersion, JournalMissing, JournalDisk.
        """
        if master_key is None:
            raise JournalKeyMissing(
                "a journal is not written without its master key: face-down cards would lie open",
                path,
                f"Give a key of {KEY_BYTES} bytes in the configuration",
            )
        master = MasterKey(master_key)
        lock = WriterLock(path)
        connection: sqlite3.Connection | None = None
        reading: sqlite3.Connection | None = None
        try:
            require_record(path)
            require_whole_log(path)  # before SQLite recovers it, and drops what is behind a damaged frame
            end = read_end(heads_file(path))
            connection = connect_writer(path, max_bytes)
            reading = connect_reader(path)
            reader = JournalReader(path, reading, master)
            return cls(
                path,
                connection,
                reader,
                lock,
                end,
                max_bytes=max_bytes,
                backlog_limit=backlog_limit,
                sealed_to=sealed_to,
                clocks=Clocks(monotonic, wall),
                gather_seconds=gather_seconds,
                sign_seconds=sign_seconds,
                sign_at_rest=sign_at_rest,
            )
        except BaseException:
            for opened in (reading, connection):
                if opened is not None:
                    opened.close()
            lock.release()
            raise

    # ---- appending

    def together(self, *, may_wait: bool = False) -> AbstractContextManager[None]:
        """Commit all entries appended inside `with journal.together():` as one.

        It may be nested: the outermost counts. Entries are handed over even if the block ends in an exception, because
        their events happened. `may_wait`: a power cut loses none of them for good, because a device keeps their event
        until it is acknowledged; they wait for others then, unless they end a round.
        """
        return self._staging.together(may_wait=may_wait)

    def gather(self, seconds: float) -> None:
        """From now on entries that may wait do so for this long (`together`); 0: none waits."""
        self._writer.gather(seconds)

    def append_event(
        self,
        event: Event,
        *,
        source: Source | None,
        round_number: int,
        rulebook_digest: str | None,
        host_monotonic: float | None = None,
        wall: float | None = None,
    ) -> int:
        """Append an input event; return its sequence number.

        `source`: None for an event of no device. `rulebook_digest`: 64 hexadecimal digits. Clocks left out are read
        here. Raises JournalBacklog (nothing was taken), JournalClosed, JournalEntryInvalid.
        """
        backlog = self._staging.seq - self._reports.synced_to
        if backlog >= self._backlog_limit:
            raise JournalBacklog(
                f"{backlog} entries wait for the disk",
                self.path,
                "The device keeps the event; take it when the journal has caught up (health.accepting)",
            )
        self._staging.require_taking(round_number)  # before a key is made for the round
        body = event_to_dict(event)
        sealed_in: int | None = round_number
        fields = take_out_cards(event, body)
        if fields is None:
            sealed_in, fields = take_out_words(body, WORDS_OF.get(type(event), ()), round_number, self._rounds.numbers)
        text = self._staging.values.json(body)
        if source is not None:
            self._staging.values.require_source(source)
        secret = self._staging.secret(fields, sealed_in)
        place = Place(round_number, rulebook_digest, event.t, host_monotonic, wall)
        seq = self._staging.take(EntryKind.EVENT, event.ev, place, text, source=source, secret=secret)
        self._rounds.took(seq, event)
        if isinstance(event, DeviceState) and (device := came(body)) is not None:
            self._said[device[0]] = device[1], seq
        if secret is not None:
            self._rounds.sealed(seq, secret.key.round, event)
        if source is not None:
            self._resume[source.device] = (source.boot_id, source.seq)
        self._last_event = seq
        return seq

    def append_output(
        self,
        output: Output,
        *,
        round_number: int,
        rulebook_digest: str | None,
        answers: int | None = None,
        host_monotonic: float | None = None,
        wall: float | None = None,
    ) -> int:
        """Append an output; return its sequence number.

        `answers`: the event's number; left out, that of the event taken last. Raises JournalClosed,
        JournalEntryInvalid.
        """
        if output.kind is Kind.ERROR:
            self._rounds.refused()
        return self._staging.take(
            EntryKind.OUTPUT,
            output.kind.value,
            Place(round_number, rulebook_digest, output.t, host_monotonic, wall),
            self._staging.values.json(output.to_dict()),
            answers=self._last_event if answers is None else answers,
        )

    def append_snapshot(
        self,
        text: str,
        *,
        round_number: int,
        rulebook_digest: str | None,
        host_monotonic: float | None = None,
        wall: float | None = None,
    ) -> int:
        """Append a snapshot of the table between two rounds (JSON); return its sequence number.

        Each device's resume point is appended before it. Recovery begins here: after the events that led to this state,
        before those that follow. The short-lived key that wrapped the keys of rounds before it is destroyed once it is
        on the disk. Raises JournalEntryInvalid while a round is open: its key could not be opened any more.
        """
        if self._rounds.numbers:
            raise JournalEntryInvalid(
                f"a snapshot while round {self._rounds.numbers[-1]} is open", self.path, "End the round before it"
            )
        resume = {name: [boot.hex(), seq] for name, (boot, seq) in self._resume.items()}
        place = Place(round_number, rulebook_digest, None, host_monotonic, wall)
        body = self._staging.values.json_text(text)
        with self.together():
            self._staging.host(HostEntry.RESUME, resume, place)
            self._short_keys.begin_next()
            generation = self._short_keys.generation
            return self._staging.take(EntryKind.HOST, HostEntry.SNAPSHOT, place, body, generation=generation)

    def append_note(
        self,
        note: str,
        details: Mapping[str, Any] | None = None,
        *,
        round_number: int | None = None,
        host_monotonic: float | None = None,
        wall: float | None = None,
    ) -> int:
        """Append a note of the host: start, stop, clock step, configuration, what a person did.

        Words in it (`NOTE_WORDS`) are sealed while a round is open.
        """
        body = {"note": note, **(details or {})}
        self._staging.require_taking(round_number)  # and what it says can be written: before a key is made for it
        text = self._staging.values.json(body)
        sealed_in, fields = take_out_words(body, NOTE_WORDS, round_number, self._rounds.numbers)
        if fields is not None:
            text = self._staging.values.json(body)
        secret = self._staging.secret(fields, sealed_in)
        place = Place(round_number, host=host_monotonic, wall=wall)
        seq = self._staging.take(EntryKind.HOST, HostEntry.NOTE, place, text, secret=secret)
        if secret is not None:
            self._rounds.sealed(seq, secret.key.round)
        return seq

    def append_access(self, body: Mapping[str, Any]) -> int:
        """Append an entry of who came in or went out, or took a part of the record away (`feltd.record.access`)."""
        return self._staging.host(HostEntry.ACCESS, body)

    def append_jump(self, body: Mapping[str, Any]) -> int:
        """Append an entry of events of a device that the record lacks, or of its acceptance (`feltd.record.jumps`)."""
        return self._staging.host(HostEntry.JUMP, body)

    def begin_round(self, number: int) -> None:
        """Mark the beginning of a round; no effect if it has begun already (a restart in mid-round).

        Its key is made when its first card is to be sealed, so a card is never without one, begun or not.
        """
        if self._rounds.begin(number):
            self._staging.host(HostEntry.ROUND_BEGIN, to_body(self._said), Place(number))

    def end_round(self, number: int) -> None:
        """Mark the end of a round: from here on everybody may read its words and the cards that it showed.

        No effect on a round that neither is open nor has a key. A card that comes for it later gets a new key.
        """
        ends = self._rounds.end(number)
        if ends is None:
            return
        self.reader.forget_keys()
        with self.together():
            for key_id, end in ends:
                self._staging.host(HostEntry.ROUND_END, end, Place(number), publishes=key_id)
            if not ends:
                self._staging.host(HostEntry.ROUND_END, {}, Place(number))

    def keep_devices(self, configured: Collection[str]) -> None:
        """Repeat at rounds' beginnings from now on what these devices said alone: others are no more of this table."""
        self._said = {name: said for name, said in self._said.items() if name in configured}

    def broadcast_to(self, key: PublicKey | None) -> None:
        """Seal the rounds that begin from now on to the broadcast's key as well, at their ends; None: none any more.

        What was sealed and not taken is forgotten.
        """
        self._rounds.broadcast = None if key is None else PublicKey(key.bytes)  # another one each time it is turned on
        self._rounds.boxed.clear()

    def take_boxed(self) -> list[BoxedRound]:
        """The rounds that ended since the last call, sealed to the broadcast's key. They are in no entry yet."""
        boxed, self._rounds.boxed = self._rounds.boxed, []
        return boxed

    @property
    def round_in_progress(self) -> int | None:
        """The round begun last, if it has not ended."""
        return self._rounds.begun

    @property
    def open_rounds(self) -> tuple[int, ...]:
        """The rounds that have begun, or have sealed cards, and have not ended; in ascending order."""
        return self._rounds.numbers

    def mark(self, data: bytes) -> str:
        """A keyed mark of a state, as hex: with the key of the open round, else with the master key.

        So who has the journal's key cannot try card after card once the round is over.
        """
        keys = [key for number in self._rounds.numbers if (key := self._rounds.key(number)) is not None]
        marking = derive(keys[-1].secret(), _MARK) if keys else self._master.derived(_MARK, b"")
        return derive(marking, data).hex()

    # ---- what is on the disk

    def on_synced(self, callback: Callable[[int], object]) -> None:
        """Call `callback(seq)` in the running loop after each sync: entries up to `seq` are safe."""
        self._reports.on_synced(callback)

    def on_failed(self, callback: Callable[[JournalError], object]) -> None:
        """Has `callback(error)` called in the running loop when the disk refuses: play must stop."""
        self._reports.on_failed(callback)

    def on_recovered(self, callback: Callable[[], object]) -> None:
        """Has `callback()` called in the running loop when all that was kept is written and synced."""
        self._reports.on_recovered(callback)

    async def flush(self) -> int:
        """Wait until all entries appended so far are synced; return the last number.

        Raises the disk's error.
        """
        return await asyncio.wrap_future(self._await_sync())

    def flush_blocking(self, timeout: float | None = None) -> int:
        """As `flush`, where no loop runs: it blocks, so never call it in the event loop.

        Raises TimeoutError too.
        """
        return self._await_sync().result(timeout)

    def retry(self) -> None:
        """Has a failed journal try again; no effect on one that runs.

        The answer comes as on_recovered, or as on_failed again; until then `flush` raises the last error.
        """
        self._writer.retry()

    @property
    def max_bytes(self) -> int | None:
        """The size limit of the database. A new one takes effect at the next opening or `retry`."""
        return self._writer.max_bytes

    @max_bytes.setter
    def max_bytes(self, limit: int | None) -> None:
        self._writer.max_bytes = limit

    @property
    def synced(self) -> int:
        """Every entry up to this number is on the disk."""
        return self._reports.synced_to

    @property
    def health(self) -> Health:
        """Return the journal's present health."""
        error, appended, closed = self._reports.error, self._staging.seq, self._staging.closed
        backlog = appended - self._reports.synced_to
        state = JournalState.CLOSED if closed else JournalState.RUNNING if error is None else JournalState.FAILED
        accepting = not closed and backlog < self._backlog_limit
        return Health(state, error, appended, self._reports.synced_to, backlog, accepting, self._writer.counters)

    def close(self) -> None:
        """Write the remaining entries and close; blocks.

        Raises JournalClosed if entries could not be written.
        """
        if self._staging.closed:
            return
        self._staging.close()
        self.reader.close()  # first: the last connection to close, a writing one, empties the log and removes it
        self._writer.stop()
        self._signing.stop()
        self._lock.release()
        if self._writer.unsaved:
            raise JournalClosed(
                f"closed with {self._writer.unsaved} entries not written: {self._reports.error}",
                self.path,
                "None of them was acknowledged: the devices keep their events and send them again",
            )

    def require_head_of(self, seq: int, done: str = "") -> None:
        """Raise JournalDisk where no head signs entry `seq` of this journal, which is closed.

        For a command that enters something and ends: who has the journal's key could take the entry out again.
        `done`: what it has done on the disk besides, in words: else a person takes it for undone and does it again.
        """
        if not self._signing.covers(seq):
            also = f"; {done}" if done else ""
            raise JournalDisk(
                f"entry {seq} is on record, and no head signs it: {self._signing.error}{also}",
                self.path,
                "The command is done: do not repeat it. Put that right, and start the table, which signs the entry "
                "first of all",
            )

    @property
    def signing_error(self) -> str | None:
        """Why the heads of the record cannot be signed; None where they can."""
        return self._signing.error

    # ---- recovery, at the start

    def events_since(self, seq: int, read: Callable[[int], object] = bool) -> list[RecordedEvent]:
        """The events after entry `seq`, in order, cards opened. `read`: called with the entry of each.

        All are read at once, so that a start that is refused has played none. Raises JournalKeyWrong or
        JournalKeyMissing if one stays sealed, JournalCorrupt.
        """
        events = []
        for recorded in self.reader.events(Span(after=seq)):
            if recorded.sealed:
                raise self._shut(recorded)
            events.append(recorded)
            read(recorded.seq)
        return events

    def replayed(self, taken: Collection[int]) -> None:
        """Take note of the dealer's words for a hand (`hand.shown`, by entry) that the replay took.

        Call it before the first event. A word without an answer in the record opens nothing else.
        """
        self._rounds.replayed(self.reader, taken)

    def resume_points(self) -> dict[str, tuple[bytes, int]]:
        """By device: boot and sequence number of its last event taken."""
        return dict(self._resume)

    # ---- inside

    def _shut(self, recorded: RecordedEvent) -> JournalError:
        if recorded.round in self._rounds.numbers:
            return wrong_key(self.reader, self._master, recorded.seq)
        return JournalKeyMissing(
            f"entry {recorded.seq} of round {recorded.round} holds a card that nobody was shown, and stays sealed",
            self.path,
            "The table goes on from a state after it; where this version takes none, start the version that wrote the "
            "record, or keep this journal and start a new one at another path",
        )

    def _await_sync(self) -> concurrent.futures.Future[int]:
        if self._staging.waits:
            raise RuntimeError(
                "flush inside `with journal.together()`: what it waits for is handed over only at the end"
            )
        self._writer.hurry()
        return self._reports.wait_for(self._staging.seq)

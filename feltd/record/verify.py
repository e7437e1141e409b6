"""Check whether a journal is as it was written.

No key is needed: the chain is over what is stored, sealed or not.

What is found, and what cannot be:

- An entry changed, missing, inserted or put elsewhere: found, and named, wherever it is.
  (The first entry after missing ones cannot be checked by itself: what it was chained to is gone.)
- The end cut off: found when the head record was left as it was. Who cuts the end off *and* sets the head back is
  found with the master key (the head is authenticated with it), unless they kept a copy of an older head; who puts
  the whole file back to an earlier copy of itself is found only by an **anchor**: a line with the chain's value at
  some entry, kept elsewhere (a printout, the system's log, another machine). With an anchor, everything up to it is
  fixed.
- Who can write the file and knows no key can make a whole new chain. An anchor shows that, and so does the master key.
- Who has every key of the table can make a new chain, and sign its head with the key of the moment. The heads that were
  signed before (`signed_heads`) contradict it: their keys are destroyed. Who replaces those too needs another first
  key, which was printed when the record began, or contradicts a witness. Who cuts heads off leaves more behind the last
  one than a table does (`UnsignedEnd`), or a record that ends there: that one contradicts a witness alone.
- A published key that is not the one that sealed its entry: found (each sealed entry commits to its key).
- A box with another key than the round's, or a card in it that does not open: found by the holder of the private half
  alone (`unsealing`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from feltd.record.clock_back import ClockBack
from feltd.record.database import Head
from feltd.record.each_entry import Unreadable, each_entry
from feltd.record.entries import EntryKind, HostEntry, Row, chain_next, chain_start, digest, is_well_formed
from feltd.record.findings import Anchor, ChainFault, Elsewhere, FaultKind, Receipts, Verification
from feltd.record.head_check import HeadCheck, Source, UnsignedEnd
from feltd.record.jumps import SourceGaps
from feltd.record.known_keys import Announced, announced_by, key_fault
from feltd.record.log_check import find_fault, log_file
from feltd.record.made import Made, said_in
from feltd.record.reader import JournalReader
from feltd.record.receipts import ReceiptCheck
from feltd.record.row_json import body_fault
from feltd.record.sealing import COMMITMENT_BYTES
from feltd.record.signed_heads import Heads, heads_file, read_end, read_heads
from feltd.record.starts import first_key_in, start_of
from feltd.record.stored_rows import Span
from feltd.text.errors import JournalCorrupt, JournalDisk

FAULTS_KEPT: Final = 1000
"""Beyond so many, faults are counted and not listed."""
SHUFFLED_TRIED: Final = 64
"""Among so many faulty entries each is tried in the others' places."""
PROGRESS_EVERY: Final = 1000


def anchor_of(reader: JournalReader) -> Anchor:
    """The anchor of the journal's present head."""
    head = reader.head()
    return Anchor(reader.journal_id, head.seq, head.chain)


def verify(
    reader: JournalReader,
    elsewhere: Elsewhere | None = None,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> Verification:
    """Check every entry, the head, the signed heads, published keys, and what was kept elsewhere.

    `progress(done, of)` is called now and then. Never raises for faults in the entries; only a file that is no journal
    at all does (when it is opened).
    """
    return _Walk(reader, elsewhere or Elsewhere(), progress).run()


@dataclass(frozen=True, slots=True)
class _Suspect:
    """An entry whose chain value does not follow from the one before."""

    row: Row
    chain: bytes
    before: bytes


class _Walk:
    """One pass over the entries in their order."""

    def __init__(
        self, reader: JournalReader, elsewhere: Elsewhere, progress: Callable[[int, int], object] | None
    ) -> None:
        self._reader = reader
        self._progress = progress
        self._faults: list[ChainFault] = []
        self._unlisted = 0
        self._gaps = SourceGaps()
        self._clock = ClockBack()
        self._suspects: list[_Suspect] = []
        self._announced: dict[int, Announced] = {}
        self._sealed: dict[int, dict[int, bytes]] = {}
        """By key that is not published yet, what it sealed."""
        self._anchors: dict[int, list[Anchor]] = {}
        for anchor in elsewhere.anchors:
            self._anchors.setdefault(anchor.seq, []).append(anchor)

        self._elsewhere = elsewhere
        self._signed: Heads | None = None
        self._checks: list[HeadCheck] = []
        self._unsigned: UnsignedEnd | None = None
        self._first_key: str | None = None
        """Which a start must name as the first; None where that is not to be looked at, or was told."""
        self._made: Made | None = None
        """What the file says of itself; None where it cannot be read, or a contradiction was told."""
        self._made_named = False
        """Whether a start has told it too."""
        self._receipts = ReceiptCheck(reader.journal_id, self._stored_chain, self._elsewhere.floor_keys)

    def run(self) -> Verification:
        self._check_log()
        self._check_structure()
        self._take_heads()  # before the head of the chain: what a live journal signs meanwhile is not looked at
        head = self._head()  # first: what a live journal appends meanwhile is not looked at
        entries, last = 0, 0
        begin = chain_start(self._reader.journal_id)
        chain: bytes | None = begin
        self._check_anchors(0, begin)
        try:
            for read in each_entry(self._reader, None if head is None else head.seq):
                if isinstance(read, Unreadable):
                    self._found(FaultKind.UNREADABLE, read.seq, f"entry {read.seq} cannot be read: {read.why}")
                    last, chain = read.seq, None  # the next one cannot be held against it
                    continue
                row, stored = read
                entries += 1
                chain = self._step(row, stored, last, chain)
                last = row.seq
                if self._progress is not None and entries % PROGRESS_EVERY == 0:
                    self._progress(entries, entries if head is None else head.seq)
            whole = head is None or self._check_end(head, last, chain)
            for check in self._checks if whole else ():
                for seq, text in check.after(last):
                    self._found(FaultKind.CUT_OFF, seq, text)
        except (JournalCorrupt, JournalDisk) as error:
            lost = last + 1 if head is None else min(last + 1, head.seq)
            self._found(FaultKind.UNREADABLE, lost, f"the file cannot be read after entry {last}: {error.what}")
        self._check_unsigned()
        self._explain_suspects()
        for anchor in (one for several in self._anchors.values() for one in several):
            self._found(
                FaultKind.ANCHOR, anchor.seq, f"entry {anchor.seq}, which an anchor knows, is not in this journal"
            )
        authenticated = None if head is None else self._authenticate(head)
        self._faults.sort(key=lambda fault: fault.seq)
        return Verification(
            entries,
            head,
            tuple(self._faults),
            self._unlisted,
            authenticated,
            tuple(self._gaps.found),
            self._signed,
            tuple(self._clock.found),
            Receipts(self._receipts.count, self._receipts.last),
            made_named=self._made_named,
        )

    def _stored_chain(self, seq: int) -> object:
        try:
            found = self._reader.row_with_chain(seq)
        except (JournalCorrupt, JournalDisk):
            return None  # it is found as one that cannot be read
        return None if found is None else found[1]

    def _check_log(self) -> None:
        """Look for synced commits that SQLite drops from its log: the entries are sound without them, and too few."""
        try:
            fault = find_fault(self._reader.path)
        except JournalDisk as error:
            self._found(FaultKind.UNREADABLE, 0, error.what)
            return
        if fault is not None:
            self._found(FaultKind.LOG, self._last_entry() + 1, f"{log_file(self._reader.path).name}: {fault}")

    def _last_entry(self) -> int:
        try:
            return self._reader.head().seq
        except JournalCorrupt:
            return 0

    def _check_structure(self) -> None:
        """Hold tables, indexes and triggers against those that feltd makes; the entries come later, one by one."""
        try:
            for seq, text in self._reader.structure_faults():
                self._found(FaultKind.STRUCTURE, seq, text)
            self._made = self._reader.made()
            if self._made.fault is not None:
                self._found(FaultKind.STRUCTURE, 0, self._made.fault)
        except JournalCorrupt as error:
            self._found(FaultKind.STRUCTURE, 0, f"tables and indexes cannot be read: {error.what}")

    def _take_heads(self) -> None:
        """Read the signed heads, and check them by themselves."""
        beside, known = heads_file(self._reader.path), self._reader.first_key()
        try:
            self._signed = read_heads(beside)
        except (JournalCorrupt, JournalDisk) as fault:
            self._found(FaultKind.SIGNATURE, 0, f"{beside.name}: {fault.what}")
        else:
            if self._signed is not None:
                self._take(self._signed, beside.name, known)
                self._first_key = self._signed.first.key.hex()
                if self._signed.broken is None and self._signed.first.journal_id == self._reader.journal_id:
                    self._unsigned = UnsignedEnd(self._signed.heads[-1].seq if self._signed.heads else 0)
            elif known is None and self._elsewhere.first_key is None:
                self._first_key = ""  # of a record that never had heads no start names a key
            else:
                self._found(FaultKind.SIGNATURE, 0, f"the file of its signed heads, {beside.name}, is not beside it")
        if self._elsewhere.witness is not None:
            self._take(self._elsewhere.witness, "the witness", known)

    def _take(self, heads: Heads, name: str, known: bytes | None) -> None:
        of_it = heads.first.journal_id == self._reader.journal_id
        if not of_it:
            self._found(FaultKind.SIGNATURE, 0, f"{name} is of another record")
        for key, whose in ((self._elsewhere.first_key, "the one given"), (known, "the one in the record")):
            if of_it and key is not None and key != heads.first.key:
                words = f"{name}: the first key is not {whose}: the record was begun anew, or all of it was forged"
                self._found(FaultKind.SIGNATURE, 1, words)
        if of_it and heads.unsigned and self._elsewhere.first_key == heads.first.key:  # anybody can write the key there
            words = f"{name}: no head is signed by the first key that was given: nothing vouches for the record"
            self._found(FaultKind.SIGNATURE, 1, words)
        if heads.broken is not None:
            after = heads.heads[-1].seq if heads.heads else 0
            words = (
                f"{name}: line {heads.broken} is not as it was signed; nothing vouches for entries from {after + 1} on"
            )
            self._found(FaultKind.SIGNATURE, after + 1, words)
        if of_it:
            self._checks.append(HeadCheck(Source(heads, name)))

    def _check_start(self, row: Row) -> None:
        """Hold what a start named against the file and the heads beside it: its making, the first key. Told once."""
        note = start_of(row)
        if note is None:
            return
        self._made_named |= said_in(note) is not None
        fault = None if self._made is None else self._made.contradicts(note)
        if fault is not None:
            self._found(FaultKind.STRUCTURE, row.seq, fault)
            self._made = None
        named = None if self._first_key is None else first_key_in(note)
        if named in (None, self._first_key):
            return
        heads = "other heads" if self._first_key else "no heads"
        words = (
            f"this start named the first key {named}, and {heads} are beside the record: they were begun anew, or lost"
        )
        self._found(FaultKind.SIGNATURE, row.seq, words)
        self._first_key = None

    def _check_unsigned(self) -> None:
        end = self._unsigned
        if end is None or not end.too_long or self._signs_on(end.first):
            return
        words = (
            f"no signed head covers the entries from {end.first} on, and a table signs at each round's end and within "
            "a minute: heads behind it are gone, or none could be written"
        )
        self._found(FaultKind.SIGNATURE, end.first, words)

    def _signs_on(self, first: int) -> bool:
        """Whether a live journal has signed meanwhile what was read."""
        try:
            end = read_end(heads_file(self._reader.path))
        except (JournalCorrupt, JournalDisk):
            return False
        return end is not None and end.last is not None and end.last.seq >= first

    def _head(self) -> Head | None:
        try:
            return self._reader.head()
        except JournalCorrupt:
            self._found(
                FaultKind.HEAD, 0, "the head record is missing or damaged: whether the end was cut off cannot be said"
            )
            return None

    def _step(self, row: Row, stored: object, last: int, before: bytes | None) -> bytes:
        if row.seq != last + 1:
            gap = (
                f"entry {last + 1} is missing"
                if row.seq == last + 2
                else f"entries {last + 1} to {row.seq - 1} are missing"
            )
            self._found(FaultKind.MISSING, last + 1, gap)
        chain = stored if isinstance(stored, bytes) else b""
        if row.seq == last + 1 and before is not None and chain != chain_next(before, _digest(row)):
            self._suspect(row, chain, before)
        elif not is_well_formed(row):
            self._found(FaultKind.CHANGED, row.seq, f"{_changed(row)}: a field is of another type than it has")
        elif (fault := body_fault(row.body)) is not None:
            self._found(FaultKind.CHANGED, row.seq, f"{_changed(row)}: {fault}")
        self._check_key(row)
        self._gaps.observe(row)
        self._clock.observe(row)
        self._check_start(row)
        if self._unsigned is not None:
            self._unsigned.observe(row)
        self._check_anchors(row.seq, chain)
        for check in self._checks:
            for seq, text in check.at(row.seq, chain):
                self._found(FaultKind.REWRITTEN, seq, text)
        for seq, text in self._receipts.at(row):
            self._found(FaultKind.RECEIPT, seq, text)
        return chain  # what is stored, so that one changed entry does not put all after it in doubt

    def _suspect(self, row: Row, chain: bytes, before: bytes) -> None:
        if len(self._suspects) < SHUFFLED_TRIED:
            self._suspects.append(_Suspect(row, chain, before))
        else:
            self._found(FaultKind.CHANGED, row.seq, _changed(row))

    def _explain_suspects(self) -> None:
        """Say of each suspect by the chain whether it was changed or is a sound entry out of place."""
        befores = {suspect.chain for suspect in self._suspects} | {suspect.before for suspect in self._suspects}
        places = range(
            min((suspect.row.seq for suspect in self._suspects), default=0),
            max((suspect.row.seq for suspect in self._suspects), default=-1) + 2,
        )
        for suspect in self._suspects:
            origin = _origin(suspect, befores, list(places)[: 2 * SHUFFLED_TRIED])
            seq = suspect.row.seq
            if origin is None:
                self._found(FaultKind.CHANGED, seq, _changed(suspect.row))
            elif origin == seq:
                text = f"entry {seq} is as it was written, but does not follow the one now before it"
                self._found(FaultKind.REORDERED, seq, text)
            else:
                self._found(FaultKind.REORDERED, seq, f"what stands as entry {seq} was written as entry {origin}")

    def _check_key(self, row: Row) -> None:
        if type(row.sealed) is bytes and row.key is not None:  # any other type is a changed entry's
            self._sealed.setdefault(row.key, {})[row.seq] = row.sealed[:COMMITMENT_BYTES]
        if row.kind != EntryKind.HOST:
            return
        fault: str | None = None
        if row.name == HostEntry.ROUND_KEY:
            try:
                self._announced[row.seq] = announced_by(row.body)
            except (ValueError, TypeError, KeyError, AttributeError):
                fault = f"entry {row.seq} ({row.name}) cannot be understood"
        elif row.name == HostEntry.ROUND_END and row.key is not None:
            try:
                fault = key_fault(row, self._announced.pop(row.key, None), self._sealed.pop(row.key, {}))
            except (ValueError, TypeError, KeyError, AttributeError):
                fault = f"entry {row.seq} ({row.name}) cannot be understood"
        if fault is not None:
            self._found(FaultKind.KEY, row.seq, fault)

    def _check_anchors(self, seq: int, chain: bytes) -> None:
        for anchor in self._anchors.pop(seq, ()):
            if anchor.journal_id != self._reader.journal_id:
                self._found(FaultKind.ANCHOR, seq, f"the anchor of entry {seq} belongs to another journal")
            elif anchor.chain != chain:
                self._found(
                    FaultKind.ANCHOR,
                    seq,
                    f"the journal up to entry {seq} is not what the anchor was taken from: it was rewritten",
                )

    def _check_end(self, head: Head, last: int, chain: bytes | None) -> bool:
        """Hold the last entry against the head; False where entries are missing behind it, or stand there.

        `chain`: of the last entry, None where it cannot be read.
        """
        if last < head.seq:
            self._found(FaultKind.CUT_OFF, last + 1, f"the end is missing: entries {last + 1} to {head.seq}")
        elif chain is not None and chain != head.chain:
            self._found(FaultKind.HEAD, head.seq, f"the head record does not match entry {head.seq}")
        beyond = next(self._reader.rows(Span(after=head.seq)), None)
        # the head is read again: a live writer moves both, and never one without the other
        if beyond is not None and self._reader.head().seq <= head.seq:
            self._found(
                FaultKind.APPENDED, beyond.seq, f"entries from {beyond.seq} on stand after the head of the chain"
            )
            return False
        return last >= head.seq

    def _authenticate(self, head: Head) -> bool | None:
        master = self._reader.master
        if master is None or head.seq == 0:
            return None
        if master.vouches_for(self._reader.journal_id, head.seq, head.chain, head.mac):
            return True
        self._found(
            FaultKind.HEAD,
            head.seq,
            "the head record was not written by a holder of this master key: rewritten, or another key",
        )
        return False

    def _found(self, kind: FaultKind, seq: int, text: str) -> None:
        if len(self._faults) < FAULTS_KEPT:
            self._faults.append(ChainFault(kind, seq, text))
        else:
            self._unlisted += 1


def _changed(row: Row) -> str:
    return f"entry {row.seq} ({row.kind} {row.name}) is not as it was written"


def _digest(row: Row) -> bytes:
    try:
        return digest(row)
    except (UnicodeEncodeError, OverflowError):
        return b""


def _origin(suspect: _Suspect, befores: set[bytes], places: list[int]) -> int | None:
    """The number under which a suspect was written, if it is whole.

    The chain value that it carries was made with it.
    """
    for seq in [suspect.row.seq, *places]:
        written = _digest(suspect.row._replace(seq=seq))
        if any(chain_next(before, written) == suspect.chain for before in befores):
            return seq
    return None

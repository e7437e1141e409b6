"""A part of a journal as JSON Lines with its proof, for an auditor, regulator or bug report.

    {"feltd_journal_export": 2, "journal_id": HEX, "after": N, "chain": HEX, "package": …}    chain(N)
    {"entry": {FIELD: value, …}, "chain": HEX, "opened": {…}}             one a line, no seq left out
    {"digests": [HEX, …]}                                                 of the entries up to the anchor
    {"anchor": "feltd-anchor 1 JOURNAL SEQ CHAIN", "signed_head": …}      the last line

`entry` has the fifteen fields of `entries`, those that are null left out (bytes in hexadecimal, floats in the
shortest decimal that reads back the same), so digest and chain can be computed again. `opened` is beside it where a
sealed part could be opened; where the entry that publishes the key is in the export too, that can be proved as
well. Cards that their round did not show stay sealed in it, and the holder of the key opens them there
(`unsealing`). Before edition 2 the first line said 1, and every card of a round that was over was opened. The digests
lead from the part to a later anchor without showing what lies between. An export is only as good as the anchor it is
checked against.

The anchor is the first signed head that is not before the part's last entry, where the record has one. `signed_head`
is its line as it stands in the file of heads (`signed_heads`), `signed_by` the public key that signed it: the line
before names it. Both are left out where there is none, and were before 0.8.0.

`package` is the package that wrote the export: `manifest` (SHA-256), `signature` and `key`, as `feltd identify` tells
them; null where it was no installed one. It is not in the chain: who changes the file can change it. The packages that
wrote the entries stand in the notes of their starts. `first_key` signed the first head of the record
(`signed_heads`); it is not in the chain either, and proves nothing by itself (`named_keys`).

`devices` is what each device `said` of itself when it last came before the part's end, serial number and firmware, with
the `entry` of the record that has it, and its `wall` (`said_by_devices`): what is proved is that entry. Where a round
begins in the part, its `round.begin` repeats it within the chain (since 0.10.0), and the two must agree. Before 0.9.0
`devices` was left out.

`rulebook` is the entry before the part that named the rulebook under which it begins, and leads from there to the part
(`book_before`); null where there is none. Before 0.12.0 it was left out, and each event named its own.

No export has what a round that is not over has sealed: that stays at the table until then. Where more was asked
for, the part ends before that round, and the first line says so: `"ends_before_round": N`.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any, Final

from feltd.installed.mark import running_package
from feltd.record.book_before import BookNamed, book_before, book_proved
from feltd.record.drafts import JSON
from feltd.record.entries import EntryKind, HostEntry, Row, chain_next, chain_start, digest
from feltd.record.findings import Anchor
from feltd.record.known_keys import Announced, announced_by, key_fault, round_end
from feltd.record.named_keys import NamedKeys
from feltd.record.reader import JournalReader, Reveal
from feltd.record.row_json import body_fault, fields_from_json, fields_to_json, parse
from feltd.record.said_by_devices import DevicesProof, said_in
from feltd.record.sealing import Opener
from feltd.record.signed_heads import Heads, Signed, SignedHead, head_behind, heads_file, parse_key
from feltd.record.stored_rows import Span
from feltd.text.errors import JournalCorrupt, JournalError, JournalExportInvalid, JournalMissing

EXPORT_FORMAT: Final = 2
OLDER_FORMATS: Final = frozenset({1})
DIGESTS_A_LINE: Final = 100
_NOT_WRITTEN_SO: Final = (
    ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, struct.error,
)  # fmt: skip
"""What reading a line raises that no export has: of a forger, who may write anything there."""
_SEE: Final = "See what `feltd journal verify` says"
_REMEDY: Final = "Export it again from the journal, and compare the two"


@dataclass(frozen=True, slots=True)
class ExportProof:
    """The result of checking an export.

    `proved`: opened parts shown to be what was sealed; `unproved`: only asserted. `anchor`: the end of its chain; it is
    proof only if it equals an anchor kept elsewhere. `ends_before_round`: it was not over, and is left out. `signed`:
    the last entry of its chain with a signed head that says the same; None where no heads were given, or none is of it.
    The head in the export counts alone where the first key that was given has signed it itself. `first_key`: what its
    first line names, which proves nothing. `devices`: of how many the chain proves what the first line says of them;
    None where no round begins in the part, or its beginning does not say it. `book`: the rulebook under which the part
    begins, by an entry before it; None where its first line names none.
    """

    first: int
    last: int
    entries: int
    proved: int
    unproved: int
    anchor: Anchor
    ends_before_round: int | None = None
    signed: int | None = None
    first_key: bytes | None = None
    devices: int | None = None
    book: BookNamed | None = None


def export_round(reader: JournalReader, number: int, *, through: int | None = None) -> Iterator[str]:
    """Return the lines of a round, from its first entry to its last, with all in between.

    As `export`.
    """
    seqs = [row.seq for row in _ends(reader, number)]
    if not seqs:
        raise JournalMissing(f"there is no round {number} in this journal", reader.path, "See which there are")
    return export(reader, seqs[0], seqs[-1], through=through)


def span_between(reader: JournalReader, since: float | None, until: float | None) -> tuple[int, int] | None:
    """Return the first and the last entry written within a time; None for none.

    Wall seconds since 1970, both ends included; None for an end is the journal's own.
    """
    span = Span(wall_from=since, wall_to=until)
    seqs = [row.seq for order in (False, True) for row in islice(reader.rows(span, newest_first=order), 1)]
    return (min(seqs), max(seqs)) if seqs else None


def closed_part(reader: JournalReader, first: int, last: int) -> tuple[int, int | None]:
    """Return the last of these entries that lies before every round that is not over, and the round it ends before.

    The round is None where all of them do. Raises JournalMissing where none does.
    """
    starts = [(row.seq, row.round or 0) for row in reader.unpublished_keys()]
    number = reader.round_in_progress()
    if number is not None:
        begun = reader.rows(Span(kind=EntryKind.HOST, name=HostEntry.ROUND_BEGIN), newest_first=True)
        starts.append((next(begun).seq, number))
    start, number = min(starts, default=(last + 1, None))
    if start > last:
        return last, None
    if start <= first:
        raise JournalMissing(
            f"entries {first} to {last} are of round {number}, which is not over, or after it",
            reader.path,
            "Export them when it is: until then its sealed parts stay at the table",
        )
    return start - 1, number


def export(reader: JournalReader, first: int, last: int, *, through: int | None = None) -> Iterator[str]:
    """Return the lines of the entries `first` to `last`, both included, without line ends.

    Entries are opened where their round is over; the part ends before a round that is not. `through`: an entry at or
    after `last` whose anchor one holds; digests lead there. None: the entry of the first signed head there, or the
    part's own end where there is none. Raises JournalMissing if the
    journal does not have these entries, or all are of a round that is not over; JournalCorrupt.
    """
    asked = last if through is None else through
    if not 1 <= first <= last <= asked <= reader.head().seq:
        raise JournalMissing(
            f"entries {first} to {last}, proved through {asked}: not all there, or not in this order",
            reader.path,
            f"The journal has entries 1 to {reader.head().seq}",
        )
    last, left_out = closed_part(reader, first, last)
    if left_out is not None and type(left_out) is not int:  # the database keeps what it is given
        raise JournalCorrupt(f"the round after entry {last} is not as it was written", reader.path, _SEE)
    signed = _signed_behind(reader, last if through is None else through)
    if through is None:
        return _lines(reader, first, last, last if signed is None else signed.head.seq, left_out, signed)
    return _lines(reader, first, last, through, left_out, signed)


def _signed_behind(reader: JournalReader, seq: int) -> Signed | None:
    """The first signed head that is not before this entry.

    None too where it cannot be read, or the entries do not lead to it: `verify` says so, and the part is exported.
    """
    try:
        signed = head_behind(heads_file(reader.path), reader.journal_id, seq)
        if signed is None:
            return None
        chain = _chain_at(reader, seq)
        for row in reader.rows(Span(after=seq, until=signed.head.seq)):
            chain = chain_next(chain, digest(row))
    except (JournalError, TypeError, ValueError, OverflowError):
        return None
    return signed if chain == signed.head.chain else None


def _lines(
    reader: JournalReader, first: int, last: int, end: int, left_out: int | None, signed: Signed | None
) -> Iterator[str]:
    before = chain_start(reader.journal_id) if first == 1 else _chain_at(reader, first - 1)
    package, first_key = running_package(), reader.first_key()
    yield JSON.encode(
        {
            "feltd_journal_export": EXPORT_FORMAT,
            "journal_id": reader.journal_id.hex(),
            "after": first - 1,
            "chain": before.hex(),
            "package": None if package is None else package.to_dict(),
            "first_key": None if first_key is None else first_key.hex(),
            "devices": _devices(reader, last),
            "rulebook": book_before(reader, first, last),
            **({} if left_out is None else {"ends_before_round": left_out}),
        }
    )
    for row, chain in reader.rows_with_chain(Span(after=first - 1, until=last)):
        try:
            yield _line(reader, row, chain)
        except (TypeError, ValueError, OverflowError) as fault:  # of a type that no entry is written with
            raise JournalCorrupt(
                f"entry {row.seq} is not as it was written, and cannot be exported", reader.path, _SEE
            ) from fault
    yield from _digest_lines(reader, last, end)
    ending = {"anchor": str(Anchor(reader.journal_id, end, _chain_at(reader, end)))}
    if signed is not None and signed.head.seq == end:
        ending |= {"signed_head": str(signed.head), "signed_by": signed.key.hex()}
    yield JSON.encode(ending)


def _devices(reader: JournalReader, last: int) -> list[dict[str, Any]]:
    """What devices said of themselves up to this entry; nothing where an entry before the part cannot be read."""
    try:
        return [asdict(said) for said in said_in(reader, last).values()]
    except JournalError:
        return []


def _line(reader: JournalReader, row: Row, chain: object) -> str:
    """The line of an entry. Raises TypeError, ValueError or OverflowError for one that was not written so."""
    if not isinstance(chain, bytes):
        raise TypeError("the chain value is no bytes")
    line: dict[str, Any] = {"entry": fields_to_json(row), "chain": chain.hex()}
    opened = reader.opened(row, Reveal.FINISHED)
    if opened is not None:
        line["opened"] = opened
    return JSON.encode(line)


def verify_export(
    lines: Iterable[str],
    *,
    anchors: Iterable[Anchor] = (),
    heads: Heads | None = None,
    first_key: bytes | None = None,
) -> ExportProof:
    """Check an export, and compare it with anchors, signed heads and the first key kept elsewhere.

    Raises JournalExportInvalid, which names the line.
    """
    check = _ExportCheck()
    for number, line in enumerate(lines, 1):
        check.take(number, line)
    proof = check.finish()
    for anchor in anchors:
        if anchor.journal_id == proof.anchor.journal_id and check.chains.get(anchor.seq, anchor.chain) != anchor.chain:
            raise JournalExportInvalid(f"contradicts the anchor of entry {anchor.seq}", "export", _REMEDY)
    signed = None if heads is None else _signed_to(heads, proof, check.chains)
    check.named.require(first_key, heads)
    if signed is None and first_key is not None and check.signed_by == first_key:
        signed = proof.anchor.seq
    return replace(proof, signed=signed, first_key=check.named.in_first_line)


def _signed_to(heads: Heads, proof: ExportProof, chains: Mapping[int, bytes]) -> int | None:
    """The last entry of the part's chain that a head is of. Raises JournalExportInvalid where a head says another."""
    if heads.first.journal_id != proof.anchor.journal_id:
        raise JournalExportInvalid("the signed heads are of another record", "export", _REMEDY)
    if heads.broken is not None:
        words = f"the signed heads are not as they were signed from line {heads.broken} on"
        raise JournalExportInvalid(words, "export", _REMEDY)
    ours = [head for head in heads.heads if head.seq in chains]
    for head in ours:
        if chains[head.seq] != head.chain:
            raise JournalExportInvalid(f"contradicts the signed head of entry {head.seq}", "export", _REMEDY)
    return ours[-1].seq if ours else None


def rows_of_export(lines: Iterable[str]) -> tuple[bytes, list[Row]]:
    """The journal's id and the entries of an export, unchecked: `verify_export` has checked it.

    Raises JournalExportInvalid.
    """
    rows: list[Row] = []
    journal_id = b""
    for number, line in enumerate(lines, 1):
        try:
            fields = parse(line)
            if number == 1:
                journal_id = bytes.fromhex(fields["journal_id"])
            elif "entry" in fields:
                rows.append(fields_from_json(fields["entry"]))
        except _NOT_WRITTEN_SO as error:
            raise JournalExportInvalid(f"cannot be read: {error}", f"export, line {number}", _REMEDY) from None
    return journal_id, rows


class _ExportCheck:
    """The state of reading an export line by line."""

    def __init__(self) -> None:
        self.chains: dict[int, bytes] = {}
        self.named = NamedKeys()
        self.devices = DevicesProof()
        self.book: BookNamed | None = None
        self.signed_by: bytes | None = None
        """What has signed the head in the export."""
        self._journal_id: bytes | None = None
        self._chain = b""
        self._first = self._seq = 0
        self._last = 0
        self._anchor: Anchor | None = None
        self._left_out: int | None = None
        self._announced: dict[int, Announced] = {}
        self._sealed: dict[int, dict[int, bytes]] = {}
        """By key the sealed entries read so far: what is published is held against the hash in front of them."""
        self._keys: dict[int, Opener] = {}
        self._opened: list[tuple[int, int | None, bytes, Any]] = []

    def take(self, number: int, line: str) -> None:
        try:
            fields = parse(line)
            if self._anchor is not None:
                raise ValueError("nothing follows the anchor")
            if self._journal_id is None:
                self._begin(fields)
            elif "entry" in fields:
                self._entry(fields)
            elif "digests" in fields:
                for value in fields["digests"]:
                    self._link(bytes.fromhex(value))
            else:
                self._end(Anchor.parse(fields["anchor"]))
                if "signed_head" in fields:
                    self._signed(SignedHead.parse(fields["signed_head"]), parse_key(fields["signed_by"]))
        except JournalExportInvalid:
            raise
        except _NOT_WRITTEN_SO as error:
            raise JournalExportInvalid(f"does not hold: {error}", f"export, line {number}", _REMEDY) from None

    def finish(self) -> ExportProof:
        if self._anchor is None or self._last < self._first:
            raise JournalExportInvalid("it ends before its anchor", "export", _REMEDY)
        proved = 0
        for seq, key_id, sealed, opened in self._opened:
            key = self._keys.get(key_id) if key_id is not None else None
            if key is None or not key.holds(seq):
                continue
            text = key.open(seq, sealed)
            if text is None or parse(text) != opened:
                raise JournalExportInvalid(
                    f"entry {seq}: what is shown as opened is not what was sealed", "export", _REMEDY
                )
            proved += 1
        try:
            devices = self.devices.proved()
        except (ValueError, KeyError, TypeError) as error:
            raise JournalExportInvalid(str(error), "export, line 1", _REMEDY) from None
        return ExportProof(
            self._first,
            self._last,
            self._last - self._first + 1,
            proved,
            len(self._opened) - proved,
            self._anchor,
            self._left_out,
            devices=devices,
            book=self.book,
        )

    def _begin(self, fields: dict[str, Any]) -> None:
        if fields["feltd_journal_export"] not in {EXPORT_FORMAT, *OLDER_FORMATS}:
            raise ValueError(f"format {fields['feltd_journal_export']!r} is not known")
        self._journal_id = bytes.fromhex(fields["journal_id"])
        self._seq, self._chain = int(fields["after"]), bytes.fromhex(fields["chain"])
        self._first = self._seq + 1
        left_out = fields.get("ends_before_round")
        self._left_out = None if left_out is None else int(left_out)
        if self._seq == 0 and self._chain != chain_start(self._journal_id):
            raise ValueError("the chain does not begin where this journal's does")
        self.chains[self._seq] = self._chain
        self.book = book_proved(fields)
        self.named.begin(fields)
        self.devices.begin(fields)

    def _entry(self, fields: dict[str, Any]) -> None:
        row = fields_from_json(fields["entry"])
        if row.seq != self._seq + 1:
            raise ValueError(f"entry {row.seq} where entry {self._seq + 1} must be")
        self._link(digest(row))
        if self._chain.hex() != fields["chain"]:
            raise ValueError(f"entry {row.seq} is not as it was written")
        if (fault := body_fault(row.body)) is not None:
            raise ValueError(f"entry {row.seq}: {fault}")
        self._last = row.seq
        self.named.take(row)
        self.devices.take(row)
        self._learn_key(row)
        if "opened" in fields:
            if row.sealed is None:
                raise ValueError(f"entry {row.seq} shows an opened part, but nothing in it was sealed")
            self._opened.append((row.seq, row.key, row.sealed, fields["opened"]))

    def _learn_key(self, row: Row) -> None:
        if row.name == HostEntry.ROUND_KEY:
            self._announced[row.seq] = announced_by(row.body)
        elif row.name == HostEntry.ROUND_END and row.key is not None and row.round is not None:
            fault = key_fault(row, self._announced.get(row.key), self._sealed.pop(row.key, {}))
            if fault is not None and row.key in self._announced:
                raise ValueError(fault)
            end = round_end(self._journal_id or b"", row.key, row.round, row.body)
            if end is not None and row.key in self._announced:
                self._keys[row.key] = end.opener
        elif row.sealed is not None and row.key is not None:
            self._sealed.setdefault(row.key, {})[row.seq] = row.sealed

    def _link(self, entry_digest: bytes) -> None:
        self._seq += 1
        self._chain = chain_next(self._chain, entry_digest)
        self.chains[self._seq] = self._chain

    def _end(self, anchor: Anchor) -> None:
        if (anchor.journal_id, anchor.seq, anchor.chain) != (self._journal_id, self._seq, self._chain):
            raise ValueError("the chain does not end in the anchor")
        self._anchor = anchor

    def _signed(self, head: SignedHead, key: bytes) -> None:
        if (head.seq, head.chain) != (self._seq, self._chain):
            raise ValueError("the signed head is not of the anchor's entry")
        if not head.is_by(key, self._journal_id or b""):
            raise ValueError("the signed head is not as it was signed")
        self.signed_by = key


def _ends(reader: JournalReader, number: int) -> Iterator[Row]:
    """The first and the last entry of a round."""
    span = Span(round=number)
    for newest_first in (False, True):
        row = next(reader.rows(span, newest_first=newest_first), None)
        if row is not None:
            yield row


def _chain_at(reader: JournalReader, seq: int) -> bytes:
    for _, chain in reader.rows_with_chain(Span(after=seq - 1, until=seq)):
        if isinstance(chain, bytes):
            return chain
    raise JournalMissing(f"entry {seq} is missing", reader.path, _SEE)


def _digest_lines(reader: JournalReader, after: int, until: int) -> Iterator[str]:
    digests: list[str] = []
    for row in reader.rows(Span(after=after, until=until)):
        digests.append(digest(row).hex())
        if len(digests) == DIGESTS_A_LINE:
            yield JSON.encode({"digests": digests})
            digests = []
    if digests:
        yield JSON.encode({"digests": digests})

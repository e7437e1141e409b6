"""The file of signed heads beside a journal: how many entries there must be, and that nobody wrote them anew.

`<journal>.heads` is text. Its first line names the journal and the first public key; each line after it is a head:

    feltd-heads 1 JOURNAL FIRST_KEY
    SEQ MILLISECONDS CHAIN NEXT_KEY SIGNATURE

Integers are decimal, bytes hexadecimal. CHAIN is the chain's value at entry SEQ (`entries`), MILLISECONDS the wall
clock since 1970 UTC, SIGNATURE Ed25519 over

    "feltd head 1" 0x00 journal_id (16 bytes) SEQ (8, big-endian) CHAIN (32) MILLISECONDS (8, big-endian) NEXT_KEY (32)

by the key that the line before names as NEXT_KEY, the first head by FIRST_KEY. So each key signs one head, and is
destroyed when it has (`feltd.table.journal.signer`): who takes the table over later has the key of the next head alone.
Lines are only appended. Behind the last one there may be room for more, bytes 0x00: a line that is written into it
costs the disk less than one by which the file grows. A last line that a power cut tore is no line; it may have such
bytes.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from feltd.text.errors import JournalCorrupt, JournalDisk, JournalExportInvalid

KEY_BYTES: Final = 32
FIRST_WORDS: Final = "feltd-heads 1"
LONGEST_LINE: Final = 320
"""Bytes of the longest line, its end included."""
_SIGNED: Final = b"feltd head 1\0"
_FEW_BYTES: Final = 16 * LONGEST_LINE
_TAIL_BYTES: Final = 64 * LONGEST_LINE
"""How much a start reads of the file's end; `verify` reads it all."""
_REMEDY: Final = (
    "See what `feltd journal verify` says; to begin a new record and keep this one as evidence: `feltd journal "
    "set-aside`"
)


@dataclass(frozen=True, slots=True)
class SignedHead:
    """A head of the chain, signed. `wall_ms`: milliseconds since 1970 UTC; `next_key`: what signs the next one."""

    seq: int
    wall_ms: int
    chain: bytes
    next_key: bytes
    signature: bytes

    def __str__(self) -> str:
        return f"{self.seq} {self.wall_ms} {self.chain.hex()} {self.next_key.hex()} {self.signature.hex()}"

    def is_by(self, key: bytes, journal_id: bytes) -> bool:
        """Whether the holder of this public key signed it for this journal."""
        message = message_of(journal_id, self.seq, self.wall_ms, self.chain, self.next_key)
        try:
            Ed25519PublicKey.from_public_bytes(key).verify(self.signature, message)
        except InvalidSignature:
            return False
        return True

    @classmethod
    def parse(cls, line: str) -> "SignedHead":
        """Parse a line without its end. Raises ValueError for anything but what `str` writes."""
        seq, wall, chain, next_key, signature = line.split(" ")
        head = cls(int(seq), int(wall), bytes.fromhex(chain), bytes.fromhex(next_key), bytes.fromhex(signature))
        lengths = len(head.chain), len(head.next_key), len(head.signature)
        if lengths != (32, KEY_BYTES, 64) or not (0 <= head.seq < 2**63 and 0 <= head.wall_ms < 2**63):
            raise ValueError
        if str(head) != line:
            raise ValueError
        return head


@dataclass(frozen=True, slots=True)
class FirstKey:
    """The first line: which journal the heads are of, and the key that signed the first of them."""

    journal_id: bytes
    key: bytes

    def __str__(self) -> str:
        return f"{FIRST_WORDS} {self.journal_id.hex()} {self.key.hex()}"

    @classmethod
    def parse(cls, line: str) -> "FirstKey":
        """Parse the line without its end. Raises ValueError."""
        words = line.split(" ")
        if len(words) != 4 or " ".join(words[:2]) != FIRST_WORDS:
            raise ValueError
        first = cls(bytes.fromhex(words[2]), bytes.fromhex(words[3]))
        if len(first.journal_id) != 16 or len(first.key) != KEY_BYTES or str(first) != line:
            raise ValueError
        return first


@dataclass(frozen=True, slots=True)
class HeadsEnd:
    """The end of a file of heads. `last`: None where nothing is signed yet; `key`: what signs the next head.

    `size`: the bytes of all lines that count. `stray`: a whole line behind them that this key has not signed.
    """

    first: FirstKey
    last: SignedHead | None
    key: bytes
    size: int
    stray: bytes = b""


@dataclass(frozen=True, slots=True)
class Heads:
    """A file of heads, checked by itself. `broken`: the number of the first line that is not as it was signed."""

    first: FirstKey
    heads: tuple[SignedHead, ...]
    broken: int | None = None

    @property
    def unsigned(self) -> bool:
        """Whether the file is its first line alone, which nobody signs."""
        return not self.heads and self.broken is None


def heads_file(journal: Path) -> Path:
    """The file of a journal's signed heads."""
    return journal.with_name(journal.name + ".heads")


def stray_file(journal: Path) -> Path:
    """Where a start puts what stood behind the heads and no key of the record has signed."""
    return journal.with_name(journal.name + ".stray-heads")


def signer_file(journal: Path) -> Path:
    """The file of the keys that sign a journal's heads."""
    return journal.with_name(journal.name + ".signer")


@dataclass(frozen=True, slots=True)
class HeadLines:
    """Whole lines of a file of heads, from byte `at` on, without their ends; none where it does not reach so far."""

    at: int
    lines: tuple[str, ...]


def message_of(journal_id: bytes, seq: int, wall_ms: int, chain: bytes, next_key: bytes) -> bytes:
    """The bytes that are signed."""
    return _SIGNED + journal_id + seq.to_bytes(8, "big") + chain + wall_ms.to_bytes(8, "big") + next_key


def parse_key(text: str) -> bytes:
    """Parse a public key as feltd prints it: 64 hexadecimal digits. Raises JournalExportInvalid."""
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise JournalExportInvalid(
            "not a first key", text[:80], "It has 64 hexadecimal digits, as `feltd check` and each export say it"
        )
    return key


def read_heads(file: Path) -> Heads | None:
    """Read a whole file of heads, and check each signature; None where there is no file.

    Raises JournalCorrupt where its first line is none, JournalDisk where it cannot be read.
    """
    content = _content(file, 0)
    return None if content is None else heads_in(content, file)


def heads_in(content: bytes, place: Path | str) -> Heads:
    """The heads in the content of a file, each signature checked. `place`: for the message.

    Raises JournalCorrupt where its first line is none.
    """
    lines = _whole_lines(content)
    first = _first(lines, place)
    heads: list[SignedHead] = []
    key = first.key
    for number, line in enumerate(lines[1:], 2):
        head = _signed(line, key, first.journal_id)
        if head is None or (heads and head.seq < heads[-1].seq):
            return Heads(first, tuple(heads), number)
        heads.append(head)
        key = head.next_key
    return Heads(first, tuple(heads))


@dataclass(frozen=True, slots=True)
class Signed:
    """A head, and the public key that signed it."""

    head: SignedHead
    key: bytes


def head_behind(file: Path, journal_id: bytes, seq: int) -> Signed | None:
    """The first head of this journal that is not before entry `seq`, its signature checked; None where there is none.

    The file is searched, not read: that takes as long for a year as for a day. Raises JournalCorrupt, JournalDisk.
    """
    beginning = _content(file, 0, LONGEST_LINE)
    if beginning is None:
        return None
    first = _first(_whole_lines(beginning), file)
    begin = low = len(str(first)) + 1
    high = _filled(file)
    while high - low > _FEW_BYTES:
        middle = (low + high) // 2
        near = _content(file, middle, 2 * LONGEST_LINE) or b""
        at = near.find(b"\n") + 1
        line = near[at:].split(b"\n")[0]
        head = _parsed(line)
        if head is None:
            return None
        if head.seq < seq:
            low = middle + at
        else:
            high = middle + at + len(line) + 1
    key = first.key if low == begin else None
    for line in _whole_lines(_content(file, low, high - low, synced=True) or b""):
        head = _parsed(line)
        if head is None or first.journal_id != journal_id:
            return None
        if head.seq >= seq:
            return Signed(head, key) if key is not None and head.is_by(key, journal_id) else None
        key = head.next_key
    return None


def lines_from(file: Path, at: int, most: int) -> HeadLines:
    """At most so many whole lines from byte `at` on, which are on the disk; none where there is no file.

    Raises JournalDisk.
    """
    content = _content(file, at, most * LONGEST_LINE, synced=True) or b""
    found = [line.decode("ascii", "replace") for line in _whole_lines(content)[:most]]
    return HeadLines(at, tuple(found))


def size_of(lines: Iterable[object]) -> int:
    """The bytes of these lines in the file."""
    return sum(len(str(line)) + 1 for line in lines)


def read_end(file: Path) -> HeadsEnd | None:
    """Read the end of a file of heads for a start; None where there is no file.

    A last line that is not whole was torn by a power cut, and counts for nothing: its key was destroyed only after it
    was on the disk, so a start that lacks the key finds out. A whole one that is not as it was signed counts for
    nothing either, and no power cut leaves it (`HeadsEnd.stray`). Raises JournalCorrupt, JournalDisk.
    """
    beginning = _content(file, 0, LONGEST_LINE)
    if beginning is None:
        return None
    first = _first(_whole_lines(beginning), file)
    begin = len(str(first)) + 1
    at = max(begin, _filled(file) - _TAIL_BYTES)
    content = _content(file, at) or b""
    if at > begin:  # the first line of what is read may be a part of one
        cut = content.find(b"\n") + 1
        at, content = at + cut, content[cut:]
    lines = _whole_lines(content)
    key = first.key if at == begin else None
    last: SignedHead | None = None
    done, stray = at, b""
    for number, line in enumerate(lines, 1):
        head = _parsed(line) if key is None else _signed(line, key, first.journal_id)
        if head is None:
            if number == len(lines) and (last is not None or at == begin):
                stray = line
                break
            raise JournalCorrupt(f"line at byte {done} of {file.name} is not as it was signed", file, _REMEDY)
        last, key = head, head.next_key
        done += len(line) + 1
    return HeadsEnd(first, last, key or first.key, done, stray)


def _content(file: Path, at: int, most: int = -1, *, synced: bool = False) -> bytes | None:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as opened:
            opened.seek(at)
            content = opened.read(most)
            if synced and content:  # a head that a power cut takes back would have told a lie elsewhere
                os.fdatasync(opened.fileno())
            return content
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise JournalDisk(
            f"the signed heads of the record cannot be read: {fault.strerror}",
            file,
            "See that it is a file of the user who runs feltd, and that its disk is well",
        ) from fault


def _filled(file: Path) -> int:
    """Bytes of the file without the room behind them."""
    end = file.stat().st_size
    while end:
        at = max(0, end - _FEW_BYTES)
        filled = len((_content(file, at, end - at) or b"").rstrip(b"\0"))
        if filled:
            return at + filled
        end = at
    return 0


def _whole_lines(content: bytes) -> list[bytes]:
    lines = content.rstrip(b"\0").split(b"\n")[:-1]
    if lines and b"\0" in lines[-1]:  # of two sectors of room that it was written to, a cut kept the second
        lines.pop()
    return lines


def _first(lines: list[bytes], file: Path | str) -> FirstKey:
    try:
        return FirstKey.parse(lines[0].decode("ascii"))
    except (IndexError, ValueError):
        raise JournalCorrupt("the file of signed heads does not begin as one", file, _REMEDY) from None


def _parsed(line: bytes) -> SignedHead | None:
    try:
        return SignedHead.parse(line.decode("ascii"))
    except ValueError:
        return None


def _signed(line: bytes, key: bytes, journal_id: bytes) -> SignedHead | None:
    head = _parsed(line)
    return head if head is not None and head.is_by(key, journal_id) else None

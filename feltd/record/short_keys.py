"""The table's short-lived keys: what they seal is lost with them, for the holder of the master key too.

They seal the key of the round in progress, for a restart in mid-round, and nothing else. A snapshot begins a new
**generation** where the one before has wrapped a key. Once the snapshot is in the database, and not in its log alone
(which a flipped bit cuts off), that one's key is destroyed.
The generation in use follows from the record: that of its last `round.key`, or the next where a snapshot is after it.

They are in a file beside the journal, `<journal>.keys`, mode 0600, of two slots of 512 bytes. Generation `g` is in slot
`g mod 2`: the one in use, and the next, which is on the disk before anything is sealed with it. The next but one
overwrites the one in use, in its place.

    slot = "feltd keys 1" (padded with 0x00 to 16 bytes), journal_id (16), generation (8, big-endian), key (32),
           SHA-256 of all that (32), 0x00 to 512 bytes

A program cannot make a flash drive forget what it has overwritten: a drive that is encrypted does.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from feltd.record.sealing import KEY_BYTES
from feltd.record.signed_heads import heads_file, signer_file
from feltd.text.atomic_file import sync_folder
from feltd.text.errors import JournalDisk, JournalKeyWrong, JournalMissing

SLOT_BYTES: Final = 512
FILE_BYTES: Final = 2 * SLOT_BYTES
_MAGIC: Final = b"feltd keys 1".ljust(16, b"\0")
_DIGEST_BYTES: Final = 32
_GENERATION: Final = 8


def keys_file(journal: Path) -> Path:
    """The file of a journal's short-lived keys."""
    return journal.with_name(journal.name + ".keys")


def read_short_keys(journal: Path, journal_id: bytes) -> dict[int, bytes]:
    """The short-lived keys of a journal that are there, by generation; none where the file is not, or cannot be read.

    A slot that is damaged or belongs to another journal is passed over.
    """
    try:
        return _read(keys_file(journal), journal_id)
    except OSError:
        return {}


def _read(file: Path, journal_id: bytes) -> dict[int, bytes]:
    return keys_in(file.read_bytes(), journal_id)


def keys_in(content: bytes, journal_id: bytes) -> dict[int, bytes]:
    """The keys of a journal in the content of a file, by generation; slots that have none are passed over."""
    return dict(read for slot in _slots(content) if (read := _from_slot(slot, journal_id)) is not None)


def is_of_another(content: bytes, journal_id: bytes) -> bool:
    """Whether the content of a file has keys, and none of this journal."""
    marked = [slot for slot in _slots(content) if slot.startswith(_MAGIC)]
    return bool(marked) and not any(slot.startswith(_MAGIC + journal_id) for slot in marked)


def require_record(journal: Path) -> None:
    """Raises JournalMissing where a record is gone: no byte of it is there, and its signed heads or keys of it are.

    They are made after the record. A table that began anew then would hide that its record was
    taken away, or lost with the disk.
    """
    if journal.exists() and journal.stat().st_size > 0:
        return
    heads = heads_file(journal)
    left = [f"its signed heads ({heads.name})"] if heads.exists() else []
    left += [f"its short-lived keys ({keys_file(journal).name})"] if _has_keys(journal) else []
    signer = signer_file(journal)
    left += [f"the keys that sign it ({signer.name})"] if _has_any(signer) else []
    if left:
        raise JournalMissing(
            f"the record is gone, and {' and '.join(left)} are here",
            journal,
            "Bring the newest copy of the record back; to begin a new one, put what is left aside first: "
            "`feltd journal set-aside`",
        )


def _has_keys(journal: Path) -> bool:
    try:
        content = keys_file(journal).read_bytes()
    except OSError:
        return False
    return any(slot.startswith(_MAGIC) for slot in _slots(content))


def _has_any(file: Path) -> bool:
    """Whether a file has anything but zeros, or cannot be read: then nothing is written over it."""
    try:
        return any(file.read_bytes())
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _slots(content: bytes) -> list[bytes]:
    return [content[at : at + SLOT_BYTES] for at in (0, SLOT_BYTES)]


class ShortKeys:
    """The short-lived keys of the journal that is written. Its methods belong to one thread at a time."""

    def __init__(self, journal: Path, journal_id: bytes, generation: int, *, used: bool) -> None:
        """Take up the keys of a journal that are there; `make_missing` makes the others.

        `generation`: the one in use, and whether it is `used` (`JournalReader.generation`). Raises JournalDisk,
        JournalKeyWrong for a record that is older than its keys.
        """
        self.file = keys_file(journal)
        self._journal_id = journal_id
        there = self._there(journal)
        self._keys = {number: key for number, key in there.items() if number >= generation}
        self._holds_old = self._keys.keys() != there.keys()
        if max(self._keys, default=generation) > generation + 1:
            raise JournalKeyWrong(
                "the record is older than the short-lived keys beside it: a part of it is missing",
                journal,
                f"Bring the newest copy of the record back; to go on with this one, move {self.file.name} away first",
            )
        self.generation = generation
        self._used = used
        self.next_ready = False
        """Whether a new generation may begin: its key is on the disk."""
        self._lacks = generation not in self._keys

    def _there(self, journal: Path) -> dict[int, bytes]:
        try:
            content = self.file.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as fault:
            raise JournalDisk(
                f"the table's short-lived keys cannot be read: {fault.strerror}",
                self.file,
                "See that it is a file of the user who runs feltd, and that its disk is well",
            ) from fault
        if is_of_another(content, self._journal_id):
            raise JournalKeyWrong(
                f"the short-lived keys beside the record ({self.file.name}) are those of another record",
                journal,
                f"Bring the record back to which they belong; to go on with this one, move {self.file.name} away first",
            )
        return keys_in(content, self._journal_id)

    def make_missing(self) -> None:
        """Make the keys that are not there; the next one not over one of a generation before (`destroy_before` does).

        Only once the record has been found to open: a start that is refused destroys no key. Raises JournalDisk.
        """
        if self.generation not in self._keys:
            self._keys[self.generation] = self._put(self.generation)
        if not self._holds_old:
            self.destroy_before(self.generation)

    @property
    def lost(self) -> bool:
        """Whether the key of the generation in use was not there and had to be made."""
        return self._lacks

    def use(self) -> bytes:
        """The key of the generation in use, to wrap a key with it."""
        self._used = True
        return self._keys[self.generation]

    def begin_next(self) -> None:
        """Begin the next generation, where this one has wrapped a key and the next one's is on the disk."""
        if self._used and self.next_ready:
            self.generation += 1
            self._used = self.next_ready = False

    def holds_before(self, generation: int) -> bool:
        """Whether keys before this generation are to be destroyed."""
        return generation + 1 not in self._keys

    def destroy_before(self, generation: int) -> None:
        """Destroy the keys before a generation whose snapshot is in the database, and make the next ready.

        Raises JournalDisk; nothing is changed then, and it may be tried again.
        """
        if self.holds_before(generation):
            self._keys[generation + 1] = self._put(generation + 1)
            self._keys.pop(generation - 1, None)
        self.next_ready = True

    def _put(self, generation: int) -> bytes:
        """Make a key and write it to its slot, over what is there."""
        key = os.urandom(KEY_BYTES)
        content = _MAGIC + self._journal_id + generation.to_bytes(_GENERATION, "big") + key
        slot = (content + hashlib.sha256(content).digest()).ljust(SLOT_BYTES, b"\0")
        try:
            new = not self.file.exists()
            with _opened(self.file) as descriptor:
                os.pwrite(descriptor, slot, generation % 2 * SLOT_BYTES)
                os.fdatasync(descriptor)  # fsync would write the file's time as well: six blocks of ext4's journal
            if new:  # else a power cut takes the file away, and with it the round in progress
                sync_folder(self.file.parent)
        except OSError as fault:
            raise JournalDisk(
                f"the table's short-lived keys cannot be written: {fault.strerror}",
                self.file,
                "See that the disk takes writes and that the file, if it is there, belongs to the user who runs feltd",
            ) from fault
        return key


def _from_slot(slot: bytes, journal_id: bytes) -> tuple[int, bytes] | None:
    length = len(_MAGIC) + 16 + _GENERATION + KEY_BYTES
    content, digest = slot[:length], slot[length : length + _DIGEST_BYTES]
    if content[: len(_MAGIC) + 16] != _MAGIC + journal_id or hashlib.sha256(content).digest() != digest:
        return None
    return int.from_bytes(content[-KEY_BYTES - _GENERATION : -KEY_BYTES], "big"), content[-KEY_BYTES:]


@contextmanager
def _opened(file: Path) -> Iterator[int]:
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)

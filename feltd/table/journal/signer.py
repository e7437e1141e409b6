"""The keys that sign the heads of a journal: each signs one head and is destroyed.

They are in a file beside the journal, `<journal>.signer`, mode 0600, of two slots of 512 bytes: the key that signs the
next head, and the one that this head will name. A head is signed and on the disk (`feltd.record.signed_heads`) before
the next key but one overwrites, in its place, the key that signed it. A cut between the two leaves both, and the next
start finds by the heads which counts.

    slot = "feltd signer 1" (padded with 0x00 to 16 bytes), journal_id (16), private key (32), SHA-256 of all that (32),
           0x00 to 512 bytes

A program cannot make a flash drive forget what it has overwritten: a drive that is encrypted does.
"""

import errno
import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from feltd.record.signed_heads import (
    KEY_BYTES,
    FirstKey,
    HeadsEnd,
    SignedHead,
    heads_file,
    message_of,
    read_end,
    signer_file,
    stray_file,
)
from feltd.text.atomic_file import replace_atomically, sync_folder
from feltd.text.errors import JournalCorrupt, JournalDisk, JournalKeyWrong

SLOT_BYTES: Final = 512
ROOM_BYTES: Final = 8192
"""What the heads' file grows by, for thirty heads: the file system writes of its own only where a file grows."""
_MAGIC: Final = b"feltd signer 1".ljust(16, b"\0")
_MODE: Final = 0o640
"""Of the heads: whoever may read the journal reads them, a sender to a witness too."""


class HeadSigner:
    """Signs the heads of the journal that is written. Its methods belong to one thread at a time."""

    def __init__(self, journal: Path, journal_id: bytes, end: HeadsEnd | None) -> None:
        """Take up the key that the last head names; `make_ready` changes the files.

        `end`: of the file of heads; None begins one. Raises JournalKeyWrong where the key is not there, JournalDisk.
        """
        self._journal_id = journal_id
        self._heads, self._file = heads_file(journal), signer_file(journal)
        self._size = 0 if end is None else end.size
        self._stray_file = stray_file(journal)
        self._stray = b"" if end is None else end.stray
        self._room: int | None = None
        """Bytes 0x00 behind the last line; None where nobody knows what is there."""
        self.last = None if end is None else end.last
        self._slot = 0
        self._unwritten: SignedHead | None = None
        """Signed, and perhaps not on the disk: no other head is ever signed with its key."""
        self._spent = False
        """Whether the key at hand has signed, and is still there."""
        if end is None:
            self._key = Ed25519PrivateKey.generate()
            self.first_key = _public(self._key)
        else:
            self._slot, self._key = find_signing_key(journal, journal_id, end.key)
            self.first_key = end.first.key
        self._next = Ed25519PrivateKey.generate()
        self._new = end is None

    def make_ready(self) -> None:
        """Write the keys at hand and, for a first time, the file of heads.

        Only once the record has been found to open: a start that is refused changes no file. Raises JournalDisk.
        """
        with self._told_faults(self._file, "the keys that sign the record cannot be written"):
            if self._new:
                self._put(self._key, self._slot)
            self._put(self._next, 1 - self._slot)
        if self._new:
            first = FirstKey(self._journal_id, self.first_key)
            line = f"{first}\n".encode()
            with self._told_faults(self._heads, "the signed heads of the record cannot be written"):
                replace_atomically(self._heads, line, self._heads.parent.stat())
                os.chmod(self._heads, _MODE, follow_symlinks=True)
            self._size, self._new = len(line), False

    def keep_stray(self) -> Mapping[str, Any] | None:
        """Put a whole line that no key of the record has signed aside, before the next head is written over it.

        Returns what a note says of it; None where there is none. Raises JournalDisk.
        """
        if not self._stray:
            return None
        line, self._stray = self._stray + b"\n", b""
        with self._told_faults(self._stray_file, "a line behind the signed heads cannot be put aside"):
            descriptor = os.open(
                self._stray_file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, _MODE
            )
            with os.fdopen(descriptor, "wb") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
            sync_folder(self._stray_file.parent)
        return {
            "file": self._stray_file.name,
            "bytes": len(line),
            "sha256": hashlib.sha256(line).hexdigest(),
            "behind": None if self.last is None else self.last.seq,
        }

    def sign(self, seq: int, chain: bytes, wall_ms: int, *, again: bool = False) -> None:
        """Sign a head, append it, sync it, and destroy the key that signed it.

        `again`: where the last head is of this entry already, too; the new one says a later time. What is on the disk
        of the journal is told, never more. Raises JournalDisk, JournalCorrupt; it may be tried again, and goes on where
        it was.
        """
        self._finish()
        if not again and self.last is not None and (self.last.seq, self.last.chain) == (seq, chain):
            return
        wall_ms = max(0, wall_ms)
        next_key = _public(self._next)
        signature = self._key.sign(message_of(self._journal_id, seq, wall_ms, chain, next_key))
        self._unwritten = SignedHead(seq, wall_ms, chain, next_key, signature)
        self._finish()

    def _finish(self) -> None:
        """Bring what was signed to the disk, and destroy what signed it."""
        if self._unwritten is not None:
            self._append(f"{self._unwritten}\n".encode())
            self.last, self._unwritten, self._spent = self._unwritten, None, True
        if self._spent:
            new = Ed25519PrivateKey.generate()
            with self._told_faults(self._file, "a key that has signed cannot be destroyed"):
                self._put(new, self._slot)
            self._key, self._next, self._slot, self._spent = self._next, new, 1 - self._slot, False

    def close(self) -> None:
        """Give back the room behind the last head, where there is some. Raises JournalDisk."""
        if self._room:
            with self._told_faults(self._heads, "the signed heads of the record cannot be written"):
                os.truncate(self._heads, self._size)
            self._room = None

    def _append(self, line: bytes) -> None:
        with self._told_faults(self._heads, "the signed heads of the record cannot be written"):
            descriptor = os.open(self._heads, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                there = os.fstat(descriptor).st_size
                if there < self._size:
                    raise JournalCorrupt(
                        "the file of signed heads is shorter than this process left it",
                        self._heads,
                        "It was exchanged or damaged while in use: bring the right file back",
                    )
                if self._room is None or there != self._size + self._room:
                    os.ftruncate(descriptor, self._size)  # of a line that was torn
                    self._room = 0
                left, self._room = self._room - len(line), None
                more = 0 if left >= 0 else -(self._size + len(line)) % ROOM_BYTES
                if os.pwrite(descriptor, line + bytes(more), self._size) < len(line) + more:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fdatasync(descriptor)
            finally:
                os.close(descriptor)
        self._size += len(line)
        self._room = max(left, more)

    def _put(self, key: Ed25519PrivateKey, slot: int) -> None:
        content = _MAGIC + self._journal_id + key.private_bytes_raw()
        filled = (content + hashlib.sha256(content).digest()).ljust(SLOT_BYTES, b"\0")
        new = not self._file.exists()
        descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.pwrite(descriptor, filled, slot * SLOT_BYTES)
            os.fdatasync(descriptor)
        finally:
            os.close(descriptor)
        if new:
            sync_folder(self._file.parent)

    @staticmethod
    @contextmanager
    def _told_faults(file: Path, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as fault:
            raise JournalDisk(
                f"{what}: {fault.strerror}", file, "See that the disk takes writes and the file is the service's own"
            ) from fault


def find_signing_key(journal: Path, journal_id: bytes, public: bytes) -> tuple[int, Ed25519PrivateKey]:
    """The key that the last head names, and its slot.

    Raises JournalKeyWrong where it is not there, JournalDisk where the file cannot be read.
    """
    file, heads = signer_file(journal), heads_file(journal)
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        content = b""
    except OSError as fault:
        raise JournalDisk(
            f"the keys that sign the record cannot be read: {fault.strerror}",
            file,
            "See that it is a file of the user who runs feltd, and that its disk is well",
        ) from fault
    for slot in (0, 1):
        key = _from_slot(content[slot * SLOT_BYTES : (slot + 1) * SLOT_BYTES], journal_id)
        if key is not None and _public(key) == public:
            return slot, key
    raise JournalKeyWrong(
        f"the key that the last signed head names is not in {file.name}: the file is lost or another's, or "
        f"{heads.name} is older than the record's own",
        journal,
        f"Bring the newest {heads.name} and {file.name} back; where they are lost, keep the files and "
        "begin a new record: `feltd journal set-aside`",
    )


def require_signing_key(journal: Path, end: HeadsEnd | None) -> None:
    """Raise where a start lacks the key that the last head names, beside a table at work too. `end`: as it was read.

    A table may sign between the two looks, and destroy the key that the older head names: only a head that is still the
    last one counts. Raises JournalKeyWrong, JournalCorrupt, JournalDisk.
    """
    while end is not None:
        try:
            find_signing_key(journal, end.first.journal_id, end.key)
            return
        except JournalKeyWrong:
            now = read_end(heads_file(journal))
            if now is None or now.key == end.key:
                raise
            end = now


def _public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


def _from_slot(slot: bytes, journal_id: bytes) -> Ed25519PrivateKey | None:
    length = len(_MAGIC) + 16 + KEY_BYTES
    content, digest = slot[:length], slot[length : length + 32]
    if content[: len(_MAGIC) + 16] != _MAGIC + journal_id or hashlib.sha256(content).digest() != digest:
        return None
    return Ed25519PrivateKey.from_private_bytes(content[-KEY_BYTES:])

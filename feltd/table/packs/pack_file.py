"""The file of a table's packs, sealed: `packs.sealed` beside the record.

The list of chips says which card is which: whoever has it and a reader of their own knows face-down cards. So it is
sealed with a key that is made of the record's sealing key, and has no other form on a disk. It is kept at the host and
not in readers, because a reader is the easiest part of a table to carry away.

Format: `_MARK`, 12 bytes of nonce, then ChaCha20-Poly1305 over JSON with `_MARK` as associated data.
"""

import json
import os
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from feltd.door.packs import PackState
from feltd.record.sealing import key_beside
from feltd.table.packs.pack_list import Pack, PackList
from feltd.table.packs.turns import PackFileError, alone
from feltd.text.atomic_file import replace_atomically

_MARK: Final = b"feltd packs 1\n"
_NONCE_BYTES: Final = 12
_MOST_BYTES: Final = 1 << 20
"""A hundred packs are a tenth of it."""


def packs_file_of(journal: Path) -> Path:
    """The file beside a journal with the packs of its table."""
    return journal.with_name("packs.sealed")


def read_packs(file: Path, sealing_key: bytes) -> PackList:
    """The packs of a file, none where there is no file. `sealing_key`: the record's, 32 bytes. Raises PackFileError."""
    try:
        with file.open("rb") as opened:
            sealed = opened.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return PackList()
    except OSError as fault:
        raise PackFileError(f"{file}: cannot be read: {fault.strerror}") from None
    if not sealed.startswith(_MARK) or len(sealed) > _MOST_BYTES:
        raise PackFileError(f"{file}: is no file of packs of this version; put the copy back, or enrol the packs anew")
    nonce, box = sealed[len(_MARK) :][:_NONCE_BYTES], sealed[len(_MARK) + _NONCE_BYTES :]
    try:
        return _packs_of(_cipher(sealing_key).decrypt(nonce, box, _MARK))
    except (InvalidTag, ValueError):
        raise PackFileError(
            f"{file}: does not open with the record's sealing key: it is damaged, or of another table. Put the copy "
            "back, or move the file away and enrol the packs anew"
        ) from None


def write_packs(file: Path, sealing_key: bytes, packs: PackList) -> None:
    """Replace the file. It belongs to its folder's owner, mode 0600. Raises PackFileError; the old file then stays."""
    nonce = os.urandom(_NONCE_BYTES)
    box = _cipher(sealing_key).encrypt(nonce, _text_of(packs), _MARK)
    try:
        replace_atomically(file, _MARK + nonce + box, file.parent.stat())
    except OSError as fault:
        raise PackFileError(f"{file}: cannot be written: {fault.strerror}") from None


@dataclass(frozen=True, slots=True)
class PackShelf:
    """The packs of one table, on its disk. `key`: the record's sealing key."""

    file: Path
    key: bytes = field(repr=False)

    def read(self) -> PackList:
        """The packs as they are now. Raises PackFileError."""
        return read_packs(self.file, self.key)

    def mark(self) -> tuple[int, ...] | None:
        """What tells that the file has been replaced; None where there is none, or it cannot be looked at."""
        try:
            state = self.file.stat()
        except OSError:
            return None
        return state.st_ino, state.st_mtime_ns, state.st_size

    def in_play(self) -> PackList | None:
        """The same for readers; None where no pack is enrolled. Raises PackFileError."""
        packs = self.read()
        return packs if packs.packs else None

    def alone(self, *, wait: bool) -> AbstractContextManager[None]:
        """The right to change the list, as `turns.alone` has it: read and write within it."""
        return alone(self.file, wait=wait)

    def write(self, packs: PackList) -> None:
        """Replace them. Raises PackFileError; the old ones then stay."""
        write_packs(self.file, self.key, packs)


def _cipher(sealing_key: bytes) -> ChaCha20Poly1305:
    return ChaCha20Poly1305(key_beside(sealing_key, b"feltd packs 1"))


def _text_of(packs: PackList) -> bytes:
    return json.dumps(
        [
            {
                "name": pack.name,
                "back": pack.back,
                "state": pack.state.value,
                "cards": {number.hex(): card for number, card in pack.cards.items()},
            }
            for pack in packs.packs
        ]
    ).encode()


def _packs_of(text: bytes) -> PackList:
    return PackList(
        tuple(
            Pack(
                one["name"],
                one["back"],
                MappingProxyType({bytes.fromhex(number): card for number, card in one["cards"].items()}),
                PackState(one["state"]),
            )
            for one in json.loads(text)
        )
    )

"""The key pair that opens cards nobody saw: the table has the public half, and somebody else the private one.

Each half is one line of text, with the fingerprint of the pair, so that a damaged line is found:

    feltd-unseal-public 1 KEY FINGERPRINT      32 bytes of X25519 (RFC 7748) as hexadecimal digits
    feltd-unseal-private 1 KEY FINGERPRINT

    fingerprint = first 16 bytes of SHA-256("feltd unseal key 1" 0x00 public key), as eight groups of four digits

A **box** is a round's key, sealed so that the private half alone opens it. It is 80 bytes long, whatever the round was:

    shared = X25519(a key made for this box alone, public key)
    key    = HKDF-SHA256(shared, no salt, "feltd round box 2" 0x00 that key's public half, public key)
    box    = that key's public half (32 bytes), ChaCha20-Poly1305(key, zero nonce, round key, journal_id key_id)
"""

import hashlib
from pathlib import Path
from typing import Final, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from feltd.text.atomic_file import write_new
from feltd.text.errors import UnsealKeyError

PUBLIC: Final = "feltd-unseal-public"
PRIVATE: Final = "feltd-unseal-private"
HALF_PUBLIC: Final = "feltd-unseal-half-public"
HALF_PRIVATE: Final = "feltd-unseal-half-private"
BOX_BYTES: Final = 80
VERSION: Final = "1"
_FINGERPRINT: Final = b"feltd unseal key 1\0"
_BOX: Final = b"feltd round box 2\0"
KEY_BYTES: Final = 32
_ONE_USE: Final = bytes(12)  # the nonce: each box has a key of its own
_LONGEST_FILE: Final = 4096
_MAKE: Final = "make a pair with `feltd record key FILE` on the machine of the person who may read such cards"
MAKE_HALF: Final = "each of the two makes a half with `feltd record half FILE` on a machine of their own"
_MIXED_UP: Final = {
    (PUBLIC, PRIVATE): "this is the public half, which opens nothing; give the file of the private one",
    (PRIVATE, PUBLIC): "this is the private half, which must never be at the table; give the line that begins with "
    f"{PUBLIC} (`feltd record key FILE --show` prints it)",
    (HALF_PRIVATE, PUBLIC): "this is one person's half, which must never be at the table; give the line that begins "
    f"with {PUBLIC} (`feltd record half FILE --with LINE` prints it)",
    (HALF_PUBLIC, PUBLIC): "this is one person's half; give the line that both make of their halves "
    "(`feltd record half FILE --with LINE` prints it)",
    (HALF_PRIVATE, PRIVATE): "this is one of two halves, which opens nothing by itself: have the other person agree "
    "(`feltd record agree`), and give what they send you to `feltd record unseal --agreed`",
    (HALF_PRIVATE, HALF_PUBLIC): "this is somebody's half itself, and no longer theirs alone: make both halves anew, "
    f"and give each other the line that begins with {HALF_PUBLIC}",
    (PRIVATE, HALF_PRIVATE): "this is a whole key, which opens cards by itself; leave --agreed out, or give a half",
}
"""Remedies where a line of one kind was given in the place of another."""


class BoxOpener(Protocol):
    """Who can open boxes: the holder of a private half, or two people who hold a half of it each."""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the pair."""
        ...

    def open(self, journal_id: bytes, key_id: int, box: bytes) -> bytes | None:
        """The round's key in a box; None if it was sealed to another key, for another round, or was changed."""
        ...


class PublicKey:
    """The public half: seals round keys, and opens nothing."""

    def __init__(self, key: bytes) -> None:
        """`key`: 32 bytes. Raises ValueError."""
        self._key = X25519PublicKey.from_public_bytes(key)
        self.bytes = key
        self.fingerprint = fingerprint_of(key)

    @classmethod
    def parse(cls, line: str) -> "PublicKey":
        """Read the line of a public key.

        Raises ValueError, which says what is wrong and never quotes the line.
        """
        key, fingerprint = key_line(line, PUBLIC)
        if fingerprint_of(key) != fingerprint:
            raise ValueError("its fingerprint does not belong to its key: it was damaged; copy the line again")
        try:
            made = cls(key)
            made.box(bytes(16), 0, bytes(KEY_BYTES))  # X25519 refuses a key that seals nothing, at the first box
        except ValueError:
            raise ValueError(f"its key seals nothing; {_MAKE}") from None
        return made

    def __str__(self) -> str:
        return f"{PUBLIC} {VERSION} {self.bytes.hex()} {self.fingerprint}"

    def box(self, journal_id: bytes, key_id: int, key: bytes) -> bytes:
        """A round's key, sealed for the holder of the private half: 80 bytes.

        `key_id`: of its `round.key` entry.
        """
        made = X25519PrivateKey.generate()
        own = made.public_key().public_bytes_raw()
        sealing = ChaCha20Poly1305(_box_key(made.exchange(self._key), own, self.bytes))
        return own + sealing.encrypt(_ONE_USE, key, journal_id + key_id.to_bytes(8, "big"))


class PrivateKey:
    """The private half: opens boxes."""

    def __init__(self, key: bytes) -> None:
        """`key`: 32 bytes."""
        self._key = X25519PrivateKey.from_private_bytes(key)
        self.public = PublicKey(self._key.public_key().public_bytes_raw())

    def __repr__(self) -> str:
        return f"PrivateKey({self.public.fingerprint})"

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the pair."""
        return self.public.fingerprint

    def open(self, journal_id: bytes, key_id: int, box: bytes) -> bytes | None:
        """The round's key in a box; None if it was sealed to another key, for another round, or was changed."""
        try:
            shared = self._key.exchange(X25519PublicKey.from_public_bytes(box[:KEY_BYTES]))
            return opened(box, shared, self.public, journal_id, key_id)
        except ValueError:
            return None


def make_private_key(file: Path) -> PrivateKey:
    """Make a key pair and write its private half to a new file of mode 0600.

    Raises UnsealKeyError: the file is there already, or cannot be written. A file half written is removed.
    """
    made = X25519PrivateKey.generate().private_bytes_raw()
    key = PrivateKey(made)
    write_key(file, PRIVATE, made, key.fingerprint, may_be="the only key that opens a record; name another file")
    return key


def write_key(file: Path, kind: str, key: bytes, fingerprint: str, *, may_be: str) -> None:
    """Write the line of a key to a new file of mode 0600. `may_be`: what a file that is there already may be.

    Raises UnsealKeyError: it is there already, or cannot be written. A file half written is removed.
    """
    try:
        write_new(file, f"{kind} {VERSION} {key.hex()} {fingerprint}\n".encode("ascii"))
    except FileExistsError:
        raise UnsealKeyError(f"{file}: is there already, and may be {may_be}") from None
    except OSError as fault:
        raise UnsealKeyError(
            f"{file}: cannot be written: {fault.strerror}; name a folder that is there, is yours and has space"
        ) from None


def read_private_key(file: Path) -> PrivateKey:
    """The private half in a file.

    Raises UnsealKeyError, which names the file, the fault and the remedy, never the content.
    """
    text = key_text(file, _MAKE)
    try:
        key, fingerprint = key_line(text, PRIVATE)
        read = PrivateKey(key)
        if read.fingerprint != fingerprint:
            raise ValueError("its fingerprint does not belong to its key: it was damaged; bring back your copy of it")
    except ValueError as fault:
        raise UnsealKeyError(f"{file}: {fault}") from None
    return read


def key_text(file: Path, make: str) -> str:
    """The text of a file of keys. `make`: how one is made. Raises UnsealKeyError."""
    try:
        with file.open("rb") as content:
            return content.read(_LONGEST_FILE).decode("ascii", "replace")
    except FileNotFoundError:
        raise UnsealKeyError(f"{file}: no such key file; {make}") from None
    except OSError as fault:
        raise UnsealKeyError(
            f"{file}: cannot be read: {fault.strerror}; run this as the person to whom the key belongs"
        ) from None


def opened(box: bytes, shared: bytes, public: PublicKey, journal_id: bytes, key_id: int) -> bytes | None:
    """The round's key in a box, by the secret that the box and the pair share; None if that is another's."""
    own, text = box[:KEY_BYTES], box[KEY_BYTES:]
    try:
        opening = ChaCha20Poly1305(_box_key(shared, own, public.bytes))
        return opening.decrypt(_ONE_USE, text, journal_id + key_id.to_bytes(8, "big"))
    except InvalidTag:
        return None


def fingerprint_of(public: bytes, what: bytes = _FINGERPRINT) -> str:
    """The fingerprint of a pair by its public half: `3f2a-91bc-…`, eight groups. `what`: keeps kinds of keys apart."""
    digits = hashlib.sha256(what + public).hexdigest()[:32]
    return "-".join(digits[at : at + 4] for at in range(0, 32, 4))


def key_line(line: str, kind: str) -> tuple[bytes, str]:
    """The key and the fingerprint of a line of this kind. Raises ValueError, which never quotes the line."""
    words = line.split()
    if words[:1] != [kind]:
        mixed_up = _MIXED_UP.get((words[0], kind)) if words else None
        make = MAKE_HALF if kind in (HALF_PUBLIC, HALF_PRIVATE) else _MAKE
        raise ValueError(mixed_up or f"this is no such key: it must begin with {kind}; {make}")
    if words[1:2] not in ([], [VERSION]):
        raise ValueError(f"this key is of version {words[1][:8]}, and this feltd knows {VERSION}: use the newer feltd")
    if len(words) != 4:
        raise ValueError("the line is not whole: a key line has four words; bring back your copy of it")
    try:
        key = bytes.fromhex(words[2])
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise ValueError(f"the line is not whole: its key has not {2 * KEY_BYTES} hexadecimal digits")
    return key, words[3]


def _box_key(shared: bytes, own: bytes, public: bytes) -> bytes:
    return HKDF(hashes.SHA256(), KEY_BYTES, salt=None, info=_BOX + own + public).derive(shared)

"""An unsealing key that two people hold: each has a half, and the whole is nowhere, not even while a card is read.

Each person makes a half on a machine of their own: a pair of X25519 (RFC 7748), `a` with its public half `A`, and `b`
with `B`. Both make the same public key of their own half and the other's public one, and the table seals to it as to
any other (`unseal_keys`):

    public key = X25519(a, B) = X25519(b, A)

To open a box, whose own public half is `e`, takes both, in whatever order, and neither's half leaves its machine:

    shared = X25519(b, X25519(a, e))        the inner value is what the first person gives the second for this box

Whoever has seen the inner value of a box, and not `b`, opens nothing; whoever has `b`, and not that value, neither.

A half answers any point that it is given. So it joins once: a second "public half" could be the point of a box. And
who agrees takes the boxes from a record of their own, not from the other person.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from feltd.record.digested_file import digest_of, read_digested, write_digested
from feltd.record.unseal_keys import (
    HALF_PRIVATE,
    HALF_PUBLIC,
    KEY_BYTES,
    MAKE_HALF,
    VERSION,
    PublicKey,
    fingerprint_of,
    key_line,
    key_text,
    opened,
    write_key,
)
from feltd.text.atomic_file import replace_atomically
from feltd.text.errors import UnsealKeyError

FORMAT: Final = 1
_FINGERPRINT: Final = b"feltd unseal half 1\0"


class Half:
    """One person's half. `joined`: the public key that both made of theirs; None before."""

    def __init__(self, key: bytes, joined: PublicKey | None = None) -> None:
        """`key`: 32 bytes."""
        self._key = X25519PrivateKey.from_private_bytes(key)
        self.bytes = self._key.public_key().public_bytes_raw()
        self.joined = joined

    def __repr__(self) -> str:
        return f"Half({self.fingerprint})"

    @property
    def fingerprint(self) -> str:
        """The fingerprint of this half alone."""
        return fingerprint_of(self.bytes, _FINGERPRINT)

    @property
    def line(self) -> str:
        """The public line of this half, for the other person."""
        return f"{HALF_PUBLIC} {VERSION} {self.bytes.hex()} {self.fingerprint}"

    def public_with(self, other: bytes) -> PublicKey:
        """The public key of this half and another one's public half. Raises ValueError: they make none."""
        return PublicKey(self._times(other))

    def contribution(self, box: bytes) -> bytes:
        """What this half gives to open a box: it opens that one box, with the other half. Raises ValueError."""
        return self._times(box[:KEY_BYTES])

    def _times(self, point: bytes) -> bytes:
        return self._key.exchange(X25519PublicKey.from_public_bytes(point))


def make_half(file: Path) -> Half:
    """Make a half and write it to a new file of mode 0600.

    Raises UnsealKeyError: the file is there already, or cannot be written. A file half written is removed.
    """
    made = X25519PrivateKey.generate().private_bytes_raw()
    half = Half(made)
    write_key(file, HALF_PRIVATE, made, half.fingerprint, may_be="a half that opens a record")
    return half


def read_half(file: Path) -> Half:
    """The half in a file. Raises UnsealKeyError, which names the file, the fault and the remedy, never the content."""
    own, *joined = key_text(file, MAKE_HALF).splitlines() or [""]
    try:
        key, fingerprint = key_line(own, HALF_PRIVATE)
        half = Half(key, PublicKey.parse(joined[0]) if joined else None)
        if half.fingerprint != fingerprint:
            raise ValueError("its fingerprint does not belong to its key: it was damaged; bring back your copy of it")
    except ValueError as fault:
        raise UnsealKeyError(f"{file}: {fault}") from None
    return half


def join(file: Path, line: str) -> PublicKey:
    """Make the public key of the half in `file` and the other person's public line; the file keeps it.

    A half joins once. Raises UnsealKeyError: the file, the line, another partner than before.
    """
    half = read_half(file)
    try:
        other, fingerprint = key_line(line, HALF_PUBLIC)
        if fingerprint_of(other, _FINGERPRINT) != fingerprint:
            raise ValueError("its fingerprint does not belong to its key: it was damaged; copy the line again")
        if other == half.bytes:
            raise ValueError("it is the line of this half itself; give the other person's")
        public = half.public_with(other)
        PublicKey.parse(str(public))
    except ValueError as fault:
        raise UnsealKeyError(f"the other person's line: {fault}") from None
    if half.joined is not None and half.joined.bytes != public.bytes:
        # a second answer could be what opens a box: its own public half looks as a person's does
        raise UnsealKeyError(f"{file}: has joined another half already, and a half joins once; make a new one")
    if half.joined is None:
        text = file.read_bytes().rstrip(b"\n") + f"\n{public}\n".encode("ascii")
        try:
            replace_atomically(file, text, file.stat())
        except OSError as fault:
            raise UnsealKeyError(f"{file}: cannot be written: {fault.strerror}") from None
    return public


@dataclass(frozen=True, slots=True)
class Agreement:
    """One person's agreement that another one reads the sealed cards of some rounds of a journal.

    `key`: the fingerprint of the key that both hold; `half`: of the half that agrees. `given`: by the `seq` of a
    round's key, the contribution to open its box, as hexadecimal digits.
    """

    feltd_agreement: int
    journal_id: str
    rounds: tuple[int, ...]
    who: str
    why: str
    when: str
    key: str
    half: str
    given: Mapping[str, str]

    @property
    def fingerprint(self) -> str:
        """SHA-256 of its fields, hexadecimal."""
        return digest_of(asdict(self))


def agreement(
    half: Half, journal_id: bytes, boxes: Mapping[int, bytes], rounds: tuple[int, ...], who: str, why: str
) -> Agreement:
    """Agree to the reading of rounds, whose `boxes` are given by the `seq` of their keys.

    Raises UnsealKeyError: a box is none, or the half has joined no other.
    """
    given: dict[str, str] = {}
    for key_id, box in boxes.items():
        try:
            given[str(key_id)] = half.contribution(box).hex()
        except ValueError:
            raise UnsealKeyError(
                f"the box of key {key_id} is none: it was changed; see what feltd journal verify says"
            ) from None
    when = datetime.now(UTC).isoformat(timespec="seconds")
    return Agreement(
        FORMAT, journal_id.hex(), rounds, who, why, when, joined_of(half).fingerprint, half.fingerprint, given
    )


def joined_of(half: Half) -> PublicKey:
    """The public key that a half and its other one have made. Raises UnsealKeyError where it has joined none."""
    if half.joined is None:
        raise UnsealKeyError("this half has joined no other yet: feltd record half FILE --with LINE")
    return half.joined


def write_agreement(file: Path, made: Agreement) -> None:
    """Write an agreement to a new file of mode 0600. Raises UnsealKeyError."""
    write_digested(file, asdict(made), what="this agreement")


def read_agreement(file: Path) -> Agreement:
    """Read an agreement. Raises UnsealKeyError: unreadable, none, damaged."""
    remedy = "give the file that feltd record agree wrote, as it wrote it"
    try:
        fields, digest = read_digested(file, remedy)
        made = Agreement(**{**fields, "rounds": tuple(map(int, fields["rounds"])), "given": dict(fields["given"])})
        for key_id, point in made.given.items():
            int(key_id), bytes.fromhex(point)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UnsealKeyError(f"{file}: is no agreement, or not whole; {remedy}") from None
    if made.fingerprint != digest:
        raise UnsealKeyError(f"{file}: was changed after it was written; {remedy}")
    return made


class BothHalves:
    """Opens the boxes of rounds to which the other person has agreed, with one's own half."""

    def __init__(self, own: Half, agreed: Agreement) -> None:
        """Raises UnsealKeyError: the agreement is one's own, or is of another key."""
        self._own, self._agreed, self._public = own, agreed, joined_of(own)
        if agreed.half == own.fingerprint:
            raise UnsealKeyError("the agreement is of this half itself: the other person must agree")
        if agreed.key != self.fingerprint:
            raise UnsealKeyError(
                f"the agreement is for the key {agreed.key}, and this half is of the key {self.fingerprint}"
            )

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the key that both hold."""
        return self._public.fingerprint

    def require_agreed(self, journal_id: bytes, rounds: tuple[int, ...]) -> None:
        """Raise UnsealKeyError where the other person has not agreed to these rounds of this journal."""
        if self._agreed.journal_id != journal_id.hex():
            raise UnsealKeyError("the agreement is for another record than this one; ask for one from this record")
        if missing := sorted(set(rounds) - set(self._agreed.rounds)):
            named = ", ".join(map(str, missing))
            raise UnsealKeyError(f"{self._agreed.who} has not agreed to round {named}; ask for an agreement with it")

    def open(self, journal_id: bytes, key_id: int, box: bytes) -> bytes | None:
        """The round's key in a box; None if it is not what was agreed to, or was changed."""
        given = self._agreed.given.get(str(key_id))
        try:
            shared = self._own.contribution(bytes.fromhex(given or ""))
        except ValueError:
            return None
        return opened(box, shared, self._public, journal_id, key_id)

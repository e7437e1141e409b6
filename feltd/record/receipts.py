"""Receipts: the floor says in a table's own record, signed, up to which entry it has the record, and with which chain.

A receipt is a note of the host (`RECEIPT_NOTE`). Its signature is Ed25519 by the floor's key for receipts, over

    "feltd receipt 1" 0x00 journal_id (16 bytes) ENTRY (8, big-endian) CHAIN (32) MILLISECONDS (8, big-endian)

Whoever writes the record anew before a receipt would have to have that key, which no table has.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from feltd.record.entries import EntryKind, HostEntry, Row
from feltd.record.notes import RECEIPT_NOTE
from feltd.record.row_json import parse
from feltd.record.weak_keys import is_weak
from feltd.text.errors import FeltdError

KEY_BYTES: Final = 32
_SIGNED: Final = b"feltd receipt 1\0"
_LARGEST: Final = 2**63


class NoFloorKeyError(FeltdError, ValueError):
    """What was given as a floor's key is none."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The floor has a journal up to `entry`, behind which the chain is `chain`.

    `wall_ms`: the floor's clock, milliseconds since 1970 UTC; `key`: the public key of who signed it.
    """

    entry: int
    chain: bytes
    wall_ms: int
    key: bytes
    signature: bytes

    def is_of(self, journal_id: bytes) -> bool:
        """Whether the holder of its key signed it for this journal."""
        message = message_of(journal_id, self.entry, self.chain, self.wall_ms)
        try:
            Ed25519PublicKey.from_public_bytes(self.key).verify(self.signature, message)
        except InvalidSignature:
            return False
        return True

    def to_body(self) -> dict[str, Any]:
        """What its note says."""
        return {
            "entry": self.entry,
            "chain": self.chain.hex(),
            "at": self.wall_ms,
            "key": self.key.hex(),
            "signature": self.signature.hex(),
        }

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """Read what `to_body` made. Raises ValueError for anything else."""
        entry, wall_ms = body.get("entry"), body.get("at")
        if (
            type(entry) is not int
            or type(wall_ms) is not int
            or not 0 < entry < _LARGEST
            or not 0 <= wall_ms < _LARGEST
        ):
            raise ValueError("no numbers of a receipt")
        return cls(entry, _hex(body, "chain", 32), wall_ms, _hex(body, "key", KEY_BYTES), _hex(body, "signature", 64))


class ReceiptKey:
    """The floor's private key for receipts."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public: Final = key.public_key().public_bytes_raw()

    def receipt(self, journal_id: bytes, entry: int, chain: bytes, wall: float) -> Receipt:
        """A receipt for this journal. `wall`: seconds since 1970."""
        wall_ms = int(wall * 1000)
        signature = self._key.sign(message_of(journal_id, entry, chain, wall_ms))
        return Receipt(entry, chain, wall_ms, self.public, signature)


class ReceiptCheck:
    """Holds the receipts of a record against its entries. Gives entries with words.

    `chain_at`: the chain that is stored behind an entry, None for one that is not there, which is found by its number;
    `keys`: the public keys that the floor's people keep, empty where none was given: then each proves its key alone.
    """

    def __init__(self, journal_id: bytes, chain_at: Callable[[int], object], keys: tuple[bytes, ...] = ()) -> None:
        self._journal_id = journal_id
        self._chain_at = chain_at
        self._keys = keys
        self._sound = 0
        self._rewritten = False
        self.last: Receipt | None = None
        """The last receipt that holds."""
        self.count = 0

    def at(self, row: Row) -> Iterator[tuple[int, str]]:
        """What a row says against the record, where it is a receipt."""
        body = _body_of(row)
        if body is None:
            return
        try:
            receipt = Receipt.from_body(body)
        except ValueError:
            yield row.seq, f"the floor's receipt in entry {row.seq} cannot be understood"
            return
        if self._keys and receipt.key not in self._keys:
            yield row.seq, f"the floor's receipt in entry {row.seq} is signed by another key than the floor's"
        elif not receipt.is_of(self._journal_id) or receipt.entry >= row.seq:
            yield row.seq, f"the floor's receipt in entry {row.seq} is not as the floor signed it"
        elif (stored := self._chain_at(receipt.entry)) == receipt.chain:
            self._sound, self._rewritten = receipt.entry, False
            self.last, self.count = receipt, self.count + 1
        elif stored is not None and not self._rewritten:
            self._rewritten = True
            first = self._sound + 1
            which = f"entries {first} to {receipt.entry}" if first < receipt.entry else f"entry {receipt.entry}"
            yield first, f"{which}: not as the floor had them ({_moment(receipt)}): changed and chained anew"


def is_receipt(row: Row) -> bool:
    """Whether a row is a receipt's note, sound or not."""
    return _body_of(row) is not None


def message_of(journal_id: bytes, entry: int, chain: bytes, wall_ms: int) -> bytes:
    """What is signed."""
    return _SIGNED + journal_id + entry.to_bytes(8, "big") + chain + wall_ms.to_bytes(8, "big")


def parse_floor_key(text: str) -> bytes:
    """The public half of a floor's key for receipts, as `feltd floor receipt-key` prints it. Raises NoFloorKeyError."""
    try:
        key = bytes.fromhex(text.strip())
        if len(key) != KEY_BYTES or is_weak(key):
            raise ValueError
    except ValueError:
        raise NoFloorKeyError(
            f"{text[:80]}: no key of a floor. `feltd floor receipt-key` prints it: 64 hexadecimal digits"
        ) from None
    return key


def _body_of(row: Row) -> Mapping[str, Any] | None:
    if row.kind != EntryKind.HOST or row.name != HostEntry.NOTE or not isinstance(row.body, str):
        return None
    try:
        body = parse(row.body)
    except ValueError:
        return None
    return body if isinstance(body, dict) and body.get("note") == RECEIPT_NOTE else None


def _hex(body: Mapping[str, Any], name: str, length: int) -> bytes:
    text = body.get(name)
    value = bytes.fromhex(text) if isinstance(text, str) else b""
    if len(value) != length or value.hex() != text:
        raise ValueError(f"no {name}")
    return value


def _moment(receipt: Receipt) -> str:
    try:
        return f"{datetime.fromtimestamp(receipt.wall_ms / 1000, UTC):%Y-%m-%d %H:%M:%S}Z"
    except (OverflowError, ValueError, OSError):
        return "at no time"

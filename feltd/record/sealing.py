"""Sealing of what must stay secret until its round is over: fields, method and key.

**What** is sealed depends on the kind of the field and on whether a round is open, never on what the field says:
nobody who watches what is sealed, or how long it is, learns a card by it.

- Cards: every field that holds one (`CARD_FIELDS`) of every event, unless the event says itself that the card lies
  face up (`face` is exactly `up`). So `card.removed`, `card.left_table` and `card.exposed` (seen by somebody is not
  seen by all) are always sealed, and so are a deck check's lists: taken in mid-round, what a check misses is what lies
  face down. An event added later with a card in it is sealed from its first day. A card nobody read (null) is sealed
  like any other.
- Words: every field that people fill as they like, and what a device sent against the rules (`WORDS_OF`,
  `NOTE_WORDS`), of every entry that is written while a round is open. A reason may name a card, and most do not: they
  are all sealed.
- A snapshot that is written while a round is open, whole.

The table's answers are not sealed, nor why a device is away. Everybody reads them as they are given, so no card that is
secret may be in one.

**How.** The sealed part is a JSON object of the fields taken out, padded with spaces to one of a few fixed lengths
(`SIZES`): the first for one card, the second for the lists of a deck check and for words as people write them, the
third for the longest words. ChaCha20-Poly1305 (fast on processors without AES, the Raspberry Pi 4's among them), a
random 12-byte nonce in front. Associated data:

    "feltd sealed 1" 0x00 journal_id (16 bytes) seq (8 bytes, big-endian) key (8 bytes, big-endian)

so that no ciphertext opens in another entry's place; the names of the fields are inside. Up to version 0.2 other
lengths were used, and an entry that named a sealed card was sealed whole: such entries are read as before.

**Keys.** Each round with something to seal has its own random 32-byte key. The entry `round.key` comes before its first
use and holds SHA-256("feltd round key 1" 0x00 key) as `commitment`, the key wrapped under the master key as `wrapped`,
and the id of that master key. The entry `round.end` publishes the key in clear, and anybody can check it against the
commitment: nobody can publish another key that opens the same ciphertexts to other cards.

    wrap key  = HMAC-SHA256(master key, "feltd journal wrap 1")
    wrapped   = nonce (12 bytes), ChaCha20-Poly1305(wrap key, nonce, round key, "feltd round key 1" 0x00 journal_id seq)
    master id = first 8 bytes of HMAC-SHA256(master key, "feltd journal master id 1")
    head key  = HMAC-SHA256(master key, "feltd journal head 1")       authenticates the head of the chain
"""

import hashlib
import hmac
import json
import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from table_fsm.events import EVENT_TYPES, FIELDS, Event, Supervisor

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
SIZES: Final = (32, 1024, 8192)
"""Lengths of what is sealed, in bytes. What is longer than the last has a multiple of it."""
CARD_FIELDS: Final = frozenset({"card", "cards", "missing", "foreign", "duplicate"})

_SEALED: Final = b"feltd sealed 1\0"
_ROUND_KEY: Final = b"feltd round key 1\0"
_ONE_CARD: Final = frozenset({"card"})
_JSON: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False)

CARDS_OF: Final[Mapping[type[Event], tuple[str, ...]]] = MappingProxyType(
    {kind: names for kind in EVENT_TYPES if (names := tuple(name for name in FIELDS[kind] if name in CARD_FIELDS))}
)
"""The card fields of each event that has any."""
WORDS_OF: Final[Mapping[type[Event], tuple[str, ...]]] = MappingProxyType({Supervisor: ("reason",)})
"""The fields of events into which people write what they like."""
NOTE_WORDS: Final = frozenset({"why", "fault"})
"""The fields of the host's notes that hold words: why a person acts, and what a device did wrong."""


def is_public(event: Event) -> bool:
    """Whether the cards that this event names lie face up.

    Only `face: up` says so; a missing or any other value does not.
    """
    return getattr(event, "face", "down") == "up"


def padded(text: str, least: int = SIZES[0]) -> bytes:
    """The UTF-8 of `text` with spaces up to one of `SIZES`, `least` or a longer one, or to a multiple of the last."""
    data = text.encode()
    fits = (size for size in SIZES if least <= size and len(data) <= size)
    return data.ljust(next(fits, -(-len(data) // SIZES[-1]) * SIZES[-1]))


class RoundKey:
    """One round's key: seals and opens.

    `key_id`: the `seq` of its `round.key` entry.
    """

    __slots__ = ("_aead", "_associated", "_key", "key_id", "round")

    def __init__(self, journal_id: bytes, key_id: int, round_number: int, key: bytes) -> None:
        self.key_id = key_id
        self.round = round_number
        self._key = key
        self._aead = ChaCha20Poly1305(key)
        self._associated = _SEALED + journal_id + key_id.to_bytes(8, "big")

    def __repr__(self) -> str:
        return f"RoundKey(round {self.round}, key {self.key_id})"  # never the key, never the cards

    def publish(self) -> str:
        """The key in hexadecimal, for the `round.end` entry."""
        return self._key.hex()

    def _bound_to(self, seq: int) -> bytes:
        prefix = len(_SEALED) + 16
        return self._associated[:prefix] + seq.to_bytes(8, "big") + self._associated[prefix:]

    def seal(self, seq: int, fields: Mapping[str, Any]) -> bytes:
        """Return nonce, ciphertext and tag of the fields, bound to entry `seq`.

        The length says whether it is one card, and of words whether they are very long; nothing else.
        """
        least = SIZES[0] if fields.keys() == _ONE_CARD else SIZES[1]
        nonce = os.urandom(NONCE_BYTES)  # random, not the seq: after a crash a seq may be written a second time
        return nonce + self._aead.encrypt(nonce, padded(_JSON.encode(fields), least), self._bound_to(seq))

    def open(self, seq: int, sealed: bytes) -> str | None:
        """The JSON text that was sealed in entry `seq`, or None if this key does not open it there."""
        try:
            data = self._aead.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], self._bound_to(seq))
        except (InvalidTag, ValueError):
            return None
        return data.rstrip(b" ").decode()


def commitment(key: bytes) -> str:
    """The commitment in `round.key` to a key that is still secret, hexadecimal."""
    return hashlib.sha256(_ROUND_KEY + key).hexdigest()


class MasterKey:
    """The 32-byte key that wraps round keys and authenticates the head of the chain."""

    __slots__ = ("_head", "_wrap", "id")

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError(f"a master key is {KEY_BYTES} bytes, not {len(key)}")
        self._wrap = ChaCha20Poly1305(_derive(key, b"feltd journal wrap 1"))
        self._head = _derive(key, b"feltd journal head 1")
        self.id = _derive(key, b"feltd journal master id 1")[:8].hex()

    def __repr__(self) -> str:
        return f"MasterKey({self.id})"

    def wrap(self, journal_id: bytes, seq: int, key: bytes) -> bytes:
        """A round key, sealed for the `round.key` entry `seq`."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._wrap.encrypt(nonce, key, _ROUND_KEY + journal_id + seq.to_bytes(8, "big"))

    def unwrap(self, journal_id: bytes, seq: int, wrapped: bytes) -> bytes | None:
        """Return the unwrapped round key.

        None if it was wrapped under another master key or for another entry.
        """
        associated = _ROUND_KEY + journal_id + seq.to_bytes(8, "big")
        try:
            return self._wrap.decrypt(wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], associated)
        except (InvalidTag, ValueError):
            return None

    def head_mac(self, journal_id: bytes, seq: int, chain: bytes) -> bytes:
        """The MAC of the head of the chain, 32 bytes; only a holder of the master key can make it."""
        return hmac.digest(self._head, journal_id + seq.to_bytes(8, "big") + chain, "sha256")


def _derive(key: bytes, purpose: bytes) -> bytes:
    return hmac.digest(key, purpose, "sha256")

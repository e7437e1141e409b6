"""Sealing of what must stay secret: fields, method and keys.

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

The table's answers are not sealed, nor why a device is away. Everybody reads them as they are given, so no card that is
secret may be in one.

**How.** The sealed part is a JSON object of the fields taken out, padded with spaces to one of a few fixed lengths
(`SIZES`): the first for one card, the second for the lists of a deck check and for words as people write them, the
third for the longest words. Each entry has a key of its own, derived from its round's:

    entry key  = HMAC-SHA256(round key, "feltd entry key 2" 0x00 journal_id (16 bytes) seq (8, big-endian) key (8) 0x01)
    sealed     = SHA-256("feltd entry key 2" 0x00 entry key), nonce (12 bytes), ciphertext and tag

(HKDF-Expand of RFC 5869, one block.) The cipher is ChaCha20-Poly1305 (fast on processors without AES, the Raspberry
Pi 4's among them) with a random nonce. Associated data:

    "feltd sealed 2" 0x00 journal_id (16 bytes) seq (8 bytes, big-endian) key (8 bytes, big-endian)

so that no ciphertext opens in another entry's place; the names of the fields are inside. The hash in front commits to
the entry's key: nobody can publish another key that opens the same ciphertext to another card.

**Keys.** Each round with something to seal has its own random 32-byte key. The entry `round.key` comes before its first
use: `edition` 2, SHA-256("feltd round key 1" 0x00 key) as `commitment`, the key wrapped for a restart in mid-round as
`wrapped`, with the `generation` of the short-lived key that wraps it beside the master key (`short_keys`), the id of
the master key, and as `public` the public key of who may read what the round does not show (null without one). The
round is sealed to that key at its end, whatever the table's file says by then. The entry `round.end` has

    keys: by `seq` the keys of the entries that everybody may read now: all words, and the cards that the round showed
    box:  the round key, sealed to that public key (`unseal_keys`); null without one
    to:   that public key's fingerprint; null without one

A snapshot has nothing to seal: what readers counted of each pack over rounds, from which such cards could be told, is
in none.

Which cards a round showed: `shown_cards`. After it the table has no copy of the round key, and none that the master key
opens: the short-lived key is destroyed with the next snapshot.

    wrap key  = HMAC-SHA256(master key, "feltd journal wrap 2" short-lived key)
    wrapped   = nonce (12 bytes), ChaCha20-Poly1305(wrap key, nonce, round key, "feltd round key 1" 0x00 journal_id seq
                public)
    master id = first 8 bytes of HMAC-SHA256(master key, "feltd journal master id 1")
    head key  = HMAC-SHA256(master key, "feltd journal head 1")       authenticates the head of the chain

**Before edition 2** the round key sealed each entry itself ("feltd sealed 1", no hash in front),
the master key alone wrapped it ("feltd journal wrap 1"), and `round.end` published it in clear as `key`. Up to version
0.2 other lengths were used, and an entry that named a sealed card was sealed whole. All of these are read as before.
"""

import hashlib
import hmac
import json
import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeAlias

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from table_fsm.events import EVENT_TYPES, FIELDS, Event, Supervisor

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
SIZES: Final = (32, 1024, 8192)
"""Lengths of what is sealed, in bytes. What is longer than the last has a multiple of it."""
CARD_FIELDS: Final = frozenset({"card", "cards", "missing", "foreign", "duplicate"})

COMMITMENT_BYTES: Final = 32
_SEALED: Final = b"feltd sealed 2\0"
_SEALED_BEFORE: Final = b"feltd sealed 1\0"
_ENTRY_KEY: Final = b"feltd entry key 2\0"
_ROUND_KEY: Final = b"feltd round key 1\0"
_WRAP: Final = b"feltd journal wrap 2"
_WRAP_BEFORE: Final = b"feltd journal wrap 1"
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


class Opener(Protocol):
    """A key, or keys, of one round that open some of its entries."""

    round: int

    def holds(self, seq: int) -> bool:
        """Whether it has the key of entry `seq`."""

    def open(self, seq: int, sealed: bytes) -> str | None:
        """The JSON text that was sealed in entry `seq`, or None if this key does not open it there."""


class RoundKey:
    """One round's key: seals each entry under a key of its own, and opens it.

    `key_id`: the `seq` of its `round.key` entry.
    """

    __slots__ = ("_journal_id", "_key", "key_id", "round")

    edition: Final = 2

    def __init__(self, journal_id: bytes, key_id: int, round_number: int, key: bytes) -> None:
        self.key_id = key_id
        self.round = round_number
        self._journal_id = journal_id
        self._key = key

    def __repr__(self) -> str:
        return f"RoundKey(round {self.round}, key {self.key_id})"  # never the key, never the cards

    def secret(self) -> bytes:
        """The key itself, 32 bytes: for the box alone."""
        return self._key

    def entry_key(self, seq: int) -> bytes:
        """The key of entry `seq`, 32 bytes; it tells nothing of any other's."""
        info = _ENTRY_KEY + self._journal_id + seq.to_bytes(8, "big") + self.key_id.to_bytes(8, "big")
        return hmac.digest(self._key, info + b"\1", "sha256")

    def seal(self, seq: int, fields: Mapping[str, Any]) -> bytes:
        """Return commitment, nonce, ciphertext and tag of the fields, bound to entry `seq`.

        The length says whether it is one card, and of words whether they are very long; nothing else.
        """
        least = SIZES[0] if fields.keys() == _ONE_CARD else SIZES[1]
        nonce = os.urandom(NONCE_BYTES)  # random, not the seq: after a crash a seq may be written a second time
        key = self.entry_key(seq)
        bound = _bound(_SEALED, self._journal_id, seq, self.key_id)
        sealed = ChaCha20Poly1305(key).encrypt(nonce, padded(_JSON.encode(fields), least), bound)
        return entry_commitment(key) + nonce + sealed

    def holds(self, seq: int) -> bool:
        """Every entry's key can be derived."""
        return True

    def open(self, seq: int, sealed: bytes) -> str | None:
        """The JSON text that was sealed in entry `seq`, or None if this key does not open it there."""
        return _open_entry(self._journal_id, self.key_id, seq, self.entry_key(seq), sealed)


class PublishedKeys:
    """The entry keys of a round that its `round.end` published."""

    def __init__(self, journal_id: bytes, key_id: int, round_number: int, keys: Mapping[int, bytes]) -> None:
        """`keys`: by `seq`, 32 bytes each."""
        self.key_id = key_id
        self.round = round_number
        self._journal_id = journal_id
        self._keys = keys

    def holds(self, seq: int) -> bool:
        """Whether the key of entry `seq` was published."""
        return seq in self._keys

    def open(self, seq: int, sealed: bytes) -> str | None:
        """The JSON text that was sealed in entry `seq`, or None."""
        key = self._keys.get(seq)
        return None if key is None else _open_entry(self._journal_id, self.key_id, seq, key, sealed)


class FirstEditionKey:
    """A round's key of a journal before edition 2: it opens every entry of its round itself, and seals no more."""

    __slots__ = ("_aead", "_journal_id", "_key", "key_id", "round")

    edition: Final = 1

    def __init__(self, journal_id: bytes, key_id: int, round_number: int, key: bytes) -> None:
        self.key_id = key_id
        self.round = round_number
        self._journal_id = journal_id
        self._key = key
        self._aead = ChaCha20Poly1305(key)

    def __repr__(self) -> str:
        return f"FirstEditionKey(round {self.round}, key {self.key_id})"

    def secret(self) -> bytes:
        """The key itself, 32 bytes: for the box alone."""
        return self._key

    def holds(self, seq: int) -> bool:
        """It opens every entry."""
        return True

    def open(self, seq: int, sealed: bytes) -> str | None:
        """The JSON text that was sealed in entry `seq`, or None if this key does not open it there."""
        bound = _bound(_SEALED_BEFORE, self._journal_id, seq, self.key_id)
        try:
            data = self._aead.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], bound)
        except (InvalidTag, ValueError):
            return None
        return data.rstrip(b" ").decode()


AnyRoundKey: TypeAlias = RoundKey | FirstEditionKey


def round_key(edition: int, journal_id: bytes, key_id: int, round_number: int, key: bytes) -> AnyRoundKey:
    """The key of a round by the edition that its `round.key` entry names (1 where it names none)."""
    made = FirstEditionKey if edition < RoundKey.edition else RoundKey
    return made(journal_id, key_id, round_number, key)


def entry_commitment(key: bytes) -> bytes:
    """The 32 bytes in front of what is sealed under an entry's key."""
    return hashlib.sha256(_ENTRY_KEY + key).digest()


def _bound(prefix: bytes, journal_id: bytes, seq: int, key_id: int) -> bytes:
    return prefix + journal_id + seq.to_bytes(8, "big") + key_id.to_bytes(8, "big")


def _open_entry(journal_id: bytes, key_id: int, seq: int, key: bytes, sealed: bytes) -> str | None:
    if not hmac.compare_digest(sealed[:COMMITMENT_BYTES], entry_commitment(key)):
        return None
    nonce, text = sealed[COMMITMENT_BYTES:][:NONCE_BYTES], sealed[COMMITMENT_BYTES + NONCE_BYTES :]
    try:
        data = ChaCha20Poly1305(key).decrypt(nonce, text, _bound(_SEALED, journal_id, seq, key_id))
    except (InvalidTag, ValueError):
        return None
    return data.rstrip(b" ").decode()


def commitment(key: bytes) -> str:
    """The commitment in `round.key` to a key that is still secret, hexadecimal."""
    return hashlib.sha256(_ROUND_KEY + key).hexdigest()


class MasterKey:
    """The 32-byte key that wraps round keys, with a short-lived one, and authenticates the head of the chain."""

    __slots__ = ("_head", "_key", "id")

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError(f"a master key is {KEY_BYTES} bytes, not {len(key)}")
        self._key = key
        self._head = derive(key, b"feltd journal head 1")
        self.id = derive(key, b"feltd journal master id 1")[:8].hex()

    def __repr__(self) -> str:
        return f"MasterKey({self.id})"

    def derived(self, purpose: bytes, short_lived: bytes) -> bytes:
        """A key that takes both, 32 bytes: once the short-lived one is destroyed, nobody makes it again."""
        return derive(self._key, purpose + short_lived)

    def wrap(self, journal_id: bytes, seq: int, key: bytes, short_lived: bytes, public: bytes = b"") -> bytes:
        """A round key, sealed for the `round.key` entry `seq`, which names this `public` key; empty for none."""
        nonce = os.urandom(NONCE_BYTES)
        wrapping = ChaCha20Poly1305(self.derived(_WRAP, short_lived))
        return nonce + wrapping.encrypt(nonce, key, _ROUND_KEY + journal_id + seq.to_bytes(8, "big") + public)

    def unwrap(
        self, journal_id: bytes, seq: int, wrapped: bytes, short_lived: bytes | None, public: bytes = b""
    ) -> bytes | None:
        """Return the unwrapped round key.

        None if it was wrapped under other keys, for another entry or beside another public key. `short_lived`: None for
        a key of a journal before edition 2.
        """
        wrapping = self.derived(_WRAP_BEFORE, b"") if short_lived is None else self.derived(_WRAP, short_lived)
        associated = _ROUND_KEY + journal_id + seq.to_bytes(8, "big") + public
        try:
            return ChaCha20Poly1305(wrapping).decrypt(wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], associated)
        except (InvalidTag, ValueError):
            return None

    def head_mac(self, journal_id: bytes, seq: int, chain: bytes) -> bytes:
        """The MAC of the head of the chain, 32 bytes; only a holder of the master key can make it."""
        return hmac.digest(self._head, journal_id + seq.to_bytes(8, "big") + chain, "sha256")

    def vouches_for(self, journal_id: bytes, seq: int, chain: bytes, mac: bytes) -> bool:
        """Whether a holder of this key wrote this head. An empty record, of no entry, has none to write."""
        return seq == 0 or hmac.compare_digest(self.head_mac(journal_id, seq, chain), mac)


def key_beside(sealing_key: bytes, purpose: bytes) -> bytes:
    """The key, 32 bytes, of a file beside the record, which is made of the record's own key by HKDF-SHA256."""
    return HKDF(SHA256(), KEY_BYTES, salt=None, info=purpose).derive(sealing_key)


def derive(key: bytes, purpose: bytes) -> bytes:
    """HMAC-SHA256 of a purpose under a key, 32 bytes."""
    return hmac.digest(key, purpose, "sha256")

"""The keys of rounds in a journal: published after the round, in its box, else wrapped for a restart."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from feltd.record.database import COLUMNS
from feltd.record.entries import Row
from feltd.record.notes import BROADCAST_NOTE
from feltd.record.row_json import hexadecimal, parse
from feltd.record.sealing import (
    COMMITMENT_BYTES,
    KEY_BYTES,
    AnyRoundKey,
    FirstEditionKey,
    MasterKey,
    Opener,
    PublishedKeys,
    RoundKey,
    commitment,
    entry_commitment,
    round_key,
)
from feltd.record.unseal_keys import BoxOpener, PrivateKey, PublicKey, fingerprint_of

KEYS_REMEMBERED: Final = 100

_T = TypeVar("_T")

Select: TypeAlias = Callable[[str, list[Any]], list[tuple[Any, ...]]]


class RoundEnd(NamedTuple):
    """What the `round.end` entry says of one key.

    `opener`: what it published. `box`: the round key for the holder of the private half; None without one. `to`: the
    fingerprint of that pair; None without one.
    """

    opener: Opener
    box: bytes | None
    to: str | None


def round_end(journal_id: bytes, key_id: int, round_number: int, body: str) -> RoundEnd | None:
    """Read the body of a `round.end` entry that publishes a key; None where it cannot be understood."""
    try:
        said = parse(body)
        if "key" in said:  # before edition 2: the round's key in clear
            key = hexadecimal(said["key"])
            return (
                None if len(key) != KEY_BYTES else RoundEnd(_first(journal_id, key_id, round_number, key), None, None)
            )
        keys = {_entry(seq): hexadecimal(key) for seq, key in said["keys"].items()}
        box = None if said["box"] is None else hexadecimal(said["box"])
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    if any(len(key) != KEY_BYTES for key in keys.values()):
        return None
    return RoundEnd(PublishedKeys(journal_id, key_id, round_number, keys), box, said.get("to"))


class Announced(NamedTuple):
    """What a `round.key` entry says: the `commitment` to its key, and who may read what the round does not show.

    `bound`: it says so (from edition 2 on). `to`: that pair's fingerprint; None for nobody.
    """

    commitment: str
    bound: bool
    to: str | None


def _entry(text: str) -> int:
    """The number of an entry as the end of a round names it: `int` would take blanks and other digits too."""
    number = int(text)
    if str(number) != text:
        raise ValueError("no number of an entry")
    return number


def announced_by(body: str) -> Announced:
    """Read the body of a `round.key` entry. Raises ValueError, TypeError, KeyError or AttributeError."""
    said = parse(body)
    public = said.get("public")
    to = None if public is None else fingerprint_of(hexadecimal(public))
    if not isinstance(said["commitment"], str):
        raise TypeError("its commitment is no text")
    return Announced(said["commitment"], "public" in said, to)


def key_fault(row: Row, announced: Announced | None, sealed: Mapping[int, bytes]) -> str | None:
    """What is wrong with the keys that a `round.end` entry publishes, in words; None for nothing.

    `announced`: what its `round.key` entry says, None without one. `sealed`: by `seq` what that key
    sealed, as far as is known.
    """
    end = round_end(b"", row.key or 0, row.round or 0, row.body)
    if end is None:
        return f"entry {row.seq} ({row.name}) cannot be understood"
    if isinstance(end.opener, FirstEditionKey):
        if announced is None or commitment(end.opener.secret()) != announced.commitment:
            return f"entry {row.seq} publishes another key than entry {row.key} announced"
        return None
    if announced is not None and announced.bound and end.to != announced.to:
        return (
            f"entry {row.seq} seals its round to {_pair(end.to)}, and entry {row.key} said that it is sealed to "
            f"{_pair(announced.to)}"
        )
    for seq, key in parse(row.body)["keys"].items():
        written = sealed.get(int(seq))
        if written is None:
            return f"entry {row.seq} publishes a key of entry {seq}, in which key {row.key} sealed nothing"
        if written[:COMMITMENT_BYTES] != entry_commitment(hexadecimal(key)):
            return f"entry {row.seq} publishes another key than the one that sealed entry {seq}"
    return None


def recipient(row: Row, otherwise: PublicKey | None) -> PublicKey | None:
    """Who may read what a round does not show, by its `round.key` entry; None for nobody.

    `otherwise`: for an entry before edition 2, which does not say. The entry is one that `unwrap` found sound.
    """
    said = parse(row.body)
    if "public" not in said:
        return otherwise
    return None if said["public"] is None else PublicKey(bytes.fromhex(said["public"]))


def wrapped_alone(row: Row) -> bool:
    """Whether the master key alone opens a `round.key` entry: it is of a journal before edition 2."""
    try:
        return bool(parse(row.body).get("edition", 1) < RoundKey.edition)
    except (ValueError, TypeError, AttributeError):
        return False


def boxed_key(journal_id: bytes, row: Row, box: bytes | None, unseal: BoxOpener) -> AnyRoundKey | None:
    """The key of a `round.key` entry out of its round's box; None if it is sealed to another key, or not this one."""
    if box is None or row.round is None:
        return None
    key = unseal.open(journal_id, row.seq, box)
    try:
        body = parse(row.body)
        if key is None or commitment(key) != body["commitment"]:
            return None
        return round_key(body.get("edition", 1), journal_id, row.seq, row.round, key)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _pair(fingerprint: str | None) -> str:
    return "nobody's key" if fingerprint is None else f"the key {fingerprint}"


def _first(journal_id: bytes, key_id: int, round_number: int, key: bytes) -> Opener:
    return FirstEditionKey(journal_id, key_id, round_number, key)


class KnownKeys:
    """The keys of one journal, the last of them cached.

    A key's id is the `seq` of its `round.key` entry.
    """

    def __init__(
        self,
        journal_id: bytes,
        master: MasterKey | None,
        select: Select,
        short_keys: Callable[[], dict[int, bytes]],
        unseal: PrivateKey | None,
        *,
        broadcast_alone: bool = False,
    ) -> None:
        """`select`: what a statement with these values finds; it raises the journal's errors.

        `short_keys`: the table's short-lived keys that are there. `unseal`: the private half that opens boxes.
        `broadcast_alone`: only those that were held back for the broadcast, and none of a round's end.
        """
        self._journal_id = journal_id
        self._master = master
        self._select = select
        self._short_keys = short_keys
        self._unseal = unseal
        self._broadcast_alone = broadcast_alone
        self._ended: dict[int, RoundEnd] = {}
        self._unboxed: dict[int, AnyRoundKey] = {}
        self._unwrapped: dict[int, AnyRoundKey] = {}

    def ended(self, key_id: int | None) -> RoundEnd | None:
        """What the end of a round published of a key, for everybody; None while the round is not over."""
        if key_id is None:
            return None
        if key_id in self._ended:
            return self._ended[key_id]
        rows = self._select(
            "SELECT round, body FROM entries WHERE kind = 'host' AND name = 'round.end' AND key = ?"
            " AND round = (SELECT round FROM entries WHERE seq = ?)",
            [key_id, key_id],
        )
        end = round_end(self._journal_id, key_id, rows[0][0], rows[0][1]) if rows else None
        return None if end is None else _remember(self._ended, key_id, end)

    def unboxed(self, key_id: int | None) -> AnyRoundKey | None:
        """The key of a round that is over, for the holder of the private half."""
        end = self.ended(key_id)
        if key_id is None or self._unseal is None or end is None:
            return None
        if key_id in self._unboxed:
            return self._unboxed[key_id]
        row = self._key_row(key_id)
        key = None
        if row is not None:
            of_the_end = end.to == self._unseal.fingerprint and not self._broadcast_alone
            box = end.box if of_the_end else self._broadcast_box(key_id)
            key = boxed_key(self._journal_id, row, box, self._unseal)
        return None if key is None else _remember(self._unboxed, key_id, key)

    def _broadcast_box(self, key_id: int) -> bytes | None:
        """The box of a round's key that was held back for the broadcast; None where there is none yet."""
        rows = self._select(
            "SELECT body FROM entries WHERE kind = 'host' AND name = 'note' AND seq > ? AND body LIKE ? ORDER BY seq",
            [key_id, f'{{"note":"{BROADCAST_NOTE}",%"key":{key_id},%'],
        )
        for (body,) in rows:
            try:
                said = parse(body)
                if said["key"] == key_id:
                    return bytes.fromhex(said["box"])
            except (ValueError, TypeError, KeyError):
                continue
        return None

    def unwrapped(self, key_id: int | None) -> AnyRoundKey | None:
        """The key of a round in progress, for the table itself: by the master key and its short-lived one."""
        if key_id is None:
            return None
        if key_id in self._unwrapped:
            return self._unwrapped[key_id]
        row = self._key_row(key_id)
        key = None if row is None else self.unwrap(row)
        return None if key is None else _remember(self._unwrapped, key_id, key)

    def unwrap(self, row: Row) -> AnyRoundKey | None:
        """The key of a `round.key` entry, by the master key and the short-lived one.

        None if one of them is another or is not there, or the entry is not sound.
        """
        if self._master is None:
            return None
        try:
            body = parse(row.body)
            edition = body.get("edition", 1)
            short = self._short_keys().get(body["generation"]) if edition > 1 else None
            if edition > 1 and short is None:
                return None
            public = bytes.fromhex(body["public"] or "") if edition > 1 else b""
            key = self._master.unwrap(self._journal_id, row.seq, bytes.fromhex(body["wrapped"]), short, public)
            committed = body["commitment"]
        except (ValueError, TypeError, KeyError, AttributeError):
            return None
        if key is None or row.round is None or commitment(key) != committed:
            return None
        return round_key(edition, self._journal_id, row.seq, row.round, key)

    def forget(self) -> None:
        """Forget what is remembered."""
        for keys in (self._ended, self._unboxed, self._unwrapped):
            keys.clear()

    def _key_row(self, key_id: int) -> Row | None:
        rows = self._select(f"SELECT {COLUMNS} FROM entries WHERE seq = ? AND name = 'round.key'", [key_id])  # noqa: S608 - constants
        return Row(*rows[0]) if rows else None


def _remember(keys: dict[int, _T], key_id: int, key: _T) -> _T:
    if len(keys) >= KEYS_REMEMBERED:
        keys.clear()
    keys[key_id] = key
    return key

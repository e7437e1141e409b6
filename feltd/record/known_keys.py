"""The keys of rounds in a journal: published after the round, else by the master key."""

import json
from collections.abc import Callable
from typing import Any, Final

from feltd.record.database import COLUMNS
from feltd.record.entries import Row
from feltd.record.sealing import KEY_BYTES, MasterKey, RoundKey, commitment

KEYS_REMEMBERED: Final = 100


class KnownKeys:
    """The keys of one journal, the last of them cached.

    A key's id is the `seq` of its `round.key` entry.
    """

    def __init__(
        self, journal_id: bytes, master: MasterKey | None, select: Callable[[str, list[Any]], list[tuple[Any, ...]]]
    ) -> None:
        """`select`: what a statement with these values finds; it raises the journal's errors."""
        self._journal_id = journal_id
        self._master = master
        self._select = select
        self._published: dict[int, RoundKey] = {}
        self._unwrapped: dict[int, RoundKey] = {}

    def published(self, key_id: int | None) -> RoundKey | None:
        """The key of a round that is over, for everybody."""
        if key_id is None:
            return None
        if key_id in self._published:
            return self._published[key_id]
        rows = self._select(
            "SELECT round, body FROM entries WHERE kind = 'host' AND name = 'round.end' AND key = ?"
            " AND round = (SELECT round FROM entries WHERE seq = ?)",
            [key_id, key_id],
        )
        if not rows:
            return None
        try:
            key = bytes.fromhex(json.loads(rows[0][1])["key"])
        except (ValueError, TypeError, KeyError):
            return None
        if len(key) != KEY_BYTES:
            return None
        return _remember(self._published, RoundKey(self._journal_id, key_id, rows[0][0], key))

    def unwrapped(self, key_id: int | None) -> RoundKey | None:
        """The key of a round in progress, for the holder of the master key."""
        if key_id is None:
            return None
        if key_id in self._unwrapped:
            return self._unwrapped[key_id]
        rows = self._select(f"SELECT {COLUMNS} FROM entries WHERE seq = ? AND name = 'round.key'", [key_id])  # noqa: S608 - constants
        key = self.unwrap(Row(*rows[0])) if rows else None
        return None if key is None else _remember(self._unwrapped, key)

    def unwrap(self, row: Row) -> RoundKey | None:
        """The key of a `round.key` entry, by the master key.

        None if the master key is another one, or the entry is not sound.
        """
        if self._master is None:
            return None
        try:
            body = json.loads(row.body)
            key = self._master.unwrap(self._journal_id, row.seq, bytes.fromhex(body["wrapped"]))
            committed = body["commitment"]
        except (ValueError, TypeError, KeyError):
            return None
        if key is None or row.round is None or commitment(key) != committed:
            return None
        return RoundKey(self._journal_id, row.seq, row.round, key)


def _remember(keys: dict[int, RoundKey], key: RoundKey) -> RoundKey:
    if len(keys) >= KEYS_REMEMBERED:
        keys.clear()
    keys[key.key_id] = key
    return key

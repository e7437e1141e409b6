"""The rounds that are not over, and their keys.

A key is made when a first field is to be sealed, and found again after a restart.
"""

import os
from collections.abc import Iterator

from feltd.record.reader import JournalReader
from feltd.record.sealing import KEY_BYTES, MasterKey, RoundKey, commitment
from feltd.text.errors import JournalKeyWrong


class OpenRounds:
    """The rounds that have begun or have sealed something and have not ended, with their keys."""

    def __init__(self, reader: JournalReader, master: MasterKey) -> None:
        """Find the open rounds of a journal again.

        Raises JournalKeyWrong if the master key does not open one.
        """
        self._journal_id = reader.journal_id
        self._master = master
        self._keys: dict[int, list[RoundKey]] = {}
        self._begun = reader.round_in_progress()
        for key in _keys_in_use(reader, master):
            self._keys.setdefault(key.round, []).append(key)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The open rounds, ascending."""
        begun = set() if self._begun is None else {self._begun}
        return tuple(sorted(begun | set(self._keys)))

    @property
    def latest(self) -> int | None:
        """The open round that words of no round are sealed with: the last one; None between two rounds."""
        return max(self.numbers, default=None)

    def begin(self, number: int) -> bool:
        """Opens a round; False if it was begun last and is open already."""
        if self._begun == number:
            return False
        self._begun = number
        return True

    def end(self, number: int) -> list[RoundKey] | None:
        """Closes a round; its keys, which may now be published, or None if it was not open."""
        keys = self._keys.pop(number, [])
        if not keys and self._begun != number:
            return None
        if self._begun == number:
            self._begun = None
        return keys

    def key(self, number: int | None) -> RoundKey | None:
        """The key that seals in a round, if one has been made."""
        keys = None if number is None else self._keys.get(number)
        return keys[-1] if keys else None

    def make_key(self, number: int, key_id: int) -> tuple[RoundKey, dict[str, str]]:
        """Make the key of a round; return it, and the body of its `round.key` entry, whose `seq` is `key_id`."""
        key = os.urandom(KEY_BYTES)
        made = RoundKey(self._journal_id, key_id, number, key)
        self._keys[number] = [made]
        return made, {
            "commitment": commitment(key),
            "wrapped": self._master.wrap(self._journal_id, key_id, key).hex(),
            "master": self._master.id,
        }


def wrong_key(reader: JournalReader, master: MasterKey, seq: int) -> JournalKeyWrong:
    """The error of an entry of a round in progress that the master key does not open."""
    return JournalKeyWrong(
        f"the master key (id {master.id}) does not open entry {seq}, of a round in progress",
        reader.path,
        "Give the key that was in use then; if it is lost, keep this journal and start a new one at another path",
    )


def _keys_in_use(reader: JournalReader, master: MasterKey) -> Iterator[RoundKey]:
    """The keys of rounds not over."""
    for row in reader.unpublished_keys():
        key = reader.unwrap(row)
        if key is None:
            raise wrong_key(reader, master, row.seq)
        yield key

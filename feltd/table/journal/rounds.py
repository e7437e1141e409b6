"""The rounds that are not over, their keys, and which of their entries everybody may read once they are.

A key is made when a first field is to be sealed, and found again after a restart.
"""

import os
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final, get_args, get_type_hints

from feltd.record.entries import Row
from feltd.record.known_keys import recipient, wrapped_alone
from feltd.record.reader import JournalReader
from feltd.record.sealing import CARDS_OF, KEY_BYTES, AnyRoundKey, MasterKey, RoundKey, commitment
from feltd.record.short_keys import ShortKeys
from feltd.record.shown_cards import ShownCards
from feltd.record.stored_rows import Span
from feltd.record.unseal_keys import PublicKey
from feltd.text.errors import JournalKeyWrong
from table_fsm.events import Event, HandShown

_CARD_EVENTS: Final = frozenset(str(get_args(get_type_hints(kind)["ev"])[0]) for kind in CARDS_OF)
"""The names of events that hold cards."""


@dataclass(slots=True)
class _KeyInUse:
    """A round's key, what it sealed of cards, and what it sealed that everybody may read after the round.

    `to`: who may read the rest; None for nobody. `broadcast`: the broadcast that was on when the round began;
    None for nobody, and for a key that was made before the round began or after it ended.
    """

    key: AnyRoundKey
    to: PublicKey | None
    broadcast: PublicKey | None = None
    cards: set[int] = field(default_factory=set)
    words: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class BoxedRound:
    """A round that is over, sealed to the broadcast's key: its number, its `round.key` entry, and the box."""

    number: int
    key_id: int
    box: bytes
    to: str


class OpenRounds:
    """The rounds that have begun or have sealed something and have not ended, with their keys."""

    def __init__(
        self, reader: JournalReader, master: MasterKey, short_keys: ShortKeys, sealed_to: PublicKey | None
    ) -> None:
        """Find the open rounds of a journal again.

        `sealed_to`: who may read cards that nobody was shown, of rounds whose key is made from now on. A round goes on
        with the one it began with: whoever writes the table's file in mid-round gets none of its cards. Raises
        JournalKeyWrong if the keys at hand do not open one.
        """
        self._journal_id = reader.journal_id
        self._master = master
        self._short_keys = short_keys
        self._sealed_to = sealed_to
        self._keys: dict[int, list[_KeyInUse]] = {}
        self._begun = reader.round_in_progress()
        self._began_with: PublicKey | None = None
        self._shown = ShownCards()
        self._unanswered: set[int] = set()
        """The dealer's words for a hand, before this start, that have no answer in the record."""
        self.broadcast: PublicKey | None = None
        """Who gets the cards of rounds that begin from now on, once they are over; None for nobody."""
        self.boxed: list[BoxedRound] = []
        """Rounds that have ended and were sealed to it. Whoever takes them sees to it that they wait."""
        self._find_again(reader)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The open rounds, ascending."""
        begun = set() if self._begun is None else {self._begun}
        return tuple(sorted(begun | set(self._keys)))

    @property
    def begun(self) -> int | None:
        """The round begun last, if it has not ended."""
        return self._begun

    def begin(self, number: int) -> bool:
        """Opens a round; False if it was begun last and is open already."""
        if self._begun == number:
            return False
        self._begun, self._began_with = number, self.broadcast
        self._shown = ShownCards()
        return True

    def end(self, number: int) -> list[tuple[int, dict[str, Any]]] | None:
        """Close a round; by key id the body of each `round.end` entry, or None if it was not open.

        The keys are forgotten.
        """
        keys = self._keys.pop(number, [])
        if not keys and self._begun != number:
            return None
        if self._begun == number:
            self._begun = None
        for used in keys:
            to = used.broadcast
            # Not where it was turned off, or off and on, in this round.
            if to is not None and to is self.broadcast:
                box = to.box(self._journal_id, used.key.key_id, used.key.secret())
                self.boxed.append(BoxedRound(number, used.key.key_id, box, to.fingerprint))
        return [(used.key.key_id, self._published(used)) for used in keys]

    def _published(self, used: _KeyInUse) -> dict[str, Any]:
        key, to = used.key, used.to
        public = used.words | (used.cards & self._shown.opened)
        return {
            "edition": RoundKey.edition,
            "keys": {str(seq): key.entry_key(seq).hex() for seq in sorted(public)} if isinstance(key, RoundKey) else {},
            "box": None if to is None else to.box(self._journal_id, key.key_id, key.secret()).hex(),
            "to": None if to is None else to.fingerprint,
        }

    def key(self, number: int | None) -> RoundKey | None:
        """The key that seals in a round, if one has been made."""
        used = self._used(number)
        return used.key if used is not None and isinstance(used.key, RoundKey) else None

    def make_key(self, number: int, key_id: int) -> tuple[RoundKey, dict[str, Any]]:
        """Make the key of a round; return it, and the body of its `round.key` entry, whose `seq` is `key_id`."""
        key = os.urandom(KEY_BYTES)
        made = RoundKey(self._journal_id, key_id, number, key)
        to = self._sealed_to
        broadcast = self._began_with if number == self._begun else None  # a late card of a round that is over: nobody
        self._keys.setdefault(number, []).append(_KeyInUse(made, to, broadcast))
        public = b"" if to is None else to.bytes
        return made, {
            "edition": RoundKey.edition,
            "commitment": commitment(key),
            "wrapped": self._master.wrap(self._journal_id, key_id, key, self._short_keys.use(), public).hex(),
            "generation": self._short_keys.generation,
            "master": self._master.id,
            "public": None if to is None else public.hex(),
        }

    def took(self, seq: int, event: Event) -> None:
        """Take note of the event of entry `seq`: where its card lies, and whether it was shown."""
        self._shown.take(seq, event)

    def refused(self) -> None:
        """Take note that the table has refused the event taken last."""
        self._shown.refused()

    def replayed(self, reader: JournalReader, taken: Collection[int]) -> None:
        """Take note of the events that the replay of the record took at a start, before any other is taken.

        The dealer's word for a hand may have no answer in the record: the table took it and had nothing to tell, or a
        power cut took its answer. The hand stays sealed until the replay says that the table took the word.
        """
        if not self._unanswered.isdisjoint(taken):
            self._follow(reader, taken)

    def sealed(self, seq: int, number: int, event: Event | None = None) -> None:
        """Take note that the key of a round sealed something of entry `seq`: cards of this event, or words."""
        used = self._used(number)
        if used is None:
            return
        if event is None or type(event) not in CARDS_OF:
            used.words.add(seq)
        else:
            used.cards.add(seq)  # a check of the pack too: what it misses may be a folded hand that is still out

    def _used(self, number: int | None) -> _KeyInUse | None:
        keys = None if number is None else self._keys.get(number)
        return keys[-1] if keys else None

    def _find_again(self, reader: JournalReader) -> None:
        """Take up the keys of rounds that are not over, and follow the cards of the last round again."""
        by_id: dict[int, _KeyInUse] = {}
        for row in reader.unpublished_keys():
            key = reader.unwrap(row)
            if key is None:
                lost = self._short_keys.lost and not wrapped_alone(row)
                raise wrong_key(reader, self._master, row.seq, short_keys_lost=lost)
            by_id[row.seq] = used = _KeyInUse(key, recipient(row, self._sealed_to))
            self._keys.setdefault(key.round, []).append(used)
        for row in reader.sealed_with(by_id.keys()):
            used = by_id[row.key or 0]
            (used.cards if _is_of_cards(row) else used.words).add(row.seq)
        if by_id:
            self._follow(reader, frozenset())

    def _follow(self, reader: JournalReader, replayed: Collection[int]) -> None:
        """Follow the cards of the last round. `replayed`: the events that a replay took."""
        self._shown = ShownCards()
        after = max(0, reader.last_round_begin() - 1)
        verdicts = reader.verdicts(after)
        for recorded in reader.events(Span(after=after)):
            self._shown.take(recorded.seq, recorded.event)
            if isinstance(recorded.event, HandShown) and recorded.seq not in verdicts:
                self._unanswered.add(recorded.seq)
            if not verdicts.get(recorded.seq, recorded.seq in replayed):
                self._shown.refused()


def _is_of_cards(row: Row) -> bool:
    return row.name in _CARD_EVENTS


def wrong_key(reader: JournalReader, master: MasterKey, seq: int, *, short_keys_lost: bool = False) -> JournalKeyWrong:
    """The error of an entry of a round in progress that the keys at hand do not open."""
    if short_keys_lost:
        return JournalKeyWrong(
            f"entry {seq} is of a round in progress, and the table's short-lived keys that open it are not here",
            reader.path,
            f"Copy {reader.path.name}.keys from where this record was, too; if it is lost, keep this journal and start "
            "a new one at another path",
        )
    return JournalKeyWrong(
        f"the master key (id {master.id}) does not open entry {seq}, of a round in progress",
        reader.path,
        "Give the key that was in use then; if it is lost, keep this journal and start a new one at another path",
    )

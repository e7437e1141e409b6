"""The entries that were taken and wait to be handed to the writer's thread: numbered, dated, with what is sealed."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from feltd.record.drafts import Draft
from feltd.record.entries import EntryKind, HostEntry, Source
from feltd.record.sealing import RoundKey
from feltd.record.values import EntryValues, as_stored
from feltd.table.journal.gathering import ends_a_round
from feltd.table.journal.rounds import OpenRounds
from feltd.table.journal.writer import Writer
from feltd.text.errors import JournalClosed


class Place(NamedTuple):
    """The place of an entry: its round, its rulebook's digest, its times.

    Clocks left out are read as the entry is taken.
    """

    round: int | None
    rulebook: str | None = None
    t: float | None = None
    host: float | None = None
    wall: float | None = None


_NOWHERE: Final = Place(None)
"""Of an entry that belongs to no round."""


class Clocks(NamedTuple):
    """The host's clocks, in seconds."""

    monotonic: Callable[[], float]
    wall: Callable[[], float]


class Secret(NamedTuple):
    """What of an entry is sealed: its fields by name, and the key."""

    fields: Mapping[str, Any]
    key: RoundKey


class Staging:
    """Entries on their way to the writer. `seq`: the number of the last one taken.

    Without a block of `together` each is handed over as it is taken.
    """

    def __init__(self, path: Path, seq: int, rounds: OpenRounds, clocks: Clocks, writer: Writer) -> None:
        """Go on after entry `seq`. `rounds`: whose keys seal."""
        self.seq = seq
        self.values = EntryValues(path)
        self._path = path
        self._rounds = rounds
        self._monotonic, self._wall = clocks
        self._writer = writer
        self._staged: list[Draft] = []
        self._depth = 0
        self._may_wait = False
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether no entry is taken any more."""
        return self._closed

    @property
    def waits(self) -> bool:
        """Whether entries wait for the end of a block of `together`."""
        return bool(self._staged)

    @contextmanager
    def together(self, *, may_wait: bool) -> Iterator[None]:
        """Hand over all that is taken in this block as one, even if it ends in an exception. The outermost counts."""
        if self._depth == 0:
            self._may_wait = may_wait
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._hand_over_all()

    def require_taking(self, round_number: int | None) -> None:
        """Raise JournalClosed, or JournalEntryInvalid for a number that is none of a round."""
        if self._closed:
            raise JournalClosed("the journal is closed", self._path, "Open it again")
        self.values.require_round(round_number)

    def take(  # noqa: PLR0913 - one a column
        self,
        kind: EntryKind,
        name: str,
        place: Place,
        body: str,
        *,
        answers: int | None = None,
        source: Source | None = None,
        secret: Secret | None = None,
        publishes: int | None = None,
        generation: int | None = None,
    ) -> int:
        """Number an entry and take it; return its number. Raises JournalClosed, JournalEntryInvalid."""
        self.require_taking(place.round)
        seq = self.seq + 1
        self._staged.append(
            Draft(
                seq,
                kind,
                str(name),
                None if place.t is None else as_stored(place.t),
                as_stored(self._monotonic() if place.host is None else place.host),
                as_stored(self._wall() if place.wall is None else place.wall),
                place.round,
                None if place.rulebook is None else self.values.digest(place.rulebook),
                answers,
                source,
                body,
                None if secret is None else secret.key,
                None if secret is None else secret.fields,
                publishes,
                generation,
            )
        )
        self.seq = seq
        if self._depth == 0:
            self._hand_over_all()
        return seq

    def host(
        self, name: HostEntry, body: Mapping[str, Any], place: Place = _NOWHERE, *, publishes: int | None = None
    ) -> int:
        """Take an entry of the host; return its number. Raises as `take`."""
        return self.take(EntryKind.HOST, name, place, self.values.json(dict(body)), publishes=publishes)

    def secret(self, fields: Mapping[str, Any] | None, number: int | None) -> Secret | None:
        """These fields with the key of a round, which is made and entered if it has none; None for no fields."""
        if fields is None or number is None:
            return None
        key = self._rounds.key(number)
        if key is None:
            key, body = self._rounds.make_key(number, self.seq + 1)
            self.host(HostEntry.ROUND_KEY, body, Place(number))
        return Secret(fields, key)

    def close(self) -> None:
        """Hand over what waits, and take nothing more."""
        self._hand_over_all()
        self._closed = True

    def _hand_over_all(self) -> None:
        if not self._staged:
            return
        staged, self._staged = self._staged, []
        may_wait, self._may_wait = self._may_wait and not ends_a_round(staged), False
        self._writer.hand_over(staged, may_wait=may_wait)

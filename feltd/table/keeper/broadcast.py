"""Cards for a broadcast: of rounds that are over, sealed to a key of its own, held back by the table for its delay.

Two persons turn it on, one turns it off, and a start of feltd finds it off. A round is sealed to the broadcast's key as
it ends, where it was on for all of it. What is sealed lies in this process alone until its delay is over; then it
becomes a note of the record. So nobody who reads the record, with the broadcast's private half or without, learns a
card sooner, and what had not become a note when the broadcast was turned off never does.
"""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from feltd.door import BroadcastFacts, CommandRefused, Person
from feltd.record.notes import BROADCAST_NOTE
from feltd.record.unseal_keys import PublicKey
from feltd.table.journal import Journal
from feltd.table.journal.rounds import BoxedRound
from feltd.table.keeper.keeper import TableKeeper

ASKED_FOR: Final = 300.0
"""Seconds for which one person's wish waits for the second."""
WANTED: Final = "wants the broadcast of cards on"
ON: Final = "turns the broadcast of cards on"
OFF: Final = "turns the broadcast of cards off"


@dataclass(frozen=True, slots=True)
class BroadcastTo:
    """The broadcast of the table's file. `delay`: minutes."""

    key: PublicKey
    delay: int


@dataclass(frozen=True, slots=True)
class _Wish:
    """Who wants it on, and until when (seconds of the clock) that waits for somebody else."""

    owner: str
    until: float


@dataclass(frozen=True, slots=True)
class _Held:
    """A round that is held back, and when (seconds of the clock) it may become a note."""

    due: float
    boxed: BoxedRound


class Broadcast:
    """The broadcast of one table. Belongs to the loop."""

    def __init__(
        self,
        keeper: TableKeeper,
        journal: Journal,
        to: BroadcastTo | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`to`: None where the table's file has none. `clock`: one that nobody sets."""
        self._keeper = keeper
        self._journal = journal
        self._to = to
        self._clock = clock
        self._wish: _Wish | None = None
        self._by: tuple[str, ...] = ()
        self._held: deque[_Held] = deque()

    @property
    def facts(self) -> BroadcastFacts | None:
        """What everybody at the page is shown of it."""
        if self._to is None:
            return None
        asked = None if self._wish is None else self._wish.owner
        return BroadcastFacts(
            bool(self._by), self._by, asked, self._to.delay, self._to.key.fingerprint, len(self._held)
        )

    def want(self, person: Person, *, on: bool) -> None:
        """Take a person's wish. Raises CommandRefused, PlayStopped where the record cannot take it."""
        if self._to is None:
            raise CommandRefused("this table has no broadcast: its own file names no key for one ([broadcast])")
        if on:
            self._want_on(person, self._to)
        else:
            self._want_off(person)

    def _want_on(self, person: Person, to: BroadcastTo) -> None:
        self._forget_wish()
        if self._by:
            raise CommandRefused("the broadcast of cards is on already")
        wish = self._wish
        if wish is None:
            self._keeper.note_by_hand(person, WANTED, key=to.key.fingerprint, delay_minutes=to.delay)
            self._wish = _Wish(person.owner, self._clock() + ASKED_FOR)
            return
        if wish.owner == person.owner:
            raise CommandRefused("the broadcast of cards takes two persons: somebody else must want it too")
        self._keeper.note_by_hand(person, ON, asked_by=wish.owner, key=to.key.fingerprint, delay_minutes=to.delay)
        self._wish, self._by = None, (wish.owner, person.owner)
        self._journal.broadcast_to(to.key)

    def _want_off(self, person: Person) -> None:
        if not self._by and self._wish is None:
            raise CommandRefused("the broadcast of cards is off already")
        self._by, self._wish = (), None
        self._journal.broadcast_to(None)  # before the note: also where the record cannot take it
        self._held.clear()
        self._keeper.note_by_hand(person, OFF)

    def _forget_wish(self) -> None:
        if self._wish is not None and self._clock() >= self._wish.until:
            self._wish = None

    def beat(self) -> None:
        """Once a second: hold back what has ended, let go what has been held for long enough."""
        self._forget_wish()
        if self._to is None:
            return
        now = self._clock()
        self._held.extend(_Held(now + 60.0 * self._to.delay, boxed) for boxed in self._journal.take_boxed())
        while self._held and self._held[0].due <= now and self._keeper.stopped is None:
            boxed = self._held.popleft().boxed
            said = {"round": boxed.number, "key": boxed.key_id, "box": boxed.box.hex(), "to": boxed.to}
            self._journal.append_note(BROADCAST_NOTE, said)

"""Cards for a broadcast: of rounds that are over, sealed to a key of its own, held back by the table for its delay.

Two persons turn it on, as any step that takes two (`together`), one turns it off, and a start of feltd finds it off. A
round is sealed to the broadcast's key as it ends, where it was on for all of it. What is sealed lies in this process
alone until its delay is over; then it becomes a note of the record. So nobody who reads the record, with the
broadcast's private half or without, learns a card sooner, and what had not become a note when the broadcast was turned
off never does.
"""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from feltd.door import BroadcastFacts, CommandRefused, Person
from feltd.door.together import StepKind
from feltd.record.notes import BROADCAST_NOTE, BROADCAST_OFF_NOTE, BROADCAST_ON_NOTE
from feltd.record.unseal_keys import PublicKey
from feltd.table.journal import Journal
from feltd.table.journal.rounds import BoxedRound
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.keeper.together import Step, Together


@dataclass(frozen=True, slots=True)
class BroadcastTo:
    """The broadcast of the table's file. `delay`: minutes."""

    key: PublicKey
    delay: int


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
        together: Together,
        to: BroadcastTo | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`together`: the steps that take two people. `to`: None where the file has none. `clock`: set by nobody."""
        self._keeper = keeper
        self._journal = journal
        self._together = together
        self._to = to
        self._clock = clock
        self._by: tuple[str, ...] = ()
        self._held: deque[_Held] = deque()

    @property
    def facts(self) -> BroadcastFacts | None:
        """What everybody at the page is shown of it."""
        if self._to is None:
            return None
        waits = self._together.waiting(StepKind.BROADCAST, self._to.key.fingerprint)
        asked = None if waits is None else waits.asker.owner
        return BroadcastFacts(
            bool(self._by), self._by, asked, self._to.delay, self._to.key.fingerprint, len(self._held)
        )

    def want(self, person: Person, *, on: bool) -> None:
        """Ask for it, agree to what another person has asked for, or turn it off.

        Raises CommandRefused, PlayStopped where the record cannot take it.
        """
        to = self._named()
        waits = self._together.waiting(StepKind.BROADCAST, to.key.fingerprint)
        if not on:
            self._turn_off(person, waits)
        elif self._by:
            raise CommandRefused("the broadcast of cards is on already")
        elif waits is None:
            self._together.ask(person, StepKind.BROADCAST, to.key.fingerprint, "")
        else:
            self.turn_on(person, self._together.approve(person, waits.number))

    def turn_on(self, second: Person, step: Step) -> None:
        """Turn it on, as a step says that a second person has approved. Raises CommandRefused, PlayStopped."""
        to = self._named()
        self._together.done(step)  # before the note: an approval counts once, also where the record cannot take it
        asker = step.asker.owner
        self._keeper.note_by_hand(
            second, BROADCAST_ON_NOTE, asked_by=asker, key=to.key.fingerprint, delay_minutes=to.delay
        )
        self._by = (asker, second.owner)
        self._journal.broadcast_to(to.key)

    def _turn_off(self, person: Person, waits: Step | None) -> None:
        if waits is not None:
            self._together.end(person, waits.number)
        elif not self._by:
            raise CommandRefused("the broadcast of cards is off already")
        if not self._by:
            return
        self._by = ()
        self._journal.broadcast_to(None)  # before the note: also where the record cannot take it
        self._held.clear()
        self._keeper.note_by_hand(person, BROADCAST_OFF_NOTE)

    def _named(self) -> BroadcastTo:
        if self._to is None:
            raise CommandRefused("this table has no broadcast: its own file names no key for one ([broadcast])")
        return self._to

    def beat(self) -> None:
        """Once a second: hold back what has ended, let go what has been held for long enough."""
        if self._to is None:
            return
        now = self._clock()
        self._held.extend(_Held(now + 60.0 * self._to.delay, boxed) for boxed in self._journal.take_boxed())
        while self._held and self._held[0].due <= now and self._keeper.stopped is None:
            boxed = self._held.popleft().boxed
            said = {"round": boxed.number, "key": boxed.key_id, "box": boxed.box.hex(), "to": boxed.to}
            self._journal.append_note(BROADCAST_NOTE, said)

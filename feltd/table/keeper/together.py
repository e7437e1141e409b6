"""Steps that two people must want: who asked, who else approved, and until when. Both names go on record.

The page says who somebody is, and has asked each for their own password and second factor. This room holds what the
page cannot: that the two are not one, that each step counts once, and not for longer than it was meant for. A restart
of the table forgets what waits: ask again. No number of a step comes again after it, so that what was approved from a
page that shows an older step is no other step.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from feltd.door import CommandRefused, Person
from feltd.door.together import APPROVED_SECONDS, ASKED_SECONDS, OPEN, StepFacts, StepKind, StepState
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.keeper.pace import Pace

ASKED_NOTE: Final = "together.asked"
APPROVED_NOTE: Final = "together.approved"
OVER_NOTE: Final = "together.over"
DONE_NOTE: Final = "together.done"
"""What was approved is done by the machine, in the name of the user there."""
OPEN_MOST: Final = 16
"""Steps that wait or are approved, at once."""
OPEN_OF_ONE: Final = 4
"""Of those, asked for by one account, by its tokens too: one alone must not keep all others from asking."""
ASKS_AT_ONCE: Final = 8
ASKS_A_MINUTE: Final = 2.0
"""Of one account: each is an entry."""
APPROVED_ALREADY: Final = "another person has approved this already"
TOLD_SECONDS: Final = 60.0
"""For which the page shows how a step ended."""


def new_number() -> int:
    """A number for a step, which no other one has had: at random, and small enough for a browser to have it whole.

    It always has 16 digits, so that no answer's length differs by chance.
    """
    return 10**15 + secrets.randbelow(8 * 10**15)


class StepNotTaken(CommandRefused):
    """A step cannot be asked for, approved, ended or done now; the message says why."""


@dataclass(slots=True)
class Step:
    """One step. `until`: table seconds at which it expires; `ended`: those at which it was over."""

    number: int
    kind: StepKind
    about: str
    reason: str
    asker: Person
    until: float
    state: StepState = StepState.WAITING
    second: Person | None = None
    ended: float | None = None

    def facts(self, now: float) -> StepFacts:
        """The same for the page. `now`: table seconds."""
        left = round(max(0.0, self.until - now), 1) if self.state in OPEN else 0.0
        second = None if self.second is None else self.second.account
        return StepFacts(self.number, self.kind, self.about, self.reason, self.asker.account, second, self.state, left)


class Together:
    """The steps of one table."""

    def __init__(
        self, keeper: TableKeeper, changed: Callable[[], None], number: Callable[[], int] = new_number
    ) -> None:
        """`changed`: called after each change. `number`: makes a step's."""
        self._keeper = keeper
        self._changed = changed
        self._steps: dict[int, Step] = {}
        self._number = number
        self._pace = Pace(ASKS_AT_ONCE, ASKS_A_MINUTE, lambda: keeper.now)

    def ask(self, asker: Person, kind: StepKind, about: str, reason: str) -> Step:
        """Ask for a step. Raises CommandRefused, PlayStopped."""
        self.expire()
        for step in self._open():
            if (step.kind, step.about) == (kind, about):
                raise StepNotTaken(
                    f"{step.asker.account} has asked for this already: approve it, or have it withdrawn first"
                )
        if sum(step.asker.owner == asker.owner for step in self._open()) >= OPEN_OF_ONE:
            raise StepNotTaken(f"{OPEN_OF_ONE} steps of yours wait for a second person already: take one back first")
        if len(self._open()) >= OPEN_MOST:
            raise StepNotTaken(f"{OPEN_MOST} steps wait for a second person already: end one first")
        wait = self._pace.wait(asker.account)
        if wait > 0:
            raise StepNotTaken(f"a second person was asked for too often: ask again in {int(wait) + 1} seconds")
        number = self._number()
        self._keeper.note_by_hand(asker, ASKED_NOTE, reason or None, step=kind.value, about=about, number=number)
        self._pace.take(asker.account)
        step = Step(number, kind, about, reason, asker, self._keeper.now + ASKED_SECONDS)
        self._steps[step.number] = step
        self._changed()
        return step

    def approve(self, second: Person, number: int) -> Step:
        """Approve another person's step. Raises CommandRefused, PlayStopped."""
        step = self._waiting(number)
        if second.owner == step.asker.owner:
            raise StepNotTaken("who asked does not approve: another person must")
        self._note(APPROVED_NOTE, second, step)
        step.second, step.state = second, StepState.APPROVED
        step.until = self._keeper.now + APPROVED_SECONDS[step.kind]
        self._changed()
        return step

    def tell(self, second: Person, number: int, fault: str | None) -> Step:
        """Take from who has approved it how a change of an account went, which the page makes.

        `fault`: why it could not be made. What was made, the page puts on record. Raises CommandRefused, PlayStopped.
        """
        step = self._found(number)
        if not _is_made(step) or step.second is None or step.second.owner != second.owner:
            raise StepNotTaken("who has approved a change of an account tells how it went, and nobody else")
        if fault is None:
            self.done(step)
            return step
        self._note(OVER_NOTE, second, step, StepState.FAILED, fault)
        self._over(step, StepState.FAILED)
        return step

    def end(self, person: Person, number: int) -> Step:
        """Take back one's own step, or refuse another's, also an approved one. Raises CommandRefused, PlayStopped."""
        step = self._found(number)
        if _is_made(step):  # else the record would call it refused, and the account would be changed
            raise StepNotTaken(APPROVED_ALREADY)
        own = person.account == step.asker.account
        state = StepState.WITHDRAWN if own else StepState.REFUSED
        self._note(OVER_NOTE, person, step, state)
        if not own:
            step.second = person
        self._over(step, state)
        return step

    def waiting(self, kind: StepKind, about: str) -> Step | None:
        """The step of this kind that waits for a second person."""
        for step in self._open():
            if (step.kind, step.about, step.state) == (kind, about, StepState.WAITING):
                return step if self._keeper.now < step.until else None
        return None

    def approved(self, person: Person, kind: StepKind, about: str) -> Step:
        """The person's own step that another has approved. Raises CommandRefused where there is none."""
        self.expire()
        for step in self._open():
            if (step.kind, step.about) == (kind, about) and step.asker.account == person.account:
                if step.state is StepState.APPROVED:
                    return step
                raise StepNotTaken("another person has not approved this yet")
        raise StepNotTaken("this takes two people: ask for it first, and have another person approve it")

    def take(self, user: Person, kind: StepKind, about: str) -> Step:
        """Let the machine do a step that another person has approved; it counts once, from now.

        `user`: of the machine. Raises CommandRefused where there is none, PlayStopped.
        """
        self.expire()
        for step in self._open():
            if (step.kind, step.about, step.state) == (kind, about, StepState.APPROVED) and kind is StepKind.UPDATE:
                self._note(DONE_NOTE, user, step)
                self.done(step)
                return step
        raise StepNotTaken("two people have not allowed this: one asks for it on the page of devices, another approves")

    def done(self, step: Step) -> None:
        """A step was carried out: it counts no more. Who carries it out puts that on record."""
        self._over(step, StepState.DONE)

    def expire(self) -> None:
        """End the steps whose time is over, and forget those that have been for long. Call it once a second."""
        now = self._keeper.now
        for step in self._open():
            if now >= step.until:
                self._over(step, StepState.EXPIRED)
        for step in tuple(self._steps.values()):
            if step.ended is not None and now - step.ended >= TOLD_SECONDS:
                del self._steps[step.number]
                self._changed()

    def shown(self) -> tuple[StepFacts, ...]:
        """Those that are open, and those that ended a moment ago, the newest first."""
        return tuple(step.facts(self._keeper.now) for step in reversed(self._steps.values()))

    def _open(self) -> list[Step]:
        return [step for step in self._steps.values() if step.state in OPEN]

    def _found(self, number: int) -> Step:
        self.expire()
        step = self._steps.get(number)
        if step is None or step.state not in OPEN:
            raise StepNotTaken("this is over: it was done, refused or taken back, or its time has passed")
        return step

    def _waiting(self, number: int) -> Step:
        step = self._found(number)
        if step.state is not StepState.WAITING:
            raise StepNotTaken(APPROVED_ALREADY)
        return step

    def _note(
        self, note: str, person: Person, step: Step, state: StepState | None = None, fault: str | None = None
    ) -> None:
        asked = {"step": step.kind.value, "about": step.about, "number": step.number, "asked_by": step.asker.account}
        how = {} if state is None else {"how": state.value}
        second = {"approved_by": step.second.account} if note == DONE_NOTE and step.second is not None else {}
        why_not = {} if fault is None else {"fault": fault}
        self._keeper.note_by_hand(person, note, step.reason or None, **asked, **how, **second, **why_not)

    def _over(self, step: Step, state: StepState) -> None:
        step.state, step.ended = state, self._keeper.now
        self._changed()


def _is_made(step: Step) -> bool:
    """Whether the page is at work on it: it changes an account as soon as a second person has approved that."""
    return step.kind is StepKind.ACCOUNT and step.state is StepState.APPROVED

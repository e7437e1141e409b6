"""A decision signed by a badge at the table: asked for at the page, carried out in the name of whoever shows a badge.

Somebody who may see the table may ask; the next badge of a supervisor or director within `WAITS_SECONDS` carries the
decision out as that person's own. The dealer's display says what is asked for, so that nobody signs what they do not
see. One waits at a time: a badge must not be able to mean two things.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from feltd.page.access.accounts import Account, AccountBook, AccountError
from feltd.page.access.roles import Right
from feltd.table.keeper.deliveries import Person, PlayStopped, Taken
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.links.bridge import Bridge
from feltd.text.errors import FeltdError
from feltd.text.words import in_sentence, words_of
from table_fsm.events import Badge, Event, Supervisor
from table_fsm.felt import DECIDING_ROLES, Decision
from table_fsm.rulebook.irregularities import Outcome

WAITS_SECONDS: Final = 30.0
TOLD_SECONDS: Final = 30.0
"""How long everybody is told how it ended."""
KEPT_MAX: Final = 200
ASKED_NOTE: Final = "signature.asked"
UNSIGNED_NOTE: Final = "signature.unsigned"
AT_THE_TABLE: Final = "badge at the table"

_log = logging.getLogger("feltd.page")


class SignatureRefused(FeltdError):  # noqa: N818 - an answer, not a failure
    """No signature can be asked for, or taken back, now; the message says why."""


class SignatureState(StrEnum):
    """What became of it."""

    WAITING = "waiting"
    DONE = "done"
    REFUSED = "refused"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The decision that is to be signed."""

    decision: str
    ruling: int | None
    outcome: str | None
    reason: str | None

    def in_words(self) -> str:
        """As the display has it."""
        words = in_sentence(words_of(Decision, self.decision))
        about = "" if self.ruling is None else f" ruling {self.ruling}"
        instead = "" if self.outcome is None else f": {words_of(Outcome, self.outcome)}"
        return f"{words}{about}{instead}"

    def event(self, t: float, staff: str) -> Event:
        """The decision as an event of the table."""
        return Supervisor(
            t=t, decision=self.decision, staff=staff, ruling=self.ruling, outcome=self.outcome, reason=self.reason
        )


@dataclass(slots=True)
class Signature:
    """One that was asked for. `until`, `ended`: table seconds; `signed`: the badge; `detail`: why it was not done."""

    number: int
    wanted: Wanted
    asker: Person
    until: float
    state: SignatureState = SignatureState.WAITING
    signed: str | None = None
    detail: str | None = None
    taken: Taken | None = None
    ended: float | None = None


class Signatures:
    """Those of one table."""

    def __init__(
        self,
        keeper: TableKeeper,
        bridge: Bridge,
        accounts: AccountBook,
        still_waits: Callable[[Wanted], str | None],
        soon: Callable[[Callable[[], None]], object] | None = None,
    ) -> None:
        """`still_waits`: why a decision cannot be taken any more, None where it can. `soon`: has something done when
        what happens now has been taken."""
        self._keeper = keeper
        self._bridge = bridge
        self._accounts = accounts
        self._still_waits = still_waits
        self._soon = soon or (lambda what: asyncio.get_running_loop().call_soon(what))
        self._asked: dict[int, Signature] = {}
        self._count = 0
        keeper.on_outputs(lambda event, _: self._happened(event))

    def ask(self, asker: Person, wanted: Wanted) -> Signature:
        """Have a decision wait for a badge. Raises SignatureRefused, PlayStopped."""
        waiting = self.waiting
        if waiting is not None:
            raise SignatureRefused(
                f"{waiting.asker.account} waits for a badge already, for: {waiting.wanted.in_words()}; one at a time"
            )
        gone = self._still_waits(wanted)
        if gone is not None:
            raise SignatureRefused(gone)
        self._keeper.note_by_hand(
            asker, ASKED_NOTE, wanted.reason, decision=wanted.decision, ruling=wanted.ruling, outcome=wanted.outcome
        )
        self._count += 1
        signature = Signature(self._count, wanted, asker, self._keeper.now + WAITS_SECONDS)
        self._asked[signature.number] = signature
        while len(self._asked) > KEPT_MAX:
            del self._asked[next(iter(self._asked))]
        text = f"Badge to sign for {asker.account}: {wanted.in_words()}"
        self._bridge.show({"display": {"text": text, "rule": None}})
        self._bridge.changed()
        return signature

    def find(self, number: int) -> Signature | None:
        """The one of this number, as it is now."""
        self.expire()
        return self._asked.get(number)

    def withdraw(self, asker: Person, number: int) -> None:
        """Whoever asked wants it no more. Raises SignatureRefused."""
        signature = self.find(number)
        if signature is None or signature.state is not SignatureState.WAITING:
            raise SignatureRefused("it waits for nobody any more")
        if signature.asker.account != asker.account:
            raise SignatureRefused(f"{signature.asker.account} asked for it, and nobody else takes it back")
        self._end(signature, SignatureState.WITHDRAWN)

    @property
    def waiting(self) -> Signature | None:
        """The one that waits for a badge."""
        self.expire()
        return self._that_waits()

    def shown(self) -> list[Signature]:
        """What everybody is told: the one that waits, and those that ended a moment ago."""
        now = self._keeper.now
        return [one for one in self._asked.values() if one.ended is None or now - one.ended < TOLD_SECONDS]

    def expire(self) -> None:
        """End the one whose time is over. Ask once a second."""
        signature = self._that_waits()
        if signature is not None and self._keeper.now >= signature.until:
            self._end(signature, SignatureState.EXPIRED, "no badge came in time")

    # -- what happens meanwhile

    def _that_waits(self) -> Signature | None:
        return next((one for one in self._asked.values() if one.state is SignatureState.WAITING), None)

    def _happened(self, event: Event) -> None:
        if isinstance(event, Badge) and self.waiting is not None:
            staff, role = event.staff, event.role
            self._soon(lambda: self._badge(staff, role))

    def _badge(self, staff: str, role: str) -> None:
        """A badge was shown, and the table has taken note of it."""
        signature = self.waiting
        if signature is None:
            return
        why = self._may_not(staff, role)
        if why is not None:  # it goes on waiting for somebody who may
            signature.detail = f"{staff}: {why}"
            self._bridge.changed()
            return
        self._carry_out(signature, staff, role)

    def _may_not(self, staff: str, role: str) -> str | None:
        """Why the holder of a badge may not decide; None for one who may."""
        if role not in DECIDING_ROLES:
            return f"who has the role {role} does not decide"
        try:
            account = _account_of(self._accounts, staff)
        except AccountError as fault:
            return str(fault)
        if account is not None and not account.may(Right.DECIDE):
            return "the account of this badge may not decide" if account.enabled else "the account is shut"
        return None

    def _carry_out(self, signature: Signature, staff: str, role: str) -> None:
        signature.signed = staff
        gone = self._still_waits(signature.wanted)
        if gone is not None:
            self._end(signature, SignatureState.REFUSED, gone)
            return
        account = _account_of(self._accounts, staff)
        signer = Person(staff, staff if account is None else account.name, role, AT_THE_TABLE)
        wanted = signature.wanted
        try:
            taken = self._keeper.take_by_hand(
                signer, wanted.reason, lambda t: wanted.event(t, staff), asked_by=signature.asker.account
            )
        except PlayStopped as stopped:
            self._end(signature, SignatureState.REFUSED, str(stopped))
            return
        signature.taken = taken
        done = taken.refusal is None
        self._end(signature, SignatureState.DONE if done else SignatureState.REFUSED, taken.refusal)

    def _end(self, signature: Signature, state: SignatureState, detail: str | None = None) -> None:
        signature.state, signature.detail, signature.ended = state, detail, self._keeper.now
        if state in {SignatureState.EXPIRED, SignatureState.WITHDRAWN}:
            try:
                self._keeper.note_by_hand(
                    signature.asker, UNSIGNED_NOTE, state.value, decision=signature.wanted.decision
                )
            except PlayStopped as stopped:
                _log.warning("that a decision was not signed is not in the record: %s", stopped)
        self._bridge.set_again()
        self._bridge.changed()


def _account_of(accounts: AccountBook, staff: str) -> Account | None:
    """The account with this badge, open or shut."""
    return next((one for one in accounts if one.staff == staff), None)

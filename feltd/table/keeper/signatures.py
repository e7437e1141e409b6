"""Decisions signed by a badge at the table.

Somebody asks at the page, and the dealer's display says what is to be signed. A listed badge of a supervisor or
director that is shown then is named on the display, beside what it would sign. Shown once more it carries the decision
out in its holder's name. So a badge that is shown for another purpose signs nothing, nor does one that lies on the
reader. A badge that has a PIN is shown once, and its PIN keyed in place of the second showing (`keeper.badges` looks at
it). A decision of weight takes a PIN (`keeper.badge_pins`): a copied number is shown twice as well as the badge itself.
One decision waits at a time, and people ask at a pace of `ASKS_A_MINUTE`.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from feltd.door import (
    Answered,
    BadgeHolder,
    CommandRefused,
    DecisionRequest,
    Person,
    PlayStopped,
    SignatureFacts,
    SignatureState,
)
from feltd.table.keeper.badge_pins import BadgePins
from feltd.table.keeper.decisions import event_of, still_waiting
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.keeper.pace import Pace
from feltd.text.catalogue import refusal as refusal_in_words
from feltd.text.catalogue import say
from feltd.text.errors import FeltdError
from feltd.text.language import Language, speaking
from table_fsm.events import Badge, Event
from table_fsm.felt import DECIDING_ROLES

WAITS_SECONDS: Final = 30.0
ONCE_MORE_AFTER: Final = 2.0
"""Seconds between the two showings of a badge at least: a card on a reader that reports it each second never signs."""
ONCE_MORE_WITHIN: Final = 15.0
"""Seconds between the two showings at most."""
ASKS_AT_ONCE: Final = 3
ASKS_A_MINUTE: Final = 1.0
"""Requests of one account that nobody signs: each is an entry and a line on the display."""
ALL_ASKS_AT_ONCE: Final = 12
ALL_ASKS_A_MINUTE: Final = 4.0
"""The same of all accounts together: who an account is, the table has from the page alone."""
TOLD_SECONDS: Final = 30.0
"""Seconds for which the page shows how a signature ended."""
NOTICE_SECONDS: Final = 5.0
"""Seconds for which the display says that a badge does not count."""
KEPT_MAX: Final = 200
ASKED_NOTE: Final = "signature.asked"
UNSIGNED_NOTE: Final = "signature.unsigned"
AT_THE_TABLE: Final = "badge at the table"

_log = logging.getLogger("feltd.table")


class SignatureRefused(CommandRefused):
    """A signature cannot be asked for, or withdrawn, now; the message says why."""


class Staff(Protocol):
    """The calls to the table's list of badges."""

    def holder(self, badge: str) -> BadgeHolder:
        """Who signs with a badge, and whether they may decide. Raises FeltdError where nobody can tell."""

    def may_decide(self, badge: str) -> bool:
        """Whether the holder of a badge may decide. Raises FeltdError where nobody can tell."""

    @property
    def nobody_decides(self) -> str | None:
        """Why nobody can sign by badge; None where somebody can."""


class Shown(Protocol):
    """The calls to the bridge to the devices."""

    language: Language
    """Of what the display says."""

    def show(self, output: Mapping[str, Any]) -> None:
        """Show this on every device that can, until `set_again`."""

    def set_again(self) -> None:
        """Set every indicator as it should be now."""

    @property
    def has_display(self) -> bool:
        """Whether a display is online on which people read."""

    def shows(self, output: Mapping[str, Any]) -> bool:
        """Whether this is what people read, on each display that is online."""

    def shows_first(self, output: Mapping[str, Any], part: str) -> bool:
        """Whether each display that is online shows this output's text at least as far as `part`, its beginning."""


@dataclass(slots=True)
class Signature:
    """A signature that was asked for.

    `until`, `ended`: table seconds; `signed`: the badge; `detail`: why it was not done. `first`: the badge that was
    shown once while the display said what it would sign; `first_at`: when it was shown last; `by_pin`: its PIN is
    keyed in place of a second showing.
    """

    number: int
    decision: DecisionRequest
    asker: Person
    until: float
    state: SignatureState = SignatureState.WAITING
    first: str | None = None
    first_at: float = 0.0
    by_pin: bool = False
    signed: str | None = None
    detail: str | None = None
    answered: Answered | None = None
    ended: float | None = None

    def facts(self, now: float) -> SignatureFacts:
        """The facts of the signature for the page.

        `now`: table seconds.
        """
        waits = self.state is SignatureState.WAITING
        decision = self.decision
        return SignatureFacts(
            id=self.number,
            state=self.state,
            decision=decision.decision,
            ruling=decision.ruling,
            outcome=decision.outcome,
            asked_by=self.asker.account,
            signed_by=self.signed,
            seconds_left=round(max(0.0, self.until - now), 1) if waits else 0.0,
            detail=self.detail,
            entry=self.answered.entry if self.state is SignatureState.DONE and self.answered else None,
        )


class Signatures:
    """The signatures asked for at one table."""

    def __init__(
        self,
        keeper: TableKeeper,
        display: Shown,
        staff: Staff,
        changed: Callable[[], None],
        call_soon: Callable[[Callable[[], None]], object] | None = None,
        pins: BadgePins | None = None,
    ) -> None:
        """Follow the signatures of one table.

        `pins`: says what is signed with a PIN alone; None where nothing is.
        `changed`: called after each change. `call_soon(fn)`: run `fn` after the current event; None takes the loop's.
        """
        self._keeper = keeper
        self._display = display
        self._staff = staff
        self._changed = changed
        self._pins = pins
        self._call_soon = call_soon or (lambda fn: asyncio.get_running_loop().call_soon(fn))
        self._asked: dict[int, Signature] = {}
        self._count = 0
        self._notice_since: float | None = None
        self._notice_shown = False
        self._with_pin: str | None = None
        self._pace = Pace(ASKS_AT_ONCE, ASKS_A_MINUTE, lambda: keeper.now)
        self._pace_of_all = Pace(ALL_ASKS_AT_ONCE, ALL_ASKS_A_MINUTE, lambda: keeper.now)
        keeper.on_outputs(lambda event, _: self._happened(event))

    def ask(self, asker: Person, decision: DecisionRequest) -> Signature:
        """Ask for a badge to sign a decision.

        Raises CommandRefused, PlayStopped.
        """
        waiting = self.waiting
        if waiting is not None:
            raise SignatureRefused(
                f"{waiting.asker.account} waits for a badge already, for: {waiting.decision.in_words()}; one at a time"
            )
        nobody = self._staff.nobody_decides
        if nobody is None and self._pins is not None:
            nobody = self._pins.nobody_signs(decision.decision, self._staff.may_decide)
        if nobody is not None:
            raise SignatureRefused(nobody)
        self._check_display()
        decision = still_waiting(self._keeper, decision)
        self._check_room(Signature(self._count, decision, asker, 0.0))
        self._check_pace(asker)
        self._keeper.note_by_hand(
            asker,
            ASKED_NOTE,
            decision.reason,
            decision=decision.decision,
            ruling=decision.ruling,
            outcome=decision.outcome,
        )
        self._count += 1
        signature = Signature(self._count, decision, asker, self._keeper.now + WAITS_SECONDS)
        self._asked[signature.number] = signature
        while len(self._asked) > KEPT_MAX:
            del self._asked[next(iter(self._asked))]
        self._show(self._asks_for(signature))
        self._changed()
        return signature

    def _check_display(self) -> None:
        if not self._display.has_display:
            raise SignatureRefused("no display at this table is online to say what a badge would sign")

    def _check_room(self, signature: Signature) -> None:
        """Raises SignatureRefused where a display cuts off what is signed: two decisions would look the same."""
        what, _ = self._parts(signature)
        if not self._display.shows_first(_display(self._asks_for(signature)), what):
            raise SignatureRefused(
                "a display of this table is too small to say what a badge would sign: decide at the page"
            )

    def _check_pace(self, asker: Person) -> None:
        """Count a request. Raises SignatureRefused for one too many."""
        wait = self._pace.wait(asker.account) or self._pace_of_all.wait("")
        if wait > 0:
            raise SignatureRefused(f"a badge was asked for too often: ask again in {int(wait) + 1} seconds")
        self._pace.take(asker.account)
        self._pace_of_all.take("")

    def not_taken(self, badge: str, why: str) -> None:
        """Say on page and display that a badge does not count.

        The display says it for `NOTICE_SECONDS`, and then not again for as long: nobody covers a ruling with a card.
        """
        signature = self._that_waits()
        if signature is not None:  # it still waits for somebody who may sign
            signature.first = None
            signature.detail = f"{badge}: {why}"
            self._changed()
        with speaking(self._display.language):
            self._notice(say("Badge not taken: {why}", why=refusal_in_words(why)))

    def pin_wanted(self, badge: str, role: str) -> None:
        """Say on page and display that a badge waits for its PIN, and what it would sign then."""
        signature = self.waiting
        if signature is None:
            with speaking(self._display.language):
                self._notice(say("{badge}: key the PIN", badge=badge))
            return
        try:
            self._check_display()
            self._holder(badge, role)
            self._check_room(replace(signature, first=badge, by_pin=True))
        except FeltdError as refusal:
            self.not_taken(badge, str(refusal))
            return
        self._name(signature, badge, by_pin=True)

    def pin_given(self, badge: str) -> None:
        """The event of this badge that the table takes next came with its PIN."""
        self._with_pin = badge

    def _notice(self, text: str) -> None:
        """Show a text for `NOTICE_SECONDS`, and then none for as long."""
        now = self._keeper.now
        if self._notice_since is not None and now - self._notice_since < 2 * NOTICE_SECONDS:
            return
        self._notice_since, self._notice_shown = now, True
        self._show(text)

    def find(self, number: int) -> Signature | None:
        """The signature of this number; None for no such number, or long after its end."""
        self.expire()
        return self._asked.get(number)

    def withdraw(self, asker: Person, number: int) -> None:
        """Withdraw the asker's own request.

        Raises SignatureRefused.
        """
        signature = self.find(number)
        if signature is None or signature.state is not SignatureState.WAITING:
            raise SignatureRefused("it waits for nobody any more")
        if signature.asker.account != asker.account:
            raise SignatureRefused(f"{signature.asker.account} asked for it, and nobody else takes it back")
        self._end(signature, SignatureState.WITHDRAWN)

    @property
    def waiting(self) -> Signature | None:
        """The waiting signature, and those that ended a moment ago."""
        self.expire()
        return self._that_waits()

    def shown(self) -> list[Signature]:
        """The waiting signature, and those that ended a moment ago."""
        now = self._keeper.now
        asked = self._asked.values()
        return [signature for signature in asked if signature.ended is None or now - signature.ended < TOLD_SECONDS]

    def expire(self) -> None:
        """End the signature whose time is over.

        Call it once a second.
        """
        signature = self._that_waits()
        if signature is not None and self._keeper.now >= signature.until:
            self._end(signature, SignatureState.EXPIRED, "no badge came in time")
            return
        if signature is not None and signature.first and self._keeper.now - signature.first_at > ONCE_MORE_WITHIN:
            signature.first = signature.detail = None
            self._changed()
            self._show(self._asks_for(signature))
        if self._notice_shown and self._keeper.now - (self._notice_since or 0.0) >= NOTICE_SECONDS:
            self._notice_shown = False
            self._display.set_again()
            if signature is not None:
                self._show(self._asks_for(signature))

    # -- what happens meanwhile

    def _that_waits(self) -> Signature | None:
        waiting = (signature for signature in self._asked.values() if signature.state is SignatureState.WAITING)
        return next(waiting, None)

    def _happened(self, event: Event) -> None:
        if not isinstance(event, Badge):
            return
        by_pin, self._with_pin = self._with_pin == event.staff, None
        if self.waiting is not None:
            staff, role = event.staff, event.role
            self._call_soon(lambda: self._badge(staff, role, by_pin=by_pin))

    def _badge(self, staff: str, role: str, *, by_pin: bool) -> None:
        """Ask a badge to be shown once more, or carry the waiting decision out; the table has noted the badge."""
        signature = self.waiting
        if signature is None:
            return
        try:
            self._check_display()
            holder = self._holder(staff, role)
            if self._pins is not None and not by_pin:
                self._pins.require_keyed(staff, signature.decision.decision)
            self._check_room(replace(signature, first=staff, by_pin=by_pin))
        except FeltdError as refusal:
            self.not_taken(staff, str(refusal))
            return
        if self._is_once_more(signature, staff, by_pin=by_pin):
            self._carry_out(signature, staff, role, holder)

    def _is_once_more(self, signature: Signature, staff: str, *, by_pin: bool) -> bool:
        """Whether this badge is shown a second time, and not for the first; that is remembered, and shown.

        `by_pin`: its PIN was keyed, so that it is no card that lies on the reader.
        """
        now, before = self._keeper.now, signature.first_at
        said = _display(self._asks_for(signature))  # a ruling may have taken its place: then it is to be read again
        again = signature.first == staff and now - before <= ONCE_MORE_WITHIN and self._display.shows(said)
        if again and (by_pin or now - before >= ONCE_MORE_AFTER):
            return True
        if again:
            signature.first_at = now
        else:
            self._name(signature, staff, by_pin=by_pin)
        return False

    def _name(self, signature: Signature, staff: str, *, by_pin: bool) -> None:
        """Name a badge, and what it would sign, on page and display."""
        signature.first, signature.first_at, signature.by_pin = staff, self._keeper.now, by_pin
        how = "its PIN is to be keyed to sign" if by_pin else "to be shown once more to sign"
        signature.detail = f"{staff}: {how}"
        self._notice_shown = False
        self._show(self._asks_for(signature))
        self._changed()

    def _holder(self, staff: str, role: str) -> BadgeHolder:
        """The holder of a badge, who may decide. Raises FeltdError with the reason why they may not."""
        if role not in DECIDING_ROLES:
            raise SignatureRefused(f"who has the role {role} does not decide")
        holder = self._staff.holder(staff)
        if holder.refusal is not None:
            raise SignatureRefused(holder.refusal)
        return holder

    def _carry_out(self, signature: Signature, staff: str, role: str, holder: BadgeHolder) -> None:
        signature.signed = staff
        signer = Person(staff, holder.account, role, AT_THE_TABLE)
        try:
            decision = still_waiting(self._keeper, signature.decision)
            answered = self._keeper.act(
                signer, decision.reason, event_of(decision, staff), asked_by=signature.asker.account
            )
        except (CommandRefused, PlayStopped) as refusal:
            self._end(signature, SignatureState.REFUSED, str(refusal))
            return
        signature.answered = answered
        done = answered.refusal is None
        if done:  # what people sign is no flood
            self._pace.give_back(signature.asker.account)
            self._pace_of_all.give_back("")
        self._end(signature, SignatureState.DONE if done else SignatureState.REFUSED, answered.refusal)

    def _end(self, signature: Signature, state: SignatureState, detail: str | None = None) -> None:
        signature.state, signature.detail, signature.ended = state, detail, self._keeper.now
        if state in {SignatureState.EXPIRED, SignatureState.WITHDRAWN}:
            try:
                self._keeper.note_by_hand(
                    signature.asker, UNSIGNED_NOTE, state.value, decision=signature.decision.decision
                )
            except PlayStopped as stopped:
                _log.warning("that a decision was not signed is not in the record: %s", stopped)
        self._notice_shown = False
        self._display.set_again()
        self._changed()

    def _show(self, text: str) -> None:
        self._display.show(_display(text))

    def _asks_for(self, signature: Signature) -> str:
        return " ".join(self._parts(signature))

    def _parts(self, signature: Signature) -> tuple[str, str]:
        """What is signed, and what a small display may cut off behind it."""
        with speaking(self._display.language):
            account, decision = signature.asker.account, signature.decision.in_words()
            if signature.first is None:
                return say("Badge to sign: {decision}", decision=decision), say("(asked by {account})", account=account)
            signs = say("{badge} signs: {decision}?", badge=signature.first, decision=decision)
            if signature.by_pin:
                return signs, say("Key its PIN (asked by {account})", account=account)
            return signs, say("Show it once more (asked by {account})", account=account)


def _display(text: str) -> Mapping[str, Any]:
    return {"display": {"text": text, "rule": None}}

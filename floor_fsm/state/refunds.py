"""The part of refunds: what goes back for each entry, and what the cage has given back of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from floor_fsm.core.parts import Parts
from floor_fsm.errors import Reason, Refused
from floor_fsm.messages.entries import EntryWithdrawn


@dataclass(frozen=True, slots=True)
class Refunds:
    """The part of refunds. `due`: cents that go back for an entry in all; `paid`: what the cage has given of it."""

    due: Mapping[int, int] = field(default_factory=dict)
    paid: Mapping[int, int] = field(default_factory=dict)

    def left(self, entry: int) -> int:
        """The cents that the cage has not given back yet."""
        return self.due.get(entry, 0) - self.paid.get(entry, 0)

    def owing(self, more: Mapping[int, int]) -> "Refunds":
        """The same with so much more that goes back."""
        now = {entry: self.due.get(entry, 0) + cents for entry, cents in more.items() if cents}
        return replace(self, due={**self.due, **now}) if now else self

    def before(self, before: "Refunds") -> "Refunds":
        """What was due before the tournament was called off, with what was given back for that.

        Raises Refused where the cage has given back more: that must be there again first.
        """
        more = {entry: cents - before.due.get(entry, 0) for entry, cents in sorted(self.paid.items())}
        named = ", ".join(f"{entry}: {cents}" for entry, cents in more.items() if cents > 0)
        if named:
            words = f"the cage has to have again what it gave back, by entry in cents ({named}): refund.taken_back"
            raise Refused(Reason.PAID_ALREADY, words)
        return replace(before, paid=self.paid)


def fee_goes_back(parts: Parts, event: EntryWithdrawn) -> bool:
    """Whether the fee of an entry that is withdrawn goes back. Refuses it where the book keeps each fee."""
    rule = parts.law.book.withdrawing
    if rule is not None and event.refund and not event.mistaken:
        words = f"the fee of entry {event.entry} is not given back: say that it was keyed by mistake, where it was"
        raise Refused(Reason.NOT_ALLOWED, words, rule.clause)
    return event.refund or event.mistaken

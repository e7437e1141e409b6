"""Refunds: what goes back for an entry, as the cage gives it back."""

from typing import ClassVar

from floor_fsm.core.event import Cents, EntryNumber, Event


class RefundPaid(Event):
    """The cage has given back what goes back for an entry."""

    ev: ClassVar[str] = "refund.paid"
    entry: EntryNumber
    cents: Cents


class RefundTakenBack(Event):
    """What the cage gave back for an entry is there again. `cents`: so much of it; None: all."""

    ev: ClassVar[str] = "refund.taken_back"
    entry: EntryNumber
    cents: Cents | None = None

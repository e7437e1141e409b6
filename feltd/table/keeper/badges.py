"""What a badge or a staff card may tell the table: only one that the table lists counts.

This lies before the table and its record: a journal replays to the same rulings, whatever the list says by then.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from devices.errors import DeviceMessageError
from feltd.table.keeper.badge_pins import BadgePins
from feltd.table.keeper.staff import HOW_TO_LIST, BadgeRefusedError, StaffError, StaffList, UnlistedBadgeError
from table_fsm.events import Badge, Event, Supervisor
from table_fsm.felt import DECIDING_ROLES
from table_fsm.rulebook import Rulebook

_REMEDY: Final = f"where it should count, list it: {HOW_TO_LIST}"


def signing_roles(books: Iterable[Rulebook]) -> frozenset[str]:
    """Return the roles whose badge signs something: decisions, or what one of these books has a badge witness."""
    roles: set[str] = set(DECIDING_ROLES)
    for rulebook in books:
        book = rulebook.book
        roles |= {*book.deck.replacement_badges, *book.box.witness_roles, *book.run_twice.roles}
    return frozenset(roles)


class Hears(Protocol):
    """Who is told what badges pass the gate, and which do not."""

    def not_taken(self, badge: str, why: str) -> None:
        """This badge does not count."""

    def pin_wanted(self, badge: str, role: str) -> None:
        """This badge would count; its PIN was not keyed yet."""

    def pin_given(self, badge: str) -> None:
        """The event of this badge that the table takes next came with its PIN."""


@dataclass(frozen=True, slots=True)
class ShownTo:
    """The device that a badge or a staff card is shown to.

    `keypad`: it is a badge reader that takes a PIN. `key_switch`: the name on record for a decision that the device's
    own key switch stands for.
    """

    device: str
    keypad: bool = False
    key_switch: str | None = None


class BadgeGate:
    """Takes from a device's message only badges and decisions that the table's list allows."""

    def __init__(
        self,
        staff: StaffList,
        signing: Callable[[], frozenset[str]],
        hears: Hears,
        pins: BadgePins,
    ) -> None:
        """`signing`: gives the roles whose badge signs something, to which a book that is loaded later adds."""
        self._staff = staff
        self._signing = signing
        self._hears = hears
        self._pins = pins

    def check(self, shown: ShownTo, events: Sequence[Event], pin: str | None = None) -> Sequence[Event]:
        """Return what counts of the events of a device's message: not a badge that waits for its PIN.

        `pin`: what was keyed with the badge. Raises DeviceMessageError if they are signed by nobody who may.
        """
        return [event for event in events if self._counts(shown, event, pin)]

    def _counts(self, shown: ShownTo, event: Event, pin: str | None) -> bool:
        if isinstance(event, Badge):
            return self._badge(shown, event, pin)
        if isinstance(event, Supervisor) and event.staff != shown.key_switch:
            self._decision(shown.device, event, pin)
        return True

    def _badge(self, shown: ShownTo, event: Badge, pin: str | None) -> bool:
        device = shown.device
        try:
            role = self._staff.listed.role_of(event.staff)
        except UnlistedBadgeError as refusal:
            if event.role in self._signing():
                raise self._told(device, event.ev, event.staff, str(refusal)) from None
            return self._with_pin(shown, event, pin)  # it signs nothing: the record says who deals, as the card has it
        except (BadgeRefusedError, StaffError) as refusal:
            raise self._told(device, event.ev, event.staff, str(refusal)) from None
        if role != event.role:
            why = f"the card says {event.role}, the table's list says {role}"
            raise self._told(device, event.ev, event.staff, why)
        return self._with_pin(shown, event, pin)

    def _with_pin(self, shown: ShownTo, event: Badge, pin: str | None) -> bool:
        """Whether a badge counts now: one that has a PIN does with it alone, whether the list has it or not."""
        signs = event.role in self._signing()
        if not (self._pins.readable or signs):
            return True  # a fault of the file does not keep from the record who deals
        try:
            if not self._pins.asks(event.staff, signs=signs, keypad=shown.keypad):
                return True
            if pin is None:
                self._hears.pin_wanted(event.staff, event.role)
                return False
            self._pins.check(event.staff, pin, signs=signs)
        except (BadgeRefusedError, StaffError) as refusal:
            raise self._told(shown.device, event.ev, event.staff, str(refusal)) from None
        self._hears.pin_given(event.staff)
        return True

    def _decision(self, device: str, event: Supervisor, pin: str | None) -> None:
        try:
            refusal = self._staff.holder(event.staff).refusal
            if refusal is None:
                self._pins.check(event.staff, pin, signs=True, decision=event.decision)
        except (BadgeRefusedError, StaffError) as fault:
            refusal = str(fault)
        if refusal is not None:
            raise self._told(device, "decision", event.staff, refusal)

    def _told(self, device: str, message: str, badge: str, why: str) -> DeviceMessageError:
        self._hears.not_taken(badge, why)
        return DeviceMessageError(device, message, "staff", why, _REMEDY)

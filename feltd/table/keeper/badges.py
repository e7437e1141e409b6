"""What a badge or a staff card may tell the table: only one that the table lists counts.

This lies before the table and its record: a journal replays to the same rulings, whatever the list says by then.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from devices.errors import DeviceMessageError
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


class BadgeGate:
    """Takes from a device's message only badges and decisions that the table's list allows."""

    def __init__(
        self, staff: StaffList, signing: Callable[[], frozenset[str]], refused: Callable[[str, str], None]
    ) -> None:
        """`signing`: gives the roles whose badge signs something, to which a book that is loaded later adds.

        `refused`: told of a badge that does not count, and why.
        """
        self._staff = staff
        self._signing = signing
        self._refused = refused

    def check(self, device: str, events: Sequence[Event], key_switch: str | None = None) -> None:
        """Raise DeviceMessageError if these events of a device's message are signed by nobody who may.

        `key_switch`: the name on record for a decision that the device's own key switch stands for.
        """
        for event in events:
            if isinstance(event, Badge):
                self._badge(device, event)
            elif isinstance(event, Supervisor) and event.staff != key_switch:
                self._decision(device, event)

    def _badge(self, device: str, event: Badge) -> None:
        try:
            role = self._staff.listed.role_of(event.staff)
        except UnlistedBadgeError as refusal:
            if event.role in self._signing():
                raise self._told(device, event.ev, event.staff, str(refusal)) from None
            return  # it signs nothing: the record says who deals, as the card has it
        except (BadgeRefusedError, StaffError) as refusal:
            raise self._told(device, event.ev, event.staff, str(refusal)) from None
        if role != event.role:
            why = f"the card says {event.role}, the table's list says {role}"
            raise self._told(device, event.ev, event.staff, why)

    def _decision(self, device: str, event: Supervisor) -> None:
        try:
            refusal = self._staff.holder(event.staff).refusal
        except StaffError as fault:
            refusal = str(fault)
        if refusal is not None:
            raise self._told(device, "decision", event.staff, refusal)

    def _told(self, device: str, message: str, badge: str, why: str) -> DeviceMessageError:
        self._refused(badge, why)
        return DeviceMessageError(device, message, "staff", why, _REMEDY)

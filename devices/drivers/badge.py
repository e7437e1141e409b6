"""The badge reader: it reports the staff card held to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Final

from pydantic import Field, with_config

from devices.drivers.base import SETTINGS, Driver, Reading
from devices.drivers.fields import Fields
from devices.drivers.trials import TrialKind
from devices.limits import NAME, UNREADABLE
from table_fsm.events import Badge, Event
from table_fsm.felt import StaffRole

_BAD_READ_REMEDY: Final = (
    "hold it to the reader again; if it stays so, see how the reader is set up (docs/plugs.md, badge readers)"
)
_LIST_REMEDY: Final = "add it to the settings (staff), or take it away"

StaffName = Annotated[str, Field(pattern=f"^{NAME.pattern}$")]


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class BadgeSettings:
    """`staff`: each staff card's name and role. `keypad`: whether a PIN can be keyed at the reader.

    Left out, it does where the reader says so in its status, or its adapter does. A card that is not in `staff`
    has the role that it reports. Whether that counts is not the reader's matter: the table's own list says it.
    """

    staff: dict[StaffName, StaffRole] = field(default_factory=dict)
    keypad: bool | None = None


class BadgeDriver(Driver[BadgeSettings]):
    """The badge reader's driver.

    It has no state: a card left on the reader is not reported again.
    """

    role: ClassVar[str] = "badge"
    settings_type = BadgeSettings

    def _events_read(self) -> Mapping[str, Reading]:
        return {"badge": self._badge}

    @property
    def trials(self) -> tuple[TrialKind, ...]:
        return (TrialKind.LISTEN,)

    def _badge(self, read: Fields, t: float) -> Event:
        staff = read.name("staff")
        if staff == UNREADABLE:
            raise read.fault("staff", "the card was not read whole", _BAD_READ_REMEDY)
        claimed = read.optional("role", lambda key: read.choice(key, tuple(StaffRole)))
        read.optional("pin", read.pin)
        return Badge(t=t, staff=staff, role=self._role_of(read, staff, claimed))

    def _role_of(self, read: Fields, staff: str, claimed: str | None) -> str:
        role = self.settings.staff.get(staff)
        if role is None:
            if claimed is None:
                raise read.fault("role", "the card names no role, and the settings do not list it", _LIST_REMEDY)
            return claimed
        if claimed not in (None, role):
            raise read.fault(
                "role", f"the card says {claimed}, the table's list says {role}", "correct whichever is wrong"
            )
        return role.value

    def _compare(self, read: Fields, t: float) -> list[Event]:
        read.optional("staff", read.name)
        return []

"""The staff cards at a simulated table: one of each role, all listed, and the PINs of those that sign."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from table_fsm.felt import StaffRole

STAFF_CARDS: Final[Mapping[StaffRole, str]] = MappingProxyType(
    {
        StaffRole.SUPERVISOR: "S-1",
        StaffRole.INSPECTOR: "I-1",
        StaffRole.DIRECTOR: "D-1",
        StaffRole.SURVEILLANCE: "V-1",
        StaffRole.DEALER: "C-1",
    }
)
"""What each role's card says."""
STAFF_PINS: Final[Mapping[str, str]] = MappingProxyType(
    {
        STAFF_CARDS[StaffRole.SUPERVISOR]: "4711",
        STAFF_CARDS[StaffRole.INSPECTOR]: "1379",
        STAFF_CARDS[StaffRole.DIRECTOR]: "0815",
        STAFF_CARDS[StaffRole.SURVEILLANCE]: "2846",
    }
)
"""By card, what its holder keys with it. They stand here, so they are secrets of a simulated table alone."""

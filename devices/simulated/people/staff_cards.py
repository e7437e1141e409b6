"""The staff cards at a simulated table: one of each role, all on the table's list."""

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

"""Which driver plays which role."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from devices.badge import BadgeDriver
from devices.base import Driver
from devices.dropbox import DropboxDriver
from devices.errors import UnknownRoleError
from devices.indicators import IndicatorsDriver
from devices.keys import KeysDriver
from devices.markers import MarkersDriver
from devices.reader import ReaderDriver
from devices.shoe import ShoeDriver

DRIVERS: Final[Mapping[str, type[Driver[Any]]]] = MappingProxyType(
    {
        driver.role: driver
        for driver in (
            ShoeDriver,
            ReaderDriver,
            MarkersDriver,
            DropboxDriver,
            KeysDriver,
            BadgeDriver,
            IndicatorsDriver,
        )
    }
)
"""Driver class by role."""

ROLES: Final = tuple(DRIVERS)


def driver_for(role: str) -> type[Driver[Any]]:
    """The driver class of a role. Raises UnknownRoleError."""
    driver = DRIVERS.get(role)
    if driver is None:
        raise UnknownRoleError(role, ROLES)
    return driver

"""The driver of each role."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from devices.drivers.badge import BadgeDriver
from devices.drivers.base import Driver
from devices.drivers.dropbox import DropboxDriver
from devices.drivers.indicators import IndicatorsDriver
from devices.drivers.keys import KeysDriver
from devices.drivers.markers import MarkersDriver
from devices.drivers.reader import ReaderDriver
from devices.drivers.shoe import ShoeDriver
from devices.errors import UnknownRoleError

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

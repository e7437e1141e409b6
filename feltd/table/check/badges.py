"""Notes on the badges that count at a table with a badge reader."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from devices.drivers.badge import BadgeDriver
from devices.errors import DeviceSettingsError
from feltd.table.check.ports import May
from feltd.table.config.devices import DeviceConfig
from feltd.table.keeper.staff import StaffList, written_in


def badge_notes(devices: Sequence[DeviceConfig], staff_file: Path, may: May) -> Iterator[str]:
    """Say how many badges may decide at a table, or why none can. `staff_file`: the table's own list."""
    readers = [device for device in devices if device.role == BadgeDriver.role]
    if not readers:
        return
    if staff_file.exists() and not may(staff_file, os.R_OK):
        yield f"which badges count was not looked at: {staff_file} is for the table's user alone"
        return
    try:
        written = written_in(BadgeDriver(reader.name, reader.settings) for reader in readers)
    except DeviceSettingsError:
        return  # a fault of the file, and reported as one
    staff = StaffList(staff_file, written)
    if staff.nobody_decides is not None:
        yield f"badges: {staff.nobody_decides}"
    else:
        yield f"badges: {len(staff.listed)} on the table's list, {staff.listed.deciders} of them may decide"

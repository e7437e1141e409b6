"""Notes on the badges that count at a table with a badge reader."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from devices.drivers.badge import BadgeDriver
from devices.errors import DeviceSettingsError
from feltd.table.check.ports import May
from feltd.table.config.devices import DeviceConfig
from feltd.table.keeper.badge_pins import HOW_TO_SET, read_pins
from feltd.table.keeper.staff import StaffError, StaffList, written_in


def badge_notes(
    devices: Sequence[DeviceConfig], staff_file: Path, pins_file: Path, may: May, *, wanted: bool
) -> Iterator[str]:
    """Say how many badges may decide at a table, or why none can, and which need no PIN for it.

    `staff_file`: the table's own list; `pins_file`: its PINs; `wanted`: whether each badge that decides needs one.
    """
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
        return
    yield f"badges: {len(staff.listed)} on the table's list, {len(staff.listed.deciding)} of them may decide"
    yield from _pin_notes(staff.listed.deciding, pins_file, may, wanted=wanted)


def _pin_notes(deciding: frozenset[str], pins_file: Path, may: May, *, wanted: bool) -> Iterator[str]:
    """Say how many of the badges that decide have no PIN: a copied number of theirs signs, or they sign nothing."""
    if pins_file.exists() and not may(pins_file, os.R_OK):
        yield f"which badges have a PIN was not looked at: {pins_file} is for the table's user alone"
        return
    try:
        without = len(deciding - read_pins(pins_file).keys())
    except StaffError as fault:
        yield f"badges: {fault}"
        return
    if without:
        what = "sign nothing ([table] badge_pins)" if wanted else "sign without one, and so does a copy of their number"
        yield f"badges: {without} of those that may decide have no PIN: they {what}; set one: {HOW_TO_SET}"

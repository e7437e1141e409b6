"""Notes on the badges that count at a table with a badge reader."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from devices.drivers.badge import BadgeDriver
from devices.errors import DeviceSettingsError
from feltd.table.check.ports import May
from feltd.table.config.devices import DeviceConfig
from feltd.table.keeper.badge_pins import HOW_TO_SET, PinsWanted, read_pins
from feltd.table.keeper.staff import StaffError, StaffList, written_in

_NAMED_MOST: Final = 20
_ALL: Final = "badge_pins = true in [table] lets no badge sign without one"
_WHAT: Final[Mapping[PinsWanted, str]] = {
    PinsWanted.EACH: "such a badge signs and witnesses nothing ([table] badge_pins)",
    PinsWanted.OF_WEIGHT: (f"a copy of its number signs what needs no reason, and witnesses as the badge does; {_ALL}"),
    PinsWanted.WHERE_GIVEN: f"a copy of its number signs all that the badge does ([table] badge_pins = false); {_ALL}",
}


def badge_notes(
    devices: Sequence[DeviceConfig], staff_file: Path, pins_file: Path, may: May, *, wanted: PinsWanted
) -> Iterator[str]:
    """Say how many badges may decide at a table, or why none can, and which need no PIN for it.

    `staff_file`: the table's own list; `pins_file`: its PINs; `wanted`: where a badge needs one.
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


def _pin_notes(deciding: frozenset[str], pins_file: Path, may: May, *, wanted: PinsWanted) -> Iterator[str]:
    """Name the badges that decide and have no PIN: a copied number of theirs signs, or they sign nothing."""
    if pins_file.exists() and not may(pins_file, os.R_OK):
        yield f"which badges have a PIN was not looked at: {pins_file} is for the table's user alone"
        return
    try:
        without = sorted(deciding - read_pins(pins_file).keys())
    except StaffError as fault:
        yield f"badges: {fault}"
        return
    if without:
        yield f"badges: no PIN has {_named(without)}, who may decide: {_WHAT[wanted]}; set one: {HOW_TO_SET}"


def _named(badges: Sequence[str]) -> str:
    beyond = len(badges) - _NAMED_MOST
    return ", ".join(badges[:_NAMED_MOST]) + (f" and {beyond} more" if beyond > 0 else "")

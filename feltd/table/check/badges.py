"""Notes on the badges that count at a table with a badge reader, or behind a key's decision."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devices.drivers.badge import BadgeDriver
from devices.drivers.keys import KeysDriver
from devices.errors import DeviceSettingsError
from feltd.table.check.ports import May
from feltd.table.config.devices import DeviceConfig, takes_pin
from feltd.table.keeper.badge_pins import HOW_TO_SET, WEIGHTY, PinsWanted, read_pins
from feltd.table.keeper.staff import ListedBadges, StaffError, StaffList, written_in

_NAMED_MOST: Final = 20
_ALL: Final = "badge_pins = true in [table] lets no badge decide without one"
_AT_THE_PAGE: Final = "no badge reader of this table takes one, so such people decide at the page"
_DECIDES: Final[Mapping[PinsWanted, str]] = {
    PinsWanted.EACH: "such a badge decides nothing ([table] badge_pins)",
    PinsWanted.OF_WEIGHT: (
        f"since 0.12.0 such a badge signs nothing that needs a reason ({WEIGHTY}), and a copy of its number signs the "
        f"rest; {_ALL}"
    ),
    PinsWanted.WHERE_GIVEN: f"a copy of its number signs all that the badge does ([table] badge_pins = false); {_ALL}",
}


@dataclass(frozen=True, slots=True)
class _Places:
    """Where a table's badges are shown: readers, by whether they take a PIN, and keys that decide."""

    keypads: tuple[str, ...]
    others: tuple[str, ...]
    keys: bool


def badge_notes(
    devices: Sequence[DeviceConfig],
    staff_file: Path,
    pins_file: Path,
    may: May,
    *,
    wanted: PinsWanted,
    said: Mapping[str, bool],
) -> Iterator[str]:
    """Say how many badges may decide at a table, or why none can, and which need no PIN for it.

    `staff_file`: the table's own list; `pins_file`: its PINs; `wanted`: where a badge needs one; `said`: of readers by
    name, whether they take a PIN by what they said at the running table.
    """
    try:
        readers = [
            (BadgeDriver(one.name, one.settings), one.adapter) for one in devices if one.role == BadgeDriver.role
        ]
        takes = {one.name: takes_pin(one.settings, adapter, said.get(one.name)) for one, adapter in readers}
        places = _Places(
            tuple(name for name, keypad in takes.items() if keypad),
            tuple(name for name, keypad in takes.items() if not keypad),
            any(_decides(one) for one in devices if one.role == KeysDriver.role),
        )
    except DeviceSettingsError:
        return  # a fault of the file, and reported as one
    if not (readers or (places.keys and staff_file.exists())):
        return
    if staff_file.exists() and not may(staff_file, os.R_OK):
        yield f"which badges count was not looked at: {staff_file} is for the table's user alone"
        return
    staff = StaffList(staff_file, written_in(driver for driver, _ in readers))
    if staff.nobody_decides is not None:
        yield f"badges: {staff.nobody_decides}"
    else:
        yield f"badges: {len(staff.listed)} on the table's list, {len(staff.listed.deciding)} of them may decide"
    if places.others and wanted is PinsWanted.EACH:
        yield (
            f"badges: [table] badge_pins = true beside {', '.join(places.others)}, which takes no PIN: a badge without "
            "a PIN witnesses there, and so does a copy of its number; it decides nothing. Where a PIN can be keyed at "
            "it, write settings.keypad = true"
        )
    if staff.members is not None:
        yield from _pin_notes(staff.listed, pins_file, may, places, wanted=wanted)


def _decides(keys: DeviceConfig) -> bool:
    return "decisions" in KeysDriver(keys.name, keys.settings).settings.parts


def _pin_notes(
    listed: ListedBadges, pins_file: Path, may: May, places: _Places, *, wanted: PinsWanted
) -> Iterator[str]:
    """Name the badges without a PIN that decide or witness, and those with one where none can be keyed."""
    if pins_file.exists() and not may(pins_file, os.R_OK):
        yield f"which badges have a PIN was not looked at: {pins_file} is for the table's user alone"
        return
    try:
        pins = read_pins(pins_file)
    except StaffError as fault:
        yield f"badges: {fault}"
        return
    if without := sorted(listed.deciding - pins.keys()):
        remedy = f"set one: {HOW_TO_SET}" if places.keypads else _AT_THE_PAGE
        yield f"badges: no PIN has {_named(without)}, who may decide: {_DECIDES[wanted]}; {remedy}"
    if places.keypads and (without := sorted(listed.witnesses - pins.keys())):
        what = (
            f"such a badge witnesses nothing at {', '.join(places.keypads)}"
            if wanted is PinsWanted.EACH
            else "a copy of its number witnesses as the badge does"
        )
        yield f"badges: no PIN has {_named(without)}, who may witness: {what}; set one: {HOW_TO_SET}"
    if places.others and not places.keypads and (useless := sorted((listed.deciding | listed.witnesses) & pins.keys())):
        yield (
            f"badges: {_named(useless)} count with their PIN alone, and it cannot be keyed at "
            f"{', '.join(places.others)}: there they sign and witness nothing; take the PIN of a "
            f"witness away: {HOW_TO_SET} --remove"
        )


def _named(badges: Sequence[str]) -> str:
    beyond = len(badges) - _NAMED_MOST
    return ", ".join(badges[:_NAMED_MOST]) + (f" and {beyond} more" if beyond > 0 else "")

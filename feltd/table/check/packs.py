"""Faults and notes of the packs of cards that are chips: does the list open, and is there one where chips are told?"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from feltd.door.packs import PackState
from feltd.table.check.ports import May
from feltd.table.config.devices import DeviceConfig
from feltd.table.packs.pack_file import read_packs
from feltd.table.packs.turns import PackFileError

_TELL_CHIPS: Final = frozenset({"pcsc", "pcsc-proving", "rfid-poker"})
"""Adapters whose devices know numbers and no cards."""


def packs_faults(file: Path, key: bytes | None, may: May) -> Iterator[str]:
    """The fault of a list that does not open: readers that tell chips stay down. `key`: None where not at hand."""
    if key is None or (file.exists() and not may(file, os.R_OK)):
        return
    try:
        read_packs(file, key)
    except PackFileError as fault:
        yield str(fault)


def packs_notes(devices: Sequence[DeviceConfig], file: Path, key: bytes | None, may: May) -> Iterator[str]:
    """Say how many packs are enrolled, and where chips are told that nobody can name."""
    if file.exists():
        if key is None or not may(file, os.R_OK):
            yield f"packs: {file} was not looked at: it opens with the record's key, for the table's user alone"
            return
        try:
            packs = read_packs(file, key).packs
        except PackFileError:
            return  # a fault, and reported as one
        in_use = sum(pack.state is PackState.IN_USE for pack in packs)
        yield f"packs: {len(packs)} enrolled, {in_use} of them in use"
    else:
        for device in devices:
            if device.adapter in _TELL_CHIPS:
                yield (
                    f"{device.name}: tells chips' numbers, and {file} is not there: its cards count as not read. Enrol "
                    "the packs (feltd deck enrol), or put the copy back"
                )

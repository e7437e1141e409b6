"""The tables of hands that the package brings, read where they lie on the disk."""

import logging
import mmap
from contextlib import suppress
from pathlib import Path
from typing import Final

from table_fsm.poker.hands.made_before import HandFileError, is_whole, read_hand_file
from table_fsm.poker.hands.tables import take_made_before

HAND_FILE: Final = Path(__file__).with_name("hand_tables.bin")
"""A wheel has it (`hatch_build.py`), a checkout has none."""

_log = logging.getLogger("feltd")


def map_hand_tables(file: Path = HAND_FILE) -> None:
    """Have the table look up hands in this file, which stays mapped as long as the process runs.

    Where there is none each table of hands is made when it is needed. One that cannot be read, or a table in it that is
    not what was written, is logged, and made too.
    """
    try:
        with file.open("rb") as opened:
            mapped = mmap.mmap(opened.fileno(), 0, prot=mmap.PROT_READ)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as fault:
        _log.error("%s cannot be read (%s): tables of hands are made instead", file, fault)
        return

    def sound(name: str, lists: memoryview, wanted: int) -> bool:
        whole = is_whole(name, lists, wanted)
        with suppress(OSError):  # memory that is locked stays
            mapped.madvise(mmap.MADV_DONTNEED)  # what was read to add it up is not kept in memory
        if not whole:
            _log.error(
                "%s: %r is not what was written, and is made instead: look at the disk (feltd identify)", file, name
            )
        return whole

    try:
        take_made_before(read_hand_file(memoryview(mapped), sound))
    except HandFileError as fault:
        _log.error("%s: %s: tables of hands are made instead", file, fault)

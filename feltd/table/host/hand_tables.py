"""The tables of hands that the package brings, read where they lie on the disk."""

import logging
import mmap
import os
from contextlib import suppress
from pathlib import Path
from typing import Final
from zlib import crc32

from table_fsm.poker.hands.made_before import HandFileError, read_hand_file
from table_fsm.poker.hands.tables import take_made_before

HAND_FILE: Final = Path(__file__).with_name("hand_tables.bin")
"""A wheel has it (`hatch_build.py`), a checkout has none."""

_PART: Final = 64 * 1024
"""Bytes that are read at once; the file's heads are fewer."""
_log = logging.getLogger("feltd")


def map_hand_tables(file: Path = HAND_FILE) -> None:
    """Have the table look up hands in this file, which stays mapped and open as long as the process runs.

    Where there is none each table of hands is made when it is needed. One that cannot be read, or a table in it that is
    not what was written, is logged, and made too. What is looked up was read in the usual way before: a failing disk
    gives that an error, and ends a process that comes upon it in mapped memory, at each start anew.
    """
    try:
        opened = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.pread(opened, _PART, 0)
            mapped = mmap.mmap(opened, 0, prot=mmap.PROT_READ)
        except BaseException:
            os.close(opened)
            raise
    except FileNotFoundError:
        return
    except (OSError, ValueError) as fault:
        _log.error("%s cannot be read (%s): tables of hands are made instead", file, fault)
        return

    def sound(name: str, begin: int, end: int, wanted: int) -> bool:
        try:
            whole = _sum_of(opened, begin, end) == wanted
        except OSError as fault:
            _log.error("%s: %r cannot be read (%s), and is made instead: change the disk", file, name, fault)
            return False
        if not whole:
            _log.error(
                "%s: %r is not what was written, and is made instead: look at the disk (feltd identify)", file, name
            )
        return whole

    try:
        take_made_before(read_hand_file(memoryview(mapped), sound))
        with suppress(OSError):  # memory that is locked stays
            mapped.madvise(mmap.MADV_DONTNEED)  # the kernel maps up to 2 MiB around the heads that were read
    except HandFileError as fault:
        os.close(opened)
        _log.error("%s: %s: tables of hands are made instead", file, fault)


def _sum_of(opened: int, begin: int, end: int) -> int:
    """The CRC-32 of these bytes of a file. Raises OSError."""
    found = 0
    while begin < end:
        part = os.pread(opened, min(_PART, end - begin), begin)
        if not part:
            raise OSError("it ends before")
        found, begin = crc32(part, found), begin + len(part)
    return found

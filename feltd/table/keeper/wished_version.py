"""The version of feltd that the floor wishes for a table's board, remembered for who installs updates there.

The table installs nothing: it plays as a user who may not. What installs is root's own service, which takes signed
updates alone (`feltd/update`), and asks here which version it may take.
"""

import re
from pathlib import Path
from typing import Final

from feltd.door import CommandRefused
from feltd.door.wishing import WishedVersion
from feltd.table.config.config import load_config
from feltd.table.keeper.floor_memory import FloorMemory, memory_file_of
from feltd.text.as_owner import as_owner_of

VERSION: Final = "version"
_FORM: Final = re.compile(r"\d{1,6}\.\d{1,6}\.\d{1,6}")


def require_version(version: str) -> None:
    """Raises CommandRefused for what is no version of feltd."""
    if _FORM.fullmatch(version) is None:
        raise CommandRefused("a version of feltd is three numbers with points, as 0.9.0")


def keep_version(memory: FloorMemory, wish: WishedVersion) -> None:
    """Remember what was taken, on the disk. Raises CommandRefused."""
    memory.keep_wish(VERSION, {"number": wish.number, "version": wish.version})


def floor_decides(table: Path) -> bool:
    """Whether this table's own file lets the floor say which version its board installs. Raises FeltdError."""
    return load_config(table).floor.versions


def wished_version(table: Path) -> str | None:
    """The version that the floor wishes for this table's board; None for none yet. Raises FeltdError.

    `table`: the table's own file. What is read is in a folder of the table's user: root reads it as that user.
    """
    place = memory_file_of(load_config(table).journal.path)
    with as_owner_of(place):
        if not place.is_file():  # a pipe in its place would keep root waiting
            return None
        kept = FloorMemory(place).read().wishes.get(VERSION)
    version = kept.get("version") if isinstance(kept, dict) else None
    return version if isinstance(version, str) and _FORM.fullmatch(version) else None

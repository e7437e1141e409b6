"""The version of feltd that the floor wishes for a table's board, remembered for who installs updates there.

The table installs nothing: it plays as a user who may not. What installs is root's own service, which takes signed
updates alone (`feltd/update`), and asks here which version it may take. What is remembered is in the table's user's
hands, so the wish is kept as the floor signed it, and whoever installs looks at the signature again.
"""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from feltd.door import CommandRefused
from feltd.door.floor_signing import command_text, is_signed
from feltd.door.obeying import SignedCommand
from feltd.door.signed_orders import command_of
from feltd.door.wire.errors import WireError
from feltd.door.wishing import WishCommand, WishedVersion
from feltd.table.config.config import load_config
from feltd.table.keeper.floor_memory import FloorMemory, memory_file_of
from feltd.text.as_owner import as_owner_of

VERSION: Final = "version"
_FORM: Final = re.compile(r"\d{1,6}\.\d{1,6}\.\d{1,6}")


def require_version(version: str) -> None:
    """Raises CommandRefused for what is no version of feltd."""
    if _FORM.fullmatch(version) is None:
        raise CommandRefused("a version of feltd is three numbers with points, as 0.9.0")


def keep_version(memory: FloorMemory, signed: SignedCommand, journal: bytes) -> None:
    """Remember what was taken, on the disk, as the floor signed it for this record. Raises CommandRefused."""
    kept = {"id": signed.id, "journal": journal.hex(), "made": signed.made, "until": signed.until}
    memory.keep_wish(VERSION, {**kept, "order": signed.order, "signature": signed.signature})


def floor_decides(table: Path) -> bool:
    """Whether this table's own file lets the floor say which version its board installs. Raises FeltdError."""
    return load_config(table).floor.versions


def wished_version(table: Path) -> str | None:
    """The version that the floor wishes for this table's board; None for none yet. Raises FeltdError.

    `table`: the table's own file, which names the floor's keys. What is read is in a folder of the table's user: root
    reads it as that user, and believes the floor's signature alone.
    """
    config = load_config(table)
    place = memory_file_of(config.journal.path)
    with as_owner_of(place):
        if not place.is_file():  # a pipe in its place would keep root waiting
            return None
        kept = FloorMemory(place).read().wishes.get(VERSION)
    if kept is None:
        return None
    wish = _signed_wish(kept, config.floor.keys)
    if wish is None or _FORM.fullmatch(wish.version) is None:
        raise CommandRefused(
            f"{place}: no key of the floor that the table's file names ([floor] keys) has signed the version there: "
            "wish it anew"
        )
    return wish.version


def _signed_wish(kept: Any, keys: Collection[bytes]) -> WishedVersion | None:
    """The wish, if one of these keys has signed it."""
    try:
        journal, order = bytes.fromhex(kept["journal"]), kept["order"]
        text = command_text(kept["id"], journal, kept["made"], kept["until"], order)
        if not is_signed(text, kept["signature"], keys):
            return None
        command = command_of(kept["id"], order, kept["until"], kept["made"])
    except (WireError, KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None  # whoever wrote this is not the table
    wish = command.wish if isinstance(command, WishCommand) else None
    return wish if isinstance(wish, WishedVersion) else None

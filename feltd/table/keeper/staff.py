"""Whose badge may sign at the table: the table's own list, so that badges count while the page is dead.

The list is a file beside the journal (`staff.json`, mode 0600), written whole. The page sends changes of it.
"""

import asyncio
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from feltd.door import BadgeHolder, BadgeHolders, CommandRefused, StaffMember
from feltd.text.atomic_file import replace_atomically
from feltd.text.errors import FeltdError
from table_fsm.felt import DECIDING_ROLES

STAFF_NOTE: Final = "staff"
MEMBERS_MOST: Final = 1000
_FIELDS: Final[Mapping[str, type]] = {"badge": str, "account": str, "role": str, "enabled": bool}

_log = logging.getLogger("feltd.table")


class StaffError(FeltdError):
    """The list cannot be read or written."""


def holder_in(members: Sequence[StaffMember], badge: str) -> BadgeHolder | None:
    """Return the holder of a badge among these people, and whether they may decide; None for nobody's badge."""
    member = next((member for member in members if member.badge == badge), None)
    if member is None:
        return None
    if not member.enabled:
        return BadgeHolder(member.account, "the account is shut")
    may = member.role in DECIDING_ROLES
    return BadgeHolder(member.account, None if may else "the account of this badge may not decide")


class StaffList:
    """The people with a badge. A list that cannot be read lets nobody sign until the page has sent it anew."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._members: tuple[StaffMember, ...] = ()
        self._fault: StaffError | None = None
        try:
            self._members = _read(path)
        except StaffError as fault:
            _log.error("nobody's badge can sign: %s", fault)
            self._fault = fault

    @property
    def members(self) -> tuple[StaffMember, ...] | None:
        """Everybody on the list; None where it cannot be read."""
        return None if self._fault is not None else self._members

    @property
    def holders(self) -> BadgeHolders:
        """A function that finds the holder of a badge; it raises StaffError while the list cannot be read."""

        def holder(badge: str) -> BadgeHolder | None:
            if self._fault is not None:
                raise self._fault
            return holder_in(self._members, badge)

        return holder

    def changes(self, members: Sequence[StaffMember]) -> Iterator[Mapping[str, str | int | None]]:
        """What the record has to say where this list takes the place of the one there is.

        Raises CommandRefused for a list with a badge twice, or too many people.
        """
        after = {member.badge: member for member in members}
        if len(after) < len(members):
            raise CommandRefused("a badge stands in the list of staff twice")
        if len(after) > MEMBERS_MOST:
            raise CommandRefused(f"the list of staff has more than {MEMBERS_MOST} badges")
        before = {member.badge: member for member in self._members}
        for badge in sorted(before.keys() | after.keys()):
            if before.get(badge) != after.get(badge):
                yield _told(badge, after.get(badge))

    async def keep(self, members: Sequence[StaffMember]) -> None:
        """Put this list in the place of the one there is, on the disk first. Raises StaffError."""
        rows = [{name: getattr(member, name) for name in _FIELDS} for member in members]
        text = json.dumps({"staff": rows}, indent=1) + "\n"
        try:
            await asyncio.to_thread(self._write, text.encode())
        except OSError as fault:
            raise StaffError(f"{self._path}: cannot be written: {fault.strerror}") from None
        self._members, self._fault = tuple(members), None

    def _write(self, content: bytes) -> None:
        replace_atomically(self._path, content, self._path.parent.stat())


def _told(badge: str, member: StaffMember | None) -> Mapping[str, str | int | None]:
    if member is None:
        return {"badge": badge, "account": None, "allowed": "removed"}
    return {"badge": badge, "account": member.account, "allowed": member.role if member.enabled else "shut"}


def _read(path: Path) -> tuple[StaffMember, ...]:
    try:
        rows = json.loads(path.read_bytes())["staff"]
        return tuple(_member(row) for row in rows)
    except FileNotFoundError:
        return ()
    except OSError as fault:
        raise StaffError(f"{path}: cannot be read: {fault.strerror}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise StaffError(f"{path}: no list of staff; move it away: the page sends it anew") from None


def _member(row: Any) -> StaffMember:
    if not isinstance(row, dict) or row.keys() != _FIELDS.keys():
        raise TypeError("no member of the staff")
    if any(type(row[name]) is not kind for name, kind in _FIELDS.items()):
        raise TypeError("no member of the staff")
    return StaffMember(**row)

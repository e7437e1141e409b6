"""Which badges count at the table: the table's own list, so that badges count while the page is dead.

Two parts make it. People with an account and a badge stand in a file beside the journal (`staff.json`, mode 0600),
written whole; the page sends changes of it. Other badges stand in the settings of the table's badge readers (`staff`).
"""

import asyncio
import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from devices.drivers.badge import BadgeDriver
from devices.drivers.base import Driver
from feltd.door import BadgeHolder, CommandRefused, StaffMember
from feltd.door.decisions import STAFF_MOST
from feltd.text.atomic_file import replace_atomically
from feltd.text.errors import FeltdError
from table_fsm.felt import DECIDING_ROLES, StaffRole

STAFF_NOTE: Final = "staff"
"""One badge is to stand otherwise in the list of people."""
STAFF_KEPT_NOTE: Final = "staff.kept"
"""The list with all changes so far is in its file (0.12.0). A change without it behind it may not have come so far."""
STAFF_LOST_NOTE: Final = "staff.lost"
"""The disk did not take the list whose changes are the entries before: the list is as it was."""
REMOVED: Final = "removed"
HOW_TO_LIST: Final = "feltd user add NAME --role supervisor --badge TEXT, or settings.staff of the badge reader"
_FIELDS: Final[Mapping[str, type]] = {"badge": str, "account": str, "role": str, "enabled": bool}
_ROLES: Final = frozenset(StaffRole)
_WITNESS_ROLES: Final = _ROLES - DECIDING_ROLES - {StaffRole.DEALER}

_log = logging.getLogger("feltd.table")


class StaffError(FeltdError):
    """The list cannot be read or written."""


class BadgeRefusedError(FeltdError):
    """A badge that does not count; the message says why, without the badge."""


class UnlistedBadgeError(BadgeRefusedError):
    """A badge that is not on the table's list."""


@dataclass(frozen=True)
class ListedBadges:
    """The badges that count at a table. A badge is compared letter by letter.

    `members`: people with an account; `written`: badges in the readers' settings.
    """

    members: tuple[StaffMember, ...] = ()
    written: Mapping[str, StaffRole] = field(default_factory=dict)

    def role_of(self, badge: str) -> StaffRole:
        """Return the role in which this badge counts. Raises BadgeRefusedError, UnlistedBadgeError."""
        member, written = self._member(badge), self.written.get(badge)
        if member is None:
            if written is None:
                raise UnlistedBadgeError("this badge is not on the table's list")
            return written
        if not member.enabled:
            raise BadgeRefusedError("the account of this badge is shut")
        if member.role not in _ROLES:  # an observer or a technician, who may hold another card than a deciding one
            if written is None or written in DECIDING_ROLES:
                raise BadgeRefusedError("the account of this badge may not decide")
            return written
        if written is not None and written != member.role:
            raise BadgeRefusedError(f"its account says {member.role}, the table's file says {written}")
        return StaffRole(member.role)

    def holder(self, badge: str) -> BadgeHolder:
        """Return who signs with this badge, and whether they may decide."""
        member = self._member(badge)
        account = badge if member is None else member.account
        try:
            role = self.role_of(badge)
        except BadgeRefusedError as refusal:
            return BadgeHolder(account, str(refusal))
        return BadgeHolder(account, None if role in DECIDING_ROLES else f"who has the role {role} does not decide")

    @cached_property
    def deciding(self) -> frozenset[str]:
        """The badges whose holder may decide."""
        return frozenset(filter(self.may_decide, self._badges))

    def may_decide(self, badge: str) -> bool:
        """Whether the holder of this badge may decide."""
        return self.holder(badge).refusal is None

    @cached_property
    def witnesses(self) -> frozenset[str]:
        """The badges that count, whose holder may witness and not decide."""
        return frozenset(badge for badge in self._badges if self._witnesses(badge))

    def _witnesses(self, badge: str) -> bool:
        try:
            return self.role_of(badge) in _WITNESS_ROLES
        except BadgeRefusedError:
            return False

    def __len__(self) -> int:
        """The number of badges on the list, shut ones included."""
        return len(self._badges)

    @property
    def _badges(self) -> set[str]:
        """All on the list, shut ones included."""
        return self.written.keys() | self._by_badge.keys()

    @cached_property
    def _by_badge(self) -> Mapping[str, StaffMember]:
        """The people by their badges: a search for each of a thousand would hold up the table's loop."""
        return {member.badge: member for member in self.members}

    def _member(self, badge: str) -> StaffMember | None:
        return self._by_badge.get(badge)


def written_in(drivers: Iterable[Driver[Any]]) -> dict[str, StaffRole]:
    """Return the badges in the settings of the badge readers among these devices, each with its role."""
    written: dict[str, StaffRole] = {}
    for driver in drivers:
        if isinstance(driver, BadgeDriver):
            written |= driver.settings.staff
    return written


class StaffList:
    """The list of one table. A file that cannot be read lets nobody sign until the page has sent it anew."""

    def __init__(self, path: Path, written: Mapping[str, StaffRole] | None = None) -> None:
        """Read the file, if there is one. `written`: the badges in the readers' settings."""
        self._path = path
        self._listed = ListedBadges((), dict(written or {}))
        self._fault: StaffError | None = None
        try:
            self._listed = replace(self._listed, members=_read(path))
        except StaffError as fault:
            _log.error("nobody's badge can sign: %s", fault)
            self._fault = fault

    @property
    def members(self) -> tuple[StaffMember, ...] | None:
        """Everybody in the file; None where it cannot be read."""
        return None if self._fault is not None else self._listed.members

    @property
    def told(self) -> Mapping[str, str] | None:
        """By badge of the file whose it is and what it may, for the record; None for no list."""
        if self._fault is not None:
            return None
        return {member.badge: told_of(member.account, _allowed(member)) for member in self._listed.members}

    @property
    def listed(self) -> ListedBadges:
        """The badges that count now. Raises StaffError while the file cannot be read."""
        if self._fault is not None:
            raise self._fault
        return self._listed

    def holder(self, badge: str) -> BadgeHolder:
        """Return who signs with this badge, and whether they may decide. Raises StaffError."""
        return self.listed.holder(badge)

    def may_decide(self, badge: str) -> bool:
        """Whether the holder of this badge may decide. Raises StaffError."""
        return self.listed.may_decide(badge)

    @property
    def nobody_decides(self) -> str | None:
        """Why nobody can sign a decision by badge, and what to do; None where somebody can."""
        if self._fault is not None:
            return str(self._fault)
        if self.listed.deciding:
            return None
        return f"no badge on this table's list may decide; list one: {HOW_TO_LIST}"

    def changes(self, members: Sequence[StaffMember]) -> Iterator[Mapping[str, str | int | None]]:
        """What the record has to say where this list takes the place of the one there is.

        Raises CommandRefused for a list with a badge twice, or too many people.
        """
        after = {member.badge: member for member in members}
        if len(after) < len(members):
            raise CommandRefused("a badge stands in the list of staff twice")
        if len(after) > STAFF_MOST:
            raise CommandRefused(f"the list of staff has more than {STAFF_MOST} badges")
        before = {member.badge: member for member in self._listed.members}
        for badge in sorted(before.keys() | after.keys()):
            if before.get(badge) != after.get(badge):
                yield _told(badge, after.get(badge))

    async def keep(self, members: Sequence[StaffMember]) -> None:
        """Put this list in the place of the one there is, on the disk first. Raises StaffError."""
        try:
            await asyncio.to_thread(self._write, members)
        except OSError as fault:
            raise StaffError(f"{self._path}: cannot be written: {fault.strerror}") from None
        self._listed, self._fault = replace(self._listed, members=tuple(members)), None

    def _write(self, members: Sequence[StaffMember]) -> None:
        rows = [{name: getattr(member, name) for name in _FIELDS} for member in members]
        text = json.dumps({"staff": rows}, indent=1) + "\n"
        replace_atomically(self._path, text.encode(), self._path.parent.stat())


def _told(badge: str, member: StaffMember | None) -> Mapping[str, str | int | None]:
    if member is None:
        return {"badge": badge, "account": None, "allowed": REMOVED}
    return {"badge": badge, "account": member.account, "allowed": _allowed(member)}


def told_of(account: str, allowed: str) -> str:
    """What a start says of a badge of this account."""
    return f"{account}: {allowed}"


def _allowed(member: StaffMember) -> str:
    return member.role if member.enabled else "shut"


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

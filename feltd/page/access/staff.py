"""Whose badge may sign at the table, as the page's accounts have it, told to the table whenever it changes."""

import asyncio
import logging
from typing import Final

from feltd.door import Person, StaffMember, TableDoor
from feltd.page.access.accounts import AccountBook
from feltd.text.errors import FeltdError

LOOK_EVERY: Final = 2.0
"""Seconds between two looks at the accounts, which are changed at the console."""
CONSOLE: Final = Person("console", "console", "console", "this controller")
_WHY: Final = "the accounts were changed by feltd user"

_log = logging.getLogger("feltd.page")


def staff_of(accounts: AccountBook) -> tuple[StaffMember, ...]:
    """Everybody with a badge, by badge. Raises AccountError if the accounts cannot be read."""
    members = [
        StaffMember(account.staff, account.name, account.role.value, account.enabled)
        for account in accounts
        if account.staff is not None
    ]
    return tuple(sorted(members, key=lambda member: member.badge))


class StaffTeller:
    """Sees to it that the table's list of staff is that of the accounts."""

    def __init__(self, accounts: AccountBook, door: TableDoor) -> None:
        self._accounts = accounts
        self._door = door
        self._told: tuple[StaffMember, ...] | None = None
        """The list that the table has, as far as is known; None where that is to be asked."""
        self._said = ""
        door.on_changed(self._turned)

    def _turned(self) -> None:
        if self._door.away is not None:
            self._told = None  # it may be another table that comes back

    async def tell(self) -> None:
        """Send the list where the table has another one; what keeps it from being is said in the log."""
        try:
            members = staff_of(self._accounts)
            if self._told is None:
                self._told = await self._door.staff()
            if members != self._told:
                await self._door.keep_staff(CONSOLE, _WHY, members)
                self._told = members
        except FeltdError as fault:
            self._told = None
            if str(fault) != self._said:
                _log.warning("the table's list of staff is not brought up to date: %s", fault)
            self._said = str(fault)

    async def run(self) -> None:
        """Look again and again until cancelled."""
        while True:
            if self._door.away is None:
                await self.tell()
            await asyncio.sleep(LOOK_EVERY)

"""The fingerprint of the page's own certificate on the dealer's display, until the first person has a password.

Nobody vouches for a certificate that the page has made for itself: a person in the middle could read the first code and
the password that is chosen by it. Who stands at the table compares the two before the code is typed.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Final

from feltd.door import TableDoor
from feltd.page.access.accounts import AccountBook
from feltd.text.errors import FeltdError

EVERY: Final = 20.0
"""Seconds between two times that it is given. The table shows it for three times as long."""
_log = logging.getLogger("feltd.page")


class FingerprintTeller:
    """Has the table show it. `fingerprint`: as browsers show it, in pairs with colons."""

    def __init__(
        self, accounts: AccountBook, door: TableDoor, fingerprint: str, now: Callable[[], float] = time.time
    ) -> None:
        """`now`: seconds since 1970."""
        self._now = now
        self._accounts = accounts
        self._door = door
        digits = fingerprint.replace(":", "")
        self._words = " ".join(digits[at : at + 4] for at in range(0, len(digits), 4))
        self._given = False
        self._said = ""

    async def tell(self) -> bool:
        """Give it once, where no account has a password and a code of one is good; whether it is to be given again.

        What keeps the table from showing it is said in the log, once.
        """
        try:
            codes = [account.code_until for account in self._accounts]
            if None in codes:
                await self._take_back()
                return False
            if not any(until > self._now() for until in codes if until is not None):
                await self._take_back()  # nobody types a code that is over; a person may be given another
            elif self._door.away is None:
                self._given = await self._door.show_fingerprint(self._words)
                if not self._given:
                    self._say("the table has no display with room for the fingerprint of the page's certificate")
        except FeltdError as fault:  # away by now, or of an older version, which shows none
            self._say(f"the table does not show the fingerprint of the page's certificate: {fault}")
        return True

    async def _take_back(self) -> None:
        if self._given:
            await self._door.show_fingerprint("")
            self._given = False

    def _say(self, words: str) -> None:
        if words != self._said:
            self._said = words
            _log.warning("%s", words)

    async def run(self) -> None:
        """Give it again and again until the first person has a password."""
        while True:
            if not await self.tell():
                return
            await asyncio.sleep(EVERY)

"""Signing in: name and password against the accounts, one computation at a time, slower after failures."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from feltd.page.access.accounts import Account, AccountBook
from feltd.page.access.passwords import LONGEST, fits, nobodys
from feltd.page.access.sessions import Session, Sessions
from feltd.page.access.throttle import Throttle
from feltd.text.errors import FeltdError

WAITING_MOST: Final = 8
"""Sign-ins that may wait for their turn: passwords are compared one by one, off the loop."""

_log = logging.getLogger("feltd.access")


class SignInRefused(FeltdError):  # noqa: N818 - the name says what happened, as elsewhere in feltd's errors
    """A sign-in was refused.

    `wait`: seconds until it may be tried again; 0 if it may be tried now.
    """

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


class SigningIn:
    """Signs people in and out. One for a page."""

    def __init__(self, accounts: AccountBook, sessions: Sessions, clock: Callable[[], float]) -> None:
        self.accounts = accounts
        self.sessions = sessions
        self._throttle = Throttle(clock)
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def sign_in(self, name: str, password: str, address: str) -> tuple[str, Session, Account]:
        """Sign a person in; return the cookie's token, the session and its account.

        Raises SignInRefused. Neither its text nor the time it takes shows whether the name or the password was wrong.
        """
        keys = (f"name:{name}", f"address:{address}")
        wait = max(map(self._throttle.wait_for, keys))
        if wait > 0:
            raise SignInRefused(f"too many attempts: try again in {int(wait) + 1} seconds", wait)
        if self._waiting >= WAITING_MOST:
            raise SignInRefused("too many people sign in at once: try again in a few seconds", 2.0)
        account = self.accounts.get(name)
        right = await self._compare(account, password)
        if account is None or not right or not account.enabled:
            for key in keys:
                self._throttle.failed(key)
            _log.warning("a sign-in failed, from %s", address)
            raise SignInRefused("name or password is wrong")
        for key in keys:
            self._throttle.succeeded(key)
        token, session = self.sessions.begin(account, address)
        _log.info("%s signed in, from %s", account.name, address)
        return token, session, account

    async def _compare(self, account: Account | None, password: str) -> bool:
        self._waiting += 1
        try:
            async with self._turn:  # each takes 64 MiB for as long as it runs
                return await asyncio.to_thread(_is_right, account, password)
        finally:
            self._waiting -= 1


def _is_right(account: Account | None, password: str) -> bool:
    kept = nobodys() if account is None else account.password
    return len(password) <= LONGEST and fits(kept, password) and account is not None

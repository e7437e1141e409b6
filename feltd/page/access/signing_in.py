"""Signing in: name and password against the accounts, slower after failures, with a way through for known browsers."""

import logging
from collections.abc import Callable
from typing import Final

from feltd.page.access.accounts import Account, AccountBook
from feltd.page.access.bearers import Bearer, BearerRefused, Bearers
from feltd.page.access.comparing import Attempt, Comparing, TooManyWaitError
from feltd.page.access.known_devices import KnownDevice, KnownDevices
from feltd.page.access.passwords import LONGEST, PasswordError, check_password, fits, hash_password, nobodys
from feltd.page.access.second_factor import Codes, Offers
from feltd.page.access.sessions import Session, Sessions
from feltd.page.access.telling import AccessTeller
from feltd.page.access.throttle import Throttle
from feltd.page.addresses import counted_as
from feltd.page.limits.refusals import Limit, Refusals
from feltd.text.errors import FeltdError

FREE_OF_ADDRESS: Final = 12
"""Failures from one address that cost no wait: many people may be behind one."""

_log = logging.getLogger("feltd.access")


class SignInRefused(FeltdError):  # noqa: N818 - the name says what happened, as elsewhere in feltd's errors
    """A sign-in was refused.

    `wait`: seconds until it may be tried again; 0 if it may be tried now.
    """

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


class CodeNeeded(SignInRefused):
    """The password was right, and the account has a second factor: its code is to come with it."""


class SigningIn:
    """Signs people in and out. One for a page."""

    def __init__(
        self,
        accounts: AccountBook,
        sessions: Sessions,
        devices: KnownDevices,
        clock: Callable[[], float],
        wall: Callable[[], float],
        refusals: Refusals,
        record: AccessTeller,
    ) -> None:
        """`clock`: monotonic seconds; `wall`: seconds since 1970."""
        self.offers = Offers(clock)
        self._codes = Codes(wall)
        self.accounts = accounts
        self.sessions = sessions
        self.bearers = Bearers(accounts, wall, sessions.lacks_factor)
        self.devices = devices
        self._refusals = refusals
        self._record = record
        self._names = Throttle(clock)
        """By account, from browsers that are not known, and by browser, from those that are."""
        self._addresses = Throttle(clock, free=FREE_OF_ADDRESS)
        self._comparing = Comparing()

    async def sign_in(
        self, name: str, password: str, address: str, device: str | None = None, code: str | None = None
    ) -> tuple[str, Session, Account]:
        """Sign a person in; return the cookie's token, the session and its account.

        `device`: the token of a known browser, if there is one: guesses from elsewhere then neither slow the person
        down nor come before them. `code`: of the account's second factor, where it has one. Raises SignInRefused.
        Neither its text nor the time it takes shows whether the name or the password was wrong. Raises CodeNeeded where
        both were right and the code is missing, which counts as no failure; a wrong one does.
        """
        known = self._known(name, device)
        where = counted_as(address)
        key = f"name {name}" if known is None else f"browser {known.id}"
        counts = [(self._names, key)] if known is not None else [(self._names, key), (self._addresses, where)]
        wait = max(throttle.wait_for(counted) for throttle, counted in counts)
        if wait > 0:
            self._record.turned_away(address)
            raise self._refused(f"too many attempts: try again in {int(wait) + 1} seconds", wait)
        attempt = Attempt(name, where, known is not None, self._addresses.failures(where))
        account = self.accounts.get(name)
        # Counted before it is compared: guesses that are sent at the same moment are as many failures.
        begun = [(throttle, throttle.begin(counted)) for throttle, counted in counts]
        try:
            right = await self._comparing.compared(attempt, lambda: _is_right(account, password))
        except TooManyWaitError:
            # The address keeps it: else a crowd that is sent away again and again came before people each time.
            self._names.undo(begun[0][1])
            self._record.turned_away(address)
            raise self._refused("too many people sign in at once: try again in a few seconds", 2.0) from None
        # As it is now: a second factor that was set up while the password was compared is asked for too.
        account = None if account is None else self._unless_changed(account)
        if account is None or not right or not account.enabled:
            _log.warning("a sign-in failed, from %s", address)
            self._record.failed(address, None if account is None else account.name)
            raise SignInRefused("name or password is wrong")
        if account.totp is not None and code is not None and not self._codes.take(account.name, account.totp, code):
            _log.warning("a sign-in with a wrong code, from %s", address)
            self._record.failed(address, account.name)
            raise CodeNeeded("the code is wrong, or was used already: wait for the next one")
        for throttle, one in begun:
            throttle.undo(one)
        if account.totp is not None and code is None:
            raise CodeNeeded("the code of your second factor is needed too")
        self._names.succeeded(key)
        token, session = self.sessions.begin(account, address)
        self._record.signed_in(account, address)
        _log.info("%s signed in, from %s", account.name, address)
        return token, session, account

    def bearer(self, authorization: str | None, address: str) -> Bearer | None:
        """Return who comes with a token, as `Bearers.find`. Raises BearerRefused, which is told, and AccountError."""
        try:
            return self.bearers.find(authorization)
        except BearerRefused as refusal:
            _log.warning("a token was refused, from %s: %s", address, refusal)
            self._record.failed(address, refusal.account)
            raise

    async def change_password(self, account: Account, old: str, new: str, address: str) -> Account:
        """Give a person who is signed in another password; return the account as it is now.

        Raises SignInRefused where the old one is wrong or too many were tried, PasswordError for a new one that may
        not be used, AccountError.
        """
        made: list[str] = []

        def compare_and_hash() -> bool:
            if not _is_right(account, old):
                return False
            if new == old:
                raise PasswordError("this is the old password: choose another")
            check_password(account.name, new)
            made.append(hash_password(new))
            return True

        if not await self._asked_again(account, address, compare_and_hash):
            raise SignInRefused("the old password is wrong")
        return self.accounts.put_password(account, made[0])

    async def prove(self, account: Account, password: str, address: str, code: str | None = None) -> None:
        """Have a person who is signed in give their password once more, and with `code` the code of their app.

        Raises SignInRefused where either is wrong or too many were tried.
        """

        def compare() -> bool:
            if not _is_right(account, password):
                return False
            return code is None or account.totp is None or self._codes.take(account.name, account.totp, code)

        if not await self._asked_again(account, address, compare):
            raise SignInRefused("the password is wrong" if code is None else "the password or the code is wrong")

    def _unless_changed(self, account: Account) -> Account | None:
        """Return the account as the file has it now; None where it is gone or has another password."""
        now = self.accounts.get(account.name)
        return None if now is None or now.password != account.password else now

    def is_code_of(self, account: Account, secret: str, code: str) -> bool:
        """Whether a code is one of a secret, and was not used; it is used now."""
        return self._codes.take(account.name, secret, code)

    async def _asked_again(self, account: Account, address: str, compare: Callable[[], bool]) -> bool:
        """Whether what a person who is signed in gave once more is right; slower after failures.

        Raises SignInRefused, and what `compare` raises.
        """
        key = f"change {account.name}"
        wait = self._names.wait_for(key)
        if wait > 0:
            raise self._refused(f"too many attempts: try again in {int(wait) + 1} seconds", wait)
        begun = self._names.begin(key)
        try:
            right = await self._comparing.compared(
                Attempt(account.name, counted_as(address), known=True, failures=0), compare
            )
        except TooManyWaitError:
            self._names.undo(begun)
            raise self._refused("too many people sign in at once: try again in a few seconds", 2.0) from None
        except PasswordError:
            self._names.undo(begun)
            raise
        if not right:
            _log.warning("a change of an account failed, from %s", address)
            self._record.failed(address, account.name)
            return False
        self._names.succeeded(key)
        return True

    def close(self) -> None:
        """Let the comparison in hand end. No call may follow."""
        self._comparing.close()

    def _known(self, name: str, device: str | None) -> KnownDevice | None:
        known = self.devices.find(device)
        return known if known is not None and known.account.name == name else None

    def _refused(self, reason: str, wait: float) -> SignInRefused:
        self._refusals.add(Limit.SIGN_INS)
        return SignInRefused(reason, wait)


def _is_right(account: Account | None, password: str) -> bool:
    kept = nobodys() if account is None else account.password
    return len(password) <= LONGEST and fits(kept, password) and account is not None

"""Signing in: name and password against the accounts, slower after failures, with a way through for known browsers."""

import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from feltd.page.access.accounts import Account, AccountBook
from feltd.page.access.bearers import Bearer, BearerRefused, Bearers
from feltd.page.access.comparing import Attempt, Comparing, TooManyWaitError
from feltd.page.access.factors import NO_PROOF, Factors, Proof
from feltd.page.access.first_codes import is_right, own_password
from feltd.page.access.guessed_codes import GuessedCodes
from feltd.page.access.known_devices import KnownDevice, KnownDevices
from feltd.page.access.passwords import PasswordError, check_password, hash_password
from feltd.page.access.second_factor import Offers
from feltd.page.access.security_keys import KeysPlace
from feltd.page.access.sessions import Session, Sessions
from feltd.page.access.telling import AccessTeller
from feltd.page.access.throttle import REMEMBERED_OF_ADDRESSES, Begun, Throttle
from feltd.page.access.turns import Turns, place_of
from feltd.page.limits.refusals import Limit, Refusals
from feltd.record.access import AccountChange
from feltd.text.errors import FeltdError
from feltd.text.ip_addresses import counted_as

FREE_OF_ADDRESS: Final = 12
"""Failures from one address that cost no wait: many people may be behind one."""
OWN_TURN: Final = 30.0
"""Seconds after its own last failure at a name after which an address waits for no other's failures there."""

_log = logging.getLogger("feltd.access")

_AllBegun = Sequence[tuple[Throttle | Turns, Begun]]
"""Failures that were counted before they were seen to be some."""


class SignInRefused(FeltdError):  # noqa: N818 - the name says what happened, as elsewhere in feltd's errors
    """A sign-in was refused.

    `wait`: seconds until it may be tried again; 0 if it may be tried now.
    """

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


class FactorNeeded(SignInRefused):
    """The password was right, and the account has a second factor, which is to come with it.

    `code`: a code of an app would do. `question`: what a security key would have to sign; None where none would do.
    """

    def __init__(self, reason: str, *, code: bool, question: Mapping[str, Any] | None) -> None:
        super().__init__(reason)
        self.code = code
        self.question = question


class PasswordNeeded(SignInRefused):
    """The code was right, and the person is to choose a password, which is to come with it."""


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
        keys_at: KeysPlace | None = None,
    ) -> None:
        """`clock`: monotonic seconds; `wall`: since 1970. `keys_at`: where security keys work; None: nowhere."""
        self.offers = Offers(clock)
        self.factors = Factors(accounts, clock, wall, keys_at)
        self.accounts = accounts
        self.sessions = sessions
        self.bearers = Bearers(accounts, wall, sessions.lacks_factor)
        self.devices = devices
        self._refusals = refusals
        self._record = record
        self._names = Throttle(clock)
        """By account, from all browsers that are not known, and by browser, from those that are."""
        self._guesses = Throttle(clock, remembered=REMEMBERED_OF_ADDRESSES)
        """By account and address, from browsers that are not known."""
        self._addresses = Throttle(clock, free=FREE_OF_ADDRESS, remembered=REMEMBERED_OF_ADDRESSES)
        self._turns = Turns(clock, secrets.token_bytes(32))
        self._guessed_codes = GuessedCodes(clock)
        self._comparing = Comparing()

    async def sign_in(
        self,
        name: str,
        password: str,
        address: str,
        device: str | None = None,
        proof: Proof = NO_PROOF,
        new: str | None = None,
        place: str | None = None,
    ) -> tuple[str, Session, Account]:
        """Sign a person in; return the cookie's token, the session and its account.

        `device`: the token of a known browser, if there is one: guesses from elsewhere then neither slow the person
        down nor come before them. In another browser, guesses at the name from other addresses cost the person a wait
        of `OWN_TURN` at most, and none before their own first failure. `place`: the token of such a browser: at an
        address that guesses, the turn after a wait is for the one that has failed least. `proof`: of the account's
        second factor, where it has one; while its codes are guessed at, a browser that is not known gives two in a row
        (`GuessedCodes`).
        Raises SignInRefused. Neither its text nor the time it takes shows whether the name or the password
        was wrong. Raises FactorNeeded where both were right and the proof is missing, which counts as no failure; a
        wrong one does. `new`: of an account that waits for its person's password, that password; then `password` is
        its code, which is over with this. Raises PasswordNeeded where it is missing, which counts as no failure
        either, and PasswordError where it may not be used, or the account has a password.
        """
        known = self._known(name, device)
        where = counted_as(address)
        key = f"name {name}" if known is None else f"browser {known.id}"
        own = f"{name} from {where}"
        at_place = place_of(place)
        wait = self._names.wait_for(key) if known is not None else self._wait_of_stranger(key, own, where, at_place)
        if wait > 0:
            self._record.turned_away(address)
            raise self._refused(f"too many attempts: try again in {int(wait) + 1} seconds", wait)
        attempt = Attempt(name, where, known is not None, self._addresses.failures(where))
        account = self.accounts.get(name)
        # Counted before it is compared: guesses that are sent at the same moment are as many failures.
        begun = self._begin(key, None if known is not None else (own, where, at_place))
        first = _First(account, password, new)
        try:
            right = await self._comparing.compared(attempt, first.is_right)
        except PasswordError:
            _undo(begun)
            raise
        except TooManyWaitError:
            # The address keeps it: else a crowd that is sent away again and again came before people each time.
            for throttle, one in begun:
                if throttle is not self._addresses:
                    throttle.undo(one)
            self._record.turned_away(address)
            raise self._refused("too many people sign in at once: try again in a few seconds", 2.0) from None
        # As it is now: a second factor that was set up while the password was compared is asked for too.
        now = None if account is None else self._unless_changed(account)
        if account is None or not right or now is None or not now.enabled:
            _log.warning("a sign-in failed, from %s", address)
            self._record.failed(address, None if account is None else account.name)
            raise SignInRefused("name or password is wrong")
        account = now
        if account.code_until is not None:
            self._require_choice(account, address, begun, new)
        if account.asks_factor and not proof.empty:
            account = await self._with_factor(account, proof, address, known is not None)
        _undo(begun)
        by_code = account.asks_factor and proof.key is None and proof.code is not None
        if by_code and known is None and not self._guessed_codes.is_enough(account.name, where):
            reason = (
                "codes of your account are guessed at: give the next code too, which your app shows within 30 seconds"
            )
            raise self._factor_needed(account, address, reason)
        if account.asks_factor and proof.empty:
            raise self._factor_needed(account, address, "the code of your second factor is needed too")
        if known is not None:
            self._names.succeeded(key)
        else:
            self._stranger_is_in(own, where, at_place)
        if first.made is not None:
            account = self.accounts.put_password(account, first.made)
        token, session = self.sessions.begin(account, address)
        self._record.signed_in(account, address)
        _log.info("%s signed in, from %s", account.name, address)
        return token, session, account

    def _wait_of_stranger(self, key: str, own: str, where: str, place: str) -> float:
        """Seconds that a browser which is not known has to wait: for the failures, then for whose turn it is."""
        by_all = min(self._names.wait_for(key), self._guesses.turn_in(own, OWN_TURN))
        wait = max(by_all, self._guesses.wait_for(own), self._addresses.wait_for(where))
        waited = [left for left in (self._guesses.left(own), self._addresses.left(where)) if left is not None]
        if wait == 0 and waited:
            wait = self._turns.wait_for(where, place, -max(waited), self._addresses.failures(where))
        if wait > 0:
            self._turns.told_to_wait(where, place, wait)
        return wait

    def _begin(self, key: str, stranger: tuple[str, str, str] | None) -> _AllBegun:
        """Count an attempt where it counts. `stranger`: from a browser that is not known, with account and address."""
        begun: list[tuple[Throttle | Turns, Begun]] = [(self._names, self._names.begin(key))]
        if stranger is not None:
            own, where, place = stranger
            begun += [(self._guesses, self._guesses.begin(own)), (self._addresses, self._addresses.begin(where))]
            begun.append((self._turns, self._turns.begin(where, place)))
        return begun

    def _stranger_is_in(self, own: str, where: str, place: str) -> None:
        """Forget what this browser has failed; what others failed at the account goes on to slow them."""
        alone = self._guesses.failures(own) <= self._turns.failures(where, place)
        self._turns.succeeded(where, place)
        if alone:
            self._guesses.succeeded(own)

    def _require_choice(self, account: Account, address: str, begun: _AllBegun, new: str | None) -> None:
        """Raise SignInRefused where a code that was right is over, or no password came with it."""
        if account.code_until is not None and self.bearers.wall() >= account.code_until:
            self._record.failed(address, account.name)
            raise SignInRefused("this code is over: ask for another one")
        if new is None:
            _undo(begun)
            raise PasswordNeeded("this code is good once: choose a password of your own")

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
            if not is_right(account.password, old, code=False):
                return False
            if new == old:
                raise PasswordError("this is the old password: choose another")
            check_password(account.name, new)
            made.append(hash_password(new))
            return True

        if not await self._asked_again(account, address, compare_and_hash):
            raise SignInRefused("the old password is wrong")
        return self.accounts.put_password(account, made[0])

    async def prove(self, session: Session, account: Account, password: str, address: str, proof: Proof) -> None:
        """Have a person who is signed in give their password once more, and a second factor where they have one.

        Raises SignInRefused where either is wrong or missing, too many were tried, or the account is another one now.
        """
        if account.asks_factor and proof.empty:
            raise SignInRefused("the code of your second factor is needed too")

        def is_theirs() -> bool:
            return is_right(account.password, password, code=False)

        async def has_factor() -> bool:
            copied = self._copied(account, address)
            return not account.asks_factor or await self.factors.proven(account, proof, asked_by(session), copied)

        if not await self._asked_again(account, address, is_theirs, has_factor):
            raise SignInRefused("the password or the code is wrong" if account.asks_factor else "the password is wrong")
        if (now := self._unless_changed(account)) is None or now.factors != account.factors:
            raise SignInRefused("the account was changed meanwhile: begin again")

    def _unless_changed(self, account: Account) -> Account | None:
        """Return the account as it is now; None where it is gone or has another password."""
        now = self.accounts.get(account.name)
        return None if now is None or now.password != account.password else now

    async def _with_factor(self, account: Account, proof: Proof, address: str, known: bool) -> Account:
        """Return the account as it is when its second factor was proven. Raises SignInRefused where it was not."""
        copied = self._copied(account, address)
        right = await self.factors.proven(account, proof, signing_in_from(address), copied)
        now = self._unless_changed(account)
        if right and now is not None and now.enabled and now.factors == account.factors:
            return now
        _log.warning("a sign-in with a wrong second factor, from %s", address)
        self._record.failed(address, account.name)
        if now is None or not now.enabled:
            raise SignInRefused("name or password is wrong")
        if not right and proof.key is None and not known:
            self._guessed_codes.wrong(account.name, counted_as(address))
        if proof.key is not None:
            raise self._factor_needed(now, address, "the security key was not taken: try again")
        raise self._factor_needed(now, address, "the code is wrong, or was used already: wait for the next one")

    def _factor_needed(self, account: Account, address: str, reason: str) -> SignInRefused:
        question = self.factors.question(account, signing_in_from(address))
        if account.totp is not None or question is not None:
            return FactorNeeded(reason, code=account.totp is not None, question=question)
        if account.factors and self.factors.place is None:
            return SignInRefused("your second factor is a security key, and this page takes none: ask at the console")
        return SignInRefused("your security key has a copy and is not taken any more: ask at the console")

    def _copied(self, account: Account, address: str) -> Callable[[], None]:
        change, role = AccountChange.KEY_COPIED, account.role.value
        return lambda: self._record.account_changed(account.name, role, change, address)

    async def _asked_again(
        self,
        account: Account,
        address: str,
        compare: Callable[[], bool],
        also: Callable[[], Awaitable[bool]] | None = None,
    ) -> bool:
        """Whether what a person who is signed in gave once more is right; slower after failures.

        `also`: asked where `compare` said yes. Raises SignInRefused, and what these raise.
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
        if right and also is not None:
            right = await also()
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


def asked_by(session: Session) -> str:
    """For whom a session's questions to a security key are."""
    return f"session {session.id}"


def signing_in_from(address: str) -> str:
    """For whom the questions at the door are."""
    return f"door {counted_as(address)}"


class _First:
    """A password, or a code with the password that its person has chosen, as it is compared. In a thread."""

    def __init__(self, account: Account | None, given: str, new: str | None) -> None:
        self._account, self._given, self._new = account, given, new
        self.made: str | None = None
        """What is kept of the chosen password, where the code was right."""

    def is_right(self) -> bool:
        """Whether it is right. Raises PasswordError for a chosen password that may not be used, after a right code."""
        account, code = self._account, self._account is not None and self._account.code_until is not None
        if not is_right(None if account is None else account.password, self._given, code=code) or account is None:
            return False
        if self._new is None or not account.enabled:
            return True
        if not code:
            raise PasswordError("this account has a password: change it on the page of your account")
        self.made = own_password(account.name, self._given, self._new)
        return True


def _undo(begun: _AllBegun) -> None:
    for throttle, one in begun:
        throttle.undo(one)

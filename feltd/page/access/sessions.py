"""Who is signed in. Sessions live in memory: after a restart everybody signs in again.

The browser holds a token of 256 random bits in a cookie; here only its hash is kept. Each session has a second token,
which a page sends along with whatever changes something (`csrf`): another site's page cannot know it.
"""

import hashlib
import hmac
import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from feltd.page.access.accounts import Account, AccountBook
from feltd.page.access.roles import Right, Role, only_looks
from feltd.record.access import SessionEnd

IDLE_SECONDS: Final = 900.0
LONGEST_SECONDS: Final = 12 * 3600.0
LONGEST_LOOKING: Final = 7 * 24 * 3600.0
"""Of somebody who may only look, as a screen on the wall does: no evening is as long."""
MOST: Final = 512
"""Sessions at once: of the account that has most, the one idle for longest gives way."""
MOST_OF_ONE: Final = 32
"""Sessions of one account: its own that is idle for longest gives way, and nobody else's."""
_TOKEN_BYTES: Final = 32


@dataclass(slots=True)
class Session:
    """One sign-in. Times are monotonic seconds."""

    name: str
    csrf: str = field(repr=False)
    since: float
    seen: float
    address: str
    password: str = field(repr=False)
    """As it was kept when the session began: a new password ends the sessions of the old one."""
    role: str
    """As it was then: the account may be gone when the session ends."""
    factors: frozenset[str] = field(default=frozenset(), repr=False)
    """Marks of the second factors that the account had when it began: with each of them that goes it is over."""
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    """By which its person ends it from elsewhere. It opens nothing."""
    read_only: bool = False
    """Nothing was done for too long: it sees the table, and does nothing until its person signs in again."""
    lacks_factor: bool = False
    """The role needs a second factor, and the account has none: it sees the table, and may set one up."""

    def may(self, account: Account, right: Right) -> bool:
        """Whether its person may see or do this now. `account`: the session's own."""
        return account.may(right) and (right is Right.SEE or not (self.read_only or self.lacks_factor))


class Sessions:
    """All that are open. `idle`: seconds without a request of a person after which one only looks.

    `ended` is called with each session that ends, and why; `paused` with each that only looks from now on.
    """

    def __init__(
        self,
        accounts: AccountBook,
        clock: Callable[[], float],
        ended: Callable[[Session, SessionEnd], None],
        paused: Callable[[Session], None],
        idle: float = IDLE_SECONDS,
        factor_for: Iterable[Role] = (),
    ) -> None:
        """`factor_for`: roles that do nothing without a second factor."""
        self._factor_for = frozenset(factor_for)
        self._accounts = accounts
        self._ended = ended
        self._paused = paused
        self._clock = clock
        self.idle = idle
        self._open: dict[bytes, Session] = {}

    def begin(self, account: Account, address: str) -> tuple[str, Session]:
        """Begin a session for an account whose password was right.

        Returns the cookie's token and the session. Where the account has `MOST_OF_ONE`, or `MOST` are open, another
        one ends.
        """
        self.sweep()
        counts = Counter(session.name for session in self._open.values())
        if counts[account.name] >= MOST_OF_ONE:
            self._end_idlest(account.name)
        elif len(self._open) >= MOST:
            self._end_idlest(max(counts, key=lambda name: counts[name]))
        now = self._clock()
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        csrf = secrets.token_urlsafe(_TOKEN_BYTES)
        session = Session(account.name, csrf, now, now, address, account.password, account.role.value, account.factors)
        self._open[_hash(token)] = session
        self._see_factor(session, account)
        return token, session

    def find(self, token: str | None, *, by_hand: bool = True) -> tuple[Session, Account] | None:
        """Return the session of a cookie and its account as it is now, or None.

        None: the session is over, or the account is gone, shut or has another password. `by_hand`: a person did
        something, so the session's idle time starts again; one that is read-only stays so.
        """
        key = _hash(token) if token else b""
        session = self._open.get(key)
        if session is None:
            return None
        account = self._accounts.get(session.name)
        why = self._why_over(session, account)
        if why is not None or account is None:
            self._end(key, why or SessionEnd.ACCOUNT)
            return None
        self._pause_if_idle(session)
        self._see_factor(session, account)
        if by_hand and not session.read_only:
            session.seen = self._clock()
        return session, account

    def lacks_factor(self, account: Account) -> bool:
        """Whether the account's role needs a second factor, and it has none."""
        return account.role in self._factor_for and not account.factors

    def _see_factor(self, session: Session, account: Account) -> None:
        session.lacks_factor = self.lacks_factor(account)

    def renew(self, session: Session, account: Account) -> str:
        """Go on with a session under the account's new password; return the new token of its cookie.

        Its old token and its old `csrf` count no more; neither do the account's other sessions.
        """
        key = next(key for key, one in self._open.items() if one is session)
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        del self._open[key]
        self._open[_hash(token)] = session
        session.password, session.csrf = account.password, secrets.token_urlsafe(_TOKEN_BYTES)
        self.sweep()
        return token

    def know_factors(self, session: Session, account: Account) -> None:
        """Go on with a session whose person has changed their second factors in it; their other sessions end."""
        session.factors = account.factors
        self.end_elsewhere(account.name, lambda one: one is not session)

    def of(self, name: str) -> list[Session]:
        """Return the sessions of an account, the newest first. Raises AccountError."""
        self.sweep()
        theirs = (session for session in self._open.values() if session.name == name)
        return sorted(theirs, key=lambda session: -session.since)

    def end_elsewhere(self, name: str, chosen: Callable[[Session], bool]) -> int:
        """End the chosen sessions of an account from another browser; return how many."""
        theirs = [key for key, session in self._open.items() if session.name == name and chosen(session)]
        for key in theirs:
            self._end(key, SessionEnd.ELSEWHERE)
        return len(theirs)

    def seconds_since(self, moment: float) -> float:
        """Return how long ago a moment of a session was."""
        return self._clock() - moment

    def end(self, token: str | None, why: SessionEnd = SessionEnd.SIGNED_OUT) -> None:
        """End the session of a cookie, if there is one."""
        key = _hash(token) if token else b""
        if key in self._open:
            self._end(key, why)

    def sweep(self) -> None:
        """End every session that is over, pause every idle one: its browser may never ask again.

        Raises AccountError.
        """
        for key, session in tuple(self._open.items()):
            why = self._why_over(session, self._accounts.get(session.name))
            if why is not None:
                self._end(key, why)
            else:
                self._pause_if_idle(session)

    def left(self, session: Session) -> float:
        """Return the seconds until the session is read-only, or is over, if nothing is done."""
        over = self._over_at(session, self._accounts.get(session.name))
        return max(0.0, (over if session.read_only else min(session.seen + self.idle, over)) - self._clock())

    def _over_at(self, session: Session, account: Account | None) -> float:
        """When it is over, whatever is done. `account`: its own, as it is now."""
        looks = account is not None and only_looks(account.role)
        return session.since + (LONGEST_LOOKING if looks else LONGEST_SECONDS)

    def _pause_if_idle(self, session: Session) -> None:
        if not session.read_only and self._clock() >= session.seen + self.idle:
            session.read_only = True
            self._paused(session)

    def _end_idlest(self, name: str) -> None:
        theirs = [key for key, session in self._open.items() if session.name == name]
        self._end(min(theirs, key=lambda key: self._open[key].seen), SessionEnd.ANOTHER)

    def _why_over(self, session: Session, account: Account | None) -> SessionEnd | None:
        """Why this session may not go on; None if it may. `account`: its own, as it is now."""
        if account is None or not account.enabled or account.password != session.password:
            return SessionEnd.ACCOUNT
        if not session.factors <= account.factors:  # taken away, or found to be copied
            return SessionEnd.ACCOUNT
        return SessionEnd.TIME if self._clock() >= self._over_at(session, account) else None

    def _end(self, key: bytes, why: SessionEnd) -> None:
        self._ended(self._open.pop(key), why)


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def same(one: str, other: str) -> bool:
    """Whether two tokens are the same, in a time that does not tell how far they agree."""
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))

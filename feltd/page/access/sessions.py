"""Who is signed in. Sessions live in memory: after a restart everybody signs in again.

The browser holds a token of 256 random bits in a cookie; here only its hash is kept. Each session has a second token,
which a page sends along with whatever changes something (`csrf`): another site's page cannot know it.
"""

import hashlib
import hmac
import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from feltd.page.access.accounts import Account, AccountBook
from feltd.page.access.roles import RIGHTS, Right

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


class Sessions:
    """All that are open. `idle`: seconds without a request of a person after which one ends."""

    def __init__(self, accounts: AccountBook, clock: Callable[[], float], idle: float = IDLE_SECONDS) -> None:
        self._accounts = accounts
        self._clock = clock
        self.idle = idle
        self._open: dict[bytes, Session] = {}

    def begin(self, account: Account, address: str) -> tuple[str, Session]:
        """Begin a session for an account whose password was right.

        Returns the cookie's token and the session. Where the account has `MOST_OF_ONE`, or `MOST` are open, another
        one ends.
        """
        self._sweep()
        counts = Counter(session.name for session in self._open.values())
        if counts[account.name] >= MOST_OF_ONE:
            self._end_idlest(account.name)
        elif len(self._open) >= MOST:
            self._end_idlest(max(counts, key=lambda name: counts[name]))
        now = self._clock()
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        session = Session(account.name, secrets.token_urlsafe(_TOKEN_BYTES), now, now, address, account.password)
        self._open[_hash(token)] = session
        return token, session

    def find(self, token: str | None, *, by_hand: bool = True) -> tuple[Session, Account] | None:
        """Return the session of a cookie and its account as it is now, or None.

        None: the session is over, or the account is gone, shut or has another password. `by_hand`: a person did
        something, so the session's idle time starts again.
        """
        key = _hash(token) if token else b""
        session = self._open.get(key)
        if session is None:
            return None
        account = self._accounts.get(session.name)
        if self._over(session) or account is None or not account.enabled or account.password != session.password:
            del self._open[key]
            return None
        if by_hand:
            session.seen = self._clock()
        return session, account

    def end(self, token: str | None) -> None:
        """Signed out."""
        if token:
            self._open.pop(_hash(token), None)

    def left(self, session: Session) -> float:
        """Return the seconds until the session ends if nothing is done."""
        account = self._accounts.get(session.name)
        looks = account is not None and RIGHTS[account.role] == {Right.SEE}
        longest = LONGEST_LOOKING if looks else LONGEST_SECONDS
        return max(0.0, min(session.seen + self.idle, session.since + longest) - self._clock())

    def _end_idlest(self, name: str) -> None:
        theirs = [key for key, session in self._open.items() if session.name == name]
        del self._open[min(theirs, key=lambda key: self._open[key].seen)]

    def _over(self, session: Session) -> bool:
        return self.left(session) <= 0.0

    def _sweep(self) -> None:
        for key in [key for key, session in self._open.items() if self._over(session)]:
            del self._open[key]


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def same(one: str, other: str) -> bool:
    """Whether two tokens are the same, in a time that does not tell how far they agree."""
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))

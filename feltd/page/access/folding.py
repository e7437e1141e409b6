"""Many of a kind put together, so that nobody fills the record: failed sign-ins always, sessions beyond a pace.

A failure waits until a minute is over and is told with the others from its address. An account that signs in and out
faster than a person does is told of as several in one. Nothing is lost by it: how many, and since when, is kept.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from feltd.door.access import FAILURES_A_MINUTE, FAILURES_AT_ONCE, NAMES_MOST
from feltd.page.limits.buckets import Buckets
from feltd.record.access import AccessKind, AccountChange, SessionEnd

WINDOW: Final = 60.0
"""Seconds for which what is put together waits at least."""
ADDRESSES_MOST: Final = 16
"""Addresses whose failures are kept apart."""
OTHERS: Final = "other addresses"
"""In place of an address, beyond these."""
SESSIONS_AT_ONCE: Final = 10
SESSIONS_A_MINUTE: Final = 0.5
"""Of one account and kind: what is told one by one."""
KINDS_MOST: Final = 64
"""Kinds of several in one that are kept apart: accounts, as a rule."""
_FAILURES: Final = "failures"
_K = TypeVar("_K")


@dataclass(slots=True)
class Several:
    """Things of one kind. Times are wall seconds; `begun`: monotonic."""

    what: AccessKind
    begun: float
    since: float
    at: float
    who: str | None = None
    role: str | None = None
    address: str | None = None
    how: SessionEnd | None = None
    times: int = 0
    names: Counter[str] = field(default_factory=Counter)
    unknown: int = 0
    turned_away: int = 0
    change: AccountChange | None = None
    token: str | None = None
    token_role: str | None = None
    scope: tuple[str, ...] = ()
    until: float | None = None


class Folding:
    """What is put together and not told yet."""

    def __init__(self, clock: Callable[[], float], wall: Callable[[], float]) -> None:
        """`clock`: monotonic seconds; `wall`: seconds since 1970."""
        self._clock = clock
        self._wall = wall
        self._pace = Buckets(SESSIONS_A_MINUTE / 60.0, SESSIONS_AT_ONCE, clock)
        self._failing = Buckets(FAILURES_A_MINUTE / 60.0, FAILURES_AT_ONCE, clock)
        self._sessions: dict[tuple[str, ...], Several] = {}
        self._failures: dict[str, Several] = {}

    def failure(self, address: str) -> Several:
        """What is put together of this address; the caller counts in it."""
        if address not in self._failures and len(self._failures) >= ADDRESSES_MOST:
            address = OTHERS
        now = self._wall()
        found = self._failures.setdefault(
            address, Several(AccessKind.SIGN_IN_FAILED, self._clock(), now, now, address=address)
        )
        found.at = now
        return found

    def session(
        self, what: AccessKind, who: str, role: str, address: str, how: SessionEnd | None = None
    ) -> Several | None:
        """One session that begins or ends: it itself, to be told now; None where it is put together with others."""
        key, now = (what, who, how or ""), self._wall()
        if key not in self._sessions and (self._pace.take("/".join(key)) == 0.0 or len(self._sessions) >= KINDS_MOST):
            return Several(what, self._clock(), now, now, who, role, address, how, times=1)
        found = self._sessions.setdefault(key, Several(what, self._clock(), now, now, who, role, address, how))
        found.at, found.address = now, address
        found.times += 1
        return None

    def due(self, *, all_of_it: bool = False) -> Iterator[Several]:
        """Give what has waited long enough and may be told, the oldest first. `all_of_it`: the page ends."""
        for kind, several in _oldest_first(self._sessions):
            if all_of_it or (self._old(several) and self._pace.take("/".join(kind)) == 0.0):
                del self._sessions[kind]
                yield several
        for address, several in _oldest_first(self._failures):
            if all_of_it or (self._old(several) and self._failing.take(_FAILURES) == 0.0):
                del self._failures[address]
                yield several

    def _old(self, several: Several) -> bool:
        return self._clock() - several.begun >= WINDOW


def _oldest_first(kept: Mapping[_K, Several]) -> list[tuple[_K, Several]]:
    return sorted(kept.items(), key=lambda item: item[1].begun)


def count_name(several: Several, name: str | None) -> None:
    """Count a failure: for this account, or for a name that no account has."""
    several.times += 1
    if name is None:
        several.unknown += 1
    elif name in several.names or len(several.names) < NAMES_MOST:
        several.names[name] += 1

"""Sign-ins, ends of sessions and failures told to the table for its record; nobody who signs in waits for it.

What the table cannot take now is kept in order, with its own time, and told when it can: so many things and no more.
What is beyond is counted, and told as that. All of it is in memory: what the page has not told when it is killed is
lost, and the next page's first entry marks the place.
"""

import asyncio
import contextlib
import logging
import secrets
from collections import Counter, deque
from collections.abc import Callable
from itertools import islice
from typing import Final, Protocol

from feltd.door import AccessFact, Away, NotOnDiskError, PlayStopped, TableAwayError
from feltd.door.access import FACTS_MOST
from feltd.page.access.accounts import Account, AccountError
from feltd.page.access.folding import WINDOW, Folding, Several, count_name
from feltd.page.access.sessions import Session
from feltd.page.access.tokens import Token
from feltd.record.access import AccessKind, AccountChange, SessionEnd
from feltd.text.errors import FeltdError
from feltd.text.ip_addresses import counted_as

TELL_EVERY: Final = 1.0
"""Seconds between two looks at what is to be told."""
SWEEP_EVERY: Final = 10
"""Looks between two at the sessions: one that nobody asks for any more ends so late at most."""
WAITING_MOST: Final = 256
"""Things that wait for the table."""
LAST_WORDS_WITHIN: Final = 2.0
"""Seconds for what is left when the page ends."""

_log = logging.getLogger("feltd.page")


class Told(Protocol):
    """The part of a table's door that takes what happens at a page."""

    @property
    def away(self) -> Away | None:
        """As `TableDoor`."""

    async def tell_access(self, page: str, facts: tuple[AccessFact, ...]) -> None:
        """As `TableDoor`."""


class AccessTeller:
    """Tells one table of one page. Belongs to the loop."""

    def __init__(self, door: Told, clock: Callable[[], float], wall: Callable[[], float]) -> None:
        """`clock`: monotonic seconds; `wall`: seconds since 1970."""
        self.page = secrets.token_hex(4)
        """This page's mark, as entries have it."""
        self._door = door
        self._clock = clock
        self._wall = wall
        self._folding = Folding(clock, wall)
        self._waiting: deque[AccessFact] = deque()
        self._number = 0
        self._lost: Counter[str] = Counter()
        self._lost_told = clock() - WINDOW
        self._said = ""
        self._add(Several(AccessKind.PAGE_STARTS, clock(), wall(), wall(), times=1))

    # -- what happens

    def signed_in(self, account: Account, address: str) -> None:
        """Somebody has signed in."""
        self._add(self._folding.session(AccessKind.SIGNED_IN, account.name, account.role.value, address))

    def session_over(self, session: Session, why: SessionEnd) -> None:
        """A session has ended."""
        self._add(self._folding.session(AccessKind.SESSION_OVER, session.name, session.role, session.address, why))

    def session_paused(self, session: Session) -> None:
        """A session only looks from now on: nothing was done for too long."""
        self._add(self._folding.session(AccessKind.READ_ONLY, session.name, session.role, session.address))

    def account_changed(self, name: str, role: str, change: AccountChange, address: str | None) -> None:
        """An account is another one now. `address`: of who did it at the page; None for the console."""
        now = self._wall()
        self._add(
            Several(AccessKind.ACCOUNT_CHANGED, self._clock(), now, now, name, role, address, times=1, change=change)
        )

    def token_made(self, account: Account, token: Token, address: str | None) -> None:
        """A token was made for an account. What it is for is a person's words and stays out of the record."""
        now = self._wall()
        self._add(
            Several(
                AccessKind.ACCOUNT_CHANGED, self._clock(), now, now, account.name, account.role.value, address, times=1,
                change=AccountChange.TOKEN, token=token.id, token_role=token.role.value,
                scope=tuple(right.value for right in sorted(token.scope)), until=token.until,
            )
        )  # fmt: skip

    def token_revoked(self, account: Account, token: str, address: str | None) -> None:
        """A token of an account is gone. `token`: its id."""
        now = self._wall()
        self._add(
            Several(
                AccessKind.ACCOUNT_CHANGED, self._clock(), now, now, account.name, account.role.value, address, times=1,
                change=AccountChange.NO_TOKEN, token=token,
            )
        )  # fmt: skip

    def failed(self, address: str, account: str | None) -> None:
        """A sign-in failed. `account`: the name that was given, if an account has it: people type passwords there."""
        count_name(self._folding.failure(counted_as(address)), account)

    def turned_away(self, address: str) -> None:
        """A sign-in was not even looked at."""
        self._folding.failure(counted_as(address)).turned_away += 1

    # -- telling

    async def tell(self) -> None:
        """Tell what waits, as far as the table takes it."""
        if len(self._waiting) < FACTS_MOST:
            for several in self._folding.due():
                self._add(several)
        if self._lost and self._clock() - self._lost_told >= WINDOW:
            self._add_lost()
        while self._waiting and self._door.away is None:
            some = tuple(islice(self._waiting, FACTS_MOST))
            try:
                await self._door.tell_access(self.page, some)
            except (TableAwayError, PlayStopped, NotOnDiskError) as later:
                self._say(f"sign-ins wait to be put on record: {later}")
                return
            except FeltdError as refused:
                self._say(f"the table does not take sign-ins for its record: {refused}")
                for fact in some:
                    self._lose(fact)
            else:
                self._said = ""
            for _ in some:
                self._waiting.popleft()

    async def run(self, sweep: Callable[[], None]) -> None:
        """Tell again and again until cancelled. `sweep`: ends the sessions that are over."""
        looks = 0
        while True:
            if looks % SWEEP_EVERY == 0:
                with contextlib.suppress(AccountError):  # every request says so
                    sweep()
            looks += 1
            await self.tell()
            await asyncio.sleep(TELL_EVERY)

    async def close(self) -> None:
        """Tell what is left, if the table takes it at once. `run` must have ended."""
        for several in self._folding.due(all_of_it=True):
            self._add(several)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_WORDS_WITHIN):
                await self.tell()

    def _add(self, several: Several | None) -> None:
        """Let it wait for the table, behind what has been lost before it."""
        if several is None:
            return
        if len(self._waiting) >= WAITING_MOST:
            self._lost[several.what] += several.times + several.turned_away
            return
        if self._lost:
            self._add_lost()
        self._waiting.append(
            AccessFact(
                self._next(), several.what, several.at, several.who, several.role, several.address, several.how,
                several.times, None if several.since == several.at else several.since, dict(several.names),
                several.unknown, several.turned_away, change=several.change, token=several.token,
                token_role=several.token_role, scope=several.scope, until=several.until,
            )
        )  # fmt: skip

    def _add_lost(self) -> None:
        self._lost_told = self._clock()
        self._waiting.append(AccessFact(self._next(), AccessKind.LEFT_OUT, self._wall(), left_out=dict(self._lost)))
        self._lost.clear()

    def _lose(self, fact: AccessFact) -> None:
        if fact.what is AccessKind.LEFT_OUT:
            self._lost.update(fact.left_out)
        else:
            self._lost[fact.what] += fact.times + fact.turned_away

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _say(self, words: str) -> None:
        if words != self._said:
            _log.warning("%s", words)
        self._said = words

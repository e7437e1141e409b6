"""How many commands of its page a table writes down: so many of each account, and so many of all together.

Who has given few of late comes before who has given many: a person may take the last of what all have, and who goes on
and on must leave as much as they took. So beside any number of accounts that flood, each account may write its equal
part of `ALL_A_MINUTE`, and somebody who was quiet has some at once. Who has worked much has a few decisions of their
own all the same: else fresh accounts that flood would come before them until the flood has given as many.

An account's programs count beside its owner: no program, and nobody who has read its token, keeps the owner from
deciding.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from feltd.door.commands import CommandRefused

ALL_IN_A_ROW: Final = 300
ALL_A_MINUTE: Final = 30.0
"""Commands of all accounts that are written down, in a row and in each minute beyond. A program that goes on all day
would fill the card. All people of a busy tournament's table make ten a minute."""
ONE_IN_A_ROW: Final = 100
ONE_A_MINUTE: Final = 15.0
"""Commands of one account that the table looks at, in a row and in each minute beyond. What it refuses counts here too:
it takes the table's time."""
KEPT_FOR_DECISIONS: Final = 30
"""Of those of all in a row, which nothing but decisions takes."""
OWN_IN_A_ROW: Final = 2.0
OWN_A_MINUTE: Final = 20.0
"""Decisions that come before who has given few: in a row of one account, and in each minute of all who ask in it, in
equal parts. They come on top of those of all, and take nothing from them."""
ASKING: Final = 60.0
"""Seconds for which an account that has asked is one of those who ask."""
LEFT_MOST: Final = 240
"""Of those of all in a row, which an account that goes on and on leaves to others at most."""
OF_LATE: Final = 1200.0
"""Seconds after which a command counts for a third of what it did, where it is about who comes first."""
PEOPLE_MOST: Final = 256
"""Givers that are remembered: the one not heard of for longest is forgotten, so that no flood of names fills the
memory. Only the page can make up so many."""


@dataclass(frozen=True, slots=True)
class Giver:
    """Who gives commands: the account's owner, or all its programs together."""

    account: str
    programs: bool = False


@dataclass(frozen=True, slots=True)
class Taken:
    """A command that was counted. `own`: as one of the account's own decisions."""

    giver: Giver
    own: bool


@dataclass(slots=True)
class _Account:
    """`left`: commands until it must wait; `of_late`: those that it gave, the older the less.

    `own`: decisions of its own; `at`: seconds.
    """

    left: float
    of_late: float
    own: float
    at: float


class CommandBudget:
    """One for all connections of pages together. `clock`: seconds that never go back."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._accounts: dict[Giver, _Account] = {}
        self._left = float(ALL_IN_A_ROW)
        self._at = clock()

    def take(self, giver: Giver, *, decides: bool) -> Taken:
        """Count one more command. Raises CommandRefused where the giver must wait, and counts nothing."""
        account = self._now(giver)
        if account.left < 1:
            raise _too_many(giver, int((1 - account.left) * 60.0 / ONE_A_MINUTE) + 1)
        leaves = min(LEFT_MOST, account.of_late) + (0 if decides else KEPT_FOR_DECISIONS)
        lacks = 1 + leaves - self._left
        own = decides and lacks > 0
        if own and account.own >= 1:
            account.own -= 1
        elif lacks > 0:
            wait = lacks * 60.0 / ALL_A_MINUTE
            if own:
                wait = min(wait, max(1 - account.own, 0.0) * 60.0 / self._own_a_minute())
            raise CommandRefused(f"too many commands have come to this table: again in {int(wait) + 1} seconds")
        account.left -= 1
        account.of_late += 1
        self._left -= not own
        return Taken(giver, own)

    def give_back(self, taken: Taken) -> None:
        """The table has refused a command that was counted, and has written nothing.

        It counts no more, but where it is about how many of its account the table looks at.
        """
        self._left = min(ALL_IN_A_ROW, self._left + (not taken.own))
        if (account := self._accounts.get(taken.giver)) is not None:
            account.of_late = max(0.0, account.of_late - 1)
            account.own = min(OWN_IN_A_ROW, account.own + taken.own)

    def _own_a_minute(self) -> float:
        """How many decisions of its own each account has in a minute now."""
        asking = 0
        for account in reversed(self._accounts.values()):  # who asked last is last
            if account.at < self._at - ASKING:
                break
            asking += 1
        return OWN_A_MINUTE / max(1, asking)

    def _now(self, giver: Giver) -> _Account:
        now = self._clock()
        self._left = _refilled(self._left, now - self._at, ALL_A_MINUTE, ALL_IN_A_ROW)
        self._at = now
        account = self._accounts.pop(giver, None) or _Account(ONE_IN_A_ROW, 0.0, 0.0, now)
        passed = now - account.at
        account.left = _refilled(account.left, passed, ONE_A_MINUTE, ONE_IN_A_ROW)
        account.of_late *= math.exp(-passed / OF_LATE)
        account.at = now
        self._accounts[giver] = account
        if len(self._accounts) > PEOPLE_MOST:
            del self._accounts[next(iter(self._accounts))]
        account.own = _refilled(account.own, min(passed, ASKING), self._own_a_minute(), OWN_IN_A_ROW)
        return account


def _refilled(left: float, seconds: float, a_minute: float, most: float) -> float:
    return min(most, left + seconds * a_minute / 60.0)


def _too_many(giver: Giver, seconds: int) -> CommandRefused:
    if giver.programs:
        return CommandRefused(
            f"too many commands have come by the programs of {giver.account}: again in {seconds} seconds"
        )
    return CommandRefused(f"too many commands have come by {giver.account}: again in {seconds} seconds")

"""How many commands of its page a table writes down: so many of each account, and so many of all together.

Who has given few of late comes before who has given many: a person may take the last of what all have, and who goes on
and on must leave as much as they took. So beside any number of accounts that flood, each account may write its equal
part of `ALL_A_MINUTE`, and somebody who was quiet has some at once.
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
LEFT_MOST: Final = 240
"""Of those of all in a row, which an account that goes on and on leaves to others at most."""
OF_LATE: Final = 1200.0
"""Seconds after which a command counts for a third of what it did, where it is about who comes first."""
PEOPLE_MOST: Final = 256
"""Accounts that are remembered: the one not heard of for longest is forgotten, so that no flood of names fills the
memory. Only the page can make up so many."""


@dataclass(slots=True)
class _Account:
    """`left`: commands until it must wait; `of_late`: those that it gave, the older the less; `at`: seconds."""

    left: float
    of_late: float
    at: float


class CommandBudget:
    """One for all connections of pages together. `clock`: seconds that never go back."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._accounts: dict[str, _Account] = {}
        self._left = float(ALL_IN_A_ROW)
        self._at = clock()

    def take(self, who: str, *, decides: bool) -> None:
        """Count one more command of this account. Raises CommandRefused where it must wait, and counts nothing."""
        account = self._now(who)
        if account.left < 1:
            wait = (1 - account.left) * 60.0 / ONE_A_MINUTE
            raise CommandRefused(f"too many commands have come by {who.strip()}: again in {int(wait) + 1} seconds")
        leaves = min(LEFT_MOST, account.of_late) + (0 if decides else KEPT_FOR_DECISIONS)
        lacks = 1 + leaves - self._left
        if lacks > 0:
            wait = lacks * 60.0 / ALL_A_MINUTE
            raise CommandRefused(f"too many commands have come to this table: again in {int(wait) + 1} seconds")
        account.left -= 1
        account.of_late += 1
        self._left -= 1

    def give_back(self) -> None:
        """The table has refused a command that was counted, and has written nothing: all have one more again."""
        self._left = min(ALL_IN_A_ROW, self._left + 1)

    def _now(self, who: str) -> _Account:
        now = self._clock()
        self._left = min(ALL_IN_A_ROW, self._left + (now - self._at) * ALL_A_MINUTE / 60.0)
        self._at = now
        account = self._accounts.pop(who, None) or _Account(ONE_IN_A_ROW, 0.0, now)
        passed = now - account.at
        account.left = min(ONE_IN_A_ROW, account.left + passed * ONE_A_MINUTE / 60.0)
        account.of_late *= math.exp(-passed / OF_LATE)
        account.at = now
        self._accounts[who] = account
        if len(self._accounts) > PEOPLE_MOST:
            del self._accounts[next(iter(self._accounts))]
        return account

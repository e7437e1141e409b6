"""Accounts that two people make, give another code, shut or open at the page: what may be done, and the code's halves.

Who has the whole code of an account could take it before its person does, and be two people then. So who asks gets the
first half of it, who approves the second, and its person both. Nobody gives a right that neither of the two has.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from feltd.door.together import ASKED_SECONDS
from feltd.page.access.accounts import Account, AccountBook
from feltd.page.access.first_codes import CODE_DAYS, first_half, second_half
from feltd.page.access.roles import RIGHTS, Right, Role
from feltd.page.access.tokens import DAY
from feltd.text.errors import FeltdError

ABOUT_MOST: Final = 64
"""Letters that the table takes of what a step is about."""


class AccountAct(StrEnum):
    """What becomes of an account."""

    MAKE = "make"
    CODE = "code"
    """Its password is over: its person chooses another by a code."""
    SHUT = "shut"
    OPEN = "open"


CODED: Final = frozenset({AccountAct.MAKE, AccountAct.CODE})
"""By what a code comes about."""


class AccountStepRefused(FeltdError):  # noqa: N818 - as SignInRefused
    """What was asked for, or is to be approved, cannot be done with an account; the message says why."""


@dataclass(frozen=True, slots=True)
class AccountWish:
    """What is to become of which account. `role`: the one that it has, or is to have. `staff`: a new one's badge."""

    act: AccountAct
    name: str
    role: Role
    staff: str | None = None

    @property
    def about(self) -> str:
        """The same as the table puts it on record, and shows it to the second person."""
        return " ".join([self.act, self.name, self.role, *([self.staff] if self.staff else [])])

    @classmethod
    def read(cls, about: str) -> "AccountWish":
        """The wish that `about` says. Raises ValueError for other words."""
        act, name, role, *staff = about.split(" ", 3)
        return cls(AccountAct(act), name, Role(role), staff[0] if staff else None)


class AccountSteps:
    """The steps of one page. Belongs to the loop."""

    def __init__(
        self,
        accounts: AccountBook,
        lacks_factor: Callable[[Account], bool],
        wall: Callable[[], float],
        clock: Callable[[], float],
    ) -> None:
        """`lacks_factor`: somebody's role does nothing without a second factor.

        `wall`: seconds since 1970; `clock`: monotonic ones, as those of the table: no clock that is put forward ends a
        step.
        """
        self._accounts = accounts
        self._lacks_factor = lacks_factor
        self._wall = wall
        self._clock = clock
        self._halves: dict[int, tuple[str, float]] = {}
        """First halves of codes by the number of their step, and until when they are kept."""

    def require_askable(self, asker: Account, act: AccountAct, name: str, role: Role | None, staff: str | None) -> str:
        """Return what a step is about that somebody asks for. Raises AccountStepRefused, AccountError."""
        wish = self._wish(act, name, role, staff)
        if len(wish.about) > ABOUT_MOST:
            raise AccountStepRefused("name and badge are too long together: take a shorter one")
        self._require_possible(wish)
        if wish.name == asker.name:
            raise AccountStepRefused("this is your own account: two others do that")
        if not any(self._could_approve(one, asker, wish) for one in self._accounts):
            raise AccountStepRefused(
                "nobody else has an account here that could approve it: nobody gives a right that neither of the two "
                "has"
            )
        return wish.about

    def _wish(self, act: AccountAct, name: str, role: Role | None, staff: str | None) -> AccountWish:
        if act is AccountAct.MAKE:
            if role is None:
                raise AccountStepRefused("a new account needs a role")
            return AccountWish(act, name, role, staff)
        if role is not None or staff is not None:
            raise AccountStepRefused("role and badge are for a new account alone")
        return AccountWish(act, name, self._found(name).role)

    def first_half(self, number: int, about: str) -> str | None:
        """The first half of the code that a step brings about, for who has asked; None where it brings none.

        `number`: of the step. It is not given a second time.
        """
        now = self._clock()
        self._halves = {one: kept for one, kept in self._halves.items() if kept[1] > now}
        if AccountWish.read(about).act not in CODED:
            return None
        half = first_half()
        self._halves[number] = (half, now + 2 * ASKED_SECONDS)
        return half

    def require_approvable(self, asker: str, second: Account, number: int, about: str) -> str | None:
        """Return the first half of the code of a step that a second person approves; None where it brings none.

        Raises AccountStepRefused or AccountError where nothing would come of it. `asker`: whose account asked.
        """
        wish = AccountWish.read(about)
        half, _ = self._halves.get(number, (None, 0.0))
        if wish.act in CODED and half is None:
            raise AccountStepRefused(
                "the page was started anew since this was asked for, and has not the first half of its code: refuse "
                "it, and ask anew"
            )
        self._require_possible(wish)
        if wish.name == second.name:
            raise AccountStepRefused("this is your own account: another person must")
        missing = _given_by_neither(wish, self._found(asker), second)
        if missing:
            raise AccountStepRefused(
                f"neither {asker} nor you may all that {wish.role.value} may ({', '.join(sorted(missing))}): "
                "another person must"
            )
        return half

    async def carry_out(
        self, number: int, first: str | None, about: str, before: Callable[[], None] = lambda: None
    ) -> tuple[Account, str | None]:
        """Do it; return the account as it is now, and the second half of its code, where there is one.

        The table has the approval on record. `first`: as `require_approvable` returned it before that; the half may be
        forgotten meanwhile. `before`: called at once before the change, e.g. to tell what others have changed until
        then. Raises AccountError, AccountStepRefused where an account is another one meanwhile.
        """
        wish = AccountWish.read(about)
        if first is None:
            before()
            self._require_possible(wish)
            return self._accounts.change(wish.name, enabled=wish.act is AccountAct.OPEN), None
        self._halves.pop(number, None)
        half, kept = await asyncio.to_thread(second_half, first)
        before()
        self._require_possible(wish)
        until = self._wall() + CODE_DAYS * DAY
        if wish.act is AccountAct.MAKE:
            return self._accounts.add_kept_code(wish.name, wish.role, kept, until, wish.staff), half
        return self._accounts.put_kept_code(wish.name, kept, until), half

    def _require_possible(self, wish: AccountWish) -> None:
        if wish.act is AccountAct.MAKE:
            self._accounts.require_free(wish.name, wish.staff)
            return
        account = self._found(wish.name)
        if account.role is not wish.role:
            raise AccountStepRefused(f"{wish.name} has another role now: ask anew")
        if wish.act is AccountAct.SHUT and not account.enabled:
            raise AccountStepRefused(f"the account {wish.name} is shut already")
        if wish.act is AccountAct.OPEN and account.enabled:
            raise AccountStepRefused(f"the account {wish.name} is open already")

    def _found(self, name: str) -> Account:
        account = self._accounts.get(name)
        if account is None:
            raise AccountStepRefused(f'there is no account "{name}"')
        return account

    def _could_approve(self, one: Account, asker: Account, wish: AccountWish) -> bool:
        other = one.name not in (asker.name, wish.name)
        may = one.may(Right.APPROVE) and not self._lacks_factor(one)
        return other and may and not _given_by_neither(wish, asker, one)


def _given_by_neither(wish: AccountWish, asker: Account, second: Account) -> frozenset[Right]:
    """The rights that a wish gives and neither of the two has. Who is shut out is given none."""
    if wish.act is AccountAct.SHUT:  # else the only technician's account could not be shut by anybody
        return frozenset()
    return RIGHTS[wish.role] - RIGHTS[asker.role] - RIGHTS[second.role]

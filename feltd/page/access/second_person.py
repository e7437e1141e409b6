"""Who may be the second person of a step that takes two, by the accounts as they are at that moment."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from feltd.door.together import StepKind
from feltd.page.access.accounts import Account
from feltd.page.access.roles import Right

ASKS: Final[Mapping[StepKind, Right]] = {
    StepKind.DEVICE_KEY: Right.DEVICES,
    StepKind.UPDATE: Right.DEVICES,
    StepKind.BROADCAST: Right.SEE_CARDS,
    StepKind.ACCOUNT: Right.APPROVE,
}
"""What one must be allowed to, to ask for a step of each kind."""
APPROVES: Final[Mapping[StepKind, Right]] = {
    StepKind.DEVICE_KEY: Right.APPROVE,
    StepKind.UPDATE: Right.APPROVE,
    StepKind.BROADCAST: Right.SEE_CARDS,
    StepKind.ACCOUNT: Right.APPROVE,
}
"""The same to approve one."""


def could_approve(accounts: Iterable[Account], asker: str, lacks_factor: Callable[[Account], bool]) -> bool:
    """Whether anybody but the asker could approve. `lacks_factor`: their role does nothing without a second factor."""
    return any(
        account.name != asker and account.may(Right.APPROVE) and not lacks_factor(account) for account in accounts
    )


def why_not(account: Account | None, name: str, right: Right) -> str | None:
    """Why this person counts no more for a step that they have asked for or approved; None where they do.

    `account`: as it is now, None where it is gone.
    """
    if account is None:
        return f"{name} has no account any more: ask for it again"
    if not account.enabled:
        return f"the account {name} is shut: ask for it again"
    if not account.may(right):
        return f"{name} has another role now, which may not: ask for it again"
    return None

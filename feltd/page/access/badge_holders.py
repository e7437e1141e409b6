"""Whose badge it is that signs at the table, by the page's accounts."""

from feltd.door import BadgeHolder, BadgeHolders
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Right


def badge_holders(accounts: AccountBook) -> BadgeHolders:
    """Make a function that looks up the holder of a badge among these accounts.

    The function raises AccountError if the accounts cannot be read.
    """

    def holder(badge: str) -> BadgeHolder | None:
        account = accounts.of_badge(badge)
        if account is None:
            return None
        if not account.enabled:
            return BadgeHolder(account.name, "the account is shut")
        may = account.may(Right.DECIDE)
        return BadgeHolder(account.name, None if may else "the account of this badge may not decide")

    return holder

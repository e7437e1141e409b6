"""Who comes with a token: the account it acts for, and what it may now."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from feltd.page.access.accounts import Account, AccountBook
from feltd.page.access.roles import Right, acts_as
from feltd.page.access.tokens import Token, id_in
from feltd.text.errors import FeltdError

SCHEME: Final = "bearer"


class BearerRefused(FeltdError):  # noqa: N818 - an answer, not a failure
    """A token that opens nothing. `account`: whose it is, where that is known."""

    def __init__(self, reason: str, account: str | None = None) -> None:
        super().__init__(reason)
        self.account = account


@dataclass(frozen=True, slots=True)
class Bearer:
    """A program with a token. `account`: the token's, with the role that it acts as; `rights`: what it may now."""

    account: Account
    token: Token
    rights: frozenset[Right]
    lacks_factor: bool
    """The account's role needs a second factor, and it has none: the token only sees."""

    @property
    def name(self) -> str:
        """Under which it is counted, and stands in the record beside the account's signature."""
        return f"{self.account.name} token {self.token.id}"


class Bearers:
    """Tells who a token's text belongs to."""

    def __init__(
        self, accounts: AccountBook, wall: Callable[[], float], lacks_factor: Callable[[Account], bool]
    ) -> None:
        """`wall`: seconds since 1970."""
        self._accounts = accounts
        self.wall = wall
        self._lacks_factor = lacks_factor

    def find(self, authorization: str | None) -> Bearer | None:
        """Return who an Authorization header names; None without one, or where it is of another scheme.

        Raises BearerRefused for a token that is unknown, over or of an account that is shut; AccountError.
        """
        scheme, _, text = (authorization or "").strip().partition(" ")
        if scheme.lower() != SCHEME:
            return None
        text = text.strip()
        name = id_in(text)
        if name is None:
            raise BearerRefused("this is no token of feltd: send Authorization: Bearer feltd_…")
        for account in self._accounts:
            for token in account.tokens:
                if token.id == name and token.is_of(text):
                    return self._bearer(account, token)
        raise BearerRefused("this token is not known here, or was revoked")

    def _bearer(self, account: Account, token: Token) -> Bearer:
        if not account.enabled:
            raise BearerRefused("the account of this token is shut", account.name)
        if token.over(self.wall()):
            raise BearerRefused("this token has ended: make another one", account.name)
        lacks = self._lacks_factor(account)
        rights = token.rights(account.role)
        acting = replace(account, role=acts_as(token.role, account.role))
        return Bearer(acting, token, rights & {Right.SEE} if lacks else rights, lacks)

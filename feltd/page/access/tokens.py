"""Tokens by which programs ask the API in the name of an account: each with a role, a scope and an end.

A token's text is `feltd_`, eight digits that name it, and 256 random bits. It is shown once; of it only a digest is
kept, with its account. It goes with the account: who is shut or removed has none.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from feltd.page.access.roles import RIGHTS, Right, Role, acts_as
from feltd.text.errors import FeltdError

MOST: Final = 8
"""Tokens of one account that are not over: each has a visitor's share of the page."""
DAYS: Final = 90
DAYS_MOST: Final = 366
WORDS_MOST: Final = 64
"""Characters of what a token is for."""
DAY: Final = 86400.0
NEVER: Final = frozenset({Right.TOKENS, Right.APPROVE, Right.WISH})
"""Rights that no token has, whatever its scope says: what takes two people takes two who signed in themselves."""
_TEXT: Final = re.compile(r"feltd_([0-9a-f]{8})_([A-Za-z0-9_-]{43})")


class TokenError(FeltdError):
    """A token that cannot be made as asked, or is not there."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `made`, `until`: seconds since 1970. `words`: what it is for, as its person says."""

    id: str
    words: str
    role: Role
    scope: frozenset[Right]
    made: float
    until: float
    digest: str = field(repr=False)
    """SHA-256 of its text, in hexadecimal digits. 256 random bits need no slow hash."""

    def is_of(self, text: str) -> bool:
        """Whether this is the token's text; the time tells nothing of how far it agrees."""
        return hmac.compare_digest(self.digest, digest_of(text))

    def over(self, now: float) -> bool:
        """Whether it has ended."""
        return now >= self.until

    def rights(self, owner: Role) -> frozenset[Right]:
        """What it may see and do while its account has this role."""
        return (self.scope & RIGHTS[self.role] & RIGHTS[owner]) - NEVER


def make_token(owner: Role, words: str, role: Role, scope: Iterable[Right], days: int, now: float) -> tuple[Token, str]:
    """Make a token for an account of a role; return it and its text, which nothing keeps. `now`: since 1970.

    Raises TokenError for a scope that is empty, or that either role has not, a role that is more than the account's,
    an end that may not be, and bad words.
    """
    scope = frozenset(scope)
    if not scope:
        raise TokenError("a token needs a scope: name what it may see and do")
    if Right.TOKENS in scope:
        raise TokenError("a token makes no tokens")
    if Right.APPROVE in scope:
        raise TokenError("a token is no second person: it approves nothing")
    if Right.WISH in scope:
        raise TokenError("a token wishes nothing: that takes two people")
    for right in sorted(scope - (RIGHTS[role] & RIGHTS[owner])):
        whose = role if right not in RIGHTS[role] else owner
        raise TokenError(f'the role {whose.value} does not have "{right.value}", so no token of it has')
    if acts_as(role, owner) is not role:
        raise TokenError(f"the role {owner.value} makes no token of the role {role.value}, which may other things")
    if not 1 <= days <= DAYS_MOST:
        raise TokenError(f"a token lasts 1 to {DAYS_MOST} days")
    if not words.strip() or len(words) > WORDS_MOST or not words.isprintable():
        raise TokenError(f"say what the token is for, in at most {WORDS_MOST} characters")
    name = secrets.token_hex(4)
    text = f"feltd_{name}_{secrets.token_urlsafe(32)}"
    return Token(name, words.strip(), role, scope, now, now + days * DAY, digest_of(text)), text


def id_in(text: str) -> str | None:
    """The id that a token's text names; None for what is no token's text."""
    found = _TEXT.fullmatch(text)
    return None if found is None else found[1]


def digest_of(text: str) -> str:
    """What is kept of a token's text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

"""Passwords: what is accepted, how one is kept (argon2id), how one is compared."""

from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from feltd.page.access.guesses import ENOUGH, bits
from feltd.text.errors import FeltdError

SHORTEST: Final = 12
LONGEST: Final = 256

# 64 MiB and three passes is what the library proposes (RFC 9106, second choice); a single-board computer has it to
# spare for the half second of one sign-in, and no more than one is computed at a time.
_HASHER: Final = PasswordHasher()


class PasswordError(FeltdError):
    """A password that is not accepted. The message never holds it."""


def check_password(name: str, password: str) -> None:
    """Raise PasswordError for a password that is too short, too long, or easily guessed."""
    if len(password) < SHORTEST:
        raise PasswordError(f"the password has {len(password)} characters; give it {SHORTEST} or more")
    if len(password) > LONGEST:
        raise PasswordError(f"the password has {len(password)} characters; give it {LONGEST} or fewer")
    if bits(name, password) < ENOUGH:
        raise PasswordError(
            "the password is made of what is guessed first (common words, names, years, runs): choose another, for "
            "instance four words that have nothing to do with each other"
        )


def hash_password(password: str) -> str:
    """Hash a password with argon2id and a salt of its own.

    Takes tens of milliseconds and 64 MiB.
    """
    return _HASHER.hash(password)


def fits(kept: str, password: str) -> bool:
    """Whether this is the password. Takes as long as `hash_password`."""
    try:
        return _HASHER.verify(kept, password)
    except (VerificationError, InvalidHashError):
        return False


@cache
def nobodys() -> str:
    """Return the hash of a password that nobody has.

    Compared for a name without an account, so that refusing it takes as long as refusing a wrong password.
    """
    return _HASHER.hash("nobody has this one, and it opens nothing")

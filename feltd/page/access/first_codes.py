"""Codes by which people choose their own password: each is good once, and until a day.

An account may be made without a password of its person's: then a code is kept in its place, as a password is. Whoever
signs in by it gives a password of their own along with it, and the code is over. No session begins by a code alone.
"""

from typing import Final

from feltd.page.access.passwords import LONGEST, PasswordError, check_password, fits, hash_password, nobodys
from feltd.text.typed_codes import bare, grouped, random_letters

CODE_DAYS: Final = 30
"""For which a code is good where nobody says otherwise."""
_LETTERS: Final = 16
"""Of five bits each: nobody guesses eighty."""


def new_code() -> tuple[str, str]:
    """Return a new code, as a person types it, and what is kept of it. It takes as long as `hash_password`."""
    code = random_letters(_LETTERS)
    return grouped(code), hash_password(code)


def first_half() -> str:
    """Return the first half of a new code, as a person types it: forty bits, which open nothing alone."""
    return grouped(random_letters(_LETTERS // 2))


def second_half(first: str) -> tuple[str, str]:
    """Return the second half of a code, and what is kept of both together. It takes as long as `hash_password`."""
    second = random_letters(_LETTERS // 2)
    return grouped(second), hash_password(bare(first) + second)


def is_right(kept: str | None, given: str, *, code: bool) -> bool:
    """Whether this is the password, or the code. `kept`: None for nobody's, which takes as long."""
    if len(given) > LONGEST:
        return False
    return fits(nobodys() if kept is None else kept, bare(given) if code else given) and kept is not None


def own_password(name: str, code: str, new: str) -> str:
    """Return what is kept of the password that a person has chosen. Raises PasswordError for one that may not be used.

    `code`: by which they come, and which is no password.
    """
    if bare(new) == bare(code):
        raise PasswordError("this is the code: choose a password of your own")
    check_password(name, new)
    return hash_password(new)

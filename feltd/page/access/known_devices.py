"""Browsers in which somebody has signed in before: they keep a token that says so, and that opens nothing.

Whoever guesses at a person's password, or floods the page from the person's own address, does not have it: so the
person can still sign in (device cookies, as OWASP describes them). A new password makes the old tokens worthless.
"""

import hashlib
import hmac
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from feltd.page.access.accounts import Account, AccountBook
from feltd.text.atomic_file import replace_atomically

KEPT_SECONDS: Final = 90 * 86400
"""How long a token counts after a sign-in."""
KEY_FILE: Final = "devices.key"
_BYTES: Final = 32
_LONGEST: Final = 256

_log = logging.getLogger("feltd.access")


@dataclass(frozen=True, slots=True)
class KnownDevice:
    """A browser in which this account was signed in. `id`: tells it from others."""

    account: Account
    id: str


class KnownDevices:
    """Makes tokens and reads them. `wall`: seconds since 1970."""

    def __init__(self, accounts: AccountBook, secret: bytes, wall: Callable[[], float]) -> None:
        self._accounts = accounts
        self._secret = secret
        self._wall = wall

    def token(self, account: Account) -> str:
        """A token for the browser in which this account has just signed in."""
        said = f"{account.name}.{int(self._wall())}.{secrets.token_urlsafe(12)}"
        return f"{said}.{self._proof(said, account)}"

    def find(self, token: str | None) -> KnownDevice | None:
        """The browser that has this token; None for no token, or one that counts no longer. Raises AccountError."""
        if token is None or len(token) > _LONGEST or token.count(".") < 3:
            return None
        said, _, proof = token.rpartition(".")
        name, since, number = said.rsplit(".", 2)
        account = self._accounts.get(name)
        if account is None or not account.enabled or not since.isdecimal() or not since.isascii():
            return None
        if not hmac.compare_digest(proof.encode("utf-8", "surrogatepass"), self._proof(said, account).encode()):
            return None
        return KnownDevice(account, number) if self._wall() - int(since) < KEPT_SECONDS else None

    def _proof(self, said: str, account: Account) -> str:
        text = f"{said} {account.password}".encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, text, hashlib.sha256).hexdigest()


def secret_in(folder: Path) -> bytes:
    """The secret that tokens are made with, kept in a folder of the page's own; made where it is not there.

    Where it cannot be kept, it lasts as long as the process.
    """
    file = folder / KEY_FILE
    try:
        kept = file.read_bytes()
        if len(kept) == _BYTES:
            return kept
        _log.warning("%s: is no key of %d bytes: it is made anew", file, _BYTES)
    except FileNotFoundError:
        pass
    except OSError as fault:
        _log.warning("%s: cannot be read: %s", file, fault.strerror)
    made = secrets.token_bytes(_BYTES)
    try:
        replace_atomically(file, made, folder.stat())
    except OSError as fault:
        _log.warning("%s: cannot be written: %s; browsers are known until the page ends", file, fault.strerror)
    return made

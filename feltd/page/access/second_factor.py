"""A second factor: codes of six digits that an app makes of a secret and the time (TOTP, RFC 6238), every 30 seconds.

A code counts once. One of the interval before or after counts too, because clocks differ.
"""

import base64
import hmac
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

SECRET: Final = re.compile(r"[A-Z2-7]{32}")
"""A secret as it is kept and shown: 160 bits in base 32."""
CODE: Final = re.compile(r"[0-9]{6}")
INTERVAL: Final = 30
ENROL_WITHIN: Final = 600.0
"""Seconds from the showing of a secret to its first code."""
OFFERS: Final = 256
"""Secrets that were shown and are not confirmed: the oldest is forgotten."""
_SECRET_BYTES: Final = 20


def new_secret() -> str:
    """Return a new secret."""
    return base64.b32encode(secrets.token_bytes(_SECRET_BYTES)).decode("ascii")


def uri_of(secret: str, account: str, table: str) -> str:
    """Return the address by which an app on the same device takes the secret over."""
    issuer = quote(f"feltd {table}", safe="")
    return f"otpauth://totp/{issuer}:{quote(account, safe='')}?secret={secret}&issuer={issuer}"


def interval_of(secret: str, code: str, wall: float) -> int | None:
    """Return the interval, counted since 1970, that a code is of; None for a wrong one. `wall`: seconds since 1970."""
    if not CODE.fullmatch(code):
        return None
    app = TOTP(base64.b32decode(secret), 6, SHA1(), INTERVAL)  # noqa: S303 - what every app speaks; safe in an HMAC
    now = max(0, int(wall // INTERVAL))  # a clock that was never set may stand before 1970
    found: int | None = None
    for interval in range(max(0, now - 1), now + 2):
        if hmac.compare_digest(app.generate(interval * INTERVAL), code.encode("ascii")):
            found = interval
    return found


class Codes:
    """Remembers which codes were used. In memory: a page that starts again forgets those of the last minute."""

    def __init__(self, wall: Callable[[], float]) -> None:
        """`wall`: seconds since 1970."""
        self._wall = wall
        self._used: dict[str, int] = {}

    def take(self, account: str, secret: str, code: str) -> bool:
        """Whether a code is right and neither it nor a later one was used before; it is used now."""
        interval = interval_of(secret, code, self._wall())
        if interval is None or interval <= self._used.get(account, -1):
            return False
        self._used[account] = interval
        return True


@dataclass(frozen=True, slots=True)
class _Offer:
    secret: str
    until: float


class Offers:
    """Secrets that were shown to people, until the first code proves that their app has them."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock`: monotonic seconds."""
        self._clock = clock
        self._open: dict[str, _Offer] = {}

    def make(self, session: str) -> str:
        """Return a new secret for the session of this id; one that it was offered before counts no more."""
        self._open.pop(session, None)
        self._open[session] = _Offer(new_secret(), self._clock() + ENROL_WITHIN)
        if len(self._open) > OFFERS:
            del self._open[next(iter(self._open))]
        return self._open[session].secret

    def of(self, session: str) -> str | None:
        """Return the secret that the session was offered; None for none, and for one that is too old."""
        offer = self._open.get(session)
        return None if offer is None or self._clock() > offer.until else offer.secret

    def forget(self, session: str) -> None:
        """The session's secret is taken."""
        self._open.pop(session, None)

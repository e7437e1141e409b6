"""One post over HTTP, with its signature."""

import hmac
import http.client
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from feltd.text.errors import FeltdError

TIMEOUT: Final = 10.0
"""Seconds for each step of a post: connecting, and each wait for the answer."""
LEAST_KEY: Final = 32
TRY_LATER: Final = frozenset({408, 425, 429})
"""Refusals below 500 after which the same post may be taken."""


class WebhookError(FeltdError):
    """The webhook cannot be used as it is set up."""


class NotTakenError(FeltdError):
    """A post was not taken. `lasting`: the same post will not be, so it is not tried again."""

    def __init__(self, why: str, *, lasting: bool = False) -> None:
        super().__init__(why)
        self.lasting = lasting


@dataclass(frozen=True, slots=True)
class Signed:
    """A body and the headers that it goes with."""

    body: bytes
    headers: Mapping[str, str]


def read_key(file: Path, section: str) -> bytes:
    """Return the key in a file, without the end of its line. `section`: of the settings, for people.

    Raises WebhookError.
    """
    try:
        key = file.read_bytes().strip()
    except OSError as fault:
        raise WebhookError(f"[{section}] key_file: {file}: {fault.strerror}") from None
    if len(key) < LEAST_KEY:
        raise WebhookError(f"[{section}] key_file: {file}: a key has {LEAST_KEY} bytes at least")
    return key


def sign(key: bytes, body: bytes, entry: int, wall: float) -> Signed:
    """Return a body with its headers.

    The signature is HMAC-SHA256 over the timestamp, a full stop and the body: who has seen one post cannot send it
    again later. `entry`: the number by which a receiver knows a post that came twice.
    """
    timestamp = f"{wall:.0f}"
    signature = hmac.new(key, timestamp.encode() + b"." + body, "sha256").hexdigest()
    return Signed(
        body,
        {
            "Content-Type": "application/json",
            "X-Feltd-Entry": str(entry),
            "X-Feltd-Timestamp": timestamp,
            "X-Feltd-Signature": f"sha256={signature}",
        },
    )


class Poster:
    """Posts to one address. Blocks: for a thread of its own."""

    def __init__(self, url: str, ca_file: Path | None, section: str) -> None:
        """`ca_file`: certificates that the receiver's must come from, PEM; None: the machine's own.

        Raises WebhookError where the certificates cannot be read.
        """
        self._url = urlsplit(url)
        self._context: ssl.SSLContext | None = None
        if self._url.scheme == "https":
            try:
                self._context = ssl.create_default_context(cafile=ca_file)
            except (OSError, ssl.SSLError) as fault:
                raise WebhookError(f"[{section}] ca_file: {ca_file}: {fault}") from None

    def post(self, signed: Signed) -> None:
        """Post once; follow nothing. Raises NotTakenError."""
        host, port = self._url.hostname or "", self._url.port
        connection: http.client.HTTPConnection
        if self._context is not None:
            connection = http.client.HTTPSConnection(host, port, timeout=TIMEOUT, context=self._context)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT)
        target = self._url.path or "/"
        try:
            connection.request(
                "POST", f"{target}?{self._url.query}" if self._url.query else target, signed.body, dict(signed.headers)
            )
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as fault:
            raise NotTakenError(f"{host}: {str(fault) or type(fault).__name__}") from None
        finally:
            connection.close()
        if not 200 <= status < 300:
            raise NotTakenError(f"{host} answers {status}", lasting=300 <= status < 500 and status not in TRY_LATER)

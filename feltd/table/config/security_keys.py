"""Whether security keys work as a second factor at a page, and why not: the page and `feltd check` ask the same.

A browser uses a key only at a host name and over a connection that it trusts, and binds it to that name.
"""

import ipaddress
from collections.abc import Sized
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

_LOOPBACK_NAME: Final = "localhost"
"""The one name that browsers trust without a certificate."""


class Placed(Protocol):
    """Where a page is served, by its file: a table's (`[page]`), or the pit's."""

    @property
    def address(self) -> str | None:
        """As browsers show it."""

    @property
    def host(self) -> str:
        """The address that it listens at."""

    @property
    def certificate(self) -> Path | None:
        """The operator's."""

    @property
    def proxies(self) -> Sized:
        """Those whose word is believed."""

    @property
    def socket(self) -> Path | None:
        """Where a proxy comes in place of host and port."""


@dataclass(frozen=True, slots=True)
class KeysAt:
    """`origin`: the address at which security keys work; None: nowhere, and `why` says so.

    `doubt`: why browsers may not trust the certificate there; empty for no doubt.
    """

    origin: str | None
    why: str = ""
    doubt: str = ""


def keys_at(page: Placed) -> KeysAt:
    """Where security keys work at this page. It reads the page's certificate and nothing else."""
    if page.address is None:
        return KeysAt(None, "no `address` says at which https:// address with a host name browsers find the page")
    parts = urlsplit(page.address)
    over_tls, name = parts.scheme == "https", parts.hostname or ""
    if len(page.proxies) or page.socket is not None:
        return KeysAt(page.address)  # what stands in front has the certificate that browsers see
    if _is_served_plain(page):
        if over_tls:
            return KeysAt(None, f"{page.address} is over TLS, and the page is served without: it needs a certificate")
        return KeysAt(page.address)
    if not over_tls:
        return KeysAt(None, f"{page.address} is without TLS, and the page is served over it: write https://")
    if page.certificate is None:
        return KeysAt(None, "the certificate is feltd's own, which no browser trusts: give one in `certificate`")
    return _by_certificate(page.certificate, page.address, name)


def _is_served_plain(page: Placed) -> bool:
    return page.certificate is None and _is_loopback(page.host)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == _LOOPBACK_NAME


def _by_certificate(file: Path, address: str, name: str) -> KeysAt:
    from cryptography import x509

    try:
        certificate = x509.load_pem_x509_certificate(file.read_bytes())
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, x509.ExtensionNotFound):
        return KeysAt(None, f"{file} cannot be read, or names no host")
    theirs = [one.lower() for one in names.get_values_for_type(x509.DNSName)]
    parent = f"*.{name.partition('.')[2]}"
    if name not in theirs and parent not in theirs:
        return KeysAt(None, f"the certificate in {file} is not for {name}")
    doubt = _doubt(certificate)
    return KeysAt(address, doubt=f"the certificate in {file} {doubt}" if doubt else "")


def _doubt(certificate: "Certificate") -> str:
    """Why browsers may not trust it. It closes no page to keys: a board's clock may be wrong at a start, and a browser
    may have been given a certificate that is its own."""
    now, begins, ends = datetime.now(UTC), certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if now > ends:
        return f"has ended on {ends:%Y-%m-%d} by this machine's clock: no browser trusts it until there is a new one"
    if now < begins:
        return f"begins on {begins:%Y-%m-%d} by this machine's clock: no browser trusts it before"
    if certificate.issuer == certificate.subject:
        return "is signed by nobody but itself: only browsers that were given it trust it"
    return ""

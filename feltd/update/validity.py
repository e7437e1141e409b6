"""Certificates of updates that lie outside the board's clock: RAUC says so before it has looked at the signature.

A board without a clock that outlives a power cut may think that it is years ago, and a certificate ends one day.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization.pkcs7 import load_der_pkcs7_certificates
from cryptography.x509 import Certificate, load_pem_x509_certificates

_SAID: Final = ("certificate is not yet valid", "certificate has expired")
"""By RAUC, in OpenSSL's words."""
_SIZE_BYTES: Final = 8
_MOST_BYTES: Final = 1 << 20
"""Of a bundle's signature; one of three kilobytes is usual."""
_REMEDY: Final = "Set the clock (chronyc tracking says what it follows) and try again"
_ANEW: Final = (
    "Where the clock is right, the certificate is over: its maker signs "
    "by a new one, which goes onto the card as update.pem"
)


def outside_of_clock(said: str, believed: Path, bundle: Path, now: datetime) -> str | None:
    """The reason in words where RAUC refuses a bundle for its certificate's time; None where that is not what it says.

    `said`: by RAUC. `believed`: the certificates that the board believes. What they and the bundle's own say of their
    time is told as they say it: a forger may write anything there, and no more than words comes of it.
    """
    if not any(words in said.lower() for words in _SAID):
        return None
    times = ((one.not_valid_before_utc, one.not_valid_after_utc) for one in (*_in_file(believed), *_in_bundle(bundle)))
    clock = f"this board's clock says {_written(now)}"
    valid = next(
        (
            f"is valid from {_written(begins)} until {_written(ends)}, and {clock}"
            for begins, ends in times
            if not begins <= now <= ends
        ),
        f"is not valid now: {clock}",
    )
    remedy = _REMEDY if _SAID[0] in said.lower() else f"{_REMEDY}. {_ANEW}"
    return f"its certificate {valid}; whether its signature is right is not known before. {remedy}"


def _in_file(file: Path) -> list[Certificate]:
    try:
        return load_pem_x509_certificates(file.read_bytes())
    except (OSError, ValueError):
        return []  # what is wrong with the file RAUC tells


def _in_bundle(bundle: Path) -> Iterator[Certificate]:
    """The certificates in a bundle's signature, which is its end: the signature, then its size in eight bytes."""
    try:
        with bundle.open("rb") as file:
            end = file.seek(-_SIZE_BYTES, 2)
            size = int.from_bytes(file.read(_SIZE_BYTES), "big")
            if not 0 < size <= min(end, _MOST_BYTES):
                return
            file.seek(end - size)
            yield from load_der_pkcs7_certificates(file.read(size))
    except (OSError, ValueError, UnsupportedAlgorithm):
        return  # a damaged one has no date to tell


def _written(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"

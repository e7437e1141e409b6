"""The table's own certificate: enrolled once with a code, renewed by itself. The key is made here and stays here."""

import asyncio
import base64
import logging
import os
import ssl
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.typing import Subprotocol

from feltd.custody.certificates import Own, as_der, context_of_new_table, name_of, show
from feltd.custody.errors import CertificateWrongError, CustodyError, CustodyRefusedError, FloorAwayError
from feltd.custody.messages import (
    FROM_FLOOR,
    MESSAGE_MOST,
    SUBPROTOCOL,
    VERSION,
    Certified,
    Enrol,
    Refused,
    from_bytes,
    to_bytes,
)
from feltd.text.as_owner import as_owner_of
from feltd.text.atomic_file import replace_atomically
from feltd.uplink.words import in_words

WITHIN: Final = 20.0
"""Seconds for a floor's answer to a code."""
LEFT: Final = 1 / 3
"""Of a certificate's time, when it is renewed."""
AGAIN_AFTER: Final = 3600.0
"""Seconds before a renewal that failed is tried again."""
_log = logging.getLogger("feltd.uplink")


async def enrol(own: Own, floors: Sequence[str], code: str) -> str:
    """Make the table's key, have a floor sign it for this code, put both in place; return the table's name.

    The key lies in `KEY.new` until its certificate is here, so that a code whose answer was lost is good once more.
    What is written is written as whom the folder belongs to. Raises CustodyError, PlaceError.
    """
    context = context_of_new_table(own)
    key = waiting_key(own)
    request = base64.b64encode(_request(key).public_bytes(serialization.Encoding.DER)).decode()
    fault: CustodyError = FloorAwayError("no floor is named", "[uplink] floors", "Name one")
    for floor in floors:
        try:
            made = as_der((await _asked(floor, context, Enrol(VERSION, code, request))).certificate)
            break
        except (CustodyRefusedError, CertificateWrongError):
            raise
        except CustodyError as trouble:
            fault = trouble
    else:
        raise fault
    _require_ours(made, key)
    with as_owner_of(own.key):
        _put(own.key, _pem_of(key))
        _waiting(own).unlink(missing_ok=True)
    with as_owner_of(own.certificate):
        _put(own.certificate, _as_pem(made))
    return name_of(made)


def waiting_key(own: Own) -> ec.EllipticCurvePrivateKey:
    """The key that waits for its certificate, made where there is none. Raises CertificateWrongError, PlaceError."""
    with as_owner_of(own.key):
        return _key_in(_waiting(own))


def _waiting(own: Own) -> Path:
    return own.key.with_name(f"{own.key.name}.new")


class Renewal:
    """Renews the certificate of a running uplink. Belongs to one loop."""

    def __init__(self, own: Own, context: ssl.SSLContext) -> None:
        """`context`: TLS of the uplink's calls: the next one shows the new certificate."""
        self._own = own
        self._context = context
        self._not_before = 0.0

    def is_due(self, now: float) -> bool:
        """Whether less than a third of the certificate's time is left at `now`, seconds since 1970."""
        if now < self._not_before:
            return False
        try:
            mine = x509.load_pem_x509_certificate(self._own.certificate.read_bytes())
        except (OSError, ValueError) as fault:
            self._failed(now, f"cannot be read: {fault}")
            return False
        begins, ends = mine.not_valid_before_utc.timestamp(), mine.not_valid_after_utc.timestamp()
        return ends - now < (ends - begins) * LEFT

    def take(self, made: Certified, now: float) -> None:
        """Put a new certificate in the old one's place. What fails is told, and tried again in an hour."""
        try:
            der = as_der(made.certificate)
            _require_ours(der, serialization.load_pem_private_key(self._own.key.read_bytes(), None))
            _put(self._own.certificate, _as_pem(der))
            show(self._context, self._own)
        except (OSError, ValueError, TypeError, CustodyError) as fault:
            self._failed(now, str(fault))
            return
        _log.info("this table's certificate is renewed: %s", self._own.certificate)

    def _failed(self, now: float, words: str) -> None:
        self._not_before = now + AGAIN_AFTER
        _log.error(
            "%s: this table's certificate is not renewed: %s. Let the uplink's user read and write there; it tries "
            "again in an hour",
            self._own.certificate,
            words,
        )


async def _asked(floor: str, context: ssl.SSLContext, message: Enrol) -> Certified:
    """The floor's certificate. Raises CustodyError."""
    try:
        async with (
            asyncio.timeout(WITHIN),
            connect(
                floor,
                ssl=context,
                subprotocols=[Subprotocol(SUBPROTOCOL)],
                compression=None,
                max_size=MESSAGE_MOST,
                proxy=None,
            ) as connection,
        ):
            with suppress(ConnectionClosed):  # the floor's reason can be read yet
                await connection.send(to_bytes(message))
            data = await connection.recv()
            answer = from_bytes(data if isinstance(data, bytes) else b"", FROM_FLOOR)
    except (OSError, TimeoutError, WebSocketException) as fault:
        raise in_words(floor, fault) from None
    if isinstance(answer, Refused):
        raise (FloorAwayError if answer.again else CustodyRefusedError)(answer.what, answer.place, answer.remedy)
    if not isinstance(answer, Certified):
        raise CustodyRefusedError("the floor answered something else", floor, "Report it as a fault")
    return answer


def _key_in(new: Path) -> ec.EllipticCurvePrivateKey:
    """The key that waits for its certificate, or a new one, on the disk. Raises CertificateWrongError."""
    try:
        waiting = serialization.load_pem_private_key(new.read_bytes(), None)
        if isinstance(waiting, ec.EllipticCurvePrivateKey):
            return waiting
    except FileNotFoundError:
        pass
    except OSError as fault:
        raise CertificateWrongError(f"cannot be read: {fault.strerror}", str(new), "Run this as its owner") from None
    except (ValueError, TypeError):
        _log.warning("%s: no key: a new one is made in its place", new)
    made = ec.generate_private_key(ec.SECP256R1())
    _put(new, _pem_of(made))
    return made


def _request(key: ec.EllipticCurvePrivateKey) -> x509.CertificateSigningRequest:
    """A request whose name says nothing: whose it is, the code says."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a table")])
    return x509.CertificateSigningRequestBuilder().subject_name(subject).sign(key, hashes.SHA256())


def _require_ours(made: bytes, key: object) -> None:
    public = x509.load_der_x509_certificate(made).public_key()
    if not isinstance(key, ec.EllipticCurvePrivateKey) or public != key.public_key():
        raise CertificateWrongError("the floor's certificate is of another key", "certificate", "Report it as a fault")


def _pem_of(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _as_pem(made: bytes) -> bytes:
    return x509.load_der_x509_certificate(made).public_bytes(serialization.Encoding.PEM)


def _put(file: Path, content: bytes) -> None:
    try:
        replace_atomically(file, content, os.stat(file.parent))
    except OSError as fault:
        raise CertificateWrongError(
            f"cannot be written: {fault.strerror}",
            str(file),
            "Make its folder, of the uplink's user: with the package it is /var/lib/feltd-uplink",
        ) from None

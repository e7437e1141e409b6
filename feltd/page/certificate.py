"""The page's certificate: the operator's, or one that feltd makes for itself at the first start.

One that is made here nobody vouches for: a browser asks once, and the person compares the fingerprint that the log says
with the one that the browser shows. It is made anew when it has run out.
"""

import datetime
import ipaddress
import logging
import os
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from feltd.page.addresses import is_loopback
from feltd.text.errors import FeltdError

VALID_FOR: Final = datetime.timedelta(days=825)
MADE: Final = "page-certificate.pem"
MADE_KEY: Final = "page-certificate.key"
_BEFORE: Final = datetime.timedelta(days=1)
"""A board without a battery may not know the day yet when it first starts."""

_log = logging.getLogger("feltd.page")


class CertificateError(FeltdError):
    """A certificate or its key that cannot be used, with the file and the remedy."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate and its private key, as PEM files.

    `fingerprint`: SHA-256 of the certificate, as browsers show it.
    """

    file: Path
    key: Path
    fingerprint: str
    ends: datetime.datetime


def certificate_for(host: str, file: Path | None, key: Path | None, own_files: Path) -> Certificate | None:
    """Return the certificate to serve the page with; None on loopback.

    The operator's where `file` and `key` name one, else one that is made in `own_files`. `host`: the address that the
    page is served at. Raises CertificateError.
    """
    if (file is None) != (key is None):
        raise CertificateError("[page] certificate and certificate_key: give both, or neither")
    if file is not None and key is not None:
        return given(file, key)
    if is_loopback(host):
        return None
    own = made(own_files, (host,))
    _log.info("the page's certificate was made here; a browser asks once, and shows SHA-256 %s", own.fingerprint)
    return own


def given(file: Path, key: Path) -> Certificate:
    """Return the operator's certificate.

    Raises CertificateError if a file is missing, holds no certificate or key, the two do not belong together, or the
    certificate has run out.
    """
    _usable(file, key)
    certificate = _described(file, key)
    if certificate.ends < datetime.datetime.now(datetime.UTC):
        raise CertificateError(f"{file}: the certificate ran out on {certificate.ends:%Y-%m-%d}; put a new one there")
    return certificate


def kept(folder: Path) -> Certificate | None:
    """Return the certificate that feltd made in this folder; None where there is none that can be read."""
    try:
        return _described(folder / MADE, folder / MADE_KEY)
    except CertificateError:
        return None


def made(folder: Path, names: tuple[str, ...]) -> Certificate:
    """Return the certificate that feltd keeps in this folder; make a new one if need be.

    A new one is made where there is none, it has run out, or it lacks a name. `names`: the names of the page beside
    this machine's own. Raises CertificateError, also for one that cannot be read.
    """
    file, key = folder / MADE, folder / MADE_KEY
    if file.exists() and key.exists():
        _usable(file, key)
        kept = _described(file, key)
        if kept.ends > datetime.datetime.now(datetime.UTC) and _is_for(file, names):
            return kept
    private = ec.generate_private_key(ec.SECP256R1())
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    certificate = _signed(private, (*names, socket.gethostname()))
    try:
        file.unlink(missing_ok=True)  # a power cut in here leaves no certificate, never one of another key
        _write(key, pem, 0o600)
        _write(file, certificate.public_bytes(serialization.Encoding.PEM), 0o644)
    except OSError as fault:
        raise CertificateError(f"{folder}: no certificate can be made there: {fault.strerror}") from None
    return _described(file, key)


def _signed(private: ec.EllipticCurvePrivateKey, names: tuple[str, ...]) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[-1][:64])])
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _BEFORE)
        .not_valid_after(now + VALID_FOR)
        .add_extension(x509.SubjectAlternativeName([_alternative(one) for one in dict.fromkeys(names)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(private, hashes.SHA256())
    )


def _is_for(file: Path, names: tuple[str, ...]) -> bool:
    """Whether it is good for all of them: the page may have another address by now."""
    certificate = x509.load_pem_x509_certificate(file.read_bytes())
    try:
        alternatives = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return False
    return {_alternative(name) for name in names} <= set(alternatives)


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _usable(file: Path, key: Path) -> None:
    """Whether a server can use the two together."""
    for file_or_key in (file, key):
        try:
            file_or_key.read_bytes()
        except OSError as fault:
            raise CertificateError(f"{file_or_key}: cannot be read: {fault.strerror}") from None
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(file, key, password=_no_password)
    except (ssl.SSLError, ValueError) as fault:
        reason = getattr(fault, "reason", None)
        if reason == "KEY_VALUES_MISMATCH":
            raise CertificateError(
                f"{key}: not the key of the certificate in {file}; put them there together"
            ) from None
        raise CertificateError(f"{file}, {key}: no certificate and its key, in PEM, without a password") from None


def _no_password() -> str:
    raise ValueError("the key has a password; nobody is there to type it")


def _described(file: Path, key: Path) -> Certificate:
    try:
        certificate = x509.load_pem_x509_certificate(file.read_bytes())
    except (OSError, ValueError):
        raise CertificateError(f"{file}: no certificate in PEM") from None
    pairs = certificate.fingerprint(hashes.SHA256()).hex(":").upper()
    return Certificate(file, key, pairs, certificate.not_valid_after_utc)


def _write(file: Path, content: bytes, mode: int) -> None:
    beside = file.with_name(f".{file.name}.new")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "wb") as writer:
        writer.write(content)
        writer.flush()
        os.fsync(writer.fileno())
    os.replace(beside, file)

"""Certificates at both ends of the wire: each side shows its own, and believes the casino's authority alone."""

import base64
import binascii
import hashlib
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import NameOID

from feltd.custody.errors import CertificateWrongError

_TIME_APART: Final = ssl.VerifyFlags(0x200000)
"""X509_V_FLAG_NO_CHECK_TIME: TLS would end the connection over a table's date without a word of whose it is."""
_PEM: Final = (
    "Put a PEM file there that this process may read; `feltd floor certificate` makes one, and for a table "
    "`feltd uplink enrol`"
)


@dataclass(frozen=True, slots=True)
class Own:
    """The files of one side: its certificate, the key of it, and the casino's authority. PEM each."""

    certificate: Path
    key: Path
    authority: Path


def context_of_table(own: Own) -> ssl.SSLContext:
    """TLS for who calls the floor, which says whether the certificate has run out. Raises CertificateWrongError."""
    return _context(own, ssl.PROTOCOL_TLS_CLIENT)


def context_of_new_table(own: Own) -> ssl.SSLContext:
    """TLS for a table that has no certificate yet. Raises CertificateWrongError."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    _believe(context, own.authority)
    return context


def context_of_floor(own: Own, issuer: Path | None = None) -> ssl.SSLContext:
    """TLS for the floor: who calls must show a certificate of the authority, or of the floor's own issuer.

    Where there is an issuer, who shows none may ask for one. Whether a table's has run out is for `require_valid`.
    Raises CertificateWrongError.
    """
    context = _context(own, ssl.PROTOCOL_TLS_SERVER)
    _require_in_time(own.certificate)
    context.verify_flags |= _TIME_APART
    context.verify_mode = ssl.CERT_REQUIRED
    if issuer is not None:
        _believe(context, issuer)
        context.verify_mode = ssl.CERT_OPTIONAL
    return context


def key_and_begin(certificate: bytes) -> tuple[bytes, float]:
    """SHA-256 of the public key of a certificate (DER), and when it begins, seconds since 1970."""
    read = x509.load_der_x509_certificate(certificate)
    key = read.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(key).digest(), read.not_valid_before_utc.timestamp()


def require_valid(certificate: bytes, table: str, now: float) -> None:
    """Raises CertificateWrongError where a table's certificate (DER) is not valid at `now` (seconds since 1970)."""
    shown = x509.load_der_x509_certificate(certificate)
    begins, ends = shown.not_valid_before_utc, shown.not_valid_after_utc
    if ends.timestamp() < now:
        raise CertificateWrongError(
            f"the table's certificate ran out on {ends:%Y-%m-%d}",
            f"table {table}",
            "Enrol it anew: `feltd floor enrol-code` on the floor's server, then `feltd uplink enrol` at the table",
        )
    if now < begins.timestamp():
        raise CertificateWrongError(
            f"the table's certificate is good from {begins:%Y-%m-%d} on", f"table {table}", "See the floor's clock"
        )


def require_name(name: str) -> None:
    """Raises CertificateWrongError where `name` can be no table's."""
    if not _is_a_name(name) or "/" in name:
        raise CertificateWrongError(
            "no name for a table",
            repr(name),
            "Give one of 1 to 64 printable characters, without a slash, and no bracket at its beginning",
        )


def _is_a_name(name: str) -> bool:
    """Whether a table can have this name. What begins with a bracket is the floor's own."""
    return bool(name.strip()) and len(name) <= 64 and name.isprintable() and not name.startswith("(")


def as_der(text: str) -> bytes:
    """Base64 as bytes. Raises CertificateWrongError."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise CertificateWrongError(
            "no certificate and no request for one", "message", "Report it as a fault"
        ) from None


def name_of(certificate: bytes) -> str:
    """Whose certificate it is (DER): its common name. Raises CertificateWrongError where it has not exactly one."""
    names = x509.load_der_x509_certificate(certificate).subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    name = names[0].value if len(names) == 1 else ""
    if not isinstance(name, str) or not _is_a_name(name):
        raise CertificateWrongError(
            "the certificate does not say whose it is",
            "certificate",
            "Make the table a new one (`feltd floor certificate`): its common name is the table's",
        )
    return name


def _context(own: Own, protocol: int) -> ssl.SSLContext:
    context = ssl.SSLContext(protocol)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    for file in (own.authority, own.certificate, own.key):
        _require_readable(file)
    _believe(context, own.authority)
    show(context, own)
    return context


def show(context: ssl.SSLContext, own: Own) -> None:
    """From now on show the certificate that is in the files. Raises CertificateWrongError."""
    try:
        context.load_cert_chain(own.certificate, own.key, password=_no_password)
    except (ssl.SSLError, ValueError) as fault:
        if getattr(fault, "reason", None) == "KEY_VALUES_MISMATCH":
            what = f"not the key of the certificate in {own.certificate}"
            raise CertificateWrongError(what, str(own.key), "Put there the key that belongs to it") from None
        raise CertificateWrongError("no certificate and its key, without a password", str(own.key), _PEM) from None


def _believe(context: ssl.SSLContext, authority: Path) -> None:
    _require_readable(authority)
    try:
        context.load_verify_locations(authority)
    except ssl.SSLError:
        raise CertificateWrongError("no certificate of an authority", str(authority), _PEM) from None


def _require_readable(file: Path) -> None:
    try:
        file.read_bytes()
    except OSError as fault:
        raise CertificateWrongError(f"cannot be read: {fault.strerror}", str(file), _PEM) from None


def _require_in_time(file: Path) -> None:
    ends = x509.load_pem_x509_certificate(file.read_bytes()).not_valid_after_utc
    if ends < datetime.now(UTC):
        raise CertificateWrongError(
            f"the certificate ran out on {ends:%Y-%m-%d}", str(file), "Make a new one: `feltd floor certificate`"
        )


def _no_password() -> str:
    raise ValueError("the key has a password; nobody is there to type it")

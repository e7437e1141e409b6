"""Certificates at both ends of the wire: each side shows its own, and believes the casino's authority alone."""

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.x509.oid import NameOID

from feltd.custody.errors import CertificateWrongError

_PEM: Final = "Put a PEM file there that this process may read; `feltd floor certificate` makes one"


@dataclass(frozen=True, slots=True)
class Own:
    """The files of one side: its certificate, the key of it, and the casino's authority. PEM each."""

    certificate: Path
    key: Path
    authority: Path


def context_of_table(own: Own) -> ssl.SSLContext:
    """TLS for who calls the floor. Raises CertificateWrongError."""
    return _context(own, ssl.PROTOCOL_TLS_CLIENT)


def context_of_floor(own: Own) -> ssl.SSLContext:
    """TLS for the floor: who calls must show a certificate of the authority. Raises CertificateWrongError."""
    context = _context(own, ssl.PROTOCOL_TLS_SERVER)
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def name_of(certificate: bytes) -> str:
    """Whose certificate it is (DER): its common name. Raises CertificateWrongError where it has not exactly one."""
    names = x509.load_der_x509_certificate(certificate).subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    name = names[0].value if len(names) == 1 else ""
    if not isinstance(name, str) or not name.strip() or len(name) > 64 or not name.isprintable():
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
        try:
            file.read_bytes()
        except OSError as fault:
            raise CertificateWrongError(f"cannot be read: {fault.strerror}", str(file), _PEM) from None
    try:
        context.load_verify_locations(own.authority)
    except ssl.SSLError:
        raise CertificateWrongError("no certificate of an authority", str(own.authority), _PEM) from None
    try:
        context.load_cert_chain(own.certificate, own.key, password=_no_password)
    except (ssl.SSLError, ValueError) as fault:
        if getattr(fault, "reason", None) == "KEY_VALUES_MISMATCH":
            what = f"not the key of the certificate in {own.certificate}"
            raise CertificateWrongError(what, str(own.key), "Put there the key that belongs to it") from None
        raise CertificateWrongError("no certificate and its key, without a password", str(own.key), _PEM) from None
    _require_in_time(own.certificate)
    return context


def _require_in_time(file: Path) -> None:
    ends = x509.load_pem_x509_certificate(file.read_bytes()).not_valid_after_utc
    if ends < datetime.now(UTC):
        raise CertificateWrongError(
            f"the certificate ran out on {ends:%Y-%m-%d}", str(file), "Make a new one: `feltd floor certificate`"
        )


def _no_password() -> str:
    raise ValueError("the key has a password; nobody is there to type it")

"""The floor's own issuer: it signs tables' certificates, and floord believes it for tables alone.

It is apart from the casino's authority, which tables believe: who steals the floor's server can let tables in at that
server, and make no server that a table believes.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from feltd.custody.errors import CertificateWrongError

ISSUER: Final = "tables"
LASTS: Final = timedelta(days=30)
"""A table renews when a third of it is left."""
_BEFORE: Final = timedelta(days=1)
"""A board without a battery may not know the day yet when it first starts."""


def begin_of(ends: float, *, made: bool = False) -> float:
    """When a certificate of an issuer that ends then begins; `made`: when it was made. Seconds since 1970."""
    begin = ends - (LASTS + _BEFORE).total_seconds()
    return begin + _BEFORE.total_seconds() if made else begin


class Issuer:
    """Signs tables' certificates."""

    def __init__(self, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> None:
        self._certificate = certificate
        self._key = key

    @classmethod
    def load(cls, certificate: Path, key: Path) -> "Issuer":
        """Read the issuer's files, PEM. Raises CertificateWrongError."""
        remedy = "`feltd floor issuer` makes both; bring their copy back"
        try:
            read, private = certificate.read_bytes(), key.read_bytes()
        except OSError as fault:
            raise CertificateWrongError(f"cannot be read: {fault.strerror}", str(fault.filename), remedy) from None
        try:
            own, signer = x509.load_pem_x509_certificate(read), serialization.load_pem_private_key(private, None)
        except (ValueError, TypeError):
            raise CertificateWrongError("no issuer's certificate and key", str(key), remedy) from None
        if not isinstance(signer, ec.EllipticCurvePrivateKey) or own.public_key() != signer.public_key():
            raise CertificateWrongError(f"not the key of {certificate}", str(key), remedy)
        return cls(own, signer)

    def sign(self, table: str, public: ec.EllipticCurvePublicKey, now: float) -> x509.Certificate:
        """A certificate of `table` for this key, from `now` on (seconds since 1970)."""
        begins = datetime.fromtimestamp(now, UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, table)]))
            .issuer_name(self._certificate.subject)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(begins - _BEFORE)
            .not_valid_after(begins + LASTS)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )

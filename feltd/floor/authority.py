"""The casino's own authority, in a folder: it signs a certificate for the floor, and one for each table.

Keys are made here and carried to their machines. Who has the folder's `authority.key` can be every table.
"""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from feltd.custody.errors import CertificateWrongError
from feltd.floor.issuing import ISSUER
from feltd.text.atomic_file import write_new

AUTHORITY: Final = "authority"
AUTHORITY_FOR: Final = timedelta(days=3650)
_BEFORE: Final = timedelta(days=1)
"""A board without a battery may not know the day yet when it first starts."""


def make_authority(folder: Path, file: str = AUTHORITY) -> Path:
    """Make the authority of a casino in `folder`; return its certificate. Raises CertificateWrongError.

    `file`: what its files are called: of a floor's own issuer `ISSUER`.
    """
    private = ec.generate_private_key(ec.SECP256R1())
    name = _name("feltd floor" if file == AUTHORITY else f"feltd floor, {file}")
    unsigned = _builder(name, name, private.public_key(), AUTHORITY_FOR).add_extension(
        x509.BasicConstraints(ca=True, path_length=0), critical=True
    )
    usage = x509.KeyUsage(
        digital_signature=False, content_commitment=False, key_encipherment=False, data_encipherment=False,
        key_agreement=False, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False,
    )  # fmt: skip
    signed = unsigned.add_extension(usage, critical=True).add_extension(
        x509.SubjectKeyIdentifier.from_public_key(private.public_key()), critical=False
    )
    return _written(folder, file, private, signed.sign(private, hashes.SHA256()))


def make_certificate(
    folder: Path, name: str, *, days: int, hosts: tuple[str, ...] = (), calls_too: bool = False
) -> Path:
    """Make a certificate and its key in `folder`, signed by the authority there; return the certificate.

    `name`: the table's, or the server's. `hosts`: names and addresses of a floor's server; none for a table.
    `calls_too`: a server's that also calls others as a client. Raises CertificateWrongError.
    """
    if not name.strip() or len(name) > 64 or not name.isprintable() or "/" in name or name in (AUTHORITY, ISSUER):
        raise CertificateWrongError(
            "no name for a certificate", repr(name), "Give one of 1 to 64 printable characters, without a slash"
        )
    file, key = folder / f"{AUTHORITY}.pem", folder / f"{AUTHORITY}.key"
    try:
        signer = serialization.load_pem_private_key(key.read_bytes(), None)
        issuer = x509.load_pem_x509_certificate(file.read_bytes())
    except OSError as fault:
        raise CertificateWrongError(
            f"cannot be read: {fault.strerror}", str(fault.filename), "Make one first: `feltd floor authority`"
        ) from None
    except ValueError:
        raise CertificateWrongError("no authority's certificate and key", str(folder), "Bring its copy back") from None
    if not isinstance(signer, ec.EllipticCurvePrivateKey):
        raise CertificateWrongError("a key of another kind", str(key), "Bring the copy of the authority's key back")
    private = ec.generate_private_key(ec.SECP256R1())
    usage = [ExtendedKeyUsageOID.SERVER_AUTH] if hosts else []
    if calls_too or not hosts:
        usage.append(ExtendedKeyUsageOID.CLIENT_AUTH)
    unsigned = (
        _builder(_name(name), issuer.subject, private.public_key(), timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage(usage), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    if hosts:
        unsigned = unsigned.add_extension(
            x509.SubjectAlternativeName([_alternative(host) for host in hosts]), critical=False
        )
    return _written(folder, name, private, unsigned.sign(signer, hashes.SHA256()))


def _builder(
    subject: x509.Name, issuer: x509.Name, public: ec.EllipticCurvePublicKey, valid: timedelta
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _BEFORE)
        .not_valid_after(now + valid)
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _alternative(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _written(folder: Path, name: str, private: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> Path:
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = folder / f"{name}.pem"
    try:
        write_new(folder / f"{name}.key", pem)
        write_new(file, certificate.public_bytes(serialization.Encoding.PEM), 0o644)
    except OSError as fault:
        raise CertificateWrongError(
            f"cannot be written: {fault.strerror}",
            str(fault.filename),
            "Nothing is written over: move the old file away, or choose another folder",
        ) from None
    return file

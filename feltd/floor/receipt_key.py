"""The file with the floor's key for receipts: made once, kept on the floor's server, its public half at each table."""

from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from feltd.custody.errors import CertificateWrongError
from feltd.record.receipts import ReceiptKey
from feltd.text.atomic_file import write_new


def make_receipt_key(file: Path) -> ReceiptKey:
    """Make a key in a file that is not there yet. Raises CertificateWrongError."""
    private = Ed25519PrivateKey.generate()
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    try:
        write_new(file, pem)
    except OSError as fault:
        raise CertificateWrongError(
            f"cannot be written: {fault.strerror}", str(file), "Nothing is written over: choose another file"
        ) from None
    return ReceiptKey(private)


def load_receipt_key(file: Path) -> ReceiptKey:
    """Read the key. Raises CertificateWrongError."""
    try:
        private = serialization.load_pem_private_key(file.read_bytes(), None)
    except OSError as fault:
        raise CertificateWrongError(
            f"cannot be read: {fault.strerror}", str(file), "Make one: `feltd floor receipt-key FILE`"
        ) from None
    except (ValueError, TypeError):
        private = None
    if not isinstance(private, Ed25519PrivateKey):
        raise CertificateWrongError("no key for receipts", str(file), "Make one: `feltd floor receipt-key FILE`")
    return ReceiptKey(private)

"""The floor's own key: it signs what goes to tables, beside TLS. A table that knows the key obeys nothing else."""

from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from feltd.custody.errors import CertificateWrongError
from feltd.door.floor_signing import command_text
from feltd.text.atomic_file import write_new

SIGNING_KEY: Final = "signing.key"


class FloorKey:
    """Signs for one floor. It shows its public half alone."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        raw = serialization.Encoding.Raw, serialization.PublicFormat.Raw
        self.public: Final = key.public_key().public_bytes(*raw)

    @classmethod
    def load(cls, file: Path) -> "FloorKey":
        """Raises CertificateWrongError."""
        key: object = None
        try:
            key = serialization.load_pem_private_key(file.read_bytes(), None)
        except OSError as fault:
            raise CertificateWrongError(
                f"cannot be read: {fault.strerror}", str(file), "Make one: `feltd floor signing-key`"
            ) from None
        except (ValueError, TypeError):
            pass  # said below
        if not isinstance(key, Ed25519PrivateKey):
            raise CertificateWrongError("no key that signs commands", str(file), "Make one: `feltd floor signing-key`")
        return cls(key)

    def command(self, number: str, journal: bytes, made: int, until: float, order: str) -> str:
        """The signature of a command, hexadecimal. See `command_text`."""
        return self._key.sign(command_text(number, journal, made, until, order)).hex()


def make_signing_key(folder: Path) -> tuple[Path, FloorKey]:
    """Make the floor's key in `folder`; return its file, and the key. Raises CertificateWrongError."""
    key, file = Ed25519PrivateKey.generate(), folder / SIGNING_KEY
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    try:
        write_new(file, pem)
    except FileExistsError:
        raise CertificateWrongError(
            "is there already", str(file), "Nothing is written over: give another folder"
        ) from None
    except OSError as fault:
        raise CertificateWrongError(
            f"cannot be written: {fault.strerror}", str(file), "Run this as who may write there"
        ) from None
    return file, FloorKey(key)

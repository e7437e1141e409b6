"""The signature of a manifest: Ed25519 (RFC 8032), made when the package is built, by a key that is in no repository.

    signature = Ed25519(private key, "feltd manifest 1" 0x00 digest)       digest: SHA-256 of the manifest, 32 bytes

It is one line of text beside the manifest, its key in it:

    feltd-manifest-signature 1 PUBLIC_KEY SIGNATURE                        32 and 64 bytes as hexadecimal digits

So it says by which key the package was signed, not whose key that is: compare it with the one that the maker gave you.
The private key is a PEM file without a passphrase: `openssl genpkey -algorithm ed25519 -out signing.key`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from feltd.installed.manifest import ManifestError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_LINE: Final = "feltd-manifest-signature"
_VERSION: Final = "1"
_CONTEXT: Final = b"feltd manifest 1\0"
_KEY_BYTES: Final = 32
_SIGNATURE_BYTES: Final = 64
_LONGEST: Final = 4096


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature and the public key that it is of; whether it is good `signs` says."""

    key: bytes
    value: bytes

    def __str__(self) -> str:
        return f"{_LINE} {_VERSION} {self.key.hex()} {self.value.hex()}"

    @classmethod
    def parse(cls, line: str) -> "Signature":
        """Read the line. Raises ManifestError."""
        parts = line.split()
        try:
            if parts[:2] != [_LINE, _VERSION] or len(parts) != 4:
                raise ValueError
            made = cls(bytes.fromhex(parts[2]), bytes.fromhex(parts[3]))
        except ValueError:
            raise ManifestError("the signature of the manifest is no line that can be read") from None
        if (len(made.key), len(made.value)) != (_KEY_BYTES, _SIGNATURE_BYTES):
            raise ManifestError("the signature of the manifest has not the length of one")
        return made

    def signs(self, digest: bytes) -> bool:
        """Whether its key made it over this digest of a manifest (32 bytes)."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(self.key).verify(self.value, _CONTEXT + digest)
        except (InvalidSignature, ValueError):
            return False
        return True


def sign(digest: bytes, key: "Ed25519PrivateKey") -> Signature:
    """Sign the digest of a manifest."""
    return Signature(key.public_key().public_bytes_raw(), key.sign(_CONTEXT + digest))


def read_signing_key(file: Path) -> "Ed25519PrivateKey":
    """Read the private key of a PEM file. Raises ManifestError, which quotes nothing of it."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        with file.open("rb") as content:
            key = load_pem_private_key(content.read(_LONGEST), password=None)
    except OSError as fault:
        raise ManifestError(f"{file}: cannot be read: {fault.strerror}") from None
    except TypeError:
        raise ManifestError(
            f"{file}: has a passphrase; give it opened: --signing-key <(openssl pkey -in {file})"
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise ManifestError(f"{file}: is no Ed25519 key; make one: openssl genpkey -algorithm ed25519 -out signing.key")
    return key


def read_public_key(words: str) -> bytes:
    """Read a public key as a maker gives it: 64 hexadecimal digits, or a file that has them. Raises ManifestError."""
    text = words
    if len(words) != 2 * _KEY_BYTES:
        try:
            with Path(words).open(encoding="ascii") as file:
                text = file.read(_LONGEST).strip()
        except OSError as fault:
            raise ManifestError(f"{words}: cannot be read: {fault.strerror}") from None
        except UnicodeDecodeError:
            text = ""
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:
        raise ManifestError(f"{words}: is no public key: it must be 64 hexadecimal digits, or a file with them alone")
    return key

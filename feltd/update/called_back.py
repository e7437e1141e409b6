"""Versions that their maker has called back: a list, signed by the key of the updates, which boards keep.

    feltd called back 3
    0.9.1 a marker is read twice
    0.9.2
    signature HEX

The first line has the list's number: a board keeps the list with the highest one that it has seen, so an old list
brings no version back. Each line after it is a version, and why. The signature is over all lines before its own, as
`openssl dgst -sha256 -sign` makes it.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509 import load_pem_x509_certificates

from feltd.text.atomic_file import replace_atomically
from feltd.update.bundles import parts_of
from feltd.update.errors import UpdateError

ENDING: Final = ".called-back"
"""Of the list's address, behind that of the updates."""
MOST_BYTES: Final = 1 << 16
LONGEST_REASON: Final = 200
_FIRST: Final = "feltd called back "
_SIGNATURE: Final = "signature "


@dataclass(frozen=True, slots=True)
class CalledBack:
    """`versions`: each with the reason, which may be empty."""

    number: int
    versions: Mapping[str, str]

    def text(self) -> str:
        """What is signed: all lines but the signature's own."""
        lines = [f"{_FIRST}{self.number}", *(f"{version} {why}".strip() for version, why in self.versions.items())]
        return "".join(f"{line}\n" for line in lines)

    def require_kept(self, version: str) -> None:
        """Raise UpdateError where this version is called back."""
        why = self.versions.get(version)
        if why is not None:
            reason = f": {why}" if why else ""
            raise UpdateError(f"its maker has called {version} back{reason}. Wait for another version")


NONE: Final = CalledBack(0, {})


def parse(content: bytes, certificates: bytes) -> CalledBack:
    """Read a list that one of these certificates' keys has signed. Raises UpdateError."""
    signed, sign, last = content.rpartition(_SIGNATURE.encode("ascii"))
    try:
        signature = bytes.fromhex(last.decode("ascii").strip())
        keys = [certificate.public_key() for certificate in load_pem_x509_certificates(certificates)]
    except ValueError:
        signature, keys = b"", []
    if not sign or not any(_is_by(key, signature, signed) for key in keys):
        raise UpdateError(
            "the list of versions called back is not signed by a key that this board believes (update.pem). "
            "Make it anew: feltd update call-back"
        )
    first, *lines = signed.decode("utf-8", "replace").splitlines() or [""]
    number = first.removeprefix(_FIRST)
    if number == first or not number.isdecimal():
        raise UpdateError(f'the list of versions called back begins with "{first[:40]}". Make it anew')
    return CalledBack(int(number), entries(lines))


def entries(lines: Iterable[str]) -> dict[str, str]:
    """Versions of lines "0.9.1 why", with the reasons. Raises UpdateError for what is no version."""
    parted = [line.partition(" ") for line in lines]
    for version, _, _ in parted:
        parts_of(version)
    return {version: " ".join(why.split())[:LONGEST_REASON] for version, _, why in parted}


def made(called_back: CalledBack, certificate: Path, key: Path) -> bytes:
    """The list, signed by a key in a file, as boards with this certificate take it. Raises UpdateError."""
    signed = called_back.text().encode()
    try:
        private = load_pem_private_key(key.read_bytes(), None)
        certificates = certificate.read_bytes()
    except OSError as fault:
        raise UpdateError(f"{fault.filename}: {fault.strerror}. docs/image.md says how both are made") from fault
    except (TypeError, ValueError) as fault:
        raise UpdateError(f"{key}: no key without a password. docs/image.md says how it is made") from fault
    match private:
        case ec.EllipticCurvePrivateKey():
            signature = private.sign(signed, ec.ECDSA(SHA256()))
        case rsa.RSAPrivateKey():
            signature = private.sign(signed, padding.PKCS1v15(), SHA256())
        case _:
            raise UpdateError(f"{key}: a key of another kind than EC or RSA. docs/image.md says how it is made")
    content = signed + f"{_SIGNATURE}{signature.hex()}\n".encode()
    parse(content, certificates)
    return content


def kept(file: Path, certificates: Path) -> CalledBack:
    """The list that this board keeps; none where it keeps none that is by a key it believes now."""
    try:
        return parse(file.read_bytes(), certificates.read_bytes())
    except (OSError, UpdateError):
        return NONE


def keep(content: bytes, file: Path, certificates: Path) -> CalledBack:
    """Keep a list that came from outside where it is newer than the one that is kept; the one that counts.

    Raises UpdateError where it is not signed, or is an older one.
    """
    try:
        new, old = parse(content, certificates.read_bytes()), kept(file, certificates)
    except OSError as fault:
        raise UpdateError(f"{fault.filename}: {fault.strerror}. It says whose lists this board believes") from fault
    if new.number < old.number:
        raise UpdateError(
            f"the list of versions called back has the number {new.number}, and this board has seen {old.number}. "
            "Put the newest one on the server"
        )
    if new.number > old.number:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_atomically(file, content, os.stat(file.parent))
    return new


def _is_by(key: CertificatePublicKeyTypes, signature: bytes, signed: bytes) -> bool:
    try:
        match key:
            case ec.EllipticCurvePublicKey():
                key.verify(signature, signed, ec.ECDSA(SHA256()))
            case rsa.RSAPublicKey():
                key.verify(signature, signed, padding.PKCS1v15(), SHA256())
            case _:
                return False
    except InvalidSignature:
        return False
    return True

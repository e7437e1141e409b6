"""The floor's keys in one file that a passphrase opens: the casino's authority, the issuer's, the server's, receipts'.

"feltd sealed files 1\\n" salt (16 bytes) nonce (12) ciphertext and tag: ChaCha20-Poly1305 under
scrypt(passphrase, salt, N 2^16, r 8, p 1), the first line and the salt as associated data;
inside is JSON: the files' names with their content in base64
"""

import base64
import json
import os
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from feltd.custody.errors import CustodyError
from feltd.text.atomic_file import write_new

PASSPHRASE_LEAST: Final = 12
_FIRST: Final = b"feltd sealed files 1\n"
_SALT: Final = 16
_NONCE: Final = 12
_SUFFIXES: Final = (".pem", ".key")
_LARGEST: Final = 64 * 1024


def seal(folder: Path, into: Path, passphrase: str) -> list[str]:
    """Seal a folder's certificates and keys into a file that is not there yet; return their names.

    Raises CustodyError.
    """
    if len(passphrase) < PASSPHRASE_LEAST:
        raise CustodyError("is too short", "passphrase", f"Choose one of {PASSPHRASE_LEAST} characters at least")
    try:
        files = sorted(file for file in folder.iterdir() if file.suffix in _SUFFIXES and file.is_file())
        content = {file.name: base64.b64encode(file.read_bytes()[: _LARGEST + 1]).decode() for file in files}
    except OSError as fault:
        raise CustodyError(f"cannot be read: {fault.strerror}", str(fault.filename), "Run it as its owner") from None
    if not content:
        raise CustodyError("has no certificate and no key", str(folder), "Name the authority's folder, or floor.toml's")
    salt, nonce = os.urandom(_SALT), os.urandom(_NONCE)
    box = ChaCha20Poly1305(_key(passphrase, salt)).encrypt(nonce, json.dumps(content).encode(), _FIRST + salt)
    _new(into, _FIRST + salt + nonce + box)
    return [file.name for file in files]


def unseal(file: Path, into: Path, passphrase: str) -> list[str]:
    """Write what is sealed in a file into a folder, over nothing; return the names. Raises CustodyError."""
    try:
        sealed = file.read_bytes()
    except OSError as fault:
        raise CustodyError(f"cannot be read: {fault.strerror}", str(file), "Name the file that was sealed") from None
    if not sealed.startswith(_FIRST) or len(sealed) < len(_FIRST) + _SALT + _NONCE:
        raise CustodyError("no sealed files", str(file), "Name the file that `feltd floor seal` wrote")
    rest = sealed[len(_FIRST) :]
    salt, nonce, box = rest[:_SALT], rest[_SALT : _SALT + _NONCE], rest[_SALT + _NONCE :]
    try:
        content = json.loads(ChaCha20Poly1305(_key(passphrase, salt)).decrypt(nonce, box, _FIRST + salt))
    except InvalidTag:
        raise CustodyError("does not open", str(file), "The passphrase is another, or the file was changed") from None
    present = [name for name in content if (into / name).exists()]
    if present:
        raise CustodyError(
            f"has {', '.join(sorted(present))} already", str(into), "Nothing is written over: name an empty folder"
        )
    for name, text in content.items():
        _new(into / Path(name).name, base64.b64decode(text))
    return sorted(content)


def _key(passphrase: str, salt: bytes) -> bytes:
    return Scrypt(salt=salt, length=32, n=2**16, r=8, p=1).derive(passphrase.encode())


def _new(file: Path, content: bytes) -> None:
    try:
        write_new(file, content)
    except OSError as fault:
        raise CustodyError(
            f"cannot be written: {fault.strerror}", str(file), "Nothing is written over: choose another place"
        ) from None

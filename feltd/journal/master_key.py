"""Where the master key comes from: a credential that systemd passes (`LoadCredential=`), or a file.

The file holds 32 bytes, or their 64 hexadecimal digits with or without a line end. `openssl rand 32` makes one, and so
does `create_master_key`.
"""

import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from feltd.errors import JournalKeyInvalid, JournalKeyMissing
from feltd.journal.sealing import KEY_BYTES

CREDENTIAL: Final = "journal-key"
"""The name of the credential in the unit: `LoadCredential=journal-key:/etc/feltd/journal.key`."""


def credential_path(environ: Mapping[str, str], name: str = CREDENTIAL) -> Path | None:
    """Where systemd has put the credential for this run, or None if it passes none."""
    directory = environ.get("CREDENTIALS_DIRECTORY")
    if not directory:
        return None
    path = Path(directory, name)
    return path if path.exists() else None


def load_master_key(path: Path) -> bytes:
    """The 32 bytes of the master key. Raises JournalKeyMissing, JournalKeyInvalid; no message ever quotes the content."""
    try:
        mode = path.stat().st_mode
        data = path.read_bytes() if stat.S_ISREG(mode) else b""
    except OSError as error:
        raise JournalKeyMissing(
            f"the journal's master key cannot be read ({error.strerror})", path,
            "Make one with `openssl rand 32`, readable by the service user only, and name it in the configuration",
        ) from None  # fmt: skip
    if mode & 0o007:
        raise JournalKeyInvalid(
            "everybody may read the journal's master key",
            path,
            f"Say `chmod 0400 {path}`, and make a new key if it got out",
        )
    if len(data) == KEY_BYTES:
        return data
    try:
        key = bytes.fromhex(data.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise JournalKeyInvalid(
            f"not a master key ({len(data)} bytes)", path,
            f"It must be a file of {KEY_BYTES} bytes, or of {2 * KEY_BYTES} hexadecimal digits; "
            "make one with `openssl rand 32`",
        )  # fmt: skip
    return key


def create_master_key(path: Path) -> bytes:
    """Makes a new key file that only its owner can read, and returns the key. Raises FileExistsError, OSError."""
    key = secrets.token_bytes(KEY_BYTES)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o400)
    with os.fdopen(descriptor, "wb") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())
    return key

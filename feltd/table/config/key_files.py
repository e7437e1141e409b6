"""Secret keys in files: one key of 32 bytes each, as raw bytes or as 64 hexadecimal digits.

A configuration names a key either by a path or as `credential:NAME`: then the service manager hands it over in the
folder that the environment variable CREDENTIALS_DIRECTORY names. A key's content never reaches a message.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from feltd.text.errors import FeltdError

KEY_BYTES: Final = 32
CREDENTIAL: Final = "credential:"


class KeyFileError(FeltdError):
    """A key file that is missing, unreadable, or holds no key."""


@dataclass(frozen=True, slots=True)
class KeyFile:
    """The place of a key: a file, or a credential of the service manager; exactly one is set."""

    path: Path | None = None
    credential: str | None = None

    @classmethod
    def parse(cls, text: str, folder: Path) -> "KeyFile":
        """`credential:NAME`, or a path; relative paths count from `folder`. Raises ValueError."""
        if not text.startswith(CREDENTIAL):
            if not text:
                raise ValueError("must be the path of a file, or credential:NAME")
            return cls(path=folder / Path(text).expanduser())
        name = text.removeprefix(CREDENTIAL)
        if not name or "/" in name or name in (".", ".."):
            raise ValueError(f"{text!r} names no credential: write credential:NAME, a name without slashes")
        return cls(credential=name)

    def locate(self, environment: Mapping[str, str] = os.environ) -> Path:
        """Return the file that holds the key.

        Raises KeyFileError where credentials have not been handed over.
        """
        if self.path is not None:
            return self.path
        folder = environment.get("CREDENTIALS_DIRECTORY")
        if not folder:
            raise KeyFileError(
                f"{self}: no credentials have been handed over (CREDENTIALS_DIRECTORY is not set); "
                "start feltd by its service unit, or name a file"
            )
        return Path(folder) / str(self.credential)

    def read(self, environment: Mapping[str, str] = os.environ, *, size: int = KEY_BYTES) -> bytes:
        """Return the key's `size` bytes.

        Raises KeyFileError, which names the file and the remedy, never the content.
        """
        return read_key(self.locate(environment), size)

    def __str__(self) -> str:
        return f"{CREDENTIAL}{self.credential}" if self.path is None else str(self.path)


def read_key(file: Path, size: int = KEY_BYTES) -> bytes:
    """The `size` bytes of a key file. Raises KeyFileError: missing, unreadable, wrong length."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        raise KeyFileError(f"{file}: no such key file; {_made_by(file, size)}") from None
    except PermissionError as fault:
        text = f"{file}: cannot be read: {fault.strerror}; let it and its folder belong to the user who runs feltd"
        raise KeyFileError(f"{text} (where feltd is installed, devices' keys are in /var/lib/feltd/keys)") from None
    except OSError as fault:
        raise KeyFileError(f"{file}: cannot be read: {fault.strerror}") from None
    if len(content) == size:
        return content
    digits = content.strip()
    if len(digits) == 2 * size:
        try:
            return bytes.fromhex(digits.decode("ascii"))
        except ValueError:
            raise KeyFileError(f"{file}: {2 * size} characters, but not all hexadecimal digits") from None
    raise KeyFileError(
        f"{file}: wrong length: {len(content)} bytes; a key is {size} bytes, or {2 * size} hexadecimal digits"
    )


def _made_by(file: Path, size: int) -> str:
    by_hand = f"openssl rand -hex {size} > {file}"
    if size != KEY_BYTES:
        return f"make one with: {by_hand}"
    return f"feltd device key NAME makes that of a device; any other: {by_hand}"

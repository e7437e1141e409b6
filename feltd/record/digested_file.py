"""Small JSON files that people carry, each with a SHA-256 of its own fields, so that a damaged one is found."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from feltd.text.atomic_file import write_new
from feltd.text.errors import UnsealKeyError

_DIGEST: Final = "sha256"
_LONGEST: Final = 1024 * 1024
"""Bytes that are read: about two hundred for each key of a round in an agreement."""


def digest_of(fields: Mapping[str, Any]) -> str:
    """SHA-256 of the fields, hexadecimal."""
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def write_digested(file: Path, fields: Mapping[str, Any], *, what: str, lost: str = "") -> None:
    """Write fields with their digest to a new file of mode 0600. `what`: what is written; `lost`: what was not done.

    Raises UnsealKeyError where it is there already or cannot be written.
    """
    try:
        write_new(file, f"{json.dumps({**fields, _DIGEST: digest_of(fields)}, indent=1)}\n".encode())
    except FileExistsError:
        raise UnsealKeyError(f"{file}: is there already; name a new file for {what}") from None
    except OSError as fault:
        raise UnsealKeyError(
            f"{file}: cannot be written: {fault.strerror}; {lost}name a folder that is yours"
        ) from None


def read_digested(file: Path, remedy: str) -> tuple[dict[str, Any], str]:
    """The fields of such a file, and the digest that it names. Raises UnsealKeyError where it cannot be read.

    Raises ValueError, KeyError, TypeError, AttributeError where it is none: the caller says what it should be.
    """
    try:
        with file.open("rb") as content:
            fields: dict[str, Any] = json.loads(content.read(_LONGEST))
    except OSError as fault:
        raise UnsealKeyError(f"{file}: cannot be read: {fault.strerror}; {remedy}") from None
    return fields, fields.pop(_DIGEST)

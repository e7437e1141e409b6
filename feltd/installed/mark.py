"""What a process says of the package that it was started from: the manifest's digest, and by which key it is signed.

This is what each start, each export and the page tell. It takes one file to be read, because a table starts at once:
whether the other files are what the manifest says is asked by `feltd identify` (`compare`).
"""

import hashlib
import sys
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

from feltd.installed.manifest import PLACE, SIGNATURE_PLACE, ManifestError
from feltd.installed.signing import Signature

_LONGEST_SIGNATURE: Final = 4096
_PART: Final = 16 * 1024


class SignatureState(StrEnum):
    """What is known of the manifest's signature."""

    SIGNED = "signed"
    """By the key that is told beside it."""
    UNSIGNED = "unsigned"
    FALSE = "false"
    """There is one, and it is not of this manifest, or cannot be read."""


@dataclass(frozen=True, slots=True)
class PackageMark:
    """A manifest in short.

    `manifest`: SHA-256 of its bytes, hexadecimal. `key`: the public key that signed it, hexadecimal; None where its
    signature is not good.
    """

    manifest: str
    signature: SignatureState
    key: str | None

    def to_dict(self) -> dict[str, Any]:
        """The mark as record and exports have it."""
        return asdict(self)


def running_package() -> PackageMark | None:
    """The mark of the package that this process was started from, as it was when this was first asked.

    None where there is no manifest (a checkout), or it cannot be read.
    """
    return _mark_at(Path(sys.prefix))


@cache
def _mark_at(prefix: Path) -> PackageMark | None:
    digest = hashlib.sha256()
    try:
        with (prefix / PLACE).open("rb", buffering=0) as file:
            while part := file.read(_PART):  # hashlib.file_digest would keep a quarter of a MiB for it
                digest.update(part)
    except OSError:
        return None
    return mark_of(digest.digest(), prefix)


def mark_of(digest: bytes, prefix: Path) -> PackageMark:
    """The mark of the manifest below `prefix` that has this digest (32 bytes)."""
    try:
        with (prefix / SIGNATURE_PLACE).open("rb") as file:
            signature = Signature.parse(file.read(_LONGEST_SIGNATURE).decode("ascii"))
    except FileNotFoundError:
        return PackageMark(digest.hex(), SignatureState.UNSIGNED, None)
    except (OSError, UnicodeDecodeError, ManifestError):
        return PackageMark(digest.hex(), SignatureState.FALSE, None)
    if not signature.signs(digest):
        return PackageMark(digest.hex(), SignatureState.FALSE, None)
    return PackageMark(digest.hex(), SignatureState.SIGNED, signature.key.hex())

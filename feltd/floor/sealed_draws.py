"""The files into which a timer seals the secrets of draws (`feltd.cli.sealed_draws`), looked at without any key."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from feltd.custody.errors import CustodyError
from feltd.floor.draws import SECRETS, root_in
from feltd.floor.streams import IDS
from feltd.text.as_owner import as_owner_of

FIRST: Final = "feltd sealed draws 1 "
SEALED: Final = ".sealed"
_LINE: Final = re.compile(rf"({IDS.pattern}) ([0-9a-f]{{160}})")
_LARGEST: Final = 16 * 1024 * 1024


def unsealed_since(folder: Path, into: Path, fingerprint: str) -> float | None:
    """When the oldest of the secrets in a folder was made that no file in `into` has, seconds since 1970.

    None where all are sealed to the key of this fingerprint, and where there are none. A folder `into` that is not
    there has no file. Raises CustodyError.
    """
    roots = roots_of(folder)
    try:
        with as_owner_of(folder / SECRETS):
            sealed = files_in(into) if into.is_dir() else []
            there = {name for one in sealed for name in _sealed_in(one, fingerprint)}
            made = [(folder / f"{name}{SECRETS}").stat().st_mtime for name in roots if name not in there]
    except OSError as fault:
        raise unread(fault) from None
    return min(made, default=None)


def roots_of(folder: Path) -> dict[str, bytes]:
    """What the secrets in a folder are made from, by tournament. Raises CustodyError."""
    try:
        with as_owner_of(folder / SECRETS):
            files = sorted(file for file in folder.iterdir() if file.suffix == SECRETS)
            for file in files:
                _require_id(file)
            return {file.stem: root_in(file) for file in files}
    except OSError as fault:
        raise unread(fault) from None
    except ValueError as fault:
        raise CustodyError(
            f"has no secrets: {fault}", str(folder), "Put that file aside, or back from a copy"
        ) from None


def files_in(into: Path) -> list[Path]:
    """The files that a timer made, the oldest first. Raises OSError."""
    return sorted(one for one in into.iterdir() if one.match(f"draws-*{SEALED}"))


def with_all(sealed: Sequence[Path], roots: Mapping[str, bytes], fingerprint: str) -> list[str]:
    """The names of those that have just these secrets, for this key. Raises OSError."""
    mark = mark_of(roots, fingerprint)
    named = [one for one in sealed if one.stem.endswith(f"-{mark}")]
    return [one.name for one in named if _tournaments(boxes_in(one), fingerprint) == list(roots)]


def mark_of(roots: Mapping[str, bytes], fingerprint: str) -> str:
    """Of what a file has, in its name: boxes of the same secrets differ each time. It tells nothing of them."""
    told = "".join(f"{name} {root.hex()}\n" for name, root in roots.items())
    return hashlib.sha256(f"feltd draws sealed to {fingerprint}\n{told}".encode()).hexdigest()[:16]


def boxes_in(file: Path) -> tuple[str, list[re.Match[str]]] | None:
    """The fingerprint of the key that a file is sealed to, and of each tournament the id and the box in hexadecimal.

    None for a file that is not whole. Raises OSError.
    """
    with file.open("rb") as reader:
        first, *lines = reader.read(_LARGEST).decode("ascii", "replace").splitlines() or [""]
    found = [match for line in lines if (match := _LINE.fullmatch(line)) is not None]
    if not first.startswith(FIRST) or len(found) < len(lines):
        return None
    return first.removeprefix(FIRST), found


def unread(fault: OSError) -> CustodyError:
    """What to say of a file that cannot be read."""
    return CustodyError(f"cannot be read: {fault.strerror}", str(fault.filename), "Run it as its owner")


def _sealed_in(file: Path, fingerprint: str) -> list[str]:
    """The tournaments whose secrets a file has for this key; none of one that is not whole. Raises OSError."""
    try:
        return _tournaments(boxes_in(file), fingerprint)
    except FileNotFoundError:
        return []  # the timer has made room meanwhile


def _tournaments(boxes: tuple[str, list[re.Match[str]]] | None, fingerprint: str) -> list[str]:
    """Those whose secrets are in the boxes, where they are sealed to the key of this fingerprint."""
    return [] if boxes is None or boxes[0] != fingerprint else [one[1] for one in boxes[1]]


def _require_id(file: Path) -> None:
    """Refuse a file that is of no tournament: none of what is sealed would open."""
    if not IDS.fullmatch(file.stem):
        raise CustodyError(f"is of no tournament: {file.stem[:60]!r} is no id of one", str(file), "Put that file aside")

"""What an update says of itself, and whether this board may take it."""

import json
import re
from configparser import ConfigParser
from configparser import Error as NotWellFormed
from dataclasses import dataclass
from typing import Any, Final

from feltd.update.errors import UpdateError

_VERSION: Final = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")
_TORN: Final = "it is torn or damaged, or no update at all. Fetch or copy it again"
_UNKNOWN: Final = (
    "its signature is not by a key that this board believes. Ask who sent it; the board believes update.pem"
)
_TOLD: Final = (
    ("no such file", "it is not there"),
    ("failed to load ca file", "this board has no certificate of the maker of its updates (/etc/feltd/update.pem)"),
    ("signature verification failed", _UNKNOWN),
    ("invalid bundle format", _TORN),
    ("input/output error", _TORN),
    ("compatible mismatch", "it is for another board. Take the one for this board"),
    ("no space left", "the system in it is larger than its place on this disk. Write its image anew"),
)
"""What RAUC says, in its own words, to what a person needs to know. The first that fits."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """An update: for which kind of board, and which version of the system."""

    compatible: str
    version: str

    @classmethod
    def from_rauc(cls, said: str) -> "Bundle":
        """Read what `rauc info --output-format=json` says of a bundle whose signature is good. Raises UpdateError."""
        try:
            told: Any = json.loads(said)
        except ValueError:
            told = None
        return cls._of(told)

    @classmethod
    def from_manifest(cls, text: str) -> "Bundle":
        """Read the manifest within a bundle that RAUC has checked. Raises UpdateError."""
        parser = ConfigParser(interpolation=None)
        try:
            parser.read_string(text)
        except NotWellFormed:
            return cls._of(None)
        return cls._of(dict(parser["update"]) if "update" in parser else None)

    @classmethod
    def _of(cls, told: Any) -> "Bundle":
        values = [told.get(name) for name in ("compatible", "version")] if isinstance(told, dict) else []
        match values:
            case [str() as compatible, str() as version]:
                return cls(compatible, version)
        raise UpdateError("it does not say for which board it is and which version it has. Have it made anew")


def parts_of(version: str) -> tuple[int, ...]:
    """The numbers of a version. Raises UpdateError for another form than 0.8.0."""
    found = _VERSION.fullmatch(version)
    if found is None:
        raise UpdateError(f'"{version[:40]}" is no version: three numbers with points, as 0.8.0')
    return tuple(map(int, found.groups()))


def require_allowed(bundle: Bundle, board: str, running: str) -> None:
    """Raise UpdateError where a board of this kind that runs this version may not take the bundle.

    An older one is refused, though it is signed: it has the faults that were mended since, and may not be able to read
    the record.
    """
    if bundle.compatible != board:
        other = bundle.compatible[:60]
        raise UpdateError(f'it is for "{other}", and this board is "{board}". Take the one for this board')
    if parts_of(bundle.version) < parts_of(running):
        older = f"it has {bundle.version}, older than {running}, which runs"
        raise UpdateError(f"{older}. Whoever must go back writes the older image anew")


def refused_by_rauc(said: str) -> str:
    """The reason in words for what RAUC said when it refused a bundle."""
    lower = said.lower()
    for sign, words in _TOLD:
        if sign in lower:
            return words
    last = said.strip().splitlines()[-1:] or ["nothing"]
    return f"RAUC refuses it, and says: {last[0][:200]}"

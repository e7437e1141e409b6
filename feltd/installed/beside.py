"""What runs with feltd and is in no package of it: makers' adapters, and what this machine sets for its units.

Nobody has signed these files. Each is told with its digest, so that it can be compared with another board's.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from feltd.installed.compare import Difference, in_words

ADAPTERS: Final = "/usr/local/lib/feltd"
"""Where adapters are installed: no package's folder, so that no upgrade and no removal is in doubt about them."""
_UNITS: Final = tuple(f"{place}/systemd/system" for place in ("/etc", "/run", "/usr/local/lib"))
"""Where systemd looks before the package's own folder."""
_OF_FELTD: Final = ("felt-", "feltd")
_OF_ALL: Final = "service.d"


def beside(root: Path) -> list[Difference]:
    """Each such file below `root`, with its size and digest."""
    places = [ADAPTERS, *(place for folder in _UNITS for place in _units(root, folder))]
    return [Difference(path, in_words(root / path[1:])) for place in places for path in _files(root, place)]


def _units(root: Path, folder: str) -> Iterator[str]:
    """Units of feltd and what is set for them; links that only say what starts with the power are passed over."""
    for name in _names(root, folder):
        if name == _OF_ALL or (name.startswith(_OF_FELTD) and not name.endswith((".wants", ".requires"))):
            yield f"{folder}/{name}"


def _files(root: Path, path: str) -> Iterator[str]:
    place = root / path[1:]
    if place.is_dir() and not place.is_symlink():
        for name in _names(root, path):
            yield from _files(root, f"{path}/{name}")
    elif os.path.lexists(place):
        yield path


def _names(root: Path, folder: str) -> list[str]:
    try:
        return sorted(os.listdir(root / folder[1:]))
    except OSError:
        return []

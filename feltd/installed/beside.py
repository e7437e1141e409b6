"""What runs with feltd and is in no package of it: makers' adapters, and what this machine sets for its units.

Nobody has signed these files. Each is told with its digest, so that it can be compared with another board's.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from feltd.installed.compare import Difference, in_words
from feltd.installed.manifest import Manifest

ADAPTERS: Final = "/usr/local/lib/feltd"
"""Where adapters are installed: no package's folder, so that no upgrade and no removal is in doubt about them."""
_PACKAGES: Final = "/usr/lib/systemd/system"
"""Where packages have their units, feltd's too. Anybody's drop-in for a unit of feltd counts there as well."""
_UNITS: Final = (
    "/etc/systemd/system",
    "/etc/systemd/system.attached",
    "/etc/systemd/system.control",
    "/run/systemd/generator",
    "/run/systemd/generator.early",
    "/run/systemd/generator.late",
    "/run/systemd/system",
    "/run/systemd/system.attached",
    "/run/systemd/system.control",
    "/run/systemd/transient",
    "/usr/local/lib/systemd/system",
)
"""Where systemd looks beside the folder of packages (systemd.unit(5))."""
_GENERATORS: Final = tuple(f"{place}/systemd/system-generators" for place in ("/etc", "/run", "/usr/local/lib"))
"""Programs that write units at each start of the machine, for whichever unit they like (systemd.generator(7)). Those of
packages, in /usr/lib, are Debian's to vouch for."""
_OF_FELTD: Final = ("felt-", "feltd")
_OF_ALL: Final = ("service.d", "timer.d")


def beside(root: Path, manifest: Manifest | None = None) -> list[Difference]:
    """Each such file below `root`, with its size and digest. Of packages' units those that `manifest` does not have."""
    places = [ADAPTERS, *_GENERATORS, *(place for folder in _UNITS for place in _units(root, folder))]
    found = [path for place in places for path in _files(root, place)]
    if manifest is not None:
        own = {file.path for file in manifest.files}
        inside = tuple(f"{folder}/" for folder in manifest.folders)  # there it is extra, which the comparison tells
        among = (path for place in _units(root, _PACKAGES) for path in _files(root, place))
        found += [path for path in among if path not in own and not path.startswith(inside)]
    return [Difference(path, in_words(root / path[1:])) for path in found]


def _units(root: Path, folder: str) -> Iterator[str]:
    """Units of feltd and what is set for them; links that only say what starts with the power are passed over."""
    for name in _names(root, folder):
        if name in _OF_ALL or (name.startswith(_OF_FELTD) and not name.endswith((".wants", ".requires"))):
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

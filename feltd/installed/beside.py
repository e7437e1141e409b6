"""What runs with feltd and is in no package of it: makers' adapters, and what this machine sets for its units.

Nobody has signed these files. Each is told with its digest, so that it can be compared with another board's.
"""

import hashlib
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
"""Programs that write units at each start of the machine, for whichever unit they like (systemd.generator(7))."""
_OF_PACKAGES: Final = "/usr/lib/systemd/system-generators"
"""Those of packages. dpkg says which are a package's, and by their MD5 whether they are as it brought them."""
_DPKG: Final = "/var/lib/dpkg/info"
_SHORT: Final = ("/bin/", "/lib", "/sbin/")
"""Folders that are links into `/usr`; `/lib` may have more letters (`/lib64/`)."""
_LINKS: Final = 40
"""As many links as Linux follows."""
_OF_FELTD: Final = ("felt-", "feltd")
_OF_ALL: Final = ("service.d", "slice.d", "timer.d")


def beside(root: Path, manifest: Manifest | None = None) -> list[Difference]:
    """Each such file below `root`, with its size and digest. Of packages' units those that `manifest` does not have."""
    places = [ADAPTERS, *_GENERATORS, *(place for folder in _UNITS for place in _units(root, folder))]
    found = [path for place in places for path in _files(root, place)]
    found += _strange_generators(root)
    if manifest is not None:
        own = {file.path for file in manifest.files}
        inside = tuple(f"{folder}/" for folder in manifest.folders)  # there it is extra, which the comparison tells
        among = (path for place in _units(root, _PACKAGES) for path in _files(root, place))
        found += [path for path in among if path not in own and not path.startswith(inside)]
    return [Difference(path, in_words(root / path[1:])) for path in found]


def _strange_generators(root: Path) -> Iterator[str]:
    """Those among the packages' that are no package's by dpkg's word, or not as it brought them. Root may write it.

    Of a link dpkg has the name alone: what it leads to must be a package's, as that package brought it.
    """
    ends = {path: _end_of(root, path) for path in _files(root, _OF_PACKAGES)}
    listed, sums = _of_packages(root, frozenset(ends.values())) if ends else (set(), {})
    for path, end in ends.items():
        brought = end in sums and (path == end or path in listed)
        if not brought or sums[end] != _md5(root / end[1:]):  # what no package brought is not read: it may be a device
            yield path


def _of_packages(root: Path, wanted: frozenset[str]) -> tuple[set[str], dict[str, str]]:
    """The generators that a package lists, and of what is wanted the MD5 with which a package brought it, by path."""
    listed: set[str] = set()
    sums: dict[str, str] = {}
    for name in _names(root, _DPKG):
        file = f"{_DPKG}/{name}"
        if name.endswith(".list"):
            listed.update(path for path in map(_long, _lines(root, file)) if path.startswith(f"{_OF_PACKAGES}/"))
        elif name.endswith(".md5sums"):
            told = (line.split(None, 1) for line in _lines(root, file))
            pairs = ((_long(f"/{pair[1]}"), pair[0]) for pair in told if len(pair) == 2)
            sums.update(pair for pair in pairs if pair[0] in wanted)
    return listed, sums


def _end_of(root: Path, path: str) -> str:
    """What a path leads to on the machine below `root`; the last link of those that lead round in a circle."""
    for _ in range(_LINKS):
        try:
            target = os.readlink(root / path[1:])
        except OSError:
            return path
        path = _long(os.path.normpath(os.path.join(os.path.dirname(path), target)))
    return path


def _long(path: str) -> str:
    """The long name of a path that older packages have without `/usr`."""
    return f"/usr{path}" if path.startswith(_SHORT) else path


def _md5(place: Path) -> str | None:
    try:
        return hashlib.md5(place.read_bytes(), usedforsecurity=False).hexdigest()
    except OSError:
        return None


def _lines(root: Path, path: str) -> list[str]:
    try:
        return (root / path[1:]).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []


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

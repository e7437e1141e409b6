"""A manifest against the disk: each file that differs, is missing, or is there and does not belong there.

No link is followed, in the last place of a path or before: what is found behind one may be another thing tomorrow.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from feltd.installed.manifest import PLACE, PREFIX, SIGNATURE_PLACE, Manifest, PackageFile

_ITS_OWN: Final = frozenset({f"/{PREFIX}/{PLACE}", f"/{PREFIX}/{SIGNATURE_PLACE}"})


@dataclass(frozen=True, slots=True)
class Difference:
    """A file that is not as the package has it, and how."""

    path: str
    how: str


@dataclass(slots=True)
class Comparison:
    """What was found. `same`: files as the package has them; `changed`: configuration that a technician has changed."""

    same: int = 0
    differs: list[Difference] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    extra: list[Difference] = field(default_factory=list)
    changed: list[Difference] = field(default_factory=list)

    @property
    def as_built(self) -> bool:
        """Whether all is as it was built; changed configuration does not count."""
        return not (self.differs or self.missing or self.extra)


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file as it lies on the disk: its size and SHA-256, or what a link says."""

    size: int = 0
    sha256: str = ""
    link: str | None = None


def compare(manifest: Manifest, root: Path) -> Comparison:
    """Compare every file of a manifest with those below `root`."""
    found = Comparison()
    links: dict[str, str | None] = {}
    for file in manifest.files:
        _compare_file(file, root, links, found)
    known = {file.path for file in manifest.files} | _ITS_OWN
    for folder in manifest.folders:
        found.extra.extend(_strangers(root, folder, known))
    found.extra.sort(key=lambda one: one.path)
    return found


def found_at(place: Path) -> FoundFile:
    """What lies at a place, no link followed. Raises OSError; ValueError for what is neither file nor link."""
    told = place.lstat()
    if stat.S_ISLNK(told.st_mode):
        return FoundFile(link=os.readlink(place))
    if not stat.S_ISREG(told.st_mode):
        raise ValueError("neither a file nor a link")
    # A pipe that somebody lays there meanwhile must not hold the reader up.
    descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as content:
        told = os.fstat(descriptor)
        if not stat.S_ISREG(told.st_mode):
            raise ValueError("neither a file nor a link")
        return FoundFile(told.st_size, hashlib.file_digest(content, "sha256").hexdigest())


def _compare_file(file: PackageFile, root: Path, links: dict[str, str | None], found: Comparison) -> None:
    behind = _link_before(root, os.path.dirname(file.path), links)
    if behind is not None:
        found.differs.append(Difference(file.path, f"lies behind a link: {behind}"))
        return
    try:
        there = found_at(root / file.path[1:])
    except (FileNotFoundError, NotADirectoryError):
        found.missing.append(file.path)
        return
    except OSError as fault:
        found.differs.append(Difference(file.path, f"cannot be read: {fault.strerror}"))
        return
    except ValueError as fault:
        found.differs.append(Difference(file.path, str(fault)))
        return
    how = _difference(file, there)
    if how is None:
        found.same += 1
    elif file.configuration:
        found.changed.append(Difference(file.path, how))
    else:
        found.differs.append(Difference(file.path, how))


def _difference(file: PackageFile, there: FoundFile) -> str | None:
    if file.link != there.link:
        said = [f"a link to {link}" if link is not None else "a file" for link in (there.link, file.link)]
        return f"is {said[0]}, not {said[1]}"
    if file.size != there.size:
        return f"{there.size} bytes, not {file.size}; SHA-256 {there.sha256}"
    if file.sha256 != there.sha256:
        return f"another content; SHA-256 {there.sha256}"
    return None


def _link_before(root: Path, folder: str, links: dict[str, str | None]) -> str | None:
    """The first folder on the way that is a link; None where none is."""
    if folder in ("", "/"):
        return None
    if folder not in links:
        before = _link_before(root, os.path.dirname(folder), links)
        links[folder] = before or (folder if (root / folder[1:]).is_symlink() else None)
    return links[folder]


def _strangers(root: Path, folder: str, known: set[str]) -> Iterator[Difference]:
    """What lies in an own folder and is not the package's; empty folders are passed over."""
    place = root / folder[1:]
    if place.is_symlink():
        yield Difference(folder, f"is a link to {os.readlink(place)}")
        return
    try:
        entries = sorted(os.scandir(place), key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except OSError as fault:
        yield Difference(folder, f"cannot be read: {fault.strerror}")
        return
    for entry in entries:
        path = f"{folder}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from _strangers(root, path, known)
        elif path not in known:
            yield Difference(path, in_words(Path(entry.path)))


def in_words(place: Path) -> str:
    """What lies at a place, for a line of text."""
    try:
        there = found_at(place)
    except (OSError, ValueError) as fault:
        return f"cannot be read: {getattr(fault, 'strerror', None) or fault}"
    return f"a link to {there.link}" if there.link is not None else f"{there.size} bytes, SHA-256 {there.sha256}"

"""What `feltd identify` tells, gathered: the package and the disk, rulebooks, devices, what runs beside."""

import os
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from feltd.installed.beside import beside
from feltd.installed.compare import Comparison, Difference, compare, in_words
from feltd.installed.kept import LINKS, KeptTable, kept_tables
from feltd.installed.manifest import PLACE, PREFIX, Manifest, read_bytes
from feltd.installed.mark import PackageMark, SignatureState, mark_of
from feltd.text.errors import FeltdError

if TYPE_CHECKING:
    from feltd.record.said_by_devices import SaidByDevice

NO_MANIFEST: Final = (
    "there is no manifest: feltd was not installed from its package, and nothing says what belongs to it"
)


@dataclass(frozen=True, slots=True)
class Book:
    """A rulebook that can be played. `own`: it is no part of the package."""

    id: str
    title: str
    digest: str
    own: bool


@dataclass(slots=True)
class Identified:
    """All that was found. `problems`: in words, what keeps it from being as the maker built it, or from being told."""

    mark: PackageMark | None = None
    manifest: Manifest | None = None
    comparison: Comparison | None = None
    beside: list[Difference] = field(default_factory=list)
    configuration: Difference | None = None
    books: list[Book] = field(default_factory=list)
    devices: "list[SaidByDevice]" = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    python: str | None = None
    kernel: str | None = None
    kept: list[KeptTable] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The same for programs."""
        package = files = None
        if self.mark is not None and self.manifest is not None:
            told = {"version": self.manifest.version, "architecture": self.manifest.architecture}
            package = told | self.mark.to_dict()
        if self.comparison is not None:
            files = _files(self.comparison)
        return {
            "package": package,
            "files": files,
            "beside": [asdict(one) for one in self.beside],
            "configuration": None if self.configuration is None else asdict(self.configuration),
            "rulebooks": [asdict(book) for book in self.books],
            "devices": [asdict(device) for device in self.devices],
            "python": self.python,
            "kernel": self.kernel,
            "plays_on": [
                {"unit": one.unit, "version": one.version, **one.mark.to_dict(), "files": _files(one.comparison)}
                for one in self.kept
            ],
            "problems": self.problems,
        }


def _files(comparison: Comparison) -> dict[str, Any]:
    return asdict(comparison) | {"as_built": comparison.as_built}


def identify_root(root: Path, prefix: Path, signed_by: bytes | None) -> Identified:
    """Compare the package that is installed below `root`, its manifest below `prefix`, with the disk.

    `signed_by`: the only public key whose signature will do; None takes any and tells which.
    """
    found = Identified(beside=beside(root))
    place = prefix / PLACE
    if not os.path.lexists(place):
        found.problems.append(NO_MANIFEST)
        return found
    try:
        content = read_bytes(place)
        found.mark = mark_of(sha256(content).digest(), prefix)
        found.manifest = Manifest.decode(content, place)
    except FeltdError as fault:
        found.problems.append(str(fault))
        return found
    found.beside = beside(root, found.manifest)
    found.comparison = compare(found.manifest, root)
    found.problems.extend(_faults(found.comparison))
    if found.mark.signature is SignatureState.FALSE:
        found.problems.append("the signature is not of this manifest: neither may be the maker's")
    elif signed_by is not None and found.mark.key != signed_by.hex():
        found.problems.append(f"the manifest is not signed by the key {signed_by.hex()}")
    return found


def prefix_below(root: Path) -> Path:
    """Where the package is below a root."""
    return root / PREFIX


def add_kept(found: Identified, signed_by: bytes | None) -> None:
    """Tell which tables play on through an upgrade by the version before, and compare its files with its manifest.

    `signed_by`: as of `identify_root`.
    """
    try:
        found.kept = list(kept_tables(LINKS))
    except FeltdError as fault:
        found.problems.append(str(fault))
    for one in found.kept:
        found.problems.extend(f"{one.unit}: {fault}" for fault in _faults(one.comparison))
        if one.mark.signature is SignatureState.FALSE or (signed_by is not None and one.mark.key != signed_by.hex()):
            found.problems.append(f"{one.unit}: the manifest that it plays by is not signed as it must be")


def _faults(comparison: Comparison) -> Iterator[str]:
    counts = ((len(comparison.differs), "as built"), (len(comparison.missing), "there"))
    for count, what in counts:
        if count:
            yield f"{count} {'file is' if count == 1 else 'files are'} not {what}"
    if comparison.extra:
        count = len(comparison.extra)
        yield f"{count} {'file is' if count == 1 else 'files are'} there and in no package"


def add_machine(found: Identified) -> None:
    """Tell the interpreter and the kernel of this machine."""
    kernel = platform.uname()
    found.python = f"{platform.python_implementation()} {platform.python_version()}"
    found.kernel = f"{kernel.system} {kernel.release} ({kernel.version}, {kernel.machine})"


def add_books(found: Identified, own: Path | None) -> None:
    """Tell each rulebook that can be played, by the digest that the record names; and the files of one's own."""
    from feltd.books.own import library_with

    shipped = library_with(None)
    books = dict(shipped)
    if own is not None:
        found.beside += [Difference(str(file), in_words(file)) for file in sorted(own.rglob("*.toml"))]
        try:
            books = dict(library_with(own))
        except FeltdError as fault:
            found.problems.append(str(fault))
    found.books = [Book(book.id, book.title, book.digest, book.id not in shipped) for book in books.values()]
    found.books.sort(key=lambda book: (book.own, book.id))


def add_table(found: Identified, file: Path) -> None:
    """Tell what belongs to one table: its file, its own rulebooks, its devices as they named themselves."""
    from feltd.table.config.config import load_config

    try:
        found.configuration = Difference(str(file), in_words(file.resolve()))
        config = load_config(file)
    except FeltdError as fault:
        found.problems.append(str(fault))
        add_books(found, None)
        return
    add_books(found, config.table.rulebooks)
    if not config.journal.path.exists():
        return
    try:
        said = said_in(config.journal.path)
    except FeltdError as fault:
        found.problems.append(str(fault))
        return
    named = [device.name for device in config.devices]
    found.devices = [said[name] for name in named if name in said]


def said_in(journal: Path) -> "dict[str, SaidByDevice]":
    """What each device said of itself when it last came, by its name. Raises JournalError."""
    from feltd.record import JournalReader
    from feltd.record import said_by_devices as devices
    from feltd.text.as_owner import as_owner_of

    with as_owner_of(journal), JournalReader.open(journal) as reader:
        return devices.said_in(reader)

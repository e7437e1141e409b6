"""Lays on the data partition what a board has of its own: its configuration, its keys, its state.

    python3 -I first_boot.py        as root, at each start, before the folders of the data partition are laid in place

It stands in the image alone, for Debian's Python, and knows nothing of feltd but where each file lies and whose it is.

A folder is made under another name and then moved: a power cut leaves it whole, or not there, and the next start makes
it. What the owner has put on the boot partition is taken whole or not at all, and goes from there once it is on the
data partition; a folder that comes later is not taken, and stays.
"""

import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Final

FOLDERS: Final = ("var/lib/feltd", "var/lib/feltd-uplink", "var/lib/chrony", "etc/feltd")
"""What lies on the data partition, each under its path with dashes. The last one is there where a board has begun."""
GIVEN: Final = PurePosixPath("boot/efi/feltd")
NOTE: Final = PurePosixPath("boot/efi/feltd-not-taken.txt")
"""Read where the folder was written: nobody signs in at a board to read its log."""
JOURNAL_KEY: Final = PurePosixPath("etc/feltd/keys/journal.key")
NETWORKS: Final = PurePosixPath("page.networks")
"""Which networks reach the page, for `page-networks`."""
KEY: Final = re.compile(rb"[0-9A-Fa-f]{64}\s*|.{32}", re.DOTALL)
_PRIVATE: Final = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_LEFT_BY_COMPUTERS: Final = frozenset({"thumbs.db", "desktop.ini"})


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a file comes to lie, and for whom."""

    place: PurePosixPath
    user: str
    group: str
    mode: int


_OPEN, _SECRET, _OF_GROUP = 0o644, 0o600, 0o640
_ETC: Final = "etc/feltd"
TAKEN: Final[Mapping[str, tuple[str, str, str, int]]] = MappingProxyType(
    {
        "journal.key": (f"{_ETC}/keys", "root", "root", _SECRET),
        "keys/journal.key": (f"{_ETC}/keys", "root", "root", _SECRET),
        "keys/*": ("var/lib/feltd/keys", "feltd", "feltd", _SECRET),
        "accounts.json": ("var/lib/feltd/page", "feltd-page", "feltd-page", _SECRET),
        "page.key": (_ETC, "root", "feltd-page", _OF_GROUP),
        "webhook.key": (_ETC, "root", "feltd-page", _OF_GROUP),
        "uplink/*": (f"{_ETC}/uplink", "root", "feltd-uplink", _OF_GROUP),
        "usbguard.rules": (_ETC, "root", "root", _SECRET),
    }
)
"""What is not for everybody to read: by its name in the given folder, where it goes, its user, its group, its mode.

Everything else lies in /etc/feltd as it lies here, and everybody reads it.
"""


_FAILED: Final = (OSError, subprocess.CalledProcessError)


class RefusedError(Exception):
    """What was given is not taken: what is wrong, and what to do."""


def placed(name: PurePosixPath) -> Placed:
    """Where a file of the given folder comes to lie. Raises RefusedError for a key that nobody here knows."""
    for told in (str(name), str(name.parent / "*")):
        if told in TAKEN:
            folder, user, group, mode = TAKEN[told]
            return Placed(PurePosixPath(folder) / name.name, user, group, mode)
    if name.suffix == ".key":
        known = ", ".join(one for one in TAKEN if one.endswith(".key") or one.startswith("keys/*"))
        raise RefusedError(f"feltd/{name}: a key that nobody here reads; those that are known: {known}")
    return Placed(PurePosixPath(_ETC) / name, "root", "root", _OPEN)


def given_files(folder: Path) -> dict[PurePosixPath, bytes]:
    """The files of the given folder by their names there, without what computers leave in each folder."""
    found = {}
    for file in sorted(folder.rglob("*")):
        name = PurePosixPath(file.relative_to(folder))
        if file.is_file() and not any(
            part.startswith(".") or part.lower() in _LEFT_BY_COMPUTERS for part in name.parts
        ):
            found[name] = file.read_bytes()
    return found


def wanted(given: Mapping[PurePosixPath, bytes]) -> dict[PurePosixPath, tuple[Placed, bytes]]:
    """What is to lie where, by its place. Raises RefusedError, which names all that is wrong."""
    found: dict[PurePosixPath, tuple[Placed, bytes]] = {}
    faults = []
    for name, content in given.items():
        try:
            to = placed(name)
        except RefusedError as fault:
            faults.append(str(fault))
            continue
        if to.place == JOURNAL_KEY and not KEY.fullmatch(content):
            faults.append(f"feltd/{name}: no key of a record: 64 hexadecimal digits, or 32 bytes")
        if name == NETWORKS:
            faults += [
                f"feltd/{name}: {line!r} is no network: write one a line, as 192.168.20.0/24"
                for line in _no_networks(content)
            ]
        if to.mode == _OPEN and _PRIVATE.search(content):
            faults.append(
                f"feltd/{name}: has a private key, and everybody would read it: give it as page.key or in uplink/"
            )
        if to.place in found and found[to.place][1] != content:
            faults.append(f"feltd/{name}: another file is to lie at /{to.place} too: leave the one that is right")
        found[to.place] = (to, content)
    if faults:
        raise RefusedError("\n".join(faults))
    return found


def _run(words: list[str]) -> object:
    return subprocess.run(words, check=True)  # noqa: S603 - our own words


def _no_networks(content: bytes) -> Iterator[str]:
    for line in content.decode(errors="replace").splitlines():
        said = line.partition("#")[0].strip()
        try:
            if said:
                ip_network(said)
        except ValueError:
            yield said


class Board:
    """A board that starts. `root`: where its system's root is. `run`: mounts anew, and copies with owners."""

    def __init__(
        self,
        root: Path,
        chown: Callable[[Path, int, int], None] = os.chown,
        run: Callable[[list[str]], object] = _run,
    ) -> None:
        self.root, self._chown, self._run = root, chown, run
        self.given, self.note = root / GIVEN, root / NOTE

    def start(self) -> str | None:
        """Make what is not there, take what was given; return what there is to say of the given folder, if anything.

        Raises RefusedError, before anything is made, where a board's first folder cannot be taken.
        """
        given = given_files(self.given)
        begun = self._on_data(_ETC).exists()
        wants = {} if begun else wanted(given)
        for folder in FOLDERS:
            if not self._on_data(folder).exists():
                self._make(folder, wants)
        if not self.given.exists():
            return None
        others = [name for name in given if not self._is_taken(name, given[name])]
        return _second(others) if others else self._take_away()

    def tell(self, words: str | None) -> None:
        """Leave on the boot partition why its folder was not taken; None: take away what was left there."""
        before = self.note.read_text(encoding="utf-8") if self.note.exists() else None
        if before == words:
            return
        with self._boot_writable():
            if words is None:
                self.note.unlink()
            else:
                self.note.write_text(words, encoding="utf-8")

    def _on_data(self, path: str) -> Path:
        """Where on the data partition a path of the system lies, which is in one of `FOLDERS`."""
        folder = next(one for one in FOLDERS if PurePosixPath(path).is_relative_to(one))
        return self.root / "data" / folder.replace("/", "-") / PurePosixPath(path).relative_to(folder)

    def _make(self, folder: str, wants: Mapping[PurePosixPath, tuple[Placed, bytes]]) -> None:
        made = self._on_data(folder)
        half = made.with_name(f"{made.name}.new")
        if half.exists():
            shutil.rmtree(half)
        self._run(["cp", "-a", str(self.root / "usr/share/feltd-image" / made.name), str(half)])
        for to, content in wants.values():
            if to.place.is_relative_to(folder):
                self._write(half / to.place.relative_to(folder), to, content)
        key = half / JOURNAL_KEY.relative_to(_ETC)
        if folder == _ETC and not key.exists():
            to = placed(PurePosixPath(JOURNAL_KEY.name))
            self._write(key, to, secrets.token_hex(32).encode())
        os.sync()
        half.rename(made)
        os.sync()

    def _write(self, file: Path, to: Placed, content: bytes) -> None:
        """Write a file that others may not read before it is whole and its user's."""
        file.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _SECRET), "wb") as whole:
            whole.write(content)
        self._chown(file, self._number(to.user, "passwd"), self._number(to.group, "group"))
        file.chmod(to.mode)

    def _number(self, name: str, table: str) -> int:
        for line in (self.root / "etc" / table).read_text(encoding="utf-8").splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split(":")[2])
        raise RefusedError(f"/etc/{table}: has no {name}: the image was made of another package; make it anew")

    def _is_taken(self, name: PurePosixPath, content: bytes) -> bool:
        try:
            return self._on_data(str(placed(name).place)).read_bytes() == content
        except (RefusedError, OSError):
            return False

    def _take_away(self) -> str | None:
        """Keys do not stay where any computer reads them. The files' blocks may: such a card is never handed on."""
        try:
            with self._boot_writable():
                shutil.rmtree(self.given)
        except _FAILED as fault:
            return f"The folder feltd on FELTD-BOOT is taken, and cannot be taken off there ({fault}): take it off.\n"
        return None

    @contextmanager
    def _boot_writable(self) -> Iterator[None]:
        """The boot partition may be written within the block."""
        self._run(["mount", "-o", "remount,rw", "/boot/efi"])
        try:
            yield
        finally:
            os.sync()
            with suppress(*_FAILED):  # it can be written until the next start then, and what was to be done is done
                self._run(["mount", "-o", "remount,ro", "/boot/efi"])


def _second(others: list[PurePosixPath]) -> str:
    names = "".join(f"  {name}\n" for name in others)
    return f"""\
The folder feltd on FELTD-BOOT is not taken, and nothing in it is changed: this board has files of its own already, on
the partition feltd-data (etc-feltd, var-lib-feltd). A board takes such a folder at its first start alone.
Not the same there, or not there at all:
{names}\
To change one of them, write it on the partition feltd-data, with the card in another computer. To begin the board anew
with this folder, save the record and its key, then write the image over the whole disk. Then take the folder off
FELTD-BOOT: it may hold keys, and any computer reads them there.
"""


def main(board: Board | None = None) -> int:
    """Start; return the status for the service manager: 1 where nothing could be made."""
    board, status = board or Board(Path("/")), 0
    try:
        words = board.start()
    except (RefusedError, *_FAILED) as fault:
        words = f"The folder feltd on FELTD-BOOT is not taken, and this board does not start without it:\n{fault}\n"
        status = 1
    sys.stderr.write(words or "")
    try:
        board.tell(words)
    except _FAILED as fault:  # the log has it, and a board that can start does
        sys.stderr.write(f"{board.note}: cannot be written: {fault}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())

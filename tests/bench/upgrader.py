"""An upgrade's files, as apt has them written: this system's own dpkg unpacks a package over the same one, again.

It unpacks into a root of its own, on the disk that is measured, and runs no script of the package: what those do beside
files is start the page anew, which the bench does. The package is one that is given, without a `preinst`, or it is made
of this Python's libraries.
"""

import asyncio
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MOST: Final = 100 << 20
"""Bytes of files: some more than what the package puts on a board."""
NICE: Final = 19
_CONTROL: Final = """\
Package: feltd-bench
Version: 1
Architecture: all
Maintainer: nobody <nobody@example.org>
Description: files for a bench
"""
_STATE: Final = "var/lib/dpkg"
_SCRIPTS: Final = ("prerm", "postrm")
"""What an upgrade runs of the version that goes, within the root, where no program is."""
_QUICKLY: Final = ("-Zxz", "-z1")
"""As a real one is packed, and in some seconds."""


class UpgradeError(Exception):
    """No package can be unpacked here."""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """A package that lies unpacked in a root."""

    package: Path
    root: Path

    async def again(self, place: Callable[[int], None] | None = None) -> asyncio.subprocess.Process:
        """Begin to unpack it over itself, as an upgrade does, without the scripts that it brought the time before.

        `place`: puts the process where it belongs, before it is dpkg: what that starts is there too.
        """

        def begin() -> None:
            os.nice(NICE)
            if place is not None:
                place(os.getpid())

        for name in _SCRIPTS:
            for script in (self.root / _STATE / "info").glob(f"*.{name}"):
                script.unlink()
        return await asyncio.create_subprocess_exec(
            *_unpacking(self.package, self.root), stdout=subprocess.DEVNULL, preexec_fn=begin
        )


def why_not() -> str | None:
    """Why no package can be unpacked here; None where one can."""
    if shutil.which("dpkg") is None or shutil.which("dpkg-deb") is None:
        return "there is no dpkg on this system"
    if os.geteuid() != 0:
        return "dpkg unpacks for root alone"
    return None


def prepare(folder: Path, package: Path | None, most: int = MOST) -> Upgrade:
    """Unpack a package for the first time, in a new folder. Without one, make it of at most so many bytes of files.

    Raises UpgradeError.
    """
    if (reason := why_not()) is not None:
        raise UpgradeError(f"no upgrade can be measured: {reason}; name the other kinds")
    root = folder / "root"
    state = root / _STATE
    for part in ("info", "updates", "triggers"):
        (state / part).mkdir(parents=True)
    (state / "status").touch()
    package = package or _made(folder, most)
    done = subprocess.run(_unpacking(package, root), capture_output=True, text=True, check=False)
    if done.returncode:
        raise UpgradeError(f"dpkg does not unpack {package}: {done.stderr}")
    # What is measured is not to wait for these. Not os.sync: another file system may hang.
    subprocess.run(("sync", "--file-system", root), check=True)
    return Upgrade(package, root)


def _unpacking(package: Path, root: Path) -> tuple[str, ...]:
    forced = ("--force-depends", "--force-architecture", "--force-confnew")
    return ("dpkg", f"--root={root}", "--log=/dev/null", *forced, "--unpack", str(package))


def _made(folder: Path, most: int) -> Path:
    tree, package = folder / "tree", folder / "feltd-bench.deb"
    purelib = Path(sysconfig.get_path("purelib"))
    for file in _files(purelib, most):
        place = tree / "opt/feltd-bench" / file.relative_to(purelib)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(_CONTROL, encoding="ascii")
    building = ("dpkg-deb", *_QUICKLY, "--root-owner-group", "--build", str(tree), str(package))
    done = subprocess.run(building, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UpgradeError(f"dpkg-deb makes no package: {done.stderr}")
    shutil.rmtree(tree)
    return package


def _files(root: Path, most: int) -> Iterator[Path]:
    """The files of a folder in the order of their names, as many as come to at most so many bytes."""
    size = 0
    for file in sorted(root.rglob("*")):
        if not file.is_file():
            continue
        size += file.stat().st_size
        if size > most:
            return
        yield file

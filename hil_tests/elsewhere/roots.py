"""Roots of another Debian or another architecture, made by mmdebstrap; the kernel runs foreign programs by qemu-user.

A root with nothing but what a board has is kept beside the checkout. The package is built in a copy of it that gets the
tools, and installed in another copy. What cannot be had raises CannotBeHadError with the reason.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hil_tests.install.fresh_root import LEFT_OUT, STOCK
from hil_tests.machine.errors import CannotBeHadError, GuestFailedError
from hil_tests.machine.made_once import made_once

CERTIFICATES: Final = Path("/etc/ssl/certs/ca-certificates.crt")
_BOUND: Final = ("/proc", "/dev", "/dev/pts", "/sys")
_ON_A_BOARD: Final = ("systemd", "udev", "python3", "libusb-1.0-0", "ca-certificates")
_CERTIFICATES: Final = "/usr/share/ca-certificates/*"
"""Left out: to look through them takes arm64's programs a minute of a processor, and the host's own are put there."""
TOOLS: Final = ("python3-venv",)
"""What the package is built with: every library has a wheel."""
_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_LONGEST: Final = 1500.0


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A Debian by its suite, an architecture by Debian's name for it, and the machine that its kernel would name."""

    suite: str
    architecture: str
    machine: str

    def __str__(self) -> str:
        return f"{self.suite}-{self.architecture}"


ARM64: Final = Elsewhere("bookworm", "arm64", "aarch64")
TRIXIE: Final = Elsewhere("trixie", "amd64", "x86_64")
ALL: Final = (ARM64, TRIXIE)


def kept_root(place: Elsewhere) -> Path:
    """The root of a place as an archive, made if it is not there. Raises CannotBeHadError."""
    archive = STOCK / f"{place}.tar"
    with made_once(archive):
        if not archive.exists():
            _make_root(place, archive)
    return archive


def _make_root(place: Elsewhere, archive: Path) -> None:
    if os.geteuid() != 0:
        raise CannotBeHadError("a root of another Debian is made by root only")
    lacking = [tool for tool in ("mmdebstrap", "tar", "arch-test") if shutil.which(tool) is None]
    if lacking:
        raise CannotBeHadError(f"not installed: {', '.join(lacking)}: `.ci/elsewhere` installs what this needs")
    runs = subprocess.run(["arch-test", place.architecture], capture_output=True, text=True, check=False)
    if runs.returncode != 0:
        raise CannotBeHadError(f"this kernel runs no programs of {place.architecture}: {runs.stdout.strip()}")
    beside = archive.with_suffix(".new.tar")
    command = ["mmdebstrap", "--quiet", "--variant=minbase", f"--architectures={place.architecture}"]
    command += [f"--include={','.join(_ON_A_BOARD)}"]
    command += [f"--dpkgopt=path-exclude={left_out}" for left_out in (LEFT_OUT, _CERTIFICATES)]
    command += ["--dpkgopt=force-unsafe-io", place.suite, str(beside)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise CannotBeHadError(f"no root of {place} can be had: {made.stderr.strip()[-400:]}")
    beside.replace(archive)


class Root:
    """A root that is unpacked in a folder."""

    def __init__(self, folder: Path, place: Elsewhere) -> None:
        """Unpack it into `folder`. Raises CannotBeHadError."""
        self.folder = folder
        self.environment: dict[str, str] = {}
        """Words that its programs get beside their usual ones."""
        folder.mkdir(parents=True)
        subprocess.run(["tar", "-xf", kept_root(place), "-C", folder], check=True)
        for file in (CERTIFICATES, Path("/etc/resolv.conf")):
            if file.exists():
                inside = folder / file.relative_to("/")
                inside.unlink(missing_ok=True)
                shutil.copyfile(file, inside)

    @property
    def python(self) -> str:
        """Of its interpreter: the version's first two numbers."""
        return (self.folder / "usr/bin/python3").readlink().name.removeprefix("python")

    def run(self, *command: str, seconds: float = _LONGEST) -> str:
        """Run a command in it as root, and return what it prints. Raises GuestFailedError."""
        environment = {"PATH": _PATH, "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        environment |= {"PIP_CERT": str(CERTIFICATES)} if CERTIFICATES.exists() else {}
        environment |= {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
        environment |= self.environment
        with self._bound():
            try:
                done = subprocess.run(
                    ["chroot", str(self.folder), *command],
                    capture_output=True, text=True, check=False, timeout=seconds, env=environment,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                raise GuestFailedError(
                    f"{' '.join(command)} has not ended in {seconds:.0f} s: try again where less else runs"
                ) from None
        if done.returncode != 0:
            said = f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
            raise GuestFailedError(f"{' '.join(command)} ended with {done.returncode}: {said}")
        return done.stdout

    @contextmanager
    def _bound(self) -> Iterator[None]:
        """The kernel's file systems are there meanwhile. They are taken away whatever happens: else the folder's
        removal would empty them."""
        with ExitStack() as stack:
            for place in _BOUND:
                inside = self.folder / place.lstrip("/")
                inside.mkdir(parents=True, exist_ok=True)
                subprocess.run(["mount", "--bind", place, inside], check=True)
                stack.callback(_unbind, inside)
            yield

    def install(self, *packages: str) -> None:
        """Install packages of its Debian, or files whose needs are there: those cost no update of apt's lists, which
        takes a foreign processor a minute. Raises GuestFailedError."""
        if not all(package.startswith("/") for package in packages):
            self.run("apt-get", "update", "-qq")
        options = ("-y", "-qq", "--no-install-recommends", "-o", "Dpkg::Options::=--force-unsafe-io")
        self.run("apt-get", "install", *options, *packages)


def _unbind(place: Path) -> None:
    subprocess.run(["umount", "--lazy", place], check=True)

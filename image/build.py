"""Makes the image of a board: a Debian with feltd in it, as one file for its disk.

    python -m image.build --package dist/feltd_VERSION_amd64.deb [--into dist]

The package says for which architecture the image is. mmdebstrap makes the system from Debian's packages, genimage the
disk of it. Both want root; programs of another architecture than this machine's are run by qemu-user. The definition
stands beside this file: packages.txt, genimage.cfg, grub.cfg, start.cfg, root/ and customize.sh.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

HERE: Final = Path(__file__).parent
SUITE: Final = "bookworm"


@dataclass(frozen=True, slots=True)
class Architecture:
    """What differs between boards: Debian's name, GRUB's, the file that the firmware starts, the first serial port."""

    name: str
    grub: str
    loader: str
    serial: str


ARCHITECTURES: Final = (
    Architecture("amd64", "x86_64-efi", "BOOTX64.EFI", "ttyS0"),
    Architecture("arm64", "arm64-efi", "BOOTAA64.EFI", "ttyAMA0"),
)
TOOLS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "mmdebstrap": "mmdebstrap",
        "arch-test": "arch-test",
        "genimage": "genimage",
        "mkfs.vfat": "dosfstools",
        "mcopy": "mtools",
        "mke2fs": "e2fsprogs",
    }
)
"""Programs that are needed, each with the Debian package that brings it."""
GRUB_MODULES: Final = (
    "part_gpt", "fat", "ext2", "normal", "configfile", "linux", "loadenv", "test", "regexp", "boot",
)  # fmt: skip
BOOT_BLOCK: Final = "# GRUB Environment Block\nPROVEN=A\nTRIAL=\n".ljust(1024, "#")
"""What GRUB reads and writes (grub.cfg says what it means): of a new board the first system is the proven one."""
LEFT_OUT: Final = "/usr/share/{man,locale,info}/*"
_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class ImageError(Exception):
    """The image cannot be made: what is wrong, and what to do."""


def packages(architecture: str) -> list[str]:
    """Return the Debian packages of the image, beside feltd's own."""
    lines = (HERE / "packages.txt").read_text(encoding="utf-8").splitlines()
    return [line.replace("ARCHITECTURE", architecture) for line in lines if line and not line.startswith("#")]


def check_tools(path: str = _PATH, user: int | None = None) -> None:
    """Raise ImageError where this machine cannot make an image. `user`: who asks, by number; None: this process's."""
    wanted = [package for tool, package in TOOLS.items() if shutil.which(tool, path=path) is None]
    if wanted:
        raise ImageError(f"not installed: {', '.join(wanted)}. Type: sudo apt install {' '.join(wanted)}")
    if (os.geteuid() if user is None else user) != 0:
        raise ImageError("an image has files of other users in it, so root alone makes one. Type: sudo make image")


def check_runs(architecture: Architecture, path: str = _PATH) -> None:
    """Raise ImageError where this machine's kernel runs no programs of that architecture."""
    asked = ["arch-test", architecture.name]
    done = subprocess.run(asked, capture_output=True, check=False, env={"PATH": path})  # noqa: S603 - our own words
    if done.returncode != 0:
        raise ImageError(
            f"this machine runs no programs of {architecture.name}, and the system is set up by its own. "
            "Type: sudo apt install qemu-user-static binfmt-support"
        )


def check_package(package: Path) -> Architecture:
    """Return the architecture of feltd's package. Raises ImageError for a file that is none, or for no board's."""
    if not package.is_file():
        raise ImageError(f"{package}: there is no such file. `make deb` makes it")
    asked = ["dpkg-deb", "--field", str(package), "Package", "Architecture"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    if done.returncode != 0:
        raise ImageError(f"{package}: it is no Debian package. `make deb` makes one")
    said = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    for architecture in ARCHITECTURES:
        if said == {"Package": "feltd", "Architecture": architecture.name}:
            return architecture
    what = f"{said.get('Package')} for {said.get('Architecture')}"
    known = " or ".join(one.name for one in ARCHITECTURES)
    raise ImageError(f"{package}: it is {what}, and an image wants feltd for {known}")


def build(package: Path, into: Path, epoch: int) -> Path:
    """Make the image of this package in the folder `into` and return its file; `epoch`: the files' latest time.

    Beside it lies the system alone (`.system`), of which `image.bundle` makes an update. Raises ImageError.
    """
    check_tools()
    architecture = check_package(package)
    check_runs(architecture)
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="feltd-image-", dir=into) as place:
        work = Path(place)
        root, given, made = work / "root", work / "given", work / "made"
        given.mkdir()
        _make_system(root, package.resolve(), architecture, epoch)
        shutil.copyfile(HERE / "grub.cfg", given / "grub.cfg")
        (given / "grubenv").write_text(BOOT_BLOCK, encoding="ascii")
        shutil.move(root / "loader.efi", given / "loader.efi")
        run(
            "genimage", f"--config={HERE / 'genimage.cfg'}", f"--rootpath={root}", f"--inputpath={given}",
            f"--outputpath={made}", f"--tmppath={work / 'tmp'}",
            environment={"LOADER": architecture.loader},
        )  # fmt: skip
        file = into / f"{package.stem}.img"
        (made / "feltd.img").replace(file)
        (made / "root.ext4").replace(into / f"{package.stem}.system")
    return file


def _make_system(root: Path, package: Path, architecture: Architecture, epoch: int) -> None:
    # INITRD: the kernel's package makes no initramfs of all that Debian has; customize.sh makes the one.
    hook = f"sh '{HERE / 'customize.sh'}' \"$1\" '{package}' '{HERE}' {architecture.serial} {architecture.grub}"
    run(
        "mmdebstrap", "--quiet", "--variant=minbase", f"--architectures={architecture.name}",
        f"--include={','.join(packages(architecture.name))}", f"--dpkgopt=path-exclude={LEFT_OUT}",
        "--dpkgopt=force-unsafe-io", f"--customize-hook={hook} '{' '.join(GRUB_MODULES)}'", SUITE, str(root),
        environment={"SOURCE_DATE_EPOCH": str(epoch), "INITRD": "No"}, own_mounts=True,
    )  # fmt: skip


def run(*command: str, environment: Mapping[str, str] | None = None, own_mounts: bool = False) -> None:
    """Run it; raise ImageError with its last words where it fails.

    `own_mounts`: what it mounts is gone when it ends. A maker of systems that was killed left the kernel's file systems
    mounted in its folder, and who then deleted that folder went through them.
    """
    told = {**os.environ, "PATH": _PATH, **(environment or {})}
    asked = ("unshare", "--mount", "--", *command) if own_mounts else command
    done = subprocess.run(asked, capture_output=True, text=True, check=False, env=told)  # noqa: S603 - our own words
    if done.returncode != 0:
        raise ImageError(f"{command[0]} ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-800:]}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the image; return the status for the shell."""
    parser = argparse.ArgumentParser(prog="python -m image.build", description="Make the image of a board.")
    parser.add_argument("--package", type=Path, required=True, help="feltd's package, as `make deb` makes it")
    parser.add_argument("--into", type=Path, default=Path("dist"), help="the folder of the image")
    given = parser.parse_args(arguments)
    asked = ["git", "-C", str(HERE), "log", "-1", "--format=%ct"]
    epoch = subprocess.run(asked, check=True, capture_output=True, text=True).stdout  # noqa: S603 - our own words
    try:
        file = build(given.package, given.into, int(epoch))
    except ImageError as error:
        sys.stderr.write(f"image: {error}\n")
        return 1
    sys.stdout.write(f"{file}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What the virtual machine is made of: Debian's kernel, the modules, an initial file system, udev and systemd.

Everything is made once and kept in a folder beside the checkout; it is made anew when the kernel that Debian has today,
or one of the files here, is another. What cannot be had raises CannotBeHadError with the reason.
"""

import fcntl
import hashlib
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hil_tests.machine import gpio_sim
from hil_tests.machine.errors import CannotBeHadError
from hil_tests.machine.ground import AMD64, CHECKOUT, Kind
from hil_tests.machine.packages import apt_for, lacking, merge_into_usr, said, stands_for, unpack

STOCK: Final = CHECKOUT / ".machine"
"""Not committed."""
TOOLS: Final = ("cpio", "modprobe", "depmod", "make", "mke2fs", "tar", "xz")
"""Beside the emulator and the compiler of the machine's kind."""
_EARLY: Final = (
    "virtio_pci",
    "virtio_blk",
    "virtio_console",
    "9pnet_virtio",
    "9p",
    "overlay",
    "ext4",
    "crc32c_generic",
)
"""What the first process needs before the host's root is there; all others come from the layer."""
FIRST_PROCESS: Final = Path(__file__).with_name("init.sh")
RECIPE: Final = tuple(
    Path(__file__).with_name(name) for name in ("stock.py", "ground.py", "gpio_sim.py", "packages.py")
)
_KEPT_SECONDS: Final = 86400.0
_SYSTEM: Final = ("systemd", "udev", "kmod", "dbus", "libusb-1.0-0")


@dataclass(frozen=True, slots=True)
class Stock:
    """`layer` lies over the host's root in the machine: the kernel's modules, and packages that the host lacks."""

    release: str
    kernel: Path
    initramfs: Path
    layer: Path


def stock(kind: Kind = AMD64) -> Stock:
    """The parts of a kind of machine, made if they are not there. Raises CannotBeHadError."""
    tools = (kind.board[0], kind.compiler, *TOOLS)
    missing = [tool for tool in tools if shutil.which(tool, path="/usr/sbin:/usr/bin:/sbin:/bin") is None]
    if missing:
        raise CannotBeHadError(f"not installed: {', '.join(missing)}: `.ci/machine` installs what the machine needs")
    STOCK.mkdir(exist_ok=True)
    with (STOCK / "in-use").open("w") as mark:
        fcntl.flock(mark, fcntl.LOCK_EX)
        apt = apt_for(kind.architecture, STOCK / f"apt-{kind.architecture}")
        image = stands_for(f"linux-image-{kind.architecture}", "linux-image-", apt)
        release = image.removeprefix("linux-image-")
        kept = STOCK / f"{release}-{_digest(*RECIPE)}"
        if not kept.is_dir():
            _make(kind, image, kept, apt)
        initramfs = kept / f"initramfs-{_digest(FIRST_PROCESS)}"
        if not initramfs.exists():
            with tempfile.TemporaryDirectory(dir=STOCK, prefix="making-") as place:
                _make_initramfs(release, kept, Path(place), initramfs)
    return Stock(release, kept / "vmlinuz", initramfs, kept / "layer")


def _digest(*files: Path) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _make(kind: Kind, image: str, kept: Path, apt: Sequence[str]) -> None:
    release = image.removeprefix("linux-image-")
    with tempfile.TemporaryDirectory(dir=STOCK, prefix="making-") as place:
        work, new = Path(place), Path(place) / "new"
        unpack([image, "busybox-static"], work / "image", work / "debs", apt)
        layer = new / "layer"
        unpack(lacking(_SYSTEM) if kind.root_lacks is None else kind.root_lacks, layer, work / "debs", apt)
        merge_into_usr(layer)
        modules = layer / "usr/lib/modules" / release
        modules.parent.mkdir(parents=True, exist_ok=True)
        (work / "image/lib/modules" / release).replace(modules)
        (modules / "extra").mkdir()
        for module in gpio_sim.build(kind, release, work / "gpio-sim", work / "debs", apt):
            shutil.copy(module, modules / "extra")
        said("depmod", "-b", str(layer / "usr"), release)
        (work / f"image/boot/vmlinuz-{release}").replace(new / "vmlinuz")
        (work / "image/bin/busybox").replace(new / "busybox")
        for old in STOCK.glob("[0-9]*"):
            if old.stat().st_mtime < time.time() - _KEPT_SECONDS:  # a machine may still run on a younger one
                shutil.rmtree(old)
        new.replace(kept)


def _make_initramfs(release: str, kept: Path, root: Path, out: Path) -> None:
    (root / "modules").mkdir(parents=True)
    for name in ("bin", "proc", "sys", "dev"):
        (root / name).mkdir()
    shutil.copy(kept / "busybox", root / "bin")
    shutil.copy(FIRST_PROCESS, root / "init")
    (root / "init").chmod(0o755)
    order = list(_in_order(release, kept / "layer", _EARLY))
    for module in order:
        shutil.copy(module, root / "modules")
    (root / "modules/order").write_text("".join(f"{module.name}\n" for module in order), encoding="ascii")
    said("sh", "-c", f"cd '{root}' && find . | cpio -o -H newc --quiet | gzip -1 >'{out}'")


def _in_order(release: str, layer: Path, names: Iterable[str]) -> Iterable[Path]:
    """The files of these modules and of what they need, each once, what is needed first."""
    seen: dict[Path, None] = {}
    for name in names:
        for line in said("modprobe", "-d", str(layer / "usr"), "-S", release, "--show-depends", name).splitlines():
            kind, _, file = line.strip().partition(" ")
            if kind == "insmod":
                seen.setdefault(Path(file.split()[0]))
    return seen

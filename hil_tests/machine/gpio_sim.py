"""The kernel's simulated GPIO chip, which Debian does not build: made here from Debian's own source when it is needed.

Three files of the kernel's source (GPL-2.0, and so never part of this project) are taken out of `linux-source` and
built against the headers of the very kernel the machine runs. The simulator of interrupts has to be built in with it;
the one call of it that the kernel keeps to itself has an exported equal.
"""

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hil_tests.machine.errors import CannotBeHadError
from hil_tests.machine.ground import Kind
from hil_tests.machine.packages import said, stands_for, unpack

_FILES: Final = ("drivers/gpio/gpio-sim.c", "drivers/gpio/gpiolib.h", "kernel/irq/irq_sim.c")
_KEPT_TO_ITSELF: Final = re.compile(r"handle_simple_irq\s*\(\s*irq_to_desc\s*\(\s*(\w+)\s*\)\s*\)")
_BUILD: Final = """\
obj-m := gpio-sim.o irq_sim.o
CFLAGS_gpio-sim.o := -DCONFIG_IRQ_SIM=1
"""
_LICENCE: Final = '\n#include <linux/module.h>\nMODULE_LICENSE("GPL");\n'


def build(kind: Kind, release: str, folder: Path, debs: Path, apt: Sequence[str]) -> list[Path]:
    """`gpio-sim.ko` and what it needs for the kernel of this release, built in a folder. Raises CannotBeHadError."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    headers = _headers(kind, release, folder / "headers", debs, apt)
    if not headers.is_dir():
        raise CannotBeHadError(f"no headers of the kernel {release}: `.ci/machine` installs them")
    for file in _sources(folder / "source", debs):
        text = file.read_text(encoding="utf-8")
        if file.name == "irq_sim.c":
            text, changed = _KEPT_TO_ITSELF.subn(r"generic_handle_irq(\1)", text)
            if changed != 1:
                raise CannotBeHadError("this kernel's irq_sim.c is not the one gpio_sim.py knows how to build")
            text += _LICENCE
        (folder / file.name).write_text(text, encoding="utf-8")
    (folder / "Makefile").write_text(_BUILD, encoding="ascii")
    target = [] if kind.cross is None else [f"DEB_HOST_ARCH={kind.architecture}", f"DEB_HOST_GNU_TYPE={kind.cross}"]
    said("make", "-s", "-C", str(headers), f"M={folder}", f"-j{os.cpu_count() or 1}", *target, "modules")
    return sorted(folder.glob("*.ko"))


def _headers(kind: Kind, release: str, folder: Path, debs: Path, apt: Sequence[str]) -> Path:
    """Of another architecture the headers alone are unpacked: what all share, and the programs that build with them,
    are the host's."""
    if kind.cross is None:
        return Path("/lib/modules") / release / "build"
    unpack([f"linux-headers-{release}"], folder, debs, apt)
    headers = folder / "usr/src" / f"linux-headers-{release}"
    programs = (headers / "scripts").readlink().parent.name
    (folder / "usr/lib").mkdir(exist_ok=True)
    (folder / "usr/lib" / programs).symlink_to(Path("/usr/lib") / programs)
    if not (headers / "scripts").exists():
        raise CannotBeHadError(f"no {programs}: `.ci/machine` installs it")
    return headers


def _sources(folder: Path, debs: Path) -> list[Path]:
    package = stands_for("linux-source", "linux-source-")
    unpack([package], folder, debs)
    archive = next((folder / "usr/src").glob("linux-source-*.tar.xz"))
    inside = [f"{archive.name.removesuffix('.tar.xz')}/{name}" for name in _FILES]
    said("tar", "-xJf", str(archive), "-C", str(folder), "--occurrence=1", *inside)
    archive.unlink()
    return [folder / name for name in inside]

"""Block devices in a folder made like the kernel's /sys."""

import os
from collections.abc import Sequence
from pathlib import Path


def block(
    system: Path, name: str, number: str, *, part_of: str | None = None, on: Sequence[str] = (), dm: Sequence[str] = ()
) -> Path:
    """A block device with this number. `part_of`: its disk; `on`: what it lies on; `dm`: the mapper's uuid and name."""
    whole = system / "devices/virtual" / (part_of or name)
    place = whole / name if part_of else whole
    place.mkdir(parents=True, exist_ok=True)
    (place / "dev").write_text(f"{number}\n")
    if part_of:
        (place / "partition").write_text("2\n")
    else:
        (place / "slaves").mkdir()
    for part, text in zip(("uuid", "name"), dm, strict=False):
        (place / "dm").mkdir(exist_ok=True)
        (place / "dm" / part).write_text(f"{text}\n")
    for under in on:
        (place / "slaves" / under).symlink_to((system / "class/block" / under).resolve())
    for link in (system / "dev/block" / number, system / "class/block" / name, system / "block" / (part_of or name)):
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(whole if link.parent.name == "block" and link.parent.parent == system else place)
    return place


def number_of(folder: Path) -> str:
    """The number of the device that a folder really lies on."""
    number = os.stat(folder).st_dev
    return f"{os.major(number)}:{os.minor(number)}"

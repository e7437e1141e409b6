"""Which disks a folder really lies on: beneath its partition, and beneath what encrypts, joins or mirrors them.

By the kernel's own numbers and names: those of volumes, which people choose, and of `/dev/root` say nothing of a disk.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_KINDS: Final = {"LVM": "LVM", "CRYPT": "LUKS", "MPATH": "multipath"}
"""By how the device mapper's own name (`dm/uuid`) begins."""


@dataclass(frozen=True, slots=True)
class Beneath:
    """What is beneath a file system.

    `device`: the kernel's name of what it is on, a partition or a volume. `disks`: the whole disks under all of it.
    `layers`: what lies between, in words.
    """

    device: str
    disks: tuple[str, ...]
    layers: tuple[str, ...]


def beneath(number: str, system: Path = Path("/sys")) -> Beneath | None:
    """Look beneath the block device with this number (`179:2`); None where the kernel has none, as of a tmpfs."""
    if not number:
        return None
    try:
        top = (system / f"dev/block/{number}").resolve(strict=True)
        found = list(_walked(top))
    except OSError:
        return None
    disks, layers = (tuple(dict.fromkeys(one[part] for one in found if one[part])) for part in (0, 1))
    return Beneath(top.name, disks, layers)


def beneath_folder(folder: Path, system: Path = Path("/sys")) -> Beneath | None:
    """The same of a folder; None where it is gone, or its file system is on no block device."""
    try:
        number = os.stat(folder).st_dev
    except OSError:
        return None
    return beneath(f"{os.major(number)}:{os.minor(number)}", system)


def _walked(block: Path) -> Iterator[tuple[str, str]]:
    """Pairs of a disk's name and a layer's words, one of them empty. Raises OSError."""
    slaves = block / "slaves"
    under = sorted(slaves.iterdir()) if slaves.is_dir() else []
    if under:
        yield "", _layer(block)
        for one in under:
            yield from _walked(one.resolve(strict=True))
        return
    if block.name.startswith("loop"):
        yield "", "a file of another file system"
    yield block.parent.name if (block / "partition").exists() else block.name, ""


def _layer(block: Path) -> str:
    try:
        kind = (block / "dm/uuid").read_text(encoding="ascii", errors="replace").partition("-")[0]
    except OSError:
        return "RAID" if (block / "md").is_dir() else "another layer"
    return _KINDS.get(kind.strip(), "another layer")

"""The block that the boot loader reads: which system is proven, and which is to be tried at the next start.

GRUB starts `TRIAL` where it names a system, and has taken its name out of the block before; else `PROVEN`. So a trial
that ends by itself (a kernel that panics, a power cut, a table that does not come up) is followed by the proven system,
whatever happened. An ordinary start writes nothing.
"""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

from feltd.update.errors import UpdateError

SYSTEMS: Final = ("A", "B")
SIZE: Final = 1024
"""GRUB takes no other."""
_HEAD: Final = "# GRUB Environment Block\n"
_SECTOR: Final = 512
"""What a disk writes whole. All that is said fits into the first one: a power cut leaves the old words or the new."""


@dataclass(frozen=True, slots=True)
class BootBlock:
    """Which system is proven, and which is to be tried once; None: none is."""

    proven: str
    trial: str | None = None

    @classmethod
    def parse(cls, content: bytes) -> Self:
        """Read the block as GRUB has it. Raises UpdateError."""
        try:
            text = content.decode("ascii")
        except UnicodeDecodeError:
            text = ""
        if len(content) != SIZE or not text.startswith(_HEAD):
            raise UpdateError(f"it is no block of {SIZE} bytes as the boot loader has it. Write the image anew")
        said = dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))
        proven, trial = said.get("PROVEN", ""), said.get("TRIAL", "")
        if proven not in SYSTEMS or trial not in ("", *SYSTEMS):
            raise UpdateError(f'it names the system "{proven}" and for trial "{trial}"; there are A and B')
        return cls(proven, trial or None)

    def to_bytes(self) -> bytes:
        """The block as GRUB reads it."""
        said = f"{_HEAD}PROVEN={self.proven}\nTRIAL={self.trial or ''}\n".encode("ascii")
        assert len(said) <= _SECTOR
        return said.ljust(SIZE, b"#")

    def starts_next(self) -> str:
        """The system that the next start takes."""
        return self.trial or self.proven

    def to_try(self, system: str) -> Self:
        """With this system to be tried at the next start; the proven one needs no trial."""
        return replace(self, trial=None if _known(system) == self.proven else system)

    def called_good(self, system: str) -> Self:
        """With this system proven."""
        return replace(self, proven=_known(system), trial=None)

    def called_bad(self, system: str) -> Self:
        """With this system not to be tried: it is about to be written, or did not come up. Raises UpdateError.

        The proven one stays, or no start had anything left.
        """
        if _known(system) == self.proven:
            raise UpdateError(f"system {system} is the proven one: without it the board starts no more")
        return replace(self, trial=None if self.trial == system else self.trial)

    def is_good(self, system: str) -> bool:
        """Whether a start may take it."""
        return _known(system) in (self.proven, self.trial)


def _known(system: str) -> str:
    if system not in SYSTEMS:
        raise UpdateError(f'there is no system "{system}": there are A and B')
    return system


def read(file: Path) -> BootBlock:
    """The block in this file. Raises UpdateError."""
    try:
        return BootBlock.parse(file.read_bytes())
    except (OSError, UpdateError) as fault:
        raise UpdateError(f"{file}: the boot loader's block cannot be read: {_words(fault)}") from fault


def write(file: Path, block: BootBlock) -> None:
    """Write the block in its place, never longer or shorter. Raises UpdateError.

    GRUB finds it by its blocks on the disk, and a file that is cut short first would be no block after a power cut.
    """
    read(file)
    try:
        handle = os.open(file, os.O_WRONLY | os.O_SYNC)
        try:
            os.pwrite(handle, block.to_bytes(), 0)
        finally:
            os.close(handle)
    except OSError as fault:
        raise UpdateError(f"{file}: the boot loader's block cannot be written: {_words(fault)}") from fault


def _words(fault: Exception) -> str:
    return fault.strerror or str(fault) if isinstance(fault, OSError) else str(fault)

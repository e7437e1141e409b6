"""What this board is: which kind, which of its two systems runs, whether that one is on trial."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from feltd.update.boot_block import SYSTEMS
from feltd.update.errors import UpdateError

IDENTITY: Final = "usr/share/feltd-image/system"
"""Written by whoever makes the image: lines `compatible=…` and `version=…`."""
BOOT_BLOCK: Final = "boot/efi/EFI/debian/grubenv"
GOOD_MARK: Final = "run/feltd-update-good"
"""There since the running system was called good, until the next start."""
FETCHED: Final = "data/update"
CALLED_BACK: Final = f"{FETCHED}/called-back"
"""The newest list of versions that are called back."""
CERTIFICATE: Final = "etc/feltd/update.pem"
"""Whose updates and lists are believed."""
TRIAL_WORD: Final = "feltd.trial"
"""On the kernel's command line of a system on trial."""


@dataclass(frozen=True, slots=True)
class Board:
    """A board with two systems. `running`: A or B; `on_trial`: whether it was started to be tried."""

    root: Path
    compatible: str
    version: str
    running: str
    on_trial: bool

    @property
    def block(self) -> Path:
        """The file of the boot loader's block."""
        return self.root / BOOT_BLOCK

    @property
    def called_back(self) -> Path:
        """The list of versions called back that is kept here."""
        return self.root / CALLED_BACK

    @property
    def certificate(self) -> Path:
        """Of whoever makes updates and lists for this board."""
        return self.root / CERTIFICATE

    @property
    def other(self) -> str:
        """The system that does not run."""
        return next(system for system in SYSTEMS if system != self.running)


def board_at(root: Path = Path("/")) -> Board:
    """This board. Raises UpdateError where it was not made from an image."""
    try:
        said = dict(_pairs((root / IDENTITY).read_text(encoding="utf-8")))
        line = (root / "proc/cmdline").read_text(encoding="utf-8")
    except OSError as fault:
        raise UpdateError(
            f"{fault.filename}: {fault.strerror}. This board was not made from feltd's image, so it has one system: "
            "install the new package (docs/install.md)"
        ) from fault
    running = re.search(r"(?:^|\s)rauc\.slot=(\S+)", line)
    if running is None or running[1] not in SYSTEMS:
        raise UpdateError("/proc/cmdline: it does not say which system runs (rauc.slot=A or B). Write the image anew")
    if not {"compatible", "version"} <= said.keys():
        raise UpdateError(f"/{IDENTITY}: no lines compatible=… and version=…. Write the image anew")
    return Board(root, said["compatible"], said["version"], running[1], TRIAL_WORD in line.split())


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(name, value) for name, sign, value in (line.partition("=") for line in text.splitlines()) if sign]

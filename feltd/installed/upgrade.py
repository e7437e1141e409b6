"""Another version that is installed while a table still plays by the one before, as the package's scripts say it.

They write it into a file of three lines: the version that plays, the one that is installed, and how the digest of the
manifest begins that plays.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from feltd.installed.mark import PackageMark

STARTS_ANEW: Final = "starts anew as soon as no round is played, no device is tested and no pack is laid"
_LONGEST: Final = 1024
_LINES: Final = 3


@dataclass(frozen=True, slots=True)
class Upgrade:
    """`runs`: the version that plays; `installed`: the one that lies on the disk, which the next start is of.

    `manifest`: how the digest of the manifest that plays begins, hexadecimal.
    """

    runs: str
    installed: str
    manifest: str

    def said_of(self, table: str) -> str:
        """What is installed, what the table does and what it waits for, as log and `feltd check` say it."""
        again, runs = (" again", "the files from before") if self.again else ("", self.runs)
        return f"feltd {self.installed} is installed{again}, and {table} runs {runs}: it {STARTS_ANEW}"

    @property
    def again(self) -> bool:
        """Whether it is the same version that was laid once more, as after an upgrade that was broken off."""
        return self.installed == self.runs

    def is_of(self, package: PackageMark | None) -> bool:
        """Whether this package is the one that plays: a word that was left behind tells a later start nothing."""
        return package is not None and bool(self.manifest) and package.manifest.startswith(self.manifest)


def upgrade_in(file: Path) -> Upgrade | None:
    """What stands in the file; None where it is not there, or is no such word."""
    try:
        with file.open(encoding="ascii") as content:
            lines = content.read(_LONGEST).splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    return Upgrade(*lines) if len(lines) == _LINES else None

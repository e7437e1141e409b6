"""Backups that lie in a folder, which have what was erased since: of when each is, and until when it stays."""

import json
import time
from calendar import timegm
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from feltd.custody.errors import CustodyError
from feltd.floor.backup import NIGHT, PAGE

_DAY: Final = 86_400


@dataclass(frozen=True, slots=True)
class OlderBackup:
    """A backup by its folder. `at`: seconds since 1970, None where nobody may read it; `keep`: nights, or None."""

    folder: Path
    at: int | None
    keep: int | None

    @property
    def until(self) -> int | None:
        """When the nightly backup removes it, in seconds since 1970; None where nobody does."""
        return None if self.keep is None or self.at is None else self.at + self.keep * _DAY


def backups_in(folder: Path) -> tuple[OlderBackup, ...]:
    """The backups in a folder, the oldest first; none where it is not there. Raises CustodyError where it is shut."""
    try:
        found = [_backup(one) for one in sorted(folder.iterdir()) if one.is_dir()]
    except FileNotFoundError:
        return ()
    except OSError as fault:
        raise CustodyError(
            f"cannot be read: {fault.strerror}", str(folder), "Look there as the owner of the floor's database, or root"
        ) from None
    return tuple(one for one in found if one is not None)


def _backup(folder: Path) -> OlderBackup | None:
    try:
        page = json.loads((folder / PAGE).read_text(encoding="utf-8"))
        keep = page.get("keep")
        return OlderBackup(folder, int(page["at"]), keep if isinstance(keep, int) else None)
    except PermissionError:
        return _by_its_name(folder)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _by_its_name(folder: Path) -> OlderBackup | None:
    """A backup of a night whose page is its owner's alone to read."""
    try:
        return OlderBackup(folder, timegm(time.strptime(folder.name, NIGHT)), None)
    except ValueError:
        return OlderBackup(folder, None, None)

"""The folder of an update in a machine, and what of it a later run goes on with.

Image, update and the noted writes take hours. Where a person names a folder, each run leaves there what it has ended,
and so a run can be cut in parts (`-k`), each with a result of its own.
"""

import filecmp
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class AnotherImageError(Exception):
    """The folder has the update of another image."""


@contextmanager
def folder(named: str | None) -> Iterator[Path]:
    """The folder that a person has named, made where it is not there; else a new one that goes with the block."""
    if named is not None:
        kept = Path(named).resolve()
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="feltd-update-", dir="/var/tmp") as name:
        yield Path(name)


@contextmanager
def ended(place: Path) -> Iterator[Path | None]:
    """Yield a new empty folder that becomes `place` when the block ends without a fault; None where `place` is there.

    A run that ended in the midst of it leaves nothing that the next one takes for whole.
    """
    if place.exists():
        yield None
        return
    begun = place.with_name(f"{place.name}-begun")
    shutil.rmtree(begun, ignore_errors=True)
    begun.mkdir()
    yield begun
    begun.rename(place)


def check_same(kept: Path, given: Path) -> None:
    """Raise AnotherImageError where a file that was kept is not as the one that is given now."""
    if not filecmp.cmp(kept, given, shallow=False):
        raise AnotherImageError(f"{kept.parent} has another image's update than {given}: name another folder")

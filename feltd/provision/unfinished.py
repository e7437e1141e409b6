"""The folder that a run fills beside its place, and what a run that was killed has left of one.

Such a folder is removed where it is surely a run's own: it belongs to this user alone, has the mark that a run puts
there first, nothing but what a run makes, and no run that lives holds it. Any other is named.
"""

import fcntl
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from feltd.text.atomic_file import sync_folder, write_new

MARK: Final = ".unfinished"
_SAID: Final = b"feltd provision has not finished this folder. No device has a key of it yet.\n"
_NAME: Final = re.compile(r"\..+-[a-z0-9_]{8}")
_MADE: Final = re.compile(
    rf"{re.escape(MARK)}|labels\.html|checklist\.html|[A-Za-z0-9][A-Za-z0-9_-]*(/(table\.toml|journal\.key|keys(/[^/]+)?))?"
)
"""The files and folders of a run, seen from its folder."""
_ALONE: Final = 0o700


@contextmanager
def unfinished(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder` for what is to come there, marked and held as this run's; gone at the block's end.

    `finish` gives it its name. Raises OSError.
    """
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.absolute().parent))
    try:
        with _held(aside, at_once=False):
            write_new(aside / MARK, _SAID)
            yield aside
    finally:
        with suppress(OSError):
            _remove(aside)


def finish(aside: Path, folder: Path) -> None:
    """Give the folder that is whole its name. Raises OSError where another has it by then."""
    (aside / MARK).unlink()
    sync_folder(aside)
    os.rename(aside, folder)  # onto a folder with anything in it: refused by the kernel


def clear_left(folder: Path, say: Callable[[str], None]) -> None:
    """Remove what runs that were killed have left beside `folder`, as far as it is surely theirs. `say`: of each."""
    try:
        beside = sorted(path for path in folder.absolute().parent.iterdir() if _NAME.fullmatch(path.name))
    except OSError:
        return  # what cannot be looked at is told when the new folder is made
    for path in beside:
        own_name = path.name.startswith(f".{folder.name}-")
        with suppress(OSError), _held(path, at_once=True):
            reason = _doubt(path)
            if reason is None:
                keys = sum(1 for _ in path.rglob("*.key"))
                _remove(path)
                sync_folder(path.parent)
                say(f"{path}: a run that was killed had left it, with {keys} keys: it is removed")
            elif own_name or (path / MARK).exists():
                say(f"{path}: may be left of a run that was killed, with keys; {reason}: look at it, and remove it")


def _doubt(path: Path) -> str | None:
    """Why it is not surely a run's own; None where it is."""
    state = path.lstat()
    if state.st_uid != os.geteuid() or stat.S_IMODE(state.st_mode) != _ALONE:
        return "others than you may write or read in it"
    mark = path / MARK
    if mark.is_symlink() or not mark.is_file() or mark.read_bytes() != _SAID:
        return f"it has no {MARK} that says so"
    strange = next((one for one in sorted(path.rglob("*")) if not _is_made(one, path)), None)
    return None if strange is None else f"{strange.relative_to(path)} in it is nothing that feltd makes"


def _is_made(one: Path, folder: Path) -> bool:
    plain = one.is_dir() or one.is_file()
    return plain and not one.is_symlink() and _MADE.fullmatch(one.relative_to(folder).as_posix()) is not None


@contextmanager
def _held(folder: Path, *, at_once: bool) -> Iterator[None]:
    """Hold a folder for as long as this process is in the block.

    `at_once`: raise BlockingIOError where another process holds it. Else that one, which only looks, is waited for, and
    a file system without locks is borne. Raises OSError; a link is no folder.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _lock(handle, at_once=at_once)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, *, at_once: bool) -> None:
    if at_once:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    with suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX)


def _remove(folder: Path) -> None:
    """Remove it, its mark last: one who is killed meanwhile leaves a folder that is known."""
    if not folder.exists():
        return
    for one in sorted(folder.iterdir()):
        if one.name != MARK:
            shutil.rmtree(one) if one.is_dir() else one.unlink()
    (folder / MARK).unlink(missing_ok=True)
    folder.rmdir()

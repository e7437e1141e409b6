"""Makes the folder of new tables: all of it, or nothing.

It is filled beside its place under a name of its own and renamed once all of it is on the disk. No table is added to a
folder that is there: its keys may be in devices by then, and a second run could not tell them from its own.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from feltd.provision.codes import NO_CODES
from feltd.provision.printed import CHECKLIST, LABELS, checklist, labels
from feltd.provision.tables import NewTable
from feltd.provision.unfinished import clear_left, finish, unfinished
from feltd.table.workshop.device_keys import make_key
from feltd.text.as_owner import require_own
from feltd.text.atomic_file import sync_folder, write_new
from feltd.text.errors import FeltdError

CONFIG, JOURNAL_KEY, KEYS = "table.toml", "journal.key", "keys"
_SECRET: Final = 0o600
_OPEN: Final = 0o644


class ProvisionError(FeltdError):
    """A folder of tables that cannot be made."""


def require_free(folder: Path) -> None:
    """Raise ProvisionError or PlaceError where `folder` is there already, or is no place for keys."""
    require_own(folder, "anybody who has that user would have the keys; name a folder in one of root's")
    if folder.is_symlink() or (folder.exists() and not (folder.is_dir() and not any(folder.iterdir()))):
        raise ProvisionError(
            f"{folder}: is there already, and nothing in it is changed: its keys may be in devices; name another "
            "folder, for tables that are added, too"
        )


def make_folder(
    tables: Sequence[NewTable],
    folder: Path,
    codes: Mapping[str, str] = NO_CODES,
    *,
    go_on: Callable[[], None] = lambda: None,
    say: Callable[[str], None] = lambda _: None,
) -> int:
    """Make `folder` (mode 0700) with all tables. Returns the number of keys.

    `codes`: by which tables enrol at the floor, by the table's folder; they are printed on the labels. `go_on` is
    called between files: what it raises ends the run. `say`: of what a run that was killed has left. Raises
    ProvisionError, and leaves nothing.
    """
    require_free(folder)
    clear_left(folder, say)
    try:
        with unfinished(folder) as aside:
            keys = _fill(aside, tables, codes, go_on)
            finish(aside, folder)
        sync_folder(folder.absolute().parent)
    except OSError as fault:
        raise ProvisionError(f"{folder}: cannot be made: {fault.strerror}; nothing was made") from None
    return keys


def _fill(folder: Path, tables: Sequence[NewTable], codes: Mapping[str, str], go_on: Callable[[], None]) -> int:
    def write(file: Path, text: str, mode: int) -> None:
        go_on()
        write_new(file, text.encode(), mode)

    made = 0
    for table in tables:
        own = folder / table.folder
        (own / KEYS).mkdir(parents=True, mode=0o700)
        own.chmod(0o700)
        write(own / CONFIG, table.text, _OPEN)
        for key in _key_files(own, table):
            write(key, make_key().hex() + "\n", _SECRET)
            made += 1
        sync_folder(own / KEYS)
        sync_folder(own)
    write(folder / LABELS, labels(_each(tables, go_on), codes), _OPEN)
    write(folder / CHECKLIST, checklist(tables, codes), _OPEN)
    go_on()
    return made


def _each(tables: Sequence[NewTable], go_on: Callable[[], None]) -> Iterator[NewTable]:
    """The tables; to draw the codes of a hundred takes long enough for somebody to end it."""
    for table in tables:
        go_on()
        yield table


def _key_files(own: Path, table: NewTable) -> Iterator[Path]:
    yield own / JOURNAL_KEY
    yield from (own / KEYS / device.key for device in table.devices if device.key is not None)

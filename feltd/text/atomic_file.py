"""Files that a power cut does not halve: an old one replaced (a reader sees the old or the new), a new one made."""

import os
import tempfile
from pathlib import Path


def replace_atomically(path: Path, content: bytes, owner: os.stat_result) -> None:
    """Replace the file at `path`, or make it, with mode 0600.

    Where root runs this at the console, the file gets the user and group of `owner`: the service must read it.
    Raises OSError and leaves the old file and no temporary one.
    """
    with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=f".{path.name}-", delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if os.geteuid() == 0:
                os.fchown(file.fileno(), owner.st_uid, owner.st_gid)  # by its path root would follow a link
            os.replace(file.name, path)
        except OSError:
            os.unlink(file.name)
            raise
    sync_folder(path.parent)


def write_new(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Write a file that is not there yet, and sync it and its folder to the disk. What is there stays as it is.

    A link in its place is a file that is there. Raises FileExistsError, OSError, and leaves no half of a file.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        sync_folder(path.absolute().parent)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that files added to it or removed from it are so on the disk too.

    Raises OSError.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

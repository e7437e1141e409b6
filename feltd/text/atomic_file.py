"""Atomic replacement (write, fsync, rename): a reader or a power cut sees the old file or the new one."""

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


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that files added to it or removed from it are so on the disk too.

    Raises OSError.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

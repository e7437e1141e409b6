"""A file that is replaced whole: whoever reads it, and a pulled plug, finds the old one or the new one."""

import os
import tempfile
from pathlib import Path


def replace_whole(path: Path, content: bytes, owner: os.stat_result) -> None:
    """Write it for its owner alone, synced, then put it in its place. Made by root at the console it is given to
    `owner`, because the service reads it. Raises OSError; then nothing is left of the attempt.
    """
    with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=f".{path.name}-", delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if os.geteuid() == 0:
                os.chown(file.name, owner.st_uid, owner.st_gid)
            os.replace(file.name, path)
        except OSError:
            os.unlink(file.name)
            raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """What was put into a folder, or taken out, is on the disk. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""The socket's address in the file system, however long its path."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_LONGEST: Final = 107
"""Bytes of a path that the kernel takes for a Unix socket."""


@contextmanager
def address_of(path: Path) -> Iterator[str]:
    """Give the address to bind or to connect to, for as long as the block lasts. Raises OSError."""
    if len(os.fsencode(path)) <= _LONGEST:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)

"""A mark of each device's key, kept over restarts: a key that was changed while the table was stopped is told by it.

A mark is a digest of 32 random bytes: it tells that a key is another one, and nothing of either.

The file is JSON: `{"shoe": "64 hexadecimal digits", …}`.
"""

import hashlib
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, TypeAdapter, ValidationError

from feltd.text.atomic_file import replace_atomically

_FOR: Final = b"feltd device key mark\0"
_log = logging.getLogger("feltd.devices")
_Sheet = TypeAdapter(dict[str, Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]])


class KeyMarks:
    """The marks of one table's devices. A file that cannot be read or written is logged, and the marks begin anew."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept = self._read()

    def others(self, keys: Mapping[str, bytes]) -> list[str]:
        """The devices whose key is another one than when the marks were kept."""
        return [name for name, key in keys.items() if self._kept.get(name, _mark(key)) != _mark(key)]

    def keep(self, keys: Mapping[str, bytes]) -> None:
        """Keep the marks of these keys, where they differ from those that are kept."""
        marks = {**self._kept, **{name: _mark(key) for name, key in keys.items()}}
        if marks == self._kept:
            return
        self._kept = marks
        try:
            replace_atomically(self._path, json.dumps(marks, indent=1).encode() + b"\n", self._path.parent.stat())
        except OSError as fault:
            _log.warning("%s: the marks of devices' keys cannot be kept: %s", self._path, fault.strerror)

    def _read(self) -> dict[str, str]:
        try:
            return _Sheet.validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValidationError):
            _log.warning("%s: cannot be read: the marks of devices' keys begin anew", self._path)
            return {}


def _mark(key: bytes) -> str:
    return hashlib.sha256(_FOR + key).hexdigest()

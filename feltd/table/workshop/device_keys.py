"""Changes of a device's key: made or given, written in the old one's place, used at once.

The old key stays beside the new one (`FILE.old`) until the device has connected with the new one: a change that went
wrong can be undone. A key's content reaches no message, no log and no record.
"""

import logging
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from feltd.door import CommandRefused
from feltd.table.config.key_files import KEY_BYTES, KeyFile, KeyFileError
from feltd.text.atomic_file import replace_atomically, sync_folder

_OLD: Final = ".old"
_log = logging.getLogger("feltd.devices")


class DeviceKeyError(CommandRefused):
    """A device's key that cannot be changed as asked."""


def make_key() -> bytes:
    """A new key: 32 random bytes."""
    return secrets.token_bytes(KEY_BYTES)


def parse_key(digits: str) -> bytes:
    """Return the key given as 64 hexadecimal digits.

    Raises DeviceKeyError, which does not repeat the digits.
    """
    try:
        key = bytes.fromhex(digits.strip())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise DeviceKeyError(f"a key is written as {2 * KEY_BYTES} hexadecimal digits")
    if len(set(key)) < 8:  # 32 random bytes with so few different ones do not happen
        raise DeviceKeyError("this key is one that is guessed at once: make one with openssl rand -hex 32")
    return key


def old_key(file: KeyFile) -> Path | None:
    """The key before the present one, until the device has connected with the present one."""
    if file.path is None:
        return None
    old = _old_of(file.path)
    return old if old.exists() else None


def changeable(device: str, file: KeyFile) -> Path:
    """Return the file of a device's key.

    Raises DeviceKeyError for a key that the service manager hands over.
    """
    if file.path is None:
        raise DeviceKeyError(
            f"{device}: its key is handed over by the service manager ({file}): change the file that LoadCredential of "
            "the service unit names, and restart feltd; or give the device a key_file"
        )
    return file.path


def write_key(device: str, file: KeyFile, key: bytes) -> None:
    """Replace the present key, which is kept beside the new one.

    Raises DeviceKeyError.
    """
    path = changeable(device, file)
    try:
        if path.exists() and not _old_of(path).exists():  # the oldest is the one that the device still has
            replace_atomically(_old_of(path), path.read_bytes(), owner_for(path))
        replace_atomically(path, key.hex().encode() + b"\n", owner_for(path))
    except OSError as fault:
        raise _unwritable(device, path, fault) from None


def take_back_possible(device: str, file: KeyFile) -> Path:
    """Return the file of a device's key, if its old key can be restored.

    Raises DeviceKeyError where there is no key to go back to.
    """
    path = changeable(device, file)
    if old_key(file) is None:
        raise DeviceKeyError(f"{device}: there is no key to go back to: the device has connected with its new key")
    return path


def take_back(device: str, file: KeyFile) -> None:
    """Restore the key before the present one.

    Raises DeviceKeyError where there is none.
    """
    path = take_back_possible(device, file)
    try:
        os.replace(_old_of(path), path)
        sync_folder(path.parent)
    except OSError as fault:
        raise _unwritable(device, path, fault) from None


class KeyWatch:
    """Takes up keys that were changed while feltd runs, at the page or at the console.

    `use`: called with a device's new key.
    """

    def __init__(
        self, files: Mapping[str, KeyFile], keys: Mapping[str, bytes], use: Callable[[str, bytes], None]
    ) -> None:
        """`keys`: those in use, by the device's name."""
        self._files = {name: file for name, file in files.items() if file.path is not None}
        self._keys = dict(keys)
        self._use = use
        self._seen = {name: _mark(file) for name, file in self._files.items()}

    @property
    def keys(self) -> Mapping[str, bytes]:
        """Those in use, by the device's name."""
        return self._keys

    def file(self, name: str) -> KeyFile | None:
        """Return the file of a device's key; None if the service manager hands the key over."""
        return self._files.get(name)

    def look(self) -> list[str]:
        """Take up keys that have changed since the last look; return whose.

        A file that holds no key is logged once, and the old key stays.
        """
        taken = []
        for name, file in self._files.items():
            mark = _mark(file)
            if mark == self._seen[name]:
                continue
            self._seen[name] = mark
            try:
                if self._take_up(name, file.read()):
                    taken.append(name)
            except KeyFileError as fault:
                _log.warning("%s keeps its key: %s", name, fault)
        return taken

    def belongs_to_another(self, name: str, key: bytes) -> bool:
        """Whether another device of this table has this key: no two may share one."""
        return any(secrets.compare_digest(key, other) for owner, other in self._keys.items() if owner != name)

    def proven(self, name: str) -> None:
        """Remove the old key of a device that has connected with its present key."""
        file = self._files.get(name)
        old = None if file is None else old_key(file)
        if old is None:
            return
        try:
            old.unlink()
        except OSError as fault:
            _log.warning("%s: the old key is not needed any more and cannot be removed: %s", old, fault.strerror)

    def _take_up(self, name: str, key: bytes) -> bool:
        if secrets.compare_digest(key, self._keys[name]):
            return False
        self._keys[name] = key
        self._use(name, key)
        return True


def _old_of(path: Path) -> Path:
    return path.with_name(path.name + _OLD)


def _mark(file: KeyFile) -> tuple[int, int, int] | None:
    """Modification time, size and inode of the key's file; None for no file."""
    try:
        stat = file.locate().stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def owner_for(file: Path) -> os.stat_result:
    """The owner that a key's file should have.

    The same as before, but the folder's owner where the file is missing or belongs to root by mistake.
    """
    folder = file.parent.stat()
    try:
        own = file.stat()
    except FileNotFoundError:
        return folder
    return folder if own.st_uid == 0 else own


def _unwritable(device: str, path: Path, fault: OSError) -> DeviceKeyError:
    return DeviceKeyError(
        f"{path}: cannot be written: {fault.strerror}; as somebody who may: feltd device key {device}, or keep keys in "
        "a folder that belongs to the service"
    )

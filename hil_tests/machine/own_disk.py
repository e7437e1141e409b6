"""A disk of `disk.py` in this machine itself: mounted by its own kernel, and its power can fail at any request.

A thread of the test shows the disk as a file over FUSE, and a loop device makes a disk of that file again, which hands
the kernel's flushes on. Where the power has failed nothing is answered any more: whoever asks waits, as nobody does who
has no power, until the disk is let go. (QEMU's storage daemon shows disks so too; its version 7.2 mixes the data of
writes that come at the same time.)
"""

import ctypes
import errno
import os
import select
import shutil
import stat
import struct
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from hil_tests.machine.disk import Flush, Recorded, Write, why_no_loop_device
from tests.running import until

_LOOKUP, _FORGET, _GETATTR, _OPEN, _READ, _WRITE, _STATFS, _RELEASE = 1, 2, 3, 14, 15, 16, 17, 18
_FSYNC, _FLUSH, _INIT, _ACCESS, _INTERRUPT, _DESTROY, _MANY_FORGOTTEN, _FALLOCATE = 20, 25, 26, 34, 36, 38, 42, 43
_UNANSWERED: Final = (_FORGET, _INTERRUPT, _DESTROY, _MANY_FORGOTTEN)
_HEADER: Final = struct.Struct("<IIQQIIII")
_VERSION: Final = (7, 31)
_BIG_WRITES, _MAX_PAGES = 1 << 5, 1 << 22
_PAGES: Final = 256
_LONGEST: Final = _PAGES * 4096
_DIRECT: Final = 1
"""Of an open file: the kernel keeps no page of it, so what it asks is what the disk is asked."""
_FOR_LONG: Final = 3600
_MENDED: Final = 1 | 2
"""Of e2fsck's exit code: there was something to mend, and it is mended."""
_TOOLS: Final = ("losetup", "mke2fs", "e2fsck")


def why_no_own_disk() -> str | None:
    """Why this machine cannot have such a disk; None where it can."""
    if os.geteuid() != 0:
        return "only root mounts a disk"
    if lacking := [tool for tool in _TOOLS if shutil.which(tool) is None]:
        return f"not installed: {', '.join(lacking)}: `.ci/machine` installs what the machine needs"
    if not Path("/dev/fuse").exists():
        return "this machine has no /dev/fuse"
    return why_no_loop_device()


class OwnDisk(Recorded):
    """`place`: where it is mounted, once it is put in."""

    def __init__(self, folder: Path, name: str, content: bytes, power_failed: threading.Event) -> None:
        super().__init__(content, power_failed)
        self.place = folder / name
        self._as_file = folder / f"{name}.as-file"
        self._loop = ""
        self._end, self._ending = os.pipe()
        self._fuse = -1
        self._released = False
        self._thread = threading.Thread(target=self._serve, name=f"disk {name}", daemon=True)

    def put_in(self) -> None:
        """Have this machine mend what a cut has left, as a board's start does it, and mount it."""
        self.place.mkdir(exist_ok=True)
        self._as_file.write_bytes(b"")
        self._fuse = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        _mount_fuse(self._fuse, self._as_file)
        self._thread.start()
        self._loop = _said("losetup", "--find", "--show", "--direct-io=on", str(self._as_file)) or ""
        mended = subprocess.run(["e2fsck", "-y", self._loop], check=False, capture_output=True, text=True)
        assert mended.returncode & ~_MENDED == 0, f"e2fsck gives {self.place.name} up: {mended.stdout}{mended.stderr}"
        _said("mount", "-t", "ext4", "-o", "noatime", self._loop, str(self.place))

    def take_out(self) -> None:
        """Unmount it in good order; `content` has what it holds."""
        self._unmount()
        self.release()

    def release(self) -> None:
        """Whoever still waits for it is told that it is gone, and may end."""
        if self._released:
            return
        self._released = True
        os.write(self._ending, b".")
        self._thread.join()
        for descriptor in (self._fuse, self._end, self._ending):
            os.close(descriptor)

    def pull(self) -> None:
        """After the power has failed and `release`, once nobody uses it any more."""
        self._unmount()

    def _unmount(self) -> None:
        until(lambda: _said("umount", str(self.place), but="target is busy"))  # a `find` through the host
        _said("losetup", "--detach", self._loop)
        until(lambda: _said("umount", str(self._as_file), but="target is busy"))

    def _serve(self) -> None:
        with suppress(EOFError):
            while True:
                ready, _, _ = select.select([self._fuse, self._end], [], [])
                if self._end in ready:
                    return
                try:
                    asked = os.read(self._fuse, _LONGEST + 8192)
                except OSError as fault:
                    if fault.errno == errno.ENODEV:  # unmounted
                        break
                    if fault.errno in (errno.ENOENT, errno.EINTR, errno.EAGAIN):  # taken back meanwhile
                        continue
                    raise
                _, kind, number, *_ = _HEADER.unpack_from(asked)
                if kind not in _UNANSWERED:
                    error, answer = self._answer(kind, asked[_HEADER.size :])
                    os.write(self._fuse, struct.pack("<IiQ", 16 + len(answer), -error, number) + answer)
        select.select([self._end], [], [])

    def _answer(self, kind: int, asked: bytes) -> tuple[int, bytes]:
        """The error's number and the answer. Raises EOFError where the power has failed."""
        if kind == _INIT:
            most = (_BIG_WRITES | _MAX_PAGES, 16, 12, _LONGEST, 1, _PAGES, 0, 0)
            return 0, struct.pack("<IIIIHHIIHHI7I", *_VERSION, _LONGEST, *most, *[0] * 7)
        if kind == _GETATTR:
            size = len(self.content)
            numbers = (1, size, size // 512, 0, 0, 0, 0, 0, 0, stat.S_IFREG | 0o600, 1, 0, 0, 0, 4096, 0)
            return 0, struct.pack("<QII6Q10I", _FOR_LONG, 0, 0, *numbers)
        if kind == _OPEN:
            return 0, struct.pack("<QII", 0, _DIRECT, 0)
        if kind in (_RELEASE, _FLUSH, _ACCESS):
            return 0, b""
        if kind == _FSYNC:
            self.take(Flush())
            return 0, b""
        if kind == _READ:
            _, offset, length = struct.unpack_from("<QQI", asked)
            return 0, bytes(self.content[offset : offset + length])
        if kind == _WRITE:
            _, offset, length = struct.unpack_from("<QQI", asked)
            self.take(Write(offset, asked[40 : 40 + length]))
            return 0, struct.pack("<II", length, 0)
        if kind == _FALLOCATE:  # what is let go reads as zeroes: a kernel that is told so counts on it
            _, offset, length = struct.unpack_from("<QQQ", asked)
            self.take(Write(offset, bytes(min(length, len(self.content) - offset))))
            return 0, b""
        return errno.ENOSYS, b""


def _mount_fuse(descriptor: int, file: Path) -> None:
    """Have the kernel ask `descriptor` for what is in the file."""
    options = f"fd={descriptor},rootmode={stat.S_IFREG:o},user_id=0,group_id=0,max_read={_LONGEST}".encode()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"feltd-disk", os.fsencode(file), b"fuse", 0, options) != 0:
        raise OSError(ctypes.get_errno(), f"FUSE at {file}")


def _said(*words: str, but: str | None = None) -> str | None:
    """What it says; None where it fails by what `but` has."""
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if but is not None and but in done.stderr:
        return None
    assert done.returncode == 0, f"{' '.join(words)}: {done.stderr.strip()}"
    return done.stdout.strip() or "."

"""A disk with a volatile write cache, served over NBD, that can lose its power at any moment, in mid-write too.

What is written stays in the cache until the machine asks for a flush, or writes with "force unit access"; only then it
is on the medium. The server keeps everything it was asked in order (`log`), so what a power cut would have left can be
told for any moment of a run, and for as many chances of the cache as wanted: `after_cut`. Of each sector that was
written and not flushed chance decides whether it had reached the medium, and in which of its versions; sectors are
torn out of the middle of writes and change their order, as in a card whose controller reorders.
"""

import os
import random
import socket
import struct
import subprocess
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

SECTOR: Final = 512
_GREETING: Final = b"NBDMAGICIHAVEOPT" + struct.pack(">H", 3)  # fixed newstyle, no zeroes
_OPTION_MAGIC: Final = 0x3E889045565A9
_REQUEST_MAGIC, _REPLY_MAGIC = 0x25609513, 0x67446698
_EXPORT_NAME, _ABORT, _INFO, _GO = 1, 2, 6, 7
_ACKNOWLEDGED, _INFORMATION, _UNSUPPORTED = 1, 3, 0x80000001
_READ, _WRITE, _DISCONNECT, _FLUSH = 0, 1, 2, 3
_FLAGS: Final = 1 | 4 | 8  # has flags, takes flushes, takes forced writes
_FORCED: Final = 1


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes written at an offset. `forced`: on the medium before it was answered."""

    offset: int
    data: bytes
    forced: bool = False


@dataclass(frozen=True, slots=True)
class Flush:
    """Everything written before is on the medium."""


Asked = Write | Flush


class Medium:
    """What is on the medium for good, what is only in the cache; fed with what the disk was asked, in order."""

    def __init__(self, content: bytes | bytearray) -> None:
        self.content = bytearray(content)
        self.believes_flushes = True
        """False: a disk that answers a flush and does nothing, as bad ones do."""
        self._cached: dict[int, list[bytes]] = {}

    def ask(self, asked: Asked) -> None:
        """One thing the disk was asked, carried out."""
        if isinstance(asked, Flush):
            if self.believes_flushes:
                for sector, versions in self._cached.items():
                    self._store(sector, versions[-1])
                self._cached.clear()
            return
        self._take(asked)
        if asked.forced and self.believes_flushes:
            for sector, _ in _sectors(asked):
                self._store(sector, self._cached.pop(sector)[-1])

    def cut(self, in_flight: Asked | None, seed: int) -> bytes:
        """What is left when the power fails now, while `in_flight` is on its way. The medium itself goes on."""
        chance = random.Random(seed)
        cached = {sector: list(versions) for sector, versions in self._cached.items()}
        if isinstance(in_flight, Write):
            for sector, data in _sectors(in_flight):
                cached.setdefault(sector, []).append(data)
        left = bytearray(self.content)
        for sector, versions in cached.items():
            if chance.random() < 0.5:
                left[sector * SECTOR : (sector + 1) * SECTOR] = chance.choice(versions)
        return bytes(left)

    @property
    def unflushed(self) -> int:
        """Sectors that are only in the cache."""
        return len(self._cached)

    def _take(self, write: Write) -> None:
        for sector, data in _sectors(write):
            self._cached.setdefault(sector, []).append(data)

    def _store(self, sector: int, data: bytes) -> None:
        self.content[sector * SECTOR : (sector + 1) * SECTOR] = data


def _sectors(write: Write) -> list[tuple[int, bytes]]:
    first = write.offset // SECTOR
    return [
        (first + number, write.data[start : start + SECTOR])
        for number, start in enumerate(range(0, len(write.data), SECTOR))
    ]


def after_cut(content: bytes, log: Sequence[Asked], at: int, seed: int) -> bytes:
    """What a cut leaves that comes while `log[at]` is on its way; the disk held `content` when the log began."""
    return _at(Medium(content), log, at).cut(log[at] if at < len(log) else None, seed)


def _at(medium: Medium, log: Sequence[Asked], at: int) -> Medium:
    for asked in log[:at]:
        medium.ask(asked)
    return medium


class Recorded:
    """A disk that keeps everything it is asked, in order. `power_failed`: what is set where its power fails; disks that
    share it lose their power together."""

    def __init__(self, content: bytes, power_failed: threading.Event | None = None) -> None:
        self.at_first = content
        self.content = bytearray(content)
        """What the machine reads: everything written, in the cache or not."""
        self.log: list[Asked] = []
        self.cut_at: int | None = None
        """With so many entries in the log nothing is answered any more: the power has failed."""
        self.power_failed = power_failed or threading.Event()
        self.believes_flushes = True
        """As of `Medium`."""
        self.unflushed = 0
        """Sectors that were only in the cache at the last cut."""

    def after_cut(self, seed: int) -> bytes:
        """What is left now that the power has failed."""
        at = len(self.log) if self.cut_at is None else self.cut_at
        medium = Medium(self.at_first)
        medium.believes_flushes = self.believes_flushes
        self.unflushed = _at(medium, self.log, at).unflushed
        return medium.cut(self.log[at] if at < len(self.log) else None, seed)

    def written(self, start: int = 0) -> int:
        """Bytes that the disk was told to write since this entry of the log."""
        return sum(len(asked.data) for asked in self.log[start:] if isinstance(asked, Write))

    def take(self, asked: Asked) -> None:
        """Carry it out. Raises EOFError where the power has failed, or fails while this is on its way."""
        if self.power_failed.is_set():
            raise EOFError
        self.log.append(asked)
        if self.cut_at is not None and len(self.log) > self.cut_at:
            self.power_failed.set()  # this one is on its way, and never answered
            raise EOFError
        if isinstance(asked, Write):
            self.content[asked.offset : asked.offset + len(asked.data)] = asked.data


class DiskServer(Recorded):
    """Serves one disk to one machine at a time, on a Unix socket, from a thread of its own."""

    def __init__(self, socket_file: Path, content: bytes) -> None:
        super().__init__(content)
        self.socket_file = socket_file
        self._listener = socket.socket(socket.AF_UNIX)
        socket_file.unlink(missing_ok=True)
        self._listener.bind(str(socket_file))
        self._listener.listen()
        self._connection: socket.socket | None = None
        self._thread = threading.Thread(target=self._serve, name="disk", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.power_failed.set()
        for side in (self._connection, self._listener):
            if side is not None:
                with suppress(OSError):
                    side.shutdown(socket.SHUT_RDWR)
                side.close()
        self._thread.join()

    @property
    def device(self) -> list[str]:
        """QEMU's arguments for it."""
        where = f"driver=nbd,server.type=unix,server.path={self.socket_file},node-name=disk,cache.direct=off"
        return ["-blockdev", where, "-device", "virtio-blk-pci,drive=disk,write-cache=on"]

    def _serve(self) -> None:
        while not self.power_failed.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connection = connection
            with connection, suppress(OSError, EOFError):
                if self._greet(connection):
                    self._answer(connection)

    def _greet(self, connection: socket.socket) -> bool:
        connection.sendall(_GREETING)
        _exactly(connection, 4)
        while True:
            _, option, length = struct.unpack(">QII", _exactly(connection, 16))
            _exactly(connection, length)

            def reply(kind: int, data: bytes = b"", option: int = option) -> None:
                connection.sendall(struct.pack(">QIII", _OPTION_MAGIC, option, kind, len(data)) + data)

            if option in (_INFO, _GO):
                reply(_INFORMATION, struct.pack(">HQH", 0, len(self.content), _FLAGS))
                reply(_ACKNOWLEDGED)
                if option == _GO:
                    return True
            elif option == _EXPORT_NAME:
                connection.sendall(struct.pack(">QH", len(self.content), _FLAGS))
                return True
            elif option == _ABORT:
                reply(_ACKNOWLEDGED)
                return False
            else:
                reply(_UNSUPPORTED)

    def _answer(self, connection: socket.socket) -> None:
        while True:
            _, flags, kind, cookie, offset, length = struct.unpack(">IHHQQI", _exactly(connection, 28))
            data = _exactly(connection, length) if kind == _WRITE else b""
            if kind == _DISCONNECT:
                return
            if kind == _WRITE:
                self.take(Write(offset, data, bool(flags & _FORCED)))
            elif kind == _FLUSH:
                self.take(Flush())
            answer = bytes(self.content[offset : offset + length]) if kind == _READ else b""
            connection.sendall(struct.pack(">IIQ", _REPLY_MAGIC, 0, cookie) + answer)


def _exactly(connection: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def make_file_system(file: Path, mebibytes: int) -> bytes:
    """An empty ext4 as a card has it; its content."""
    with file.open("wb") as image:
        os.truncate(image.fileno(), mebibytes << 20)
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", "-m", "0", str(file)], check=True)
    return file.read_bytes()


def why_no_loop_device() -> str | None:
    """Why this machine makes no disk of a file: in a container it often may not. None where it does."""
    try:
        found = subprocess.run(["losetup", "--find"], check=False, capture_output=True, text=True)
    except OSError as fault:
        return f"losetup does not run: {fault}"
    return None if found.returncode == 0 else f"this machine has no loop device: {found.stderr.strip()}"


def write_sparse(file: Path, contents: Iterable[bytes], block: int = 1 << 16) -> tuple[int, int]:
    """Disks of one size, one after the other in a file, which takes room only for what is not zero: how many, and
    their size. Each is let go before the next one is asked for."""
    nothing = bytes(block)
    count = size = 0
    with file.open("wb") as out:
        for content in contents:
            size = len(content)
            for start in range(0, size, block):
                part = content[start : start + block]
                if part != nothing[: len(part)]:
                    out.seek(count * size + start)
                    out.write(part)
            count += 1
        out.truncate(count * size)
    return count, size

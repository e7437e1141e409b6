"""What a machine's disk was asked, as QEMU's `blklogwrites` notes it, and what a power cut would have left of it.

As `disk.py`, for disks of gigabytes: what was written stays in the log's file. A write lies in the disk's cache until
the machine flushes it, or forces it. Of what lies there a cut leaves each piece by chance.
"""

import os
import random
import struct
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_MAGIC: Final = 0x6A736677736872
_FLUSH, _FORCED, _DISCARD = 1, 2, 4
_TORN_SMALL: Final = 65536
"""Bytes of a write up to which a cut may tear it at each sector; a larger one is torn at each so many bytes."""


@dataclass(frozen=True, slots=True)
class Logged:
    """One thing the disk was asked. `offset`, `size`: bytes of the disk; `at`: where the log's file has them.

    `flushes`: all before it is on the medium. `forced`: it is there itself, before it was answered.
    """

    offset: int
    size: int
    at: int
    flushes: bool
    forced: bool


@dataclass(frozen=True, slots=True)
class _Piece:
    offset: int
    data: bytes
    forced: bool


def device(disk: Path, log: Path) -> list[str]:
    """QEMU's arguments for a disk to start from, whose writes go into `log` as well."""
    log.write_bytes(b"")
    quick = "cache.no-flush=on"
    logged = "driver=blklogwrites,node-name=disk,file=bare,log=written,log-sector-size=512,log-super-update-interval=1"
    return [
        "-blockdev", f"driver=file,node-name=bare,filename={disk},{quick}",
        "-blockdev", f"driver=file,node-name=written,filename={log},{quick}",
        "-blockdev", logged,
        "-device", "virtio-blk-pci,drive=disk,bootindex=0,write-cache=on",
    ]  # fmt: skip


def read_log(log: Path) -> Iterator[Logged]:
    """What the log has, in its order; an entry that QEMU's end has torn, and what is behind it, is left out."""
    length = log.stat().st_size
    with log.open("rb") as file:
        magic, _, entries, sector = struct.unpack("<QQQI", file.read(28))
        assert magic == _MAGIC, f"{log} is no log of writes"
        at = sector
        for _ in range(entries):
            file.seek(at)
            first, count, flags, _ = struct.unpack("<QQQQ", file.read(32))
            at += sector
            discards = bool(flags & _DISCARD)
            size = 0 if discards else count * sector
            if at + size > length:
                return
            yield Logged(first * sector, size, at, bool(flags & _FLUSH), bool(flags & _FORCED))
            at += size


class Medium:
    """The disk's content while its log is played onto it; `content` is changed."""

    def __init__(self, content: Path, log: Path) -> None:
        self.content = content
        self._log = log
        self._cached: list[_Piece] = []

    def play(self, asked: Sequence[Logged]) -> None:
        """Carry out what the disk was asked."""
        with self._log.open("rb") as log, self.content.open("r+b") as medium:
            for one in asked:
                if one.flushes:
                    for piece in self._cached:
                        _put(medium.fileno(), piece)
                    self._cached.clear()
                self._cached += _pieces(log.fileno(), one)

    def cut(self, in_flight: Logged, seed: int, into: Path) -> int:
        """Write into a file what is left when the power fails while this is on its way; the pieces that were lost."""
        chance, lost = random.Random(seed), 0
        subprocess.run(["cp", "--sparse=always", "--reflink=auto", self.content, into], check=True)
        with self._log.open("rb") as log, into.open("r+b") as left:
            for piece in [*self._cached, *_pieces(log.fileno(), in_flight, forced=False)]:
                if piece.forced or chance.random() < 0.5:
                    _put(left.fileno(), piece)
                else:
                    lost += 1
        return lost


def _pieces(log: int, one: Logged, *, forced: bool | None = None) -> list[_Piece]:
    step = 512 if one.size <= _TORN_SMALL else _TORN_SMALL
    kept = one.forced if forced is None else forced
    return [
        _Piece(one.offset + start, os.pread(log, min(step, one.size - start), one.at + start), kept)
        for start in range(0, one.size, step)
    ]


def _put(file: int, piece: _Piece) -> None:
    os.pwrite(file, piece.data, piece.offset)

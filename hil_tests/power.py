"""Power cuts: an evening at a table is recorded down to its disk's last sector, then ended at any number of moments.

The evening is played once, by the real daemon on a virtual machine's ext4, over a disk that writes down everything it
is asked. What a power cut would have left is told from that for any moment and any chance of the cache; a machine then
mounts each of these disks, as after a cut, and hands out what it finds.
"""

import asyncio
import random
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hil_tests.machine.disk import Asked, Medium, write_sparse
from hil_tests.machine.qemu import Machine
from hil_tests.machine_table import machine_table
from hil_tests.wires import Acknowledged

MOUNT_SECONDS: Final = 300.0
_MOUNTED_AT_ONCE: Final = 40

_LOOK: Final = """\
    modprobe -a ext4 loop virtio_blk
    mkdir -p /mnt/disk
    for number in $(seq 0 {last}); do
        out=/shared/found/$number
        mkdir -p $out
        if mount -t ext4 -o loop,offset=$((number * {size})),sizelimit={size} /dev/vda /mnt/disk 2>$out/mount.err; then
            cp -r /mnt/disk/. $out/ 2>$out/copy.err || true
            umount /mnt/disk
        fi
    done
    """


@dataclass(frozen=True, slots=True)
class Evening:
    """What was recorded. `empty`: the disk before it; `begun`: how much it had been asked when play began.

    `key`: the journal's.
    """

    folder: Path
    empty: bytes
    log: tuple[Asked, ...]
    begun: int
    acknowledged: tuple[Acknowledged, ...]

    def acknowledged_by(self, at: int) -> dict[str, tuple[bytes, int]]:
        """By device, the last event it was told is recorded before a cut at this moment: its boot and number."""
        return {one.device: (one.boot, one.seq) for one in self.acknowledged if one.at <= at}


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut while the disk's request number `at` was on its way, by this chance, and where what was left is found.

    `unflushed`: sectors that were in the cache.
    """

    seed: int
    at: int
    found: Path
    unflushed: int


async def play_evening(folder: Path, seed: int, seconds: float) -> Evening:
    """Play for so long, then end the table in good order. Raises GuestFailedError, CannotBeHadError."""
    async with machine_table(folder, seed) as table:
        async with table.powered("evening") as machine:
            begun = len(table.disk.log)
            async with table.dealt() as dealer:
                await asyncio.sleep(seconds)
                assert not dealer.done(), dealer.exception()
            await table.shut_down(machine)
        empty = (folder / "empty.img").read_bytes()
        return Evening(folder, empty, tuple(table.disk.log), begun, tuple(table.wires.acknowledged))


def moments(evening: Evening, seeds: Sequence[int]) -> dict[int, int]:
    """By seed, a moment of the evening: one of the disk's requests."""
    return {seed: random.Random(seed).randrange(evening.begun, len(evening.log)) for seed in seeds}


def cut_short(evening: Evening, seeds: Sequence[int], folder: Path, *, believing: bool = True) -> list[Cut]:
    """What cuts left of the evening, in the order of their moments.

    `believing` False: with a disk that answers flushes and does nothing, from the moment play begins.
    """
    cuts: list[Cut] = []
    at = sorted((moment, seed) for seed, moment in moments(evening, seeds).items())
    for start in range(0, len(at), _MOUNTED_AT_ONCE):
        cuts += _look_at(evening, at[start : start + _MOUNTED_AT_ONCE], folder / f"cuts-{start}", believing)
    return cuts


def good_end(evening: Evening, folder: Path) -> Path:
    """The disk at the evening's good end, as a machine finds it."""
    medium = Medium(evening.empty)
    for asked in evening.log:
        medium.ask(asked)
    return look_at([medium.cut(None, 0)], folder / "good-end")[0]


def look_at(disks: Sequence[bytes], folder: Path) -> list[Path]:
    """Have a machine mount disks and copy out what it finds; a folder for each, empty where it does not mount."""
    folder.mkdir(parents=True)
    write_sparse(folder / "disks.img", disks)
    script = textwrap.dedent(_LOOK).format(last=len(disks) - 1, size=len(disks[0]))
    (folder / "job.sh").write_text(script, encoding="ascii")
    drive = f"file={folder / 'disks.img'},format=raw,if=virtio,cache=unsafe"
    with Machine(folder, "after-the-cuts", devices=["-drive", drive]) as machine:
        machine.succeed(MOUNT_SECONDS)
    (folder / "disks.img").unlink()
    return [folder / "found" / str(number) for number in range(len(disks))]


def _look_at(evening: Evening, batch: list[tuple[int, int]], folder: Path, believing: bool) -> list[Cut]:
    medium, fed = Medium(evening.empty), 0
    disks, unflushed = [], []
    for at, seed in batch:
        for number in range(fed, at):
            medium.believes_flushes = believing or number < evening.begun
            medium.ask(evening.log[number])
        fed = at
        disks.append(medium.cut(evening.log[at], seed))
        unflushed.append(medium.unflushed)
    found = look_at(disks, folder)
    return [Cut(seed, at, where, lost) for (at, seed), where, lost in zip(batch, found, unflushed, strict=True)]

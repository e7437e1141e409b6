"""Power cuts: an evening at a table is recorded down to its disk's last sector, then ended at any number of moments.

The evening is played once, by the real daemon on a virtual machine's ext4, over a disk that writes down everything it
is asked. What a power cut would have left is told from that for any moment and any chance of the cache. Each of these
disks is then mounted, as after a cut, and what is found there is copied out: by this machine's own kernel where that
has loop devices, else by a virtual machine.
"""

import asyncio
import random
import subprocess
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hil_tests.machine.disk import Asked, Medium, Write, after_cut, why_no_loop_device, write_sparse
from hil_tests.machine.qemu import Machine
from hil_tests.machine_table import machine_table
from hil_tests.wires import Acknowledged

MOUNT_SECONDS: Final = 600.0
_SUPERBLOCK_AT: Final = 1024
"""On a disk with ext4: in its place, two sectors, and no journal has it."""
_MODULES: Final = "modprobe -a ext4 loop virtio_blk\n"

# As systemd does it at a start, by the image's kernel command line (`fsck.repair=yes`): ext4 writes its own superblock
# in its place as it is unmounted, and where that write is torn a start finds the disk by a copy of it, or not at all.
_LOOK: Final = """\
    mkdir -p {mounted}
    for number in $(seq 0 {last}); do
        out={shared}/found/$number
        mkdir -p $out
        disk=$(losetup --find --show --offset $((number * {size})) --sizelimit {size} {disks}) || exit 1
        e2fsck -y $disk >$out/fsck.out 2>&1 || true
        if mount -t ext4 $disk {mounted} 2>$out/mount.err; then
            cp -r {mounted}/. $out/ 2>$out/copy.err || true
            umount {mounted}
        fi
        losetup --detach $disk
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


@dataclass(frozen=True, slots=True)
class Left:
    """What was found on the evening's disk: at its good end, and after cuts, as `looked_at` has them."""

    good: Path
    cuts: list[Cut]
    lied: list[Cut]
    torn: list[Cut]


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


def looked_at(
    evening: Evening, seeds: Sequence[int], folder: Path, *, lying: Sequence[int] = (), torn: Sequence[int] = ()
) -> Left:
    """What is found on the evening's disk: at its good end, and after a cut for each seed, by their moments' order.

    `lying`: cuts of a disk that answers flushes and does nothing, from the moment play begins. `torn`: cuts while ext4
    writes its own superblock for the last time. All disks are mounted one after the other in one go: to start a machine
    for it is most of the work.
    """
    cuts, lied = _in_order(evening, seeds), _in_order(evening, lying)
    written = [(_last_superblock(evening), seed) for seed in torn]
    unflushed: list[int] = []

    def disks() -> Iterator[bytes]:
        yield _to_its_end(evening)
        yield from _cut(evening, cuts, unflushed, believing=True)
        yield from _cut(evening, lied, unflushed, believing=False)
        yield from _cut(evening, written, unflushed, believing=True)

    good, *found = look_at(disks(), folder)
    asked = cuts + lied + written
    left = [Cut(seed, at, where, lost) for (at, seed), where, lost in zip(asked, found, unflushed, strict=True)]
    return Left(good, left[: len(cuts)], left[len(cuts) : len(cuts + lied)], left[len(cuts + lied) :])


def good_end(evening: Evening, folder: Path) -> Path:
    """The disk at the evening's good end, as it is found."""
    return look_at([_to_its_end(evening)], folder / "good-end")[0]


def look_at(disks: Iterable[bytes], folder: Path) -> list[Path]:
    """Mount disks of one size and copy out what is found; a folder for each, empty where it does not mount."""
    folder.mkdir(parents=True)
    image = folder / "disks.img"
    count, size = write_sparse(image, disks)
    look = textwrap.dedent(_LOOK)
    if has_loop_devices():
        script = look.format(last=count - 1, size=size, disks=image, mounted=folder / "mounted", shared=folder)
        subprocess.run(["bash", "-c", script], check=True, timeout=MOUNT_SECONDS)
    else:
        script = _MODULES + look.format(
            last=count - 1, size=size, disks="/dev/vda", mounted="/mnt/disk", shared="/shared"
        )
        (folder / "job.sh").write_text(script, encoding="ascii")
        drive = f"file={image},format=raw,if=virtio,cache=unsafe"
        with Machine(folder, "after-the-cuts", devices=["-drive", drive]) as machine:
            machine.succeed(MOUNT_SECONDS)
    image.unlink()
    return [folder / "found" / str(number) for number in range(count)]


def has_loop_devices() -> bool:
    """Whether this machine's own kernel mounts a disk that is a file: in a container it often may not."""
    return why_no_loop_device() is None and "ext4" in Path("/proc/filesystems").read_text(encoding="ascii")


def _in_order(evening: Evening, seeds: Sequence[int]) -> list[tuple[int, int]]:
    """A moment for each seed, in the order of the moments."""
    return sorted((moment, seed) for seed, moment in moments(evening, seeds).items())


def _last_superblock(evening: Evening) -> int:
    """The disk's request by which ext4 wrote its superblock for the last time, as it was unmounted."""
    return max(
        at for at, asked in enumerate(evening.log) if isinstance(asked, Write) and asked.offset == _SUPERBLOCK_AT
    )


def _to_its_end(evening: Evening) -> bytes:
    return after_cut(evening.empty, evening.log, len(evening.log), 0)


def _cut(
    evening: Evening, cuts: Sequence[tuple[int, int]], unflushed: list[int], *, believing: bool
) -> Iterator[bytes]:
    """What each leaves on the disk; how many sectors were in the cache is added to `unflushed`."""
    medium, fed = Medium(evening.empty), 0
    for at, seed in cuts:
        for number in range(fed, at):
            medium.believes_flushes = believing or number < evening.begun
            medium.ask(evening.log[number])
        fed = at
        unflushed.append(medium.unflushed)
        yield medium.cut(evening.log[at], seed)

"""A table whose controller is a virtual machine: feltd in it, on a disk that may lose its power, devices outside."""

import asyncio
import random
import textwrap
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from devices.simulated.people.game import Game
from devices.simulated.things.equipment import Equipment, lay_out
from feltd.books.shipped import rulebook_sources, structure_sources
from feltd.simulated.games import game_for, options_for
from feltd.simulated.plan import SEATS
from hil_tests.machine import chip
from hil_tests.machine.disk import DiskServer, make_file_system
from hil_tests.machine.ground import HOST, Ground
from hil_tests.machine.qemu import Machine
from hil_tests.machine.tree import lay
from hil_tests.wires import DATA, LineFeed, Wires, cables, feed_line, reader_line, wired, write_machine_config
from table_fsm.library import load_library
from tests.feltd.kill_support import dealing

BOOK: Final = "tas-2018-holdem"
DISK_MEBIBYTES: Final = 64
START_SECONDS: Final = 600.0
"""A machine in software emulation needs 20 seconds from its power to a table that plays; a busy host, minutes."""

WATCHDOG: Final = ["-device", "i6300esb", "-action", "watchdog=pause"]
"""Where it bites the machine stops and stays stopped (`Machine.bitten`): whoever runs it switches it off and on again,
as a board's reset line does. A reset within QEMU would need a boot loader: a machine started by `-kernel` has none."""
CUT_WITHIN: Final = 60
PACE: Final = 0.01
"""Of the dealer, who besides waits for what the table says (`Seen`)."""
SILENT_LOOKS: Final = 20
"""More than there are motions in a row to which the table says nothing; half of what drives a croupier to despair."""
SILENT_SECONDS: Final = 30.0

JOB: Final = """\
    set -e
    cd {checkout}
    export PYTHONDONTWRITEBYTECODE=1
    mkdir -p {data}
    mount -t ext4 -o noatime /dev/vda {data}
    # Without their PINs the badges of the people sign nothing, and a round that waits for a decision stays there.
    install -m 600 /shared/staff.pins {data}/staff.pins
    # udev is there before the cables' modules and hears of each port from the kernel. Of what is older only the lines
    # out of the machine have names that somebody asks for: to be told of all devices again takes half a minute.
    /lib/systemd/systemd-udevd --daemon
    udevadm trigger --action=add --subsystem-match=virtio-ports
    modprobe -a xhci_pci ftdi_sio virtio_console
    udevadm settle
    {python} -m hil_tests.guest.feed {data}/table.journal /dev/virtio-ports/feed &

    {python} -m feltd.cli table --page-user root /shared/table.toml &
    table=$!
    until [ -e /shared/stop ]; do sleep 0.2; kill -0 $table; done
    kill -TERM $table
    wait $table
    kill %1
    umount {data}
    """


@dataclass(slots=True)
class MachineTable:
    """The parts of one table, and what has become of its disk."""

    folder: Path
    game: Game
    equipment: Equipment
    disk: DiskServer
    feed: LineFeed
    wires: Wires
    systemd: bool = False
    usb_reader: str | None = None
    ground: Ground = HOST
    boots: int = 0

    @asynccontextmanager
    async def powered(self, name: str) -> AsyncIterator[Machine]:
        """Power on; gives the machine when its table is ready."""
        self.boots += 1
        (self.folder / "stop").unlink(missing_ok=True)
        out = self.folder / f"feed-{self.boots}.jsonl"
        out.unlink(missing_ok=True)
        self.feed.boot(out)
        devices = [*self.disk.device, *cables(self.equipment, self.usb_reader), *feed_line(out)]
        if self.usb_reader is not None:
            devices += reader_line(self.equipment, self.usb_reader)
        devices += WATCHDOG if self.systemd else []
        with Machine(self.folder, name, systemd=self.systemd, devices=devices, ground=self.ground) as machine:
            await asyncio.to_thread(machine.wait_for, "ready, door at", START_SECONDS)
            yield machine

    async def shut_down(self, machine: Machine) -> None:
        """End the table in good order, and the machine with it."""
        if self.systemd:
            await asyncio.to_thread(machine.order, "systemctl stop felt-table felt-page", START_SECONDS)
            return
        (self.folder / "stop").touch()
        await asyncio.to_thread(machine.succeed, START_SECONDS)

    @asynccontextmanager
    async def dealt(self) -> AsyncIterator["asyncio.Task[None]"]:
        """A dealer at work for as long as the block runs; where one is at a loss a new one takes over."""

        async with dealing(self.game, self.equipment, Seen(self.wires, self.feed), pace=PACE) as task:
            yield task

    async def cut(self, machine: Machine, seed: int) -> None:
        """The power fails in the middle of one of the disk's next requests, and is not back yet."""
        self.disk.cut_at = len(self.disk.log) + random.Random(seed).randrange(CUT_WITHIN)
        assert await asyncio.to_thread(self.disk.power_failed.wait, START_SECONDS), "nothing is written any more"
        machine.cut()
        left = self.disk.after_cut(seed)
        self.disk.__exit__()
        self.disk = DiskServer(self.disk.socket_file, left).__enter__()


@dataclass(slots=True)
class Seen:
    """The table as a dealer sees it who does nothing more before it has answered to what was done: however slow the
    machine is, a card's leaving the shoe is taken before its coming to rest, and no motion is made twice.

    A table that has been silent for long is waited for: a device is away, and the dealer is not to despair of it.
    """

    wires: Wires
    feed: LineFeed
    silent: int = 0
    """Looks in a row that found nothing new."""

    async def outputs(self) -> Sequence[dict[str, Any]]:
        await self.wires.until_told(self.feed)
        said = await self.feed.outputs()
        if not said and self.silent >= SILENT_LOOKS:
            with suppress(TimeoutError):
                await self.feed.until(lambda entry: entry.kind == "output", SILENT_SECONDS, after=self.feed.last)
            said = await self.feed.outputs()
        self.silent = 0 if said else self.silent + 1
        return said


@asynccontextmanager
async def machine_table(
    folder: Path,
    seed: int,
    *,
    mistakes: float = 0.2,
    pins: str | None = None,
    usb_reader: str | None = None,
    devices: Callable[[Equipment], Equipment] = lambda equipment: equipment,
    ground: Ground = HOST,
) -> AsyncIterator[MachineTable]:
    """Lays a table out, with its devices running and an empty disk. The machine is not switched on yet.

    `pins`: a section [pins] for its file; the table is then a service under systemd, as it is on a board.
    `usb_reader`: the device that is a USB reader there, and not on a cable. `devices`: gives the table other devices.
    `ground`: what the machine stands on.
    """
    book = load_library(rulebook_sources(), structure_sources())[BOOK]
    options = options_for(book)
    game = game_for(book, SEATS, options, seed=seed, mistake_rate=mistakes)
    equipment = devices(lay_out(folder, game))
    if pins is None:
        write_machine_config(equipment, game, options, "/shared")
    else:
        file = write_machine_config(equipment, game, options, f"{DATA}/keys", usb_reader)
        text = file.read_text(encoding="utf-8").replace(f"{DATA}/keys/journal.key", "credential:journal-key")
        file.write_text(text + pins, encoding="utf-8")
        lay(folder, chip.MAKE, ground)
    job = textwrap.dedent(JOB).format(checkout=ground.checkout, python=ground.python, data=DATA)
    (folder / "job.sh").write_text(job, encoding="utf-8")
    empty = make_file_system(folder / "empty.img", DISK_MEBIBYTES)
    disk = DiskServer(folder / "disk.sock", empty).__enter__()
    table = MachineTable(folder, game, equipment, disk, LineFeed(), Wires(), pins is not None, usb_reader, ground)
    try:
        async with wired(equipment, table.wires, lambda: len(table.disk.log)):
            yield table
    finally:
        table.disk.__exit__()

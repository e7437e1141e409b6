"""A table's devices, played here, on the ends of a virtual machine's USB-to-serial cables.

The machine sees FTDI ports with a serial number each, `/dev/serial/by-id/…`; behind each is a simulated device that
speaks the real protocol on a pseudo-terminal. All devices share this process, so that it knows of every event when it
was acknowledged and how much the machine's disk had been asked by then.
"""

import asyncio
import json
import threading
from bisect import bisect_right
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from devices.simulated.people.game import Game
from devices.simulated.things.device import DeviceOptions, serve_device
from devices.simulated.things.equipment import Equipment
from devices.simulated.things.memory import DeviceMemory
from feltd.record import EntryKind
from feltd.simulated.setting_up import write_config
from firmware_bridge.store import PendingEvent
from hil_tests.guest.usb_reader import PRODUCT, SERIAL, VENDOR
from tests.feltd.seal_support import PUBLIC

BY_ID: Final = "/dev/serial/by-id/usb-QEMU_QEMU_USB_SERIAL_{}-if00-port0"
DATA: Final = "/var/lib/feltd"
"""Where the machine's disk is mounted."""
_POLL: Final = 0.01


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """Up to this event of its boot a device was told that the journal has it. `at`: what `moment` said then."""

    at: int
    device: str
    boot: bytes
    seq: int


@dataclass(slots=True)
class Wires:
    """What has gone over the wires. `acknowledged` grows with every acknowledgement; `owed`: events without one.

    `last`: by device, the last one acknowledged, its boot and number. `made`: by device and boot, its last number.
    """

    acknowledged: list[Acknowledged] = field(default_factory=list)
    owed: int = 0
    last: dict[str, tuple[bytes, int]] = field(default_factory=dict)
    made: dict[tuple[str, bytes], int] = field(default_factory=dict)

    async def until_told(self, feed: "LineFeed") -> None:
        """Wait until all that the devices said is recorded, and the feed has told it."""
        while self.owed or not feed.has(self.last):  # noqa: ASYNC110 - a file that grows tells nobody
            await asyncio.sleep(_POLL)


class _TellingMemory(DeviceMemory):
    def __init__(self, device: DeviceOptions, wires: Wires, moment: Callable[[], int]) -> None:
        super().__init__(device.memory)
        self._device = device.name
        self._wires = wires
        self._moment = moment

    def append(self, event: PendingEvent) -> None:
        super().append(event)
        self._wires.owed += 1
        self._wires.made[self._device, event.boot_id] = event.seq

    def forget(self, count: int) -> None:
        last = self.load()[count - 1]
        super().forget(count)
        self._wires.owed -= count
        self._wires.acknowledged.append(Acknowledged(self._moment(), self._device, last.boot_id, last.seq))
        self._wires.last[self._device] = (last.boot_id, last.seq)


@asynccontextmanager
async def wired(equipment: Equipment, wires: Wires, moment: Callable[[], int]) -> AsyncIterator[None]:
    """Runs the devices; `moment` is noted with each acknowledgement."""
    tasks = [
        asyncio.create_task(serve_device(device, _TellingMemory(device, wires, moment))) for device in equipment.devices
    ]
    try:
        async with asyncio.timeout(600):
            while not all(device.control.exists() for device in equipment.devices):  # noqa: ASYNC110 - files tell nobody
                await asyncio.sleep(_POLL)
        yield
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task


def cables(equipment: Equipment, but: str | None = None) -> list[str]:
    """QEMU's arguments: a USB-to-serial cable to each device but one. Its id on the monitor is `cable-…`."""
    words = ["-device", "qemu-xhci,id=usb,p2=15,p3=4"]
    for device in equipment.devices:
        if device.name == but:
            continue
        name = plug_name(device.name)
        words += ["-chardev", f"serial,id=line-{name},path={device.port_link}"]
        words += ["-device", f"usb-serial,id=cable-{name},chardev=line-{name},serial={name}"]
    return words


def feed_line(file: Path) -> list[str]:
    """QEMU's arguments: a line out of the machine, /dev/virtio-ports/feed, whose end is a file."""
    words = ["-device", "virtio-serial-pci", "-chardev", f"file,id=feed,path={file}"]
    return [*words, "-device", "virtserialport,chardev=feed,name=feed"]


def reader_line(equipment: Equipment, device: str) -> list[str]:
    """QEMU's arguments: a line to a device, /dev/virtio-ports/reader, for what plays its USB controller."""
    words = ["-chardev", f"serial,id=line-reader,path={equipment.device(device).port_link}"]
    return [*words, "-device", "virtserialport,chardev=line-reader,name=reader"]


def plug_name(device: str) -> str:
    """The serial number of a device's cable."""
    return device.replace(":", "-")


def write_machine_config(
    equipment: Equipment, game: Game, options: dict[str, Any], seen: str, usb_reader: str | None = None
) -> Path:
    """The table's file as the machine reads it: ports by id, the journal on its disk. `seen`: the folder there."""
    file = write_config(equipment, game, options, "127.0.0.1", 8080)
    with file.open("a", encoding="utf-8") as more:
        more.write(f'[record]\nsealed_to = "{PUBLIC}"\n')
    text = file.read_text(encoding="utf-8")
    for device in equipment.devices:
        if device.name == usb_reader:
            place = f'usb = {{ vendor = {VENDOR}, product = {PRODUCT}, serial = "{SERIAL}" }}'
            text = text.replace(f'port = "{device.port_link}"', place)
        text = text.replace(f'port = "{device.port_link}"', f'port = "{BY_ID.format(plug_name(device.name))}"')
    text = text.replace(f'path = "{equipment.folder / "table.journal"}"', f'path = "{DATA}/table.journal"')
    file.write_text(text.replace(str(equipment.folder), seen), encoding="utf-8")
    return file


@dataclass(frozen=True, slots=True)
class Fed:
    """An entry of the journal, as it was told outside; what is sealed is None in the body.

    `boot` (hex), `number`: of a device's event, as the device counts them.
    """

    seq: int
    kind: str
    name: str
    device: str | None
    boot: str | None
    number: int | None
    body: Any


class LineFeed:
    """What the journal holds, out of the files that the machine's boots wrote; each entry once."""

    def __init__(self) -> None:
        self.entries: list[Fed] = []
        self._file: Path | None = None
        self._read = 0
        self._told = 0
        self._turn = threading.Lock()  # a test looks from a thread of its own
        self._numbers: dict[tuple[str | None, str | None], int] = {}

    def boot(self, file: Path) -> None:
        """A new boot of the machine writes a new file, from the record's beginning."""
        self._file, self._read = file, 0

    def look(self) -> Sequence[Fed]:
        """Everything told so far, oldest first."""
        with self._turn:
            self._look()
        return self.entries

    def _look(self) -> None:
        if self._file is not None and self._file.exists():
            with self._file.open("rb") as file:
                file.seek(self._read)
                data = file.read()
            whole = data[: data.rfind(b"\n") + 1]
            self._read += len(whole)
            for line in whole.splitlines():
                self._take(line)

    def has(self, last: Mapping[str, tuple[bytes, int]]) -> bool:
        """Whether these events, by device its boot and number, have been told."""
        self.look()
        return all(self._numbers.get((name, boot.hex()), 0) >= number for name, (boot, number) in last.items())

    async def outputs(self) -> Sequence[dict[str, Any]]:
        """For the dealer: what the table said that it has not been told before."""
        fresh = self.look()[self._told :]
        self._told += len(fresh)
        return [entry.body for entry in fresh if entry.kind == EntryKind.OUTPUT]

    async def until(self, wanted: Callable[[Fed], bool], seconds: float, *, after: int = 0) -> Fed:
        """The first entry after this one that is wanted. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            while True:
                entries = self.look()
                for entry in entries[bisect_right(entries, after, key=lambda one: one.seq) :]:
                    after = entry.seq
                    if wanted(entry):
                        return entry
                await asyncio.sleep(_POLL)

    @property
    def last(self) -> int:
        """The number of the last entry told."""
        return self.look()[-1].seq if self.look() else 0

    def _take(self, line: bytes) -> None:
        try:
            entry = Fed(*json.loads(line))
        except ValueError:  # broken off by a reset: the next boot tells it again
            return
        if not self.entries or entry.seq > self.entries[-1].seq:
            self.entries.append(entry)
            self._numbers[entry.device, entry.boot] = entry.number or 0

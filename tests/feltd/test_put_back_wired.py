"""All files of a record put back to an older state, or gone, beside a link to a shoe that remembers: play stops."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from feltd.door import Person
from feltd.record import HostEntry
from feltd.record.signed_heads import heads_file
from feltd.table.config.key_files import KeyFile
from feltd.table.daemon.shown import indicators_of
from feltd.table.journal.aside import set_aside
from feltd.table.journal.from_floor import go_on_from
from feltd.table.links.bridge import Bridge, make_drivers
from feltd.table.links.ends import TableEnds
from feltd.table.links.links import Reach
from feltd.table.workshop.workshop import Workshop
from firmware_bridge.link import LinkState
from firmware_bridge.memory import memory_pair
from firmware_bridge.peer import DevicePeer, PeerIdentity
from firmware_bridge.store import MemoryStore
from firmware_bridge.transport import HostTransport
from tests.feltd.lost_frames import SHOE, Shoe
from tests.feltd.table_support import KEY as RECORD_KEY
from tests.feltd.table_support import Bench
from tests.firmware_bridge.support import KEY, now, run, until

ADA = Person("ada", "Ada", "technician", "127.0.0.1")
NUMBERS = {"ev": "deck_checked", "count": 52, "missing": [], "foreign": [], "duplicate": []}


class Device:
    """A shoe: its memory, its boot, and the wire to whatever table it is at."""

    def __init__(self, serial: str = "S-1", versions: tuple[int, int] = (1, 2)) -> None:
        self._identity = PeerIdentity("shoe", serial, KEY, versions=versions)
        self._store = MemoryStore(persistent=True)
        self._gate = Shoe()
        self.peer = self._booted()

    def _booted(self) -> DevicePeer:
        return DevicePeer(self._identity, self._gate, store=self._store, clock=now)

    def restart(self) -> None:
        """Its power was off: another boot, the same memory."""
        self.peer = self._booted()

    @property
    def is_locked(self) -> bool:
        return self._gate.locked


class Table:
    """One run of a table on the record in a folder."""

    def __init__(self, folder: Path, device: Device) -> None:
        self.bench = Bench(folder)
        (folder / "shoe.key").write_bytes(KEY)
        shoe = SHOE.model_copy(update={"key_file": KeyFile(path=folder / "shoe.key")})
        self._device = device
        self._served: list[asyncio.Task[None]] = []
        self.bridge = Bridge(
            [shoe], {"shoe": KEY}, self.bench.recovered.resume, make_drivers([shoe]), wall=now,
            reach=Reach(lambda _: self._connect),
        )  # fmt: skip
        keeper = self.bench.keeper
        keeper._indicators = self.bridge
        self.workshop = Workshop([shoe], {"shoe": KEY}, keeper, self.bridge, self.bench.journal)
        self.bridge.connect(
            TableEnds(
                keeper.deliver,
                lambda: indicators_of(keeper.table),
                came=self.workshop.came,
                jumped=self.workshop.jumped,
                needed=keeper.table.needs,
            )
        )

    async def _connect(self) -> HostTransport:
        host, device = memory_pair()
        self._served.append(asyncio.ensure_future(self._device.peer.serve(device)))
        return host

    async def says(self, times: int = 1) -> None:
        """The shoe reports so often, and each report is acknowledged."""
        for _ in range(times):
            self._device.peer.emit(NUMBERS)
        await until(lambda: self._device.peer.pending == 0)

    async def jumps(self) -> int:
        await self.bench.synced()
        return len(self.bench.journal.reader.host_entries(HostEntry.JUMP))

    async def stop(self, running: "asyncio.Task[None]") -> None:
        for task in (running, *self._served):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        self.bench.journal.close()


@asynccontextmanager
async def at_work(folder: Path, device: Device) -> AsyncIterator[Table]:
    """A table from its start, once its shoe is there, to its stop."""
    table = Table(folder, device)
    running = asyncio.ensure_future(table.bridge.run())
    try:
        await until(lambda: table.bridge.slots["shoe"].link.state is LinkState.UP)
        table.bench.open_table()
        yield table
    finally:
        await table.stop(running)


class Place:
    """Where a table's files are, and a copy of all of them from earlier."""

    def __init__(self, folder: Path) -> None:
        self.now, self._copy = folder / "now", folder / "copy"
        self.now.mkdir()

    def copy(self) -> None:
        shutil.copytree(self.now, self._copy)

    def put_back(self) -> None:
        shutil.rmtree(self.now)
        shutil.copytree(self._copy, self.now)

    @property
    def journal(self) -> Path:
        return self.now / "table.journal"

    def lose_the_record(self) -> None:
        """With all that is its own; what else the table remembers stays."""
        for file in self.now.glob("table.journal*"):
            file.unlink()


def played(scene: Callable[[Place, Device], Awaitable[None]], folder: Path, **device: Any) -> None:
    async def playing() -> None:
        await scene(Place(folder), Device(**device))

    run(playing(), jumping=False)


@pytest.mark.parametrize("restarted", [False, True])
def test_play_stops_over_starts_until_a_person_accepts_it(tmp_path: Path, restarted: bool) -> None:
    async def scene(place: Place, device: Device) -> None:
        async with at_work(place.now, device) as table:
            await table.says(2)
        place.copy()
        async with at_work(place.now, device) as table:
            await table.says(3)
        place.put_back()
        for start in range(2):
            if restarted:
                device.restart()
            async with at_work(place.now, device) as table:
                assert table.bridge.indicating.put_back
                await until(lambda: device.is_locked)  # a command takes its turn of the loop
                assert await table.jumps() == 1, f"start {start}"
        async with at_work(place.now, device) as table:
            table.workshop.accept(ADA, "shoe")
            assert not table.bridge.indicating.put_back
            await table.bench.synced()
        if restarted:
            device.restart()
        async with at_work(place.now, device) as table:
            assert not table.bridge.indicating.put_back, "nobody is asked again"
            await table.says()
        async with at_work(place.now, device) as table:
            assert not table.bridge.indicating.put_back
            assert await table.jumps() == 2

    played(scene, tmp_path)


def test_clean_starts_and_restarts_of_the_device_stop_nothing(tmp_path: Path) -> None:
    async def scene(place: Place, device: Device) -> None:
        for times in range(4):
            async with at_work(place.now, device) as table:
                assert (table.bridge.indicating.put_back, await table.jumps()) == (False, 0)
                await table.says(times)
            device.restart()

    played(scene, tmp_path)


def test_a_device_of_version_1_cannot_tell_it_before_its_next_event_and_stops_nothing(tmp_path: Path) -> None:
    async def scene(place: Place, device: Device) -> None:
        async with at_work(place.now, device) as table:
            await table.says(2)
        place.copy()
        async with at_work(place.now, device) as table:
            await table.says(3)
        place.put_back()
        async with at_work(place.now, device) as table:
            device.peer.emit(NUMBERS)
            await until(lambda: device.peer.pending == 0)
            assert (table.bridge.indicating.put_back, await table.jumps()) == (False, 1)

    played(scene, tmp_path, versions=(1, 1))


@pytest.mark.parametrize("new", [False, True])
def test_a_device_in_anothers_place_stops_nothing_new_or_from_another_table(tmp_path: Path, new: bool) -> None:
    async def scene(place: Place, device: Device) -> None:
        other = Device("S-2")
        if not new:
            elsewhere = tmp_path / "elsewhere"
            elsewhere.mkdir()
            async with at_work(elsewhere, other) as table:
                await table.says(5)
            other.restart()
        async with at_work(place.now, device) as table:
            await table.says(2)
        async with at_work(place.now, other) as table:
            assert not table.bridge.indicating.put_back
            assert table.bridge.slots["shoe"].replaced == "S-1"
            assert await table.jumps() == (0 if new else 1)
            await table.says()
        device.restart()
        async with at_work(place.now, device) as table:  # the first one is back, and remembers what the record has
            assert not table.bridge.indicating.put_back

    played(scene, tmp_path)


def test_a_new_record_beside_a_device_that_remembers_stops_nothing(tmp_path: Path) -> None:
    async def scene(place: Place, device: Device) -> None:
        async with at_work(place.now, device) as table:
            await table.says(3)
        shutil.rmtree(place.now)
        place.now.mkdir()
        async with at_work(place.now, device) as table:
            assert (table.bridge.indicating.put_back, await table.jumps()) == (False, 1)

    played(scene, tmp_path)


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("versions", [(1, 1), (1, 2)])
def test_a_record_that_is_gone_stops_play_over_starts_until_a_person_accepts_it(
    tmp_path: Path, restarted: bool, versions: tuple[int, int]
) -> None:
    async def scene(place: Place, device: Device) -> None:
        async with at_work(place.now, device) as table:
            await table.says(3)
        place.lose_the_record()
        for start in range(3):
            if restarted:
                device.restart()
            async with at_work(place.now, device) as table:
                assert table.bridge.indicating.put_back, f"start {start}"
                await until(lambda: device.is_locked)  # a command takes its turn of the loop
                # once by itself, and once more where the device remembers what was acknowledged to it
                assert await table.jumps() == (1 if versions == (1, 1) else 2)
        async with at_work(place.now, device) as table:
            table.workshop.accept(ADA, "shoe")
            assert not table.bridge.indicating.put_back
            await table.says()
        async with at_work(place.now, device) as table:
            assert not table.bridge.indicating.put_back, "nobody is asked again"

    played(scene, tmp_path, versions=versions)


def test_it_is_told_before_any_device_is_there_and_accepted_without_one(tmp_path: Path) -> None:
    async def scene(place: Place, device: Device) -> None:
        async with at_work(place.now, device):
            pass
        place.lose_the_record()
        table = Table(place.now, device)
        told = [table.bridge.indicating.put_back]
        assert "that record is gone" in str(table.bridge.slots["shoe"].missing)
        table.workshop.accept(ADA, "shoe")
        assert [*told, table.bridge.indicating.put_back] == [True, False]
        await table.bench.synced()
        table.bench.journal.close()
        async with at_work(place.now, device) as table:
            assert not table.bridge.indicating.put_back

    played(scene, tmp_path)


def test_other_names_of_the_devices_do_not_hide_it(tmp_path: Path) -> None:
    async def scene(place: Place, device: Device) -> None:
        (place.now / "devices.json").write_text('{"the old shoe": {"serial": "S-1"}}')
        async with at_work(place.now, device) as table:
            assert table.bridge.indicating.put_back

    played(scene, tmp_path)


def test_a_record_that_a_person_set_aside_stops_nothing(tmp_path: Path) -> None:
    async def scene(place: Place, device: Device) -> None:
        async with at_work(place.now, device) as table:
            await table.says(3)
        set_aside(place.journal, RECORD_KEY, None, {"who": "A. Berg", "why": "case 4711"})
        async with at_work(place.now, device) as table:
            assert not table.bridge.indicating.put_back

    played(scene, tmp_path)


def test_a_record_made_from_the_floors_copy_stops_nothing(tmp_path: Path) -> None:
    async def scene(place: Place, device: Device) -> None:
        async with at_work(place.now, device) as table:
            await table.says(3)
        place.copy()
        place.lose_the_record()
        copy = tmp_path / "copy" / "table.journal"
        with copy.open("rb") as file, heads_file(copy).open("rb") as heads:
            go_on_from((file, heads), place.journal, RECORD_KEY, None, {"who": "A. Berg", "why": "card dead"})
        async with at_work(place.now, device) as table:
            assert not table.bridge.indicating.put_back

    played(scene, tmp_path)


def test_a_device_that_was_wiped_stops_nothing(tmp_path: Path) -> None:
    async def scene(place: Place, device: Device) -> None:
        async with at_work(place.now, device) as table:
            await table.says(3)
        async with at_work(place.now, Device()) as table:
            assert (table.bridge.indicating.put_back, await table.jumps()) == (False, 0)

    played(scene, tmp_path)

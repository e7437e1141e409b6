"""A simulated table whose daemon is a process of its own, to be killed: what the kill test stands on."""

import asyncio
import os
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Self

from devices.simulated.errors import CroupierStuckError
from devices.simulated.people.dealer import Dealer, DealerTable
from devices.simulated.people.game import Game
from devices.simulated.things.control import Control
from devices.simulated.things.equipment import Equipment
from feltd.record import EntryKind, HostEntry, JournalReader, Span
from feltd.record.notes import START_NOTE
from feltd.record.sealing import MasterKey, derive
from tests.devices.wired import settled
from tests.running import eventually
from tests.warm import WarmProcess, WarmStart, start_feltd

SHUT_EVERY = 0.1
"""Seconds between two looks."""


class DaemonProcess:
    """`feltd run`, started and killed again and again; it says that it is ready as to systemd."""

    def __init__(
        self, config: Path, folder: Path, command: str = "run", *options: str, warm: WarmStart | None = None
    ) -> None:
        """`command`: `table` starts the table alone, as its service does. `options`: of the command. `warm`: as of
        `start_feltd`."""
        self._words = (command, *options, str(config))
        self._notices = folder / "notify"
        self._log = folder / "daemon.log"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._notices.unlink(missing_ok=True)  # of one that was killed there
        self._socket.bind(str(self._notices))
        self._socket.setblocking(False)
        self._warm = warm
        self._process: subprocess.Popen[bytes] | WarmProcess | None = None
        self._ready = False
        self.alive = asyncio.Event()
        self.lives = 0
        """How often it was started."""

    @property
    def pid(self) -> int:
        """The number of the process that runs."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        self.lives += 1
        environment = {**os.environ, "NOTIFY_SOCKET": str(self._notices)}
        self._process = await asyncio.to_thread(start_feltd, self._words, self._log, environment, self._warm)
        self.alive.set()

    async def ready(self) -> None:
        """Wait until it has said so, if it has not already."""
        loop = asyncio.get_running_loop()
        while not self._ready:
            self._ready = b"READY=1" in await loop.sock_recv(self._socket, 4096)

    async def kill(self) -> None:
        """SIGKILL, at once."""
        assert self._process is not None
        self.alive.clear()
        self._ready = False
        self._process.send_signal(signal.SIGKILL)
        assert await asyncio.to_thread(self._process.wait) == -signal.SIGKILL, self.log()
        with suppress(BlockingIOError):
            while self._socket.recv(4096):
                pass

    async def stop(self) -> int:
        """SIGTERM; its exit code."""
        assert self._process is not None
        self.alive.clear()
        self._process.terminate()
        return await asyncio.to_thread(self._process.wait)

    def assert_runs(self) -> None:
        """Fails where it has ended by itself."""
        assert self._process is not None
        assert self._process.poll() is None, f"it has ended by itself: {self.log()}"

    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")[-4000:]

    async def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
        self._socket.close()


class GrowingRecord:
    """The record as it grows, looked at from beside the daemon. `events` of devices, `starts`: how many it has.

    `online`: the devices whose link is up since the last start. What the daemon says itself is not counted: a slow
    machine has more of it, of devices that were late.
    """

    def __init__(self, journal: Path) -> None:
        self._path = journal
        self._lock = journal.with_name(journal.name + ".lock")
        self._reader: JournalReader | None = None
        self._seq = 0
        self.events = 0
        self.starts = 0
        self.online: set[str] = set()

    def look(self) -> Self:
        """Count what has come since the last look; gives itself."""
        if self._reader is None:
            self._reader = JournalReader.open(self._path)
        for entry in self._reader.entries(Span(after=self._seq)):
            self._seq = entry.seq
            self.events += entry.source is not None
            if entry.name == HostEntry.NOTE and entry.body["note"] == START_NOTE:
                self.starts += 1
                self.online.clear()
            elif entry.name == "device.state":
                (self.online.add if entry.body["online"] else self.online.discard)(entry.body["device"])
        return self

    def is_held_by(self, process: int) -> bool:
        """Whether this process has the journal open for writing."""
        return self._lock.read_text(encoding="ascii").strip() == str(process)

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()


class JournalFeed:
    """What the table said, for the dealer: read from the journal, so that a kill loses and repeats nothing.

    A dealer who hears nothing new for some steps gives up, so steps are held back while the daemon starts, however long
    that takes: after `STEPS_IN_A_START` of them the dealer waits until every device's link is up.
    """

    STEPS_IN_A_START = 3

    def __init__(self, journal: Path, daemon: DaemonProcess, devices: int) -> None:
        """`devices`: how many the table has."""
        self._path = journal
        self._daemon = daemon
        self._devices = devices
        self._record = GrowingRecord(journal)
        self._reader: JournalReader | None = None
        self._seq = 0
        self._steps = 0
        self._life = 0

    async def outputs(self) -> Sequence[dict[str, Any]]:
        await self._daemon.alive.wait()
        if self._life != self._daemon.lives:
            self._life, self._steps = self._daemon.lives, 0
        self._steps += 1
        if self._steps > self.STEPS_IN_A_START:
            await eventually(lambda: len(self._record.look().online) == self._devices)
        if self._reader is None:
            self._reader = JournalReader.open(self._path)
        entries = list(self._reader.entries(Span(after=self._seq, kind=EntryKind.OUTPUT)))
        if entries:
            self._seq = entries[-1].seq
        return [dict(entry.body) for entry in entries]

    def tell_again(self) -> None:
        """Begin with the first output again: for a dealer who takes over."""
        self._seq = 0

    def close(self) -> None:
        self._record.close()
        if self._reader is not None:
            self._reader.close()


@asynccontextmanager
async def dealing(
    game: Game,
    equipment: Equipment,
    table: DealerTable,
    *,
    pace: float = 0,
    takes_over: Callable[[], object] = lambda: None,
) -> AsyncIterator[asyncio.Task[None]]:
    """A dealer at work for as long as the block runs; where one is at a loss a new one takes over. `takes_over`: called
    before that."""

    async def deal() -> None:
        while True:
            with suppress(CroupierStuckError):
                await Dealer(game, equipment, table, pace=pace).run()
                return
            takes_over()

    task = asyncio.create_task(deal())
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def last_events(equipment: Equipment) -> dict[str, tuple[str, int]]:
    """By device: its boot (hex) and the number of the last event it made, as it says itself; all acknowledged."""
    said: dict[str, tuple[str, int]] = {}
    for device in equipment.devices:
        control = Control(device.control, name=device.name)
        try:
            await settled(control)
            answer = await control.answer({"do": "read"})
        finally:
            await control.close()
        said[device.name] = (answer["boot"], answer["seq"])
    return said


async def assert_shut(equipment: Equipment) -> None:
    """Nobody watches the table any more: the shoe's gate is locked, and the display says so. What was said last may
    still be on its way to a device, so it is asked again until it has come."""
    while not _is_shut(*[await _shown(equipment, name) for name in ("shoe", "indicators")]):  # noqa: ASYNC110 - as devices have it
        await asyncio.sleep(SHUT_EVERY)


async def _shown(equipment: Equipment, name: str) -> dict[str, Any]:
    control = Control(equipment.device(name).control, name=name)
    try:
        answer: dict[str, Any] = await control.order("read")
    finally:
        await control.close()
    state: dict[str, Any] = answer["state"]
    return state


def _is_shut(shoe: dict[str, Any], indicators: dict[str, Any]) -> bool:
    display = indicators["display"]
    told = bool(display) and display[0].startswith("NOT WATCHED")
    return shoe["locked"] is True and told and indicators["lamps"]["stop"] is True


def mark_at(reader: JournalReader, master_key: bytes, seq: int) -> Callable[[bytes], str]:
    """The keyed mark of states as the journal's writer made it at entry `seq`; the reader has the private half."""
    ended = {row.key: row.seq for row in reader.rows(Span(name=HostEntry.ROUND_END))}
    begun = [row for row in reader.rows(Span(name=HostEntry.ROUND_KEY)) if row.seq < seq < ended.get(row.seq, 2**62)]
    purpose = b"feltd state 2"
    if not begun:
        return lambda data: derive(MasterKey(master_key).derived(purpose, b""), data).hex()
    row = max(begun, key=lambda row: (row.round or 0, row.seq))
    key = reader.unboxed(row) or reader.unwrap(row)
    assert key is not None, f"the key of round {row.round} opens with no key at hand"
    secret = key.secret()
    return lambda data: derive(derive(secret, purpose), data).hex()

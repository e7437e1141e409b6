"""A table with its page and its uplink on one disk, a floor with its database on another, and the power of both.

All processes are the real ones, on this machine. Devices and dealer are outside: they have power all the while. What
shows the dealer what the table said is a process of its own too: it reads the disk, and waits with it where it fails.
"""

import asyncio
import os
import random
import re
import secrets
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import asyncpg
import httpx

from devices.simulated.people.game import Game
from devices.simulated.things.equipment import Equipment, lay_out
from feltd.page.access.accounts import AccountBook
from feltd.page.access.passwords import fits
from feltd.page.access.roles import Role
from feltd.simulated.games import game_for, options_for
from feltd.simulated.plan import SEATS
from feltd.simulated.setting_up import write_config
from feltd.table.config.config import load_config
from hil_tests.families import family_of, is_alive
from hil_tests.machine.disk import make_file_system
from hil_tests.machine.own_disk import OwnDisk
from hil_tests.wires import LineFeed
from tests.devices.direct_play import books
from tests.feltd.kill_support import DaemonProcess
from tests.feltd.seal_support import PUBLIC
from tests.floor.beside_table import Other, prepared, settings
from tests.floor.postgres_support import LAID_OUT, Server, as_nobody, binaries, nobody
from tests.floor.test_release_before import KEPT, TABLE
from tests.ports import free_port
from tests.running import until
from tests.warm import WarmStart

BOOK: Final = "tas-2018-holdem"
BOARD_MEBIBYTES: Final = 64
FLOOR_MEBIBYTES: Final = 128
PERSON: Final = "anna"
COMMANDS: Final = ("table", "page", "uplink", "floor")
_POLL: Final = 0.02
"""Seconds between two looks at what the floor's database has committed."""
_GOES_ON: Final = re.compile(rb"has this journal up to entry (\d+)\n")
_CSRF: Final = "x-csrf-token"


@dataclass(slots=True)
class Password:
    """Of the one person: `told` is the last one that the page said is taken, `asked` the one it was asked for since."""

    told: str
    asked: str | None = None
    changed: int = 0

    def settle(self, accounts: Path) -> None:
        """After a cut one of the two must hold; from now on it is the one that was told."""
        account = AccountBook(accounts).get(PERSON)
        assert account is not None, "the person's account is gone"
        if self.asked is not None and fits(account.password, self.asked):
            self.told = self.asked
        self.asked = None
        assert fits(account.password, self.told), "a password that the page said is taken does not hold"


@dataclass(slots=True)
class House:
    """The parts. Its power is off at first; `lives` counts how often it was on."""

    folder: Path
    game: Game
    equipment: Equipment
    warm: Mapping[str, WarmStart]
    page_port: int
    database: Server
    contents: dict[str, bytes]
    password: Password
    feed: LineFeed = field(default_factory=LineFeed)
    lives: int = 0
    kept: int = 0
    """The last entry that the floor's database was seen to have committed."""
    disks: dict[str, OwnDisk] = field(default_factory=dict)
    power_failed: threading.Event = field(default_factory=threading.Event)
    daemon: DaemonProcess | None = None
    others: list[Other] = field(default_factory=list)
    lying: str | None = None
    """The disk that answers flushes and does nothing."""
    unflushed: Counter[str] = field(default_factory=Counter)
    """By disk, the cuts that found something in its cache."""
    _bare: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    _uplink_said: int = 0
    """Bytes that the uplinks of the lives before have said."""
    _starting: "asyncio.Task[None] | None" = None

    @property
    def journal(self) -> Path:
        """The table's record, where its disk is put in."""
        return self.folder / "board/table.journal"

    @property
    def key_file(self) -> Path:
        """The key of the record, as it was made: it lies on the disk too."""
        return self.folder / "journal.key"

    @property
    def floor_file(self) -> Path:
        """The settings of floord, where its disk is put in."""
        return self.folder / "floor/casino/floor.toml"

    def put_disks_in(self) -> None:
        """Mount what the last life left."""
        self.power_failed = threading.Event()
        self.disks = {
            name: OwnDisk(self.folder, name, content, self.power_failed) for name, content in self.contents.items()
        }
        for name, disk in self.disks.items():
            disk.believes_flushes = name != self.lying
            disk.put_in()
        self.password.settle(load_config(self.folder / "board/table.toml").accounts_file)

    def cut_at(self, name: str, within: int, chance: random.Random) -> None:
        """Have the power fail while one of the next requests to this disk is on its way."""
        disk = self.disks[name]
        disk.cut_at = len(disk.log) + chance.randrange(within)

    async def start(self) -> None:
        """Power on: start all processes, and wait until the table is ready."""
        self.lives += 1
        database = self.database
        for left in (database.data / "postmaster.pid", database.folder / ".s.PGSQL.5432.lock"):
            left.unlink(missing_ok=True)  # with the power the numbers of processes are gone
        self._begin_database()
        door = ("--door", str(self.folder / "door"))
        config = self.folder / "board/table.toml"
        (self.folder / "notify").unlink(missing_ok=True)
        self.daemon = DaemonProcess(config, self.folder, "table", *door, warm=self.warm["table"])
        floor = ("run", "--config", str(self.floor_file))
        self.others = [
            Other(self.folder, "floor", *floor, warm=self.warm["floor"]),
            Other(self.folder, "uplink", str(self.folder / f"board/uplink/{TABLE}.toml"), warm=self.warm["uplink"]),
            Other(self.folder, "page", *door, str(config), warm=self.warm["page"]),
        ]
        log = self.folder / "uplink.log"
        self._uplink_said = log.stat().st_size if log.exists() else 0
        for other in self.others:
            other.start()
        self._starting = asyncio.create_task(self.daemon.start())
        await asyncio.shield(self._starting)
        await self.daemon.ready()
        self._begin_feed()

    async def watch_processes(self) -> None:
        """Until cancelled. Fails where one of them ends, which none does while it has power."""
        while True:
            if self.daemon is not None and self.daemon.alive.is_set():
                self.daemon.assert_runs()
            for other in self.others:
                other.assert_runs()
            for process in self._bare:
                assert process.poll() is None, f"{process.args!r} has ended by itself: {self._said_last()}"
            await asyncio.sleep(_POLL)

    async def power_off(self, seed: int) -> None:
        """Now that the power has failed: nothing runs any more, and each disk has what chance left on it."""
        if self._starting is not None:  # its number is not known before
            await self._starting
        pids = self._pids()
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for disk in self.disks.values():
            disk.release()
        if self.daemon is not None:
            await self.daemon.close()
        for other in self.others:
            await asyncio.to_thread(other.end)
        for process in self._bare:
            await asyncio.to_thread(process.wait)
        await asyncio.to_thread(until, lambda: not any(map(is_alive, pids)))
        self._bare.clear()
        for disk in self.disks.values():
            await asyncio.to_thread(disk.pull)
        self.contents = {name: disk.after_cut(seed + n) for n, (name, disk) in enumerate(self.disks.items())}
        self.unflushed.update(name for name, disk in self.disks.items() if disk.unflushed)
        self.disks = {}

    async def shut_down(self) -> None:
        """End all in good order; the disks stay in."""
        assert self.daemon is not None
        assert await self.daemon.stop() == 0, self.daemon.log()
        await self.daemon.close()
        for other in self.others:
            other.assert_runs()
            await asyncio.to_thread(other.end)
        for process in self._bare[1:]:
            process.kill()
            process.wait()

    def take_disks_out(self) -> None:
        """After `shut_down`."""
        database, *_ = self._bare
        database.send_signal(signal.SIGINT)  # as pg_ctl stop -m fast
        database.wait()
        self._bare.clear()
        self.unmount()

    def unmount(self) -> None:
        """In good order."""
        for disk in self.disks.values():
            disk.take_out()
        self.contents = {name: bytes(disk.content) for name, disk in self.disks.items()}
        self.disks = {}

    async def watch_floor(self) -> None:
        """Note what the floor's database has committed, until cancelled."""
        connection = await self.connected()
        try:
            while True:
                self.kept = max(self.kept, await connection.fetchval(KEPT))
                await asyncio.sleep(_POLL)
        finally:
            connection.terminate()

    async def went_on_behind(self) -> int:
        """The entry behind which this life's uplink has gone on first, as it says, once it has."""
        while True:
            said = (self.folder / "uplink.log").read_bytes()[self._uplink_said :]
            if found := _GOES_ON.search(said):
                return int(found[1])
            await asyncio.sleep(_POLL)

    async def connected(self) -> asyncpg.Connection:
        """A connection to the floor's database, once it takes one."""
        while True:
            with suppress(OSError, asyncpg.PostgresError):
                return await asyncpg.connect(self.database.address("owner"))
            await asyncio.sleep(_POLL)

    async def change_passwords(self) -> None:
        """Sign in at the page and take one password after the other, until cancelled."""
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.page_port}/api/v1", timeout=None) as client:
            while True:
                with suppress(httpx.TransportError):
                    answer = await client.post("/session", json={"name": PERSON, "password": self.password.told})
                    break
                await asyncio.sleep(_POLL)
            assert answer.status_code == httpx.codes.OK, self._told_by_page(answer)
            while True:
                self.password.asked = secrets.token_urlsafe(12)
                answer = await client.post(
                    "/account/password",
                    json={"old": self.password.told, "new": self.password.asked},
                    headers={_CSRF: (await client.get("/session")).json()["csrf"]},
                )
                assert answer.status_code == httpx.codes.NO_CONTENT, self._told_by_page(answer)
                self.password.told, self.password.asked = self.password.asked, None
                self.password.changed += 1

    async def give_up(self) -> None:
        """Where a test has failed: leave no process and no disk behind."""
        if self.disks:
            self.power_failed.set()
            await self.power_off(0)

    def _told_by_page(self, answer: httpx.Response) -> str:
        return answer.text + (self.folder / "page.log").read_text(encoding="utf-8")[-8000:]

    def _said_last(self) -> str:
        return "".join(
            (self.folder / f"{name}.log").read_text(errors="replace")[-3000:] for name in ("postgres", "feed")
        )

    def _begin_database(self) -> None:
        user, group = nobody()
        with (self.folder / "postgres.log").open("ab") as log:
            server = subprocess.Popen(
                [self.database.programs / "postgres", "-D", self.database.data, "-c", "listen_addresses=",
                 "-c", f"unix_socket_directories={self.database.folder}", "-c", "max_connections=20"],
                user=user, group=group, extra_groups=[], cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        self._bare.append(server)

    def _begin_feed(self) -> None:
        out = self.folder / f"feed-{self.lives}.jsonl"
        self.feed.boot(out)
        with (self.folder / "feed.log").open("ab") as log:
            words = [sys.executable, "-m", "hil_tests.guest.feed", str(self.journal), str(out)]
            self._bare.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def _pids(self) -> set[int]:
        started = [process.pid for process in self._bare]
        asked: list[DaemonProcess | Other] = [*self.others]
        if self.daemon is not None:
            asked.append(self.daemon)
        for one in asked:
            with suppress(AssertionError):  # it has not come to be started
                started.append(one.pid)
        return family_of(started)


@contextmanager
def house(folder: Path, seed: int, warm: Mapping[str, WarmStart], lying: str | None = None) -> Iterator[House]:
    """A house whose power is off, with all that must be there before the first evening on its disks."""
    options = options_for(books()[BOOK])
    game = game_for(books()[BOOK], SEATS, options, seed=seed, mistake_rate=0.3)
    equipment, port = lay_out(folder, game), free_port()
    programs = binaries()
    assert programs is not None
    database = Server(folder / "pg", programs, folder / "floor/data")
    made = House(folder, game, equipment, warm, port, database, {}, Password(secrets.token_urlsafe(12)), lying=lying)
    made.contents = {
        "board": make_file_system(folder / "board.img", BOARD_MEBIBYTES),
        "floor": make_file_system(folder / "floor.img", FLOOR_MEBIBYTES),
    }
    made.disks = {name: OwnDisk(folder, name, content, made.power_failed) for name, content in made.contents.items()}
    try:
        for disk in made.disks.values():
            disk.put_in()
        _furnish(made, options)
        made.unmount()
        yield made
    finally:
        asyncio.run(made.give_up())


def _furnish(made: House, options: "dict[str, object]") -> None:
    board, floor = made.folder / "board", made.folder / "floor"
    config = write_config(replace(made.equipment, folder=board), made.game, options, "127.0.0.1", made.page_port)
    with config.open("a", encoding="utf-8") as more:
        more.write(f'[record]\nsealed_to = "{PUBLIC}"\n')
    shutil.copy(board / "journal.key", made.key_file)
    AccountBook(load_config(config).accounts_file).add(PERSON, Role.SUPERVISOR, made.password.told)
    server = made.database
    server.folder.mkdir()
    server.data.mkdir()
    for place in (server.folder, server.data):
        os.chown(place, *nobody())
    as_nobody(server.programs / "initdb", "-D", str(server.data), *LAID_OUT, "-k", "--wal-segsize=1")
    server.start()
    asyncio.run(prepared(server))
    files = settings(floor, server, made.folder / "door")
    uplink = board / "uplink"
    uplink.mkdir()
    for name in (files.uplink.name, f"{TABLE}.pem", f"{TABLE}.key", "authority.pem"):
        shutil.copy(files.uplink.with_name(name), uplink / name)
    server.stop("fast")

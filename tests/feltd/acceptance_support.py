"""A table on mock pins that plays in a thread of its own, and wires from spare mock lines to those it reads and
drives."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from devices.pins.facts import Pull
from devices.pins.lines import InputLine, OnEdge, OutputLine
from devices.pins.on_mock import CHIP
from feltd.launcher.running import serving
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from feltd.table.config.config import TableConfig, load_config
from feltd.table.daemon.assembly import Daemon
from tests.ports import free_port

ANNA, SECRET = "anna", "a horse, and a staple"


def write_table(folder: Path, pins: str, devices: str = "", table: str = "Table 9", page: str = "") -> Path:
    """A table's file, with its key and a technician's account."""
    (folder / "key").write_bytes(bytes(range(32)))
    AccountBook(folder / "accounts.json").add(ANNA, Role.TECHNICIAN, SECRET)
    file = folder / "table.toml"
    file.write_text(
        f"""
[table]
name = "{table}"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
button = 3
[table.options]
blinds = [100, 200]
{pins}
{devices}
[page]
port = {free_port()}
{page}
[journal]
path = "table.journal"
sealing_key_file = "key"
""",
        encoding="utf-8",
    )
    return file


@dataclass
class PlayedTable:
    """A table that runs. `do`: in its loop."""

    file: Path
    config: TableConfig
    daemon: Daemon
    loop: asyncio.AbstractEventLoop

    def do(self, what: Callable[[], Any]) -> Any:
        async def done() -> Any:
            return what()

        return asyncio.run_coroutine_threadsafe(done(), self.loop).result()


@contextmanager
def played(file: Path) -> Iterator[PlayedTable]:
    """The table of this file, for as long as the block runs."""
    config = load_config(file)
    loop = asyncio.new_event_loop()
    up: list[PlayedTable] = []
    ready, end = threading.Event(), asyncio.Event()
    failures: list[BaseException] = []

    async def play() -> None:
        async with serving(config) as running:
            daemon = running.table
            while not daemon.bridge.complete:  # noqa: ASYNC110 - at the start only
                await asyncio.sleep(0.01)
            up.append(PlayedTable(file, config, daemon, loop))
            ready.set()
            await end.wait()

    def run() -> None:
        try:
            loop.run_until_complete(play())
        except BaseException as failure:  # noqa: BLE001 - told to the test
            failures.append(failure)
        finally:
            ready.set()

    thread = threading.Thread(target=run, name="table")
    thread.start()
    try:
        ready.wait()
        assert not failures, failures
        yield up[0]
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join()
        loop.close()
    assert not failures, failures


@dataclass
class MockWires:
    """Spare lines joined to the table's. `ends`: the table's line of each spare one; `cells`: the row's and the
    column's line of each switch; `held`: spare lines that somebody else has; `cut`: wires that are broken."""

    ends: dict[int, int]
    cells: dict[int, tuple[int, int]] = field(default_factory=dict)
    cut: set[int] = field(default_factory=set)
    given_back: list[int] = field(default_factory=list)
    label = "mock"
    library = "wires"
    errors: tuple[type[Exception], ...] = ()

    def check(self, line: int) -> None:
        """All are free."""

    def input(self, line: int, pull: Pull) -> InputLine:
        return _In(self.ends[line])

    def output(self, line: int, high: bool) -> OutputLine:
        made = _Out(self, line)
        made.write(high)
        return made

    def drain(self, line: int) -> Any:
        raise AssertionError("a wire is no matrix")

    def hears(self) -> bool:
        return True

    def close(self) -> None:
        """Nothing is open."""


class _In:
    """Its edges are looked for: a mock output tells nobody of them."""

    def __init__(self, line: int) -> None:
        self._line = line
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def high(self) -> bool:
        return bool(CHIP.pin(self._line).state)

    def listen(self, on_edge: OnEdge | None) -> None:
        assert on_edge is not None
        self._thread = threading.Thread(target=self._watch, args=(on_edge,))
        self._thread.start()

    def _watch(self, on_edge: OnEdge) -> None:
        level = self.high
        while not self._over.wait(0.002):
            if self.high is not level:
                level = not level
                on_edge(time.monotonic(), level)

    def close(self) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()


class _Out:
    def __init__(self, wires: MockWires, line: int) -> None:
        self._wires, self._line = wires, line

    def write(self, high: bool) -> None:
        if self._line in self._wires.cut:
            return
        if self._line in self._wires.cells:
            self._switch(high)
            return
        pin = CHIP.pin(self._wires.ends[self._line])
        pin.drive_high() if high else pin.drive_low()

    def _switch(self, closed: bool) -> None:
        """At rest every row is pulled low, so its column falls; the scan then finds it in that row alone."""
        _, column = self._wires.cells[self._line]
        pin = CHIP.pin(column)
        pin.drive_low() if closed else pin.drive_high()

    def close(self) -> None:
        self._wires.given_back.append(self._line)

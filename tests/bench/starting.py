"""`feltd table`: from its start to ready, the memory it holds, and the processor time it takes while nothing happens.

The table has the simulated table's nine devices, each a process of its own on a pseudo-terminal, as `feltd simulate`
has them. Ready is what the service manager is told: READY=1. A bare interpreter's start takes turns with it. The page
runs beside it as `feltd page`, as under systemd, and its memory is told too. A checkout gets the file of hand tables
that a wheel brings, as long as this lasts. `make bench` has it, and `python -m tests.bench.starting` does it alone.
"""

import argparse
import asyncio
import json
import os
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final
from urllib.request import urlopen

from devices.simulated.things.equipment import Equipment, lay_out, running
from feltd.simulated.games import options_for
from feltd.simulated.setting_up import write_config
from feltd.table.host.hand_tables import HAND_FILE
from table_fsm.poker.hands.made_before import hand_file
from tests.bench.report import Row, machine, micro, table
from tests.bench.rounds import HOLDEM, books, game
from tests.ports import free_port
from tests.process_cost import processor_time, resident

READY_GOAL: Final = 0.6  # seconds
MEMORY_GOAL: Final = 64.0  # MiB
IDLE_GOAL: Final = 0.5  # per cent of one core
PATIENCE: Final = 60.0
SETTLED: Final = 3.0
"""Seconds after the last link is up before it counts as idle: what is loaded beside the start has been loaded."""
_ROOT: Final = Path(__file__).resolve().parents[2]


class StartBenchError(Exception):
    """feltd did not start, or its links did not come up."""


@dataclass(frozen=True, slots=True)
class Running:
    """A process of feltd that is ready."""

    process: asyncio.subprocess.Process
    seconds: float
    """From its start to READY=1."""

    def memory(self) -> float:
        """MiB resident now."""
        return resident(self.process.pid)

    def own_memory(self) -> float:
        """MiB resident now, what it shares with other processes by its part."""
        rollup = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in rollup if line.startswith("Pss:")) / 1024

    def processor_time(self) -> float:
        """Seconds of processor taken so far, by all its threads."""
        return processor_time(self.process.pid)


def measure(directory: Path, starts: int, idle_seconds: float) -> list[Row]:
    """The lines; files go to `directory`. Raises StartBenchError."""
    return asyncio.run(_measure(directory / "table", starts, idle_seconds))


async def _measure(folder: Path, starts: int, idle_seconds: float) -> list[Row]:
    book = books()[HOLDEM]
    played = game(book, 1)
    equipment = lay_out(folder, played)
    port = free_port()
    config = write_config(equipment, played, options_for(book), "127.0.0.1", port)
    with hands_as_installed():
        return await _measure_in(equipment, config, port, starts, idle_seconds)


async def _measure_in(equipment: Equipment, config: Path, port: int, starts: int, idle_seconds: float) -> list[Row]:
    took: list[float] = []
    bare: list[float] = []
    async with running(equipment):
        async with ready(config):
            pass  # compiles what is not compiled
        for _ in range(starts):
            bare.append(await _bare_start())
            async with ready(config) as daemon:
                took.append(daemon.seconds)
        async with ready(config) as daemon, ready(config, "page") as page:
            await _links_up(port, len(equipment.devices))
            await asyncio.sleep(min(SETTLED, idle_seconds))
            before = daemon.processor_time()
            await asyncio.sleep(idle_seconds)
            share = 100 * (daemon.processor_time() - before) / idle_seconds
            memory = _memory_rows(daemon, page, len(equipment.devices))
    return [_start_row(took, bare), *memory, _idle_row(share, len(equipment.devices), idle_seconds)]


@contextmanager
def hands_as_installed() -> Iterator[None]:
    """Have the file of hand tables beside what reads it, within the block."""
    if HAND_FILE.exists():
        yield
        return
    beside = HAND_FILE.with_suffix(f".{os.getpid()}.new")
    beside.write_bytes(hand_file())
    beside.replace(HAND_FILE)  # a table that starts meanwhile has all of it, or none
    try:
        yield
    finally:
        HAND_FILE.unlink(missing_ok=True)


def _start_row(took: list[float], bare: list[float]) -> Row:
    ready, beside = median(took), median(bare)
    return Row(
        f"feltd table, start to ready, median of {len(took)}",
        f"{ready:.2f} s",
        f"bare interpreter {micro(beside * 1e6)}",
        ready / beside,
        f"{READY_GOAL} s",
        ready <= READY_GOAL,
    )


def _memory_rows(daemon: Running, page: Running, devices: int) -> list[Row]:
    """The table's memory, against its goal; the page's beside it."""
    memory = daemon.memory()
    return [
        Row(
            f"– resident memory, {devices} links up",
            f"{memory:.1f} MiB, {daemon.own_memory():.1f} by its part of what is shared",
            ratio=memory / MEMORY_GOAL,
            goal=f"{MEMORY_GOAL:g} MiB",
            reached=memory <= MEMORY_GOAL,
        ),
        Row(
            "– resident memory of feltd page beside it",
            f"{page.memory():.1f} MiB, {page.own_memory():.1f} by its part of what is shared",
        ),
    ]


def _idle_row(share: float, devices: int, idle_seconds: float) -> Row:
    return Row(
        f"– processor while idle, {devices} links up, {idle_seconds:g} s",
        f"{share:.2f} % of a core",
        ratio=share / IDLE_GOAL,
        goal=f"{IDLE_GOAL:g} %",
        reached=share <= IDLE_GOAL,
    )


async def _bare_start() -> float:
    start = perf_counter()
    bare = await asyncio.create_subprocess_exec(sys.executable, "-c", "pass")
    await bare.wait()
    return perf_counter() - start


@asynccontextmanager
async def ready(config: Path, command: str = "table") -> AsyncIterator[Running]:
    """`feltd COMMAND CONFIG` once it has said that it is ready; ended on leaving. Raises StartBenchError."""
    said = config.with_name(f"{command}.log")
    user = ["--page-user", str(os.geteuid())] if command == "table" else []
    with _manager(config.with_name(f"notify-{command}")) as manager, said.open("wb") as log:
        environment = {**os.environ, "NOTIFY_SOCKET": manager.getsockname()}
        environment.pop("WATCHDOG_USEC", None)
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as installed: the package compiles its modules
        start = perf_counter()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "feltd.cli", command, *user, str(config)),
            stdout=log,
            stderr=log,
            env=environment,
            cwd=_ROOT,
        )
        try:
            await _until_ready(manager, process, said)
            yield Running(process, perf_counter() - start)
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


def _manager(path: Path) -> socket.socket:
    """The service manager's socket."""
    path.unlink(missing_ok=True)
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(path))
    manager.setblocking(False)
    return manager


async def _until_ready(manager: socket.socket, process: asyncio.subprocess.Process, said: Path) -> None:
    ended = asyncio.ensure_future(process.wait())
    loop = asyncio.get_running_loop()
    until = loop.time() + PATIENCE
    while True:
        told = asyncio.ensure_future(loop.sock_recv(manager, 4096))
        await asyncio.wait((told, ended), timeout=until - loop.time(), return_when=asyncio.FIRST_COMPLETED)
        if not told.done():
            told.cancel()
            ended.cancel()
            raise StartBenchError(f"feltd did not get ready:\n{_text(said)}")
        if b"READY=1" in told.result().splitlines():
            ended.cancel()
            return


def _text(log: Path) -> str:
    return log.read_text(errors="replace")


async def _links_up(port: int, devices: int) -> None:
    until = asyncio.get_running_loop().time() + PATIENCE
    while True:
        state = await asyncio.to_thread(_state, port)
        if sum(device["up"] for device in state["devices"]) == devices:
            return
        if asyncio.get_running_loop().time() > until:
            raise StartBenchError(f"not all links came up: {state['devices']}")
        await asyncio.sleep(0.1)


def _state(port: int) -> dict[str, Any]:
    """What the page says."""
    with urlopen(f"http://127.0.0.1:{port}/api/v1/state", timeout=5) as answer:
        state: dict[str, Any] = json.load(answer)
    return state


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.starting", description=__doc__.partition("\n")[0])
    parser.add_argument("--starts", type=int, default=7)
    parser.add_argument("--idle", type=float, default=20.0, help="seconds in which nothing happens (default: 20)")
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp"), help="on the disk that is measured")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="feltd-bench-", dir=given.folder) as directory:
        print(machine(Path(directory)))
        print(table(measure(Path(directory), given.starts, given.idle)))


if __name__ == "__main__":
    main()

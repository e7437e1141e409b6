"""What feltd takes of a processor while twelve keypads talk: at a hand's pace, and as fast as they are acknowledged.

The devices are another process (`chatterers`), which also measures how long each event waits for its acknowledgement.
"""

import asyncio
import json
import math
import secrets
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from tests.bench import chatterers
from tests.bench.report import Row, Spread
from tests.bench.rounds import HOLDEM
from tests.bench.starting import ready
from tests.ports import free_port

KEYPADS: Final = 12
ALL: Final = tuple(chatterers.names(KEYPADS))
HANDS_PACE: Final = 10.0
"""Events a second of each: nobody presses faster for long."""
SETTLED: Final = 2.0
"""Seconds of a pace before what counts."""
PATIENCE: Final = 300.0
"""Seconds for links to come up: an emulated machine is slow."""
POLL: Final = 0.2
CALM_WITHIN: Final = 60.0
BUSY: Final = 0.5
"""Of a core: more than any machine needs for silent links."""
SETTINGS: Final = 'settings.key_switch = "bench"'
"""Of a keypad: decisions that nobody's card stands behind."""
_ROOT: Final = Path(__file__).resolve().parents[2]
_TABLE: Final = """\
[table]
name = "bench"
rulebook = "{book}"
seats = [1, 2, 3]
button = 3
[table.options]
blinds = [100, 200]
[page]
host = "127.0.0.1"
port = {port}
open_on_loopback = true
[journal]
path = "{journal}"
sealing_key_file = "{keys}/journal.key"
"""
_DEVICE: Final = """\
[[device]]
name = "{name}"
role = "{role}"
port = "{port}"
key_file = "{keys}/{name}.key"
{settings}
"""


class ChatterBenchError(Exception):
    """The devices did not come up, or ended."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Seconds of feltd's own machine, and seconds of its processor that feltd has used so far."""

    at: float
    used: float


class Chatterers:
    """The process of the devices."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def pace(self, rate: float) -> dict[str, Any]:
        """Have each keypad send so many events a second; what they tell then. Raises ChatterBenchError."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{rate}\n".encode())
        await self._process.stdin.drain()
        told = await self._process.stdout.readline()
        if not told:
            raise ChatterBenchError("the devices' process ended: its message is above")
        return dict(json.loads(told))

    async def all_up(self, devices: int = KEYPADS + 1) -> None:
        """Wait until so many links are up, the lamps' among them. Raises ChatterBenchError."""
        until = perf_counter() + PATIENCE
        while (up := (await self.pace(0.0))["up"]) < devices:
            if perf_counter() > until:
                raise ChatterBenchError(f"only {up} links came up")
            await asyncio.sleep(POLL)


def lay_out(
    folder: Path, seen: str, journal: str, port_of: Callable[[str], str], port: int, keypads: int = KEYPADS
) -> Path:
    """Keys and the table's file, for devices whose ports are `port_of` their names. `seen`: the folder, as feltd sees
    it."""
    (folder / "journal.key").write_text(secrets.token_bytes(32).hex() + "\n", encoding="ascii")
    text = _TABLE.format(book=HOLDEM, port=port, journal=journal, keys=seen)
    for name in chatterers.names(keypads):
        (folder / f"{name}.key").write_text(secrets.token_bytes(32).hex() + "\n", encoding="ascii")
        settings = "" if name == chatterers.LIGHTS else SETTINGS
        text += _DEVICE.format(name=name, role=name.partition("-")[0], port=port_of(name), keys=seen, settings=settings)
    for file in folder.glob("*.key"):
        file.chmod(0o600)
    (folder / "table.toml").write_text(text, encoding="utf-8")
    return folder / "table.toml"


@asynccontextmanager
async def chattering(folder: Path, names: Sequence[str] = ALL) -> AsyncIterator[Chatterers]:
    """These devices of the folder, silent at first. Raises ChatterBenchError."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", chatterers.__name__, str(folder), *names,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=_ROOT, limit=1 << 26,
    )  # fmt: skip
    try:
        devices = Chatterers(process)
        await devices.pace(0.0)
        yield devices
    finally:
        if process.stdin is not None:
            process.stdin.close()
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def measure_load(
    devices: Chatterers, sample: Callable[[], Awaitable[Sample]], seconds: float, steady: float
) -> list[Row]:
    """The lines of a feltd that is ready: silent, at `steady` events a second of each, without a pause. Raises
    ChatterBenchError."""
    await devices.all_up()
    await _calm(sample)
    rows: list[Row] = []
    for what, pace in (
        ("silent", 0.0),
        (f"{steady:g} events a second each", steady),
        ("as fast as they are acknowledged", math.inf),
    ):
        await devices.pace(pace)
        await asyncio.sleep(min(SETTLED, seconds))
        first, before = await devices.pace(pace), await sample()
        await asyncio.sleep(seconds)
        last, after = await devices.pace(pace), await sample()
        rows += _rows(what, first, last, (after.used - before.used) / (after.at - before.at), after.at - before.at)
    return rows


async def _calm(sample: Callable[[], Awaitable[Sample]]) -> None:
    """Wait until feltd has loaded what it loads when it is up, but not longer than a minute."""
    until, before = perf_counter() + CALM_WITHIN, await sample()
    while perf_counter() < until:
        await asyncio.sleep(SETTLED)
        after = await sample()
        if after.used - before.used < BUSY * (after.at - before.at):
            return
        before = after


def _rows(what: str, first: dict[str, Any], last: dict[str, Any], share: float, seconds: float) -> list[Row]:
    events = (last["acknowledged"] - first["acknowledged"]) / seconds
    name = f"{KEYPADS} keypads, {what}, {seconds:.0f} s"
    if not last["waited"]:
        return [Row(name, f"{share:.1%} of a core")]
    each = f"{share / events * 1e6:.0f} µs an event" if events else ""
    return [
        Row(name, f"{events:.0f} events a second: {share:.0%} of a core, {each}"),
        Row("– event to its acknowledgement", str(Spread.of(last["waited"]))),
    ]


def measure(directory: Path, seconds: float) -> list[Row]:
    """The lines of this machine; files go to `directory`. Raises ChatterBenchError, StartBenchError."""
    directory.mkdir(exist_ok=True)
    return asyncio.run(_measure(directory, seconds))


async def _measure(folder: Path, seconds: float) -> list[Row]:
    file = lay_out(folder, str(folder), f"{folder}/table.journal", lambda name: f"{folder}/{name}", free_port())
    async with chattering(folder) as devices, ready(file, "run") as daemon:

        async def sample() -> Sample:
            return Sample(perf_counter(), daemon.processor_time())

        return await measure_load(devices, sample, seconds, HANDS_PACE)

"""A table whose page is killed, stopped or flooded, beside the same table left alone.

`python -m tests.bench.undisturbed`, or `make bench-page`. One keypad talks at a quick hand's pace. Event to
acknowledgement and call to lamp are taken at the device, once with the page left alone and once with it disturbed, in
turn. What counts is the median of the pairs' ratios at p99. The visitors are a process of nice 19. Ten pairs of each
kind take about ten minutes.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from feltd.table.config.config import load_config
from feltd.table.keeper.deliveries import Delivery
from table_fsm.events import Event
from tests.bench import chatterers, flood, rounds
from tests.bench.chattering import Chatterers, chattering, lay_out
from tests.bench.pairs import SETTLE, Disturbance, rows_of, take_pairs
from tests.bench.report import Row, machine, table
from tests.bench.starting import ready
from tests.feltd.table_support import Bench
from tests.ports import free_port

GOAL: Final = 1.1
"""Times the table that is left alone, at p99."""
ROUNDS: Final = 60
"""In the record when the table starts."""
KILL_EVERY: Final = 2.0
STREAMS: Final = 600
STREAMS_OF_ONE: Final = 16
LOOPS: Final = 80
SIGN_INS: Final = 50
PATIENCE: Final = 120
"""Looks for a page: one that was killed again and again is started after half a minute."""
LOAD_NICE: Final = 19
_ROOT: Final = Path(__file__).resolve().parents[2]


class UndisturbedBenchError(Exception):
    """There is no page to disturb."""


def measure(directory: Path, pairs: int, seconds: float, scale: float = 1.0) -> list[Row]:
    """The lines; files go to `directory`. `scale`: part of the visitors. Raises ChatterBenchError,
    StartBenchError, UndisturbedBenchError."""
    directory.mkdir(exist_ok=True)
    return asyncio.run(_measure(directory, pairs, seconds, scale))


async def _measure(folder: Path, pairs: int, seconds: float, scale: float) -> list[Row]:
    port = free_port()
    file = lay_out(folder, str(folder), f"{folder}/table.journal", lambda name: f"{folder}/{name}", port, 1)
    await play_into(folder, bytes.fromhex((folder / "journal.key").read_text(encoding="ascii")))
    people = -(-max(1, round(STREAMS * scale)) // STREAMS_OF_ONE)
    accounts = AccountBook(load_config(file).accounts_file)
    for number in range(people):
        accounts.add(flood.person(number), Role.OBSERVER, flood.SECRET)
    async with chattering(folder, chatterers.names(1)) as devices, ready(file, "run") as daemon:
        await devices.all_up(2)
        page = partial(_page_of, daemon.process.pid)
        return await measure_beside(devices, port, page, pairs, seconds, scale, people=people)


async def measure_beside(
    devices: Chatterers,
    port: int,
    page: Callable[[], int | None],
    pairs: int,
    seconds: float,
    scale: float,
    *,
    people: int = 0,
) -> list[Row]:
    """The lines of a table that runs. `page`: the process of its page, which whoever started it starts again; None
    where there is none just now. `people`: how many visitors have an account (`flood.person`). Raises
    ChatterBenchError, UndisturbedBenchError."""
    kinds: dict[str, Disturbance] = {
        "killed again and again": lambda: _killed(page),
        "stopped": lambda: _stopped(page, port),
        "flooded": lambda: _flooded(port, scale, people),
    }
    rows: list[Row] = []
    for kind, disturbance in kinds.items():
        _tell(kind)
        rows += rows_of(f"Page {kind}", await take_pairs(devices, disturbance, pairs, seconds), GOAL)
    return rows


async def play_into(folder: Path, key: bytes) -> None:
    """Make the record of a table, for its visitors to read: table.journal in this folder, sealed with this key."""
    bench = Bench(folder, key=key)
    for event in rounds.play(rounds.books(), rounds.HOLDEM, ROUNDS).events:
        bench.time.pass_(max(0.0, event.t - bench.clock.now()))
        bench.keeper.deliver(_delivery(event))
        await asyncio.sleep(0)
    await bench.synced()
    bench.journal.close()


def _delivery(event: Event) -> Delivery:
    return Delivery("bench", lambda t: [replace(event, t=t)])


# -- what is done to the page


@asynccontextmanager
async def _killed(page: Callable[[], int | None]) -> AsyncIterator[None]:
    async def again_and_again() -> None:
        while True:
            pid = page()
            if pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            await asyncio.sleep(KILL_EVERY)

    killing = asyncio.create_task(again_and_again())
    try:
        yield
    finally:
        killing.cancel()


@asynccontextmanager
async def _stopped(page: Callable[[], int | None], port: int) -> AsyncIterator[None]:
    # A page that was killed just now is still a child of the table's, and would be stopped in vain.
    await _served(port)
    while (pid := page()) is None:  # noqa: ASYNC110 - the kernel has no event for another's child
        await asyncio.sleep(SETTLE)
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@asynccontextmanager
async def _flooded(port: int, scale: float, people: int) -> AsyncIterator[None]:
    await _served(port)
    crowd = [str(max(1, round(one * scale))) for one in (STREAMS, LOOPS, SIGN_INS)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", flood.__name__, str(port), *crowd, str(people),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=_ROOT,
        preexec_fn=lambda: os.nice(LOAD_NICE),
    )  # fmt: skip
    assert process.stdout is not None
    if not await process.stdout.readline():
        raise UndisturbedBenchError("the visitors' process ended: its message is above")
    try:
        yield
    finally:
        said, _ = await process.communicate(b"")
        told: dict[str, Any] = json.loads(said)
        answers: dict[str, int] = told["answers"]
        ok = sum(number for what, number in answers.items() if what.endswith(f" {flood.OK}"))
        _tell(f"flooded: {told['bytes']} bytes, {ok} of {sum(answers.values())} answers are {flood.OK}: {answers}")


async def _served(port: int) -> None:
    """Wait until the page answers. Raises UndisturbedBenchError."""
    for _ in range(PATIENCE):
        with suppress(OSError):
            _, writer = await asyncio.open_connection(flood.HOST, port)
            writer.close()
            return
        await asyncio.sleep(SETTLE)
    raise UndisturbedBenchError(f"nobody listens on port {port}")


def _page_of(pid: int) -> int | None:
    """The process that `feltd run` has started; None while it starts one."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return int(children[0]) if children else None


def _tell(what: str) -> None:
    sys.stderr.write(f"bench: {what}\n")


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.undisturbed", description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=6.0, help="of each turn (default: 6)")
    parser.add_argument("--scale", type=float, default=1.0, help="part of the visitors (default: all)")
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp"), help="on the disk that is measured")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="feltd-bench-", dir=given.folder) as directory:
        print(machine(Path(directory)))
        print(table(measure(Path(directory) / "table", given.pairs, given.seconds, given.scale)))


if __name__ == "__main__":
    main()

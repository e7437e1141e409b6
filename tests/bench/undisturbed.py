"""A table whose page is killed, stopped, flooded or upgraded, beside the same table left alone.

`python -m tests.bench.undisturbed [KIND …]`, or `make bench-page`. One keypad talks at a quick hand's pace. Event to
acknowledgement and call to lamp are taken at the device, once with the page left alone and once with it disturbed, in
turn. What counts is the median of the pairs' ratios at p99. The visitors are a process of nice 19. In an upgrade the
system's own dpkg unpacks a package once, on the table's disk, with nice 19, and then the page starts anew.

As root the page is where its unit has it, in a group that yields to all else (`last_group`); the bench says so where it
is not. `far` has the visitors' process in such a group too: visitors are on other machines than the table, and what is
between `flooded` and `far` is what their program takes here. `aside` has the upgrade's dpkg there. Ten pairs of each
kind take about twenty minutes.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final

from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from feltd.table.config.config import load_config
from feltd.table.keeper.deliveries import Delivery
from table_fsm.events import Event
from tests.bench import chatterers, flood, rounds, upgrader
from tests.bench.chattering import Chatterers, chattering, lay_out
from tests.bench.last_group import TAKEN_OUT, LastGroup, kept_in, last_group, without
from tests.bench.pairs import SETTLE, Disturbance, Pair, beside_of, rows_of, take_pairs
from tests.bench.report import Row, machine, table
from tests.bench.starting import ready
from tests.bench.turns import turns_told
from tests.feltd.table_support import Bench
from tests.ports import free_port

GOAL: Final = 1.1
"""Times the table that is left alone, at p99."""
ROUNDS: Final = 60
"""In the record when the table starts."""
KILL_EVERY: Final = 2.0
OF_PAGE: Final = ("killed", "stopped", "flooded", "upgraded")
"""What is done to the page."""
FAR: Final = "far"
ASIDE: Final = "aside"
KINDS: Final = (*OF_PAGE, FAR, ASIDE)
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


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured."""

    pairs: int = 10
    seconds: float = 6.0
    """Of each turn."""
    scale: float = 1.0
    """Part of the visitors."""
    kinds: Sequence[str] = KINDS
    package: Path | None = None
    """Whose files an upgrade writes; None: one of this Python's libraries is made."""


@dataclass(frozen=True, slots=True)
class PageAtWork:
    """The page that is disturbed; whoever started it starts it again."""

    port: int
    folder: Path
    """On the table's disk."""
    process: Callable[[], int | None]
    """Its process; None where there is none just now."""
    start_anew: Callable[[], None]
    """End it in order, and have it started again."""
    people: int = 0
    """How many visitors have an account (`flood.person`)."""
    group: LastGroup | None = None
    """Where the page is to yield to all else, and what stands in its place; None where it is where it was started."""


def measure(directory: Path, sizes: Sizes) -> list[Row]:
    """The lines; files go to `directory`. Raises ChatterBenchError, StartBenchError, UndisturbedBenchError."""
    directory.mkdir(exist_ok=True)
    return asyncio.run(_measure(directory, sizes))


async def _measure(folder: Path, sizes: Sizes) -> list[Row]:
    port = free_port()
    file = lay_out(folder, str(folder), f"{folder}/table.journal", lambda name: f"{folder}/{name}", port, 1)
    await play_into(folder, bytes.fromhex((folder / "journal.key").read_text(encoding="ascii")))
    people = -(-max(1, round(STREAMS * sizes.scale)) // STREAMS_OF_ONE)
    accounts = AccountBook(load_config(file).accounts_file)
    for number in range(people):
        accounts.add(flood.person(number), Role.OBSERVER, flood.SECRET)
    async with (
        last_group() as group,
        chattering(folder, chatterers.names(1)) as devices,
        ready(file, "run") as daemon,
    ):
        await devices.all_up(2)
        process = partial(_page_of, daemon.process.pid)
        page = PageAtWork(port, folder, process, partial(_end, process, signal.SIGTERM), people, group)
        with turns_told(daemon.process.pid):
            async with _where_its_unit_has_it(page):
                return await measure_beside(devices, page, sizes)


@asynccontextmanager
async def _where_its_unit_has_it(page: PageAtWork) -> AsyncIterator[None]:
    if page.group is None:
        _tell(without("nice 5"))
        yield
        return
    async with kept_in(page.group, page.process):
        yield


async def measure_beside(devices: Chatterers, page: PageAtWork, sizes: Sizes) -> list[Row]:
    """The lines of a table that runs. Raises ChatterBenchError, UndisturbedBenchError."""
    disturbances: Mapping[str, tuple[str, Disturbance]] = {
        "killed": ("killed again and again", lambda: _killed(page)),
        "stopped": ("stopped", lambda: _stopped(page)),
        "flooded": ("flooded", lambda: _flooded(page, sizes.scale)),
        "upgraded": ("upgraded", lambda: _upgraded(page, upgrade)),
        ASIDE: ("upgraded aside", lambda: _upgraded(page, upgrade, aside=True)),
        FAR: ("flooded from elsewhere", lambda: _flooded(page, sizes.scale, far=True)),
    }
    pairs: dict[str, list[Pair]] = {}
    rows: list[Row] = []
    upgrade = _prepared(page.folder, sizes)
    for kind in sizes.kinds:
        words, disturbance = disturbances[kind]
        _tell(words)
        pairs[kind] = await take_pairs(devices, disturbance, sizes.pairs, sizes.seconds)
        rows += rows_of(f"Page {words}", pairs[kind], GOAL)
    if {"flooded", FAR} <= pairs.keys():
        rows += beside_of("Page flooded", pairs["flooded"], "from elsewhere", pairs[FAR])
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


def _end(process: Callable[[], int | None], how: signal.Signals) -> None:
    if (pid := process()) is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, how)


@asynccontextmanager
async def _killed(page: PageAtWork) -> AsyncIterator[None]:
    async def again_and_again() -> None:
        while True:
            _end(page.process, signal.SIGKILL)
            await asyncio.sleep(KILL_EVERY)

    killing = asyncio.create_task(again_and_again())
    try:
        yield
    finally:
        killing.cancel()


@asynccontextmanager
async def _stopped(page: PageAtWork) -> AsyncIterator[None]:
    # A page that was killed just now is still a child of the table's, and would be stopped in vain.
    await _served(page.port)
    while (pid := page.process()) is None:  # noqa: ASYNC110 - the kernel has no event for another's child
        await asyncio.sleep(SETTLE)
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@asynccontextmanager
async def _flooded(page: PageAtWork, scale: float, *, far: bool = False) -> AsyncIterator[None]:
    """`far`: the visitors' process yields to all else, as one that is on another machine takes nothing of this one."""
    await _served(page.port)
    crowd = [str(max(1, round(one * scale))) for one in (STREAMS, LOOPS, SIGN_INS)]
    words = (str(page.port), *crowd, str(page.people))
    place = page.group.take if far and page.group is not None else None
    async with _at_work(flood.__name__, *words, niceness=LOAD_NICE, place=place) as told:
        yield
    answers: dict[str, int] = told["answers"]
    ok = sum(number for what, number in answers.items() if what.endswith(f" {flood.OK}"))
    _tell(f"flooded: {told['bytes']} bytes, {ok} of {sum(answers.values())} answers are {flood.OK}: {answers}")
    if page.group is not None and (pid := page.process()) is not None and not page.group.has(pid):
        _tell(TAKEN_OUT)


def _prepared(folder: Path, sizes: Sizes) -> upgrader.Upgrade | None:
    if not {"upgraded", ASIDE} & set(sizes.kinds):
        return None
    place = folder / "upgrade"
    place.mkdir()
    try:
        return upgrader.prepare(place, sizes.package, round(upgrader.MOST * sizes.scale))
    except upgrader.UpgradeError as fault:
        raise UndisturbedBenchError(str(fault)) from None


@asynccontextmanager
async def _upgraded(page: PageAtWork, upgrade: upgrader.Upgrade | None, *, aside: bool = False) -> AsyncIterator[None]:
    """dpkg writes the files, and the page starts anew behind it, as the package's scripts have it.

    `aside`: dpkg yields to all else.
    """
    assert upgrade is not None, "what is not measured is not prepared"
    await _served(page.port)
    place = page.group.take if aside and page.group is not None else None
    began, unpacking = monotonic(), await upgrade.again(place)

    async def unpacked() -> float:
        if status := await unpacking.wait():
            raise UndisturbedBenchError(f"dpkg ended with {status}: its message is above")
        page.start_anew()
        return monotonic() - began

    upgrading = asyncio.create_task(unpacked())
    yield
    inside = upgrading.done()
    seconds = await upgrading
    _tell(f"upgraded: dpkg took {seconds:.1f} s, {'within the turn' if inside else 'and the turn was over before'}")


@asynccontextmanager
async def _at_work(
    module: str, *words: str, niceness: int, place: Callable[[int], None] | None = None
) -> AsyncIterator[dict[str, Any]]:
    """Run a program that says when it has begun, until the block ends; what it tells then is in what this gives.

    `place`: puts its process where it belongs. Raises UndisturbedBenchError.
    """
    told: dict[str, Any] = {}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *words,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=_ROOT,
        preexec_fn=lambda: os.nice(niceness),
    )  # fmt: skip
    if place is not None:
        place(process.pid)
    assert process.stdout is not None
    if not await process.stdout.readline():
        raise UndisturbedBenchError(f"{module} ended: its message is above")
    try:
        yield told
    finally:
        said, _ = await process.communicate(b"")
        told.update(json.loads(said))


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
    usual = Sizes()
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)} (default: all)")
    parser.add_argument("--pairs", type=int, default=usual.pairs)
    parser.add_argument("--seconds", type=float, default=usual.seconds, help="of each turn (default: 6)")
    parser.add_argument("--scale", type=float, default=usual.scale, help="part of the visitors (default: all)")
    parser.add_argument("--package", type=Path, help="the .deb of an upgrade (default: one of Python's libraries)")
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp"), help="on the disk that is measured")
    given = parser.parse_args()
    if unknown := set(given.kinds) - set(KINDS):
        parser.error(f"no kind {', '.join(sorted(unknown))}: there are {', '.join(KINDS)}")
    sizes = Sizes(given.pairs, given.seconds, given.scale, given.kinds or KINDS, given.package)
    with tempfile.TemporaryDirectory(prefix="feltd-bench-", dir=given.folder) as directory:
        print(machine(Path(directory)))
        print(table(measure(Path(directory) / "table", sizes)))


if __name__ == "__main__":
    main()

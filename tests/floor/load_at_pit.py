"""What the pit page shows of many tables in time, and what it costs their commits: `make bench-pit`.

    python -m tests.floor.load_at_pit [--tables 1000] [--seconds 40] [--pairs 5]

A floor of `tests.floor.load`, its pit page in a process of its own, and tables as in `tests.floor.load_tables`, each
of which is somewhere else in its play. A browser has the page open: how long each round's begin takes from the table to
its tile's next frame, and how much of the time the browser's main thread is at work. Then, in turn, nobody is at the
page, a crowd is, and programs run that only count, without a page: a batch's way to its acknowledgement in each. Page,
crowd and those programs run where floord and the database leave a processor idle: as root in a group that yields to all
else, as the page's unit is (`tests.bench.last_group`), so that a crowd stands for visitors on other machines as well as
one machine can; elsewhere each by itself (SCHED_IDLE), and the bench says so.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from bisect import bisect_left
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from playwright.async_api import Browser, CDPSession, Page, async_playwright

from feltd.floor.folding import Fold
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from feltd.record.entries import decode, encode
from tests.bench import flood
from tests.bench.browsing import task_seconds
from tests.bench.last_group import LastGroup, last_group, without
from tests.bench.report import Row, Spread, machine, micro, table
from tests.bench.toggled import Toggled, toggled
from tests.chromium import CHROMIUM, REMEDY
from tests.floor import pit_crowd
from tests.floor.load import ENTRIES, LoadedFloor, connected, floor_for, lived
from tests.floor.load_tables import PlayedJournal, Table, played_rows
from tests.floor.postgres_support import WHY_NOT, binaries
from tests.ports import free_port

SHOWN_GOAL: Final = 1e6  # microseconds, p99
BUSY_GOAL: Final = 5.0
"""Percent of the time in which a browser's main thread is at work."""
CROWD_GOAL: Final = 1.1
"""Times the p99 of a page that nobody is at, the median of the pairs."""
APART: Final = 400
"""Entries by which tables are apart in their play: more than two rounds."""
STREAMS: Final = 600
LOOPS: Final = 80
SIGN_INS: Final = 50
STREAMS_OF_ONE: Final = 16
SETTLE: Final = 2.0
ON_ITS_WAY: Final = 6.0
"""Seconds for the last round's tile."""
PATIENT: Final = 120.0
_WATCH: Final = """() => {
    window.heard = [];
    const tiles = document.getElementById("tables");
    const said = (item) => item.querySelector("h3 small").textContent;
    const before = new Map([...tiles.children].map((item) => [item.dataset.item, said(item)]));
    const tileOf = ({ target }) => (target.closest ? target : target.parentElement)?.closest("li[data-item]");
    new MutationObserver((changes) => {
        const isNew = (item) => item && before.get(item.dataset.item) !== said(item);
        const changed = [...new Set(changes.map(tileOf))].filter(isNew);
        for (const item of changed) before.set(item.dataset.item, said(item));
        const news = changed.map((item) => [item.dataset.item, parseInt(said(item).replace(/\\D/g, ""))]);
        if (news.length) requestAnimationFrame(() => {
            const now = (performance.timeOrigin + performance.now()) / 1000;
            for (const [name, round] of news) window.heard.push([name, round, now]);
        });
    }).observe(tiles, { childList: true, subtree: true, characterData: true });
}"""


@dataclass(frozen=True)
class PitAtWork:
    """The pit page of a floor. `people`: visitors with an account."""

    port: int
    name: str
    people: int


class ApartJournal(PlayedJournal):
    """A journal that is somewhere in its play, and knows when it wrote what."""

    def __init__(self, number: int, rows: Sequence[bytes]) -> None:
        super().__init__(number, rows)
        self.wrote: list[tuple[int, float]] = []
        """How many entries there were, and when."""

    def play(self, entries: int) -> None:
        """See `PlayedJournal`."""
        super().play(entries)
        self.wrote.append((len(self.rows), time.time()))


def of_now(rows: Sequence[bytes]) -> list[bytes]:
    """The same rows with times of about now, so that tiles have ages which go on."""
    begun = time.time() - APART / ENTRIES
    return [encode(decode(row)._replace(wall=begun + seq / ENTRIES)) for seq, row in enumerate(rows)]


def begins(rows: Sequence[bytes]) -> dict[int, int]:
    """By entry that begins a round: which one a pit says it is."""
    fold, found = Fold(), {}
    for row in rows:
        before = fold.round
        fold.take(row)
        if fold.round is not None and fold.round != before:
            found[fold.seq] = fold.round
    return found


def arrived(
    wrote: Sequence[tuple[int, float]],
    rounds: dict[int, int],
    heard: Sequence[tuple[int, float]],
    since: float,
    until: float,
) -> tuple[list[float], int]:
    """Seconds from each round's begin to its tile, of those begun in this time; and how many never came."""
    waits, lost = [], 0
    for entry, number in rounds.items():
        at = bisect_left(wrote, (entry, 0.0))
        if at == len(wrote) or not since <= (begun := wrote[at][1]) < until:
            continue
        came = next((when for shown, when in heard if shown >= number), None)
        if came is None:
            lost += 1
        else:
            waits.append(came - begun)
    return waits, lost


# -- the page


@asynccontextmanager
async def pit_page(floor: LoadedFloor, people: int, group: LastGroup | None) -> AsyncIterator[PitAtWork]:
    """The page, as long as the block lasts, in this group."""
    port, folder = free_port(), floor.keys / "page"
    folder.mkdir()
    file = floor.keys / "pit.toml"
    file.write_text(f'[pit]\nname = "Pit"\nfloor = "{floor.keys / "pit"}"\nfolder = "{folder}"\nport = {port}\n')
    accounts = AccountBook(folder / "accounts.json")
    accounts.add("director", Role.DIRECTOR, flood.SECRET)
    for number in range(people):
        accounts.add(flood.person(number), Role.OBSERVER, flood.SECRET)
    command = [sys.executable, "-m", "feltd.cli", "floor", "page", "--config", str(file)]
    with (floor.keys / "page.log").open("wb") as log:
        page = await asyncio.create_subprocess_exec(
            *command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, preexec_fn=_idle
        )
    _put_in(group, page.pid)
    try:
        ends = time.monotonic() + PATIENT
        while not await _answers(port):
            assert page.returncode is None, (floor.keys / "page.log").read_text()
            assert time.monotonic() < ends, "the page does not answer"
            await asyncio.sleep(0.1)
        yield PitAtWork(port, "director", people)
    finally:
        page.terminate()
        await page.wait()


def _idle() -> None:
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def _put_in(group: LastGroup | None, pid: int) -> None:
    if group is not None:
        group.take(pid)


@asynccontextmanager
async def counting(group: LastGroup | None) -> AsyncIterator[None]:
    """For each processor a program that only counts, with the page's weight, as long as the block lasts."""
    command = [sys.executable, "-c", "while True: pass"]
    running = [await asyncio.create_subprocess_exec(*command, preexec_fn=_idle) for _ in range(os.cpu_count() or 1)]
    for one in running:
        _put_in(group, one.pid)
    try:
        yield
    finally:
        for one in running:
            one.kill()
            await one.wait()


async def _answers(port: int) -> bool:
    with suppress(OSError):
        _, writer = await asyncio.open_connection(flood.HOST, port)
        writer.close()
        return True
    return False


# -- a browser


async def shown(
    browser: Browser, pit: PitAtWork, tables: Sequence[Table], rows: Sequence[bytes], seconds: float
) -> list[Row]:
    """The main thread for half of the time, the way to the tile for the other half."""
    tab = await _tab(browser, pit, len(tables))
    told = await tab.context.new_cdp_session(tab)
    await told.send("Performance.enable", {"timeDomain": "threadTicks"})  # its own time, without its waits
    busy = await _busy(told, seconds / 2)
    await tab.evaluate(_WATCH)
    since = time.time()
    await asyncio.sleep(seconds / 2)
    waits, lost = await _arrivals(tab, tables, begins(rows), since)
    while not waits:  # few tables begin no round for a while
        assert time.time() < since + PATIENT, f"{lost} rounds have begun, and none has come to its tile"
        await asyncio.sleep(seconds / 2)
        waits, lost = await _arrivals(tab, tables, begins(rows), since)
    await tab.context.close()
    spread = Spread.of([wait * 1e6 for wait in waits])
    many = f"{len(tables)} tables x {ENTRIES} entries a second"
    return [
        Row(f"A round's begin to its tile, {many}, {len(waits)} rounds, {lost} of them never shown", str(spread),
            goal=f"p99 under {micro(SHOWN_GOAL)}", reached=spread.p99 < SHOWN_GOAL and lost == 0),
        Row(f"Main thread of a browser at the pit page meanwhile, {seconds / 2:.0f} s", f"{busy:.1f} %",
            goal=f"at most {BUSY_GOAL:.0f} %", reached=busy <= BUSY_GOAL),
    ]  # fmt: skip


async def _arrivals(
    tab: Page, tables: Sequence[Table], rounds: dict[int, int], since: float
) -> tuple[list[float], int]:
    """Of all tables, what `arrived` says of the rounds begun from then to now."""
    until = time.time()
    await asyncio.sleep(ON_ITS_WAY)
    heard: dict[str, list[tuple[int, float]]] = {}
    for name, number, when in json.loads(await tab.evaluate("() => JSON.stringify(window.heard)")):
        heard.setdefault(name, []).append((number, when))
    waits, lost = [], 0
    for one in tables:
        assert isinstance(one.journal, ApartJournal)
        some, missing = arrived(one.journal.wrote, rounds, heard.get(one.name, []), since, until)
        waits += some
        lost += missing
    return waits, lost


async def _tab(browser: Browser, pit: PitAtWork, tables: int) -> Page:
    context = await browser.new_context(viewport={"width": 1920, "height": 1080}, locale="en-GB")
    address = f"http://{flood.HOST}:{pit.port}"
    answer = await context.request.post(
        f"{address}/api/v1/session", data={"name": pit.name, "password": flood.SECRET}, timeout=PATIENT * 1000
    )
    assert answer.ok, await answer.text()
    tab = await context.new_page()
    await tab.goto(f"{address}/", timeout=PATIENT * 1000)
    enough = f"() => document.querySelectorAll('#tables > li').length >= {tables}"
    await tab.wait_for_function(enough, timeout=PATIENT * 1000)
    await asyncio.sleep(SETTLE)  # what the first view still does
    return tab


async def _busy(told: CDPSession, seconds: float) -> float:
    began, worked = time.monotonic(), await task_seconds(told)
    await asyncio.sleep(seconds)
    return 100 * (await task_seconds(told) - worked) / (time.monotonic() - began)


# -- a crowd


class CrowdEndedError(Exception):
    """The crowd's process has ended; its message is above."""


@asynccontextmanager
async def crowd_at(pit: PitAtWork, scale: float, group: LastGroup | None) -> AsyncIterator[Toggled]:
    """A crowd that has signed in, and visits in turns, in this group."""
    many = [str(max(1, round(one * scale))) for one in (STREAMS, LOOPS, SIGN_INS)]
    async with toggled(CrowdEndedError, pit_crowd.__name__, str(pit.port), *many, str(pit.people)) as crowd:
        _put_in(group, crowd.pid)
        async with crowd.at_work():
            """Nobody is measured yet."""
        crowd.answers.clear()
        yield crowd


async def crowded(
    crowd: Toggled, tables: Sequence[Table], pairs: int, seconds: float, group: LastGroup | None
) -> list[Row]:
    """Turns with nobody at the page, and with a crowd."""
    alone, beside, counted = [], [], []
    for number in range(pairs):
        if number % 2:
            alone.append(await _turn(tables, seconds))
        async with crowd.at_work():
            beside.append(await _turn(tables, seconds))
        if not number % 2:
            alone.append(await _turn(tables, seconds))
        async with counting(group):
            counted.append(await _turn(tables, seconds))
    for one in crowd.answers:
        sys.stderr.write(f"bench: a crowd had {one.decode()}")
    nobody = f"nobody there, p99 {micro(median(one.p99 for one in alone))}"

    def of(what: str, turns: Sequence[Spread], goal: str = "") -> Row:
        ratio = median(one.p99 / other.p99 for one, other in zip(turns, alone, strict=True))
        words = f"A batch to its acknowledgement beside {what}, median of {pairs} pairs"
        reached = ratio <= CROWD_GOAL if goal else None
        return Row(words, f"p99 {micro(median(one.p99 for one in turns))}", nobody, ratio, goal, reached)

    return [
        of("a crowd at the pit page", beside, f"p99 under {CROWD_GOAL} × nobody there"),
        of("programs that only count, one a processor, with the page's weight", counted),
    ]


async def _turn(tables: Sequence[Table], seconds: float) -> Spread:
    await asyncio.sleep(SETTLE)
    marks = [len(one.waits) for one in tables]
    waits: list[float] = []
    while not waits:  # a machine that does other things may have stood still for one turn
        await asyncio.sleep(seconds)
        waits = [wait for one, mark in zip(tables, marks, strict=True) for wait in one.waits[mark:]]
    return Spread.of([wait * 1e6 for wait in waits])


# -- all of it


async def measured(plan: argparse.Namespace, rows: Sequence[bytes], played: float) -> list[Row]:
    """The lines. `played`: seconds for which there are rows."""
    people = -(-max(1, round(STREAMS * plan.scale)) // STREAMS_OF_ONE)
    async with floor_for(plan.tables, "pit") as floor, last_group() as group:
        if group is None:
            print(without("SCHED_IDLE"))
        tables = [
            Table(f"t{number}", ApartJournal(number, rows), floor.keys, floor.address)
            for number in range(1, plan.tables + 1)
        ]
        for number, one in enumerate(tables):
            one.journal.play(number * 37 % APART)
        await connected(tables)
        await asyncio.gather(*(one.send() for one in tables))
        async with pit_page(floor, people, group) as pit, crowd_at(pit, plan.scale, group) as crowd:
            living = asyncio.ensure_future(lived(tables, played))
            found: list[Row] = []
            await asyncio.sleep(SETTLE)
            if plan.seconds:
                async with async_playwright() as playwright:
                    browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                    found += await shown(browser, pit, tables, rows, plan.seconds)
                    await browser.close()
            if plan.pairs:
                found += await crowded(crowd, tables, plan.pairs, plan.turn, group)
            assert not living.done(), "the rows are at their end"
            living.cancel()
            await asyncio.gather(living, return_exceptions=True)
        for one in tables:
            await one.leave()
    return found


def main(words: Sequence[str]) -> int:
    """Measure; 1 where a server or a browser is not found."""
    parser = argparse.ArgumentParser(prog="python -m tests.floor.load_at_pit")
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=40, help="with a browser at the page; 0: none")
    parser.add_argument("--pairs", type=int, default=5, help="of turns without a crowd and with one; 0: none")
    parser.add_argument("--turn", type=int, default=10, help="seconds of each")
    parser.add_argument("--scale", type=float, default=1.0, help="part of the crowd")
    plan = parser.parse_args(words)
    missing = [
        why for why, lacks in ((WHY_NOT, binaries() is None), (REMEDY, plan.seconds and CHROMIUM is None)) if lacks
    ]
    if missing:
        print(missing[0])
        return 1
    played = plan.seconds + plan.pairs * 3 * (plan.turn + SETTLE) + PATIENT
    rows = of_now(played_rows(APART + ENTRIES * round(played)))
    print(machine(Path("/tmp")))
    print(table(asyncio.run(measured(plan, rows, played))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A pit page that real browsers ask: floord's socket with tables in memory, obeying or not, in a loop of its own."""

import asyncio
import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from feltd.custody.messages import Answer, Beat, Command, Result, from_bytes
from feltd.door.asking.pit_door import PitDoor
from feltd.door.serving.listener import listening
from feltd.floor.commanding import Desk, Patience, Reach
from feltd.floor.directing import Directing
from feltd.floor.engine import Alarm, AlarmKind, Batch
from feltd.floor.groups import SightKind, SightRow, Sights
from feltd.floor.memory import MemoryEngine
from feltd.floor.open_rows import read_rows
from feltd.floor.pit_book import PitBook
from feltd.floor.pit_socket import Pit, PitReception
from feltd.floor.waiting import Waiting
from feltd.launcher.page_process import limits_of
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from feltd.page.doorway import page_at_address
from feltd.page.pit.opening import OpenPit, open_pit
from feltd.page.settings import PageSettings
from feltd.record.entries import Row, encode
from feltd.table.config.config import Page
from tests.feltd.page_support import SECRET
from tests.floor.custody_support import FakeJournal
from tests.ports import free_port

_T = TypeVar("_T")
NOW = 1_700_000_000.0


def entry(
    seq: int,
    kind: str,
    name: str,
    body: object,
    answers: int | None = None,
    wall: float = NOW,
    book: bytes | None = None,
) -> bytes:
    """An entry as a table writes it. `book`: the digest of the one that is played."""
    row = Row(seq, kind, name, 1.0, 1.0, wall, 7, book, answers, None, None, None, json.dumps(body), None, None)
    return encode(row)


def ruling(number: int, **changed: object) -> dict[str, object]:
    """A ruling that waits for a person."""
    return {
        "id": number, "supersedes": None, "rulebook": "tas-2018-holdem", "rule": "tas-2018 12.3",
        "irregularity": "card_exposed", "outcome": "misdeal", "also": [], "seat": 3, "authority": "supervisor",
        "pending": True, "text": "A card was exposed.",
    } | changed  # fmt: skip


def alarm(state: str = "raised", kind: str = "device_offline", device: str | None = "shoe") -> dict[str, object]:
    """An alarm's output."""
    return {"kind": kind, "deck": None, "device": device, "state": state}


class Floor:
    """A floor in memory, its socket and its pit page."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.engine = MemoryEngine(lambda: NOW)
        self.desk = Desk(self.engine, patience=Patience(until=0.3, again=0.1, grace=0.1))
        self.book = PitBook(self.engine)
        self.sights = Sights(self.engine.groups)
        self.accounts = AccountBook(folder / "accounts.json")
        self.journals: dict[str, FakeJournal] = {}
        self.obeyed: list[dict[str, Any]] = []
        self.answers: Callable[[Command], Answer | None] = lambda command: Answer(command.id, Result.DONE, 9, "")
        self.door = PitDoor(folder / "pit")
        self.settings = PageSettings(
            name="Pit 3", host="127.0.0.1", port=0, accounts=folder / "accounts.json", own_files=folder,
            limits=replace(limits_of(Page()), requests_per_person=1000.0),
        )  # fmt: skip
        self.pit: OpenPit | None = None

    async def table(self, name: str, *rows: tuple[str, str, object]) -> None:
        """A table connects, or goes on, and writes these: (kind, name, body) each."""
        new = name not in self.journals
        journal = self.journals.setdefault(name, FakeJournal(len(self.journals) + 1))
        opened = await self.engine.open_journal(name, journal.journal_id, 2)
        if new:
            reach = Reach(lambda data: self._sent(name, data), journal.journal_id)
            self.desk.join(name, reach, obeys=True)
            self.book.came(name, journal.journal_id, opened.stand)
        first = opened.stand.seq + 1
        data, answers = [], None  # an output answers the event before it
        for seq, (kind, what, body) in enumerate(rows, first):
            answers = seq if kind == "event" else answers
            data.append(entry(seq, kind, what, body, answers if kind == "output" else None))
        batch = Batch(name, journal.journal_id, first, opened.stand.chain, bytes(32), tuple(data))
        [added] = await self.engine.append_many([batch])
        self.book.take(batch, read_rows(batch.rows))
        self.book.said(name, added.stand, Beat(NOW, added.stand.seq))

    async def _sent(self, table: str, data: bytes) -> None:
        command: Command = from_bytes(data, {"command": Command})
        self.obeyed.append({"table": table, **json.loads(command.order)})
        answer = self.answers(command)
        if answer is not None:
            await self.desk.answered(table, answer)

    async def custody_alarm(self, table: str) -> None:
        """Something is wrong with a table's custody."""
        journal = self.journals[table].journal_id
        await self.engine.raise_alarm(Alarm(table, journal, AlarmKind.WIRE, 0, "the table is not understood"))
        await self.book.look_at_alarms()

    async def lets(self, kind: str, name: str, *parts: str, everything: bool = False) -> None:
        """A group has these tables, or a person these groups."""
        await self.engine.groups.set(SightRow(SightKind(kind), name, parts, everything, "berg", "as planned"))
        await self.sights.load()

    def gone(self, table: str) -> None:
        """A table's connection has ended."""
        self.book.went(table)

    async def back(self, table: str) -> None:
        """A table whose connection has ended connects again."""
        journal = self.journals[table].journal_id
        opened = await self.engine.open_journal(table, journal, 2)
        self.book.came(table, journal, opened.stand)


class ServedPit:
    """A pit page at an address. `do` runs in its own loop and thread."""

    def __init__(self, floor: Floor, loop: asyncio.AbstractEventLoop, address: str) -> None:
        self.floor = floor
        self.address = address
        self._loop = loop

    def do(self, what: Any) -> Any:
        """Have a coroutine of the floor done."""
        return asyncio.run_coroutine_threadsafe(what, self._loop).result()

    def account(self, role: Role) -> tuple[str, str]:
        """Name and password of somebody of this role."""
        if self.floor.accounts.get(role.value) is None:
            self.floor.accounts.add(role.value, role, SECRET)
        return role.value, SECRET


@contextmanager
def served_pit(
    folder: Path,
    directing: Directing | None = None,
    screens: str | None = None,
    *,
    keys: bool = False,
    waiting: Waiting | None = None,
    currency: str | None = None,
) -> Iterator[ServedPit]:
    """A pit page over a floor without tables; `directing`: its tournaments; `waiting`: its waiting lists.

    `currency`: of buy-ins and prizes. `keys`: security keys work at its address, which then has a host name.
    """
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="pit", daemon=True)
    thread.start()
    stop = asyncio.Event()
    started: asyncio.Future[str] = loop.create_future()
    floor = Floor(folder)
    floor.settings = replace(floor.settings, screens=screens, currency=currency)
    if keys:
        port = free_port()
        origin = f"http://localhost:{port}"
        floor.settings = replace(floor.settings, port=port, address=origin, keys_at=origin)

    async def run() -> None:
        await floor.sights.load()
        pit = Pit(floor.desk, floor.book, floor.engine, directing, sights=floor.sights, waiting=waiting)
        reception = PitReception(pit, floor.book)
        tasks = [asyncio.create_task(floor.book.run())]
        async with listening(folder / "pit", os.getuid(), reception):
            tasks.append(asyncio.create_task(floor.door.run()))
            await floor.door.reached()
            page = open_pit(floor.settings, floor.door)
            async with page_at_address(
                floor.settings, page.at, page.app, lambda: floor.door.away, (page.follow,)
            ) as address:
                started.set_result(floor.settings.keys_at or address.rstrip("/"))
                await stop.wait()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    running = asyncio.run_coroutine_threadsafe(run(), loop)

    async def address() -> str:
        return await started

    try:
        yield ServedPit(floor, loop, asyncio.run_coroutine_threadsafe(address(), loop).result())
    finally:
        loop.call_soon_threadsafe(stop.set)
        running.result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

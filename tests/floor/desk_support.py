"""A director's desk without a socket: the pit page over floord's own tournaments, in memory."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

from feltd.door import Person
from feltd.door.asking.pit_door import PitDoor
from feltd.door.pit.directing import (
    DecidedBy,
    Entering,
    Opening,
    Step,
    Stepped,
    TournamentAsk,
    TournamentNews,
    TournamentTile,
)
from feltd.door.pit.sight import PitSight
from feltd.door.pit.state import PitNews, PitSince
from feltd.floor.directing import Directing
from feltd.floor.folding import Fold
from feltd.floor.pit_book import Line
from feltd.floor.streams import MemoryStreams
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from feltd.page.api.guard import CSRF_HEADER
from feltd.page.pit.opening import open_pit
from feltd.page.settings import PageSettings
from tests.feltd.page_support import SECRET, limits
from tests.floor.directing_support import Clock, directing

OTHER = DecidedBy(Person("Max", "max", "supervisor", "10.20.0.10"), "at the other desk")


class House:
    """A floord's tournaments. `between`: steps of another desk, one before each of the next steps here."""

    def __init__(self) -> None:
        self.broadcasting: tuple[str, ...] = ()
        """Tables whose cards go to a broadcast."""
        self.clock = Clock()
        self.directing: Directing = directing(MemoryStreams(), self.clock)
        self.between: list[dict[str, Any]] = []

    def seq(self, tournament: str = "tuesday") -> int:
        """The number of a tournament's last event."""
        return self.directing.fold(tournament).seq

    async def other(self, tournament: str, event: dict[str, Any]) -> Stepped:
        """A step of another desk."""
        return await self.directing.step(Step(tournament, self.seq(tournament), event, OTHER))


class NearDoor(PitDoor):
    """The floor's calls without a socket between."""

    def __init__(self, place: Path, house: House) -> None:
        super().__init__(place)
        self._house = house

    async def sight(self, account: str) -> PitSight:
        return PitSight("")

    async def news(self, since: PitSince) -> PitNews:
        tables = (Line(name, bytes(16), Fold()).shown() for name in ("T1", "T2", "T3"))
        told = tuple(replace(table, broadcast=table.name in self._house.broadcasting) for table in tables)
        return PitNews("run", 1, 0.0, whole=True, tables=told)

    async def tournaments(self, account: str) -> tuple[TournamentTile, ...]:
        return self._house.directing.tiles()

    async def tournament(self, asked: TournamentAsk) -> TournamentNews:
        return self._house.directing.news(asked)

    async def open(self, opening: Opening) -> Stepped:
        return await self._house.directing.open(opening)

    async def step(self, step: Step) -> Stepped:
        if self._house.between:
            await self._house.other(step.tournament, self._house.between.pop(0))
        return await self._house.directing.step(step)

    async def enter(self, entering: Entering) -> Stepped:
        if self._house.between:
            await self._house.other(entering.tournament, self._house.between.pop(0))
        return await self._house.directing.enter(entering)


def settings_in(folder: Path, screens: str | None = None) -> PageSettings:
    """Of a pit page in this folder."""
    return PageSettings(
        name="Pit 3", host="127.0.0.1", port=0, accounts=folder / "accounts.json", own_files=folder,
        limits=limits(requests_per_person=1000.0), screens=screens,
    )  # fmt: skip


class Desk:
    """A desk's browser, signed in or not. `door`: how it reaches the floor."""

    door: Callable[[Path, Any], PitDoor] = NearDoor

    def __init__(self, folder: Path, house: House, role: Role | None, screens: str | None = None) -> None:
        self.house = house
        self.pit = open_pit(settings_in(folder, screens), type(self).door(folder / "pit", house))
        self.headers: dict[str, str] = {}
        if role is not None:
            book = AccountBook(folder / "accounts.json")
            account = book.get(role.value) or book.add(role.value, role, SECRET)
            token, session = self.pit.at.guard.signing_in.sessions.begin(account, "127.0.0.1")
            self.headers = {"cookie": f"feltd={token}", CSRF_HEADER: session.csrf}
        self._transport = httpx.ASGITransport(app=self.pit.app, client=("127.0.0.1", 4711))

    def ask(self, method: str, address: str, body: Any = None, headers: dict[str, str] | None = None) -> httpx.Response:
        """Ask the page."""

        async def asked() -> httpx.Response:
            async with httpx.AsyncClient(transport=self._transport, base_url="http://localhost") as client:
                return await client.request(method, address, json=body, headers={**self.headers, **(headers or {})})

        return asyncio.run(asked())

    def get(self, path: str) -> Any:
        """An answer of the API, below `/api/v1`."""
        answer = self.ask("get", f"/api/v1{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any) -> httpx.Response:
        """Send something to the API."""
        return self.ask("post", f"/api/v1{path}", body)

    def step(self, ev: str, **fields: Any) -> httpx.Response:
        """A step upon the tournament as it is now."""
        body = {"expected": self.house.seq(), "event": {"ev": ev, **fields}, "why": "at the counter"}
        return self.post("/tournaments/tuesday/steps", body)

    def did(self, ev: str, **fields: Any) -> Any:
        """A step that is taken; what is said."""
        answer = self.step(ev, **fields)
        assert answer.status_code == 200, answer.text
        return answer.json()["outputs"]


def opening(tournament: str = "tuesday", **terms: Any) -> dict[str, Any]:
    """An opening of three tables with six seats."""
    tables = [{"table": f"T{number}", "seats": list(range(1, 7))} for number in (1, 2, 3)]
    event = {"name": "Tuesday Deepstack", "fee": 20_000, "house": 5_000, "stack": 30_000, "late_until": 7,
             "re_entries": 1, "tables": tables, **terms}  # fmt: skip
    return {"id": tournament, "book": "onyx", "event": event, "why": "as announced"}


def as_text(found: Any) -> str:
    """As JSON."""
    return json.dumps(found)

"""No answer names a card that lies face down: every reading route, every role, at moments all through rounds that go
wrong, and the index and the record's notes beside them. Once a round is over, only who may see cards sees them."""

import asyncio
import random
import re
import sqlite3
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from devices.simulated.direct import DirectTable
from devices.simulated.people.game import Game
from feltd.page.access.roles import RIGHTS, Right, Role
from feltd.page.history.words import card_in_words
from feltd.record import HostEntry, JournalReader, Reveal, Span
from feltd.simulated.games import FLOOR
from feltd.table.keeper.deliveries import Delivery
from table_fsm.events import Event, event_to_dict
from table_fsm.outputs import Output
from tests.feltd.history_support import OPTIONS
from tests.feltd.page_support import Browser, Page
from tests.feltd.table_support import HOLDEM

ROUNDS = 2
ANSWERED = {200, 303, 401, 403, 404, 409, 422}
PACK = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
SESSION_TOKEN = "/api/v1/session"
"""Its random token may spell anything."""


NAMES = {name: card for card in PACK for name in (card, card_in_words(card))}
A_NAME = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, NAMES))})(?![A-Za-z0-9])")


@lru_cache(maxsize=256)  # many answers are the same for each role, at each moment
def named_in(text: str) -> frozenset[str]:
    """The cards that a text names."""
    return frozenset(NAMES[found] for found in A_NAME.findall(text))


class Secrets:
    """The cards that nobody may know: those that came face down since the shuffle, and were not shown since."""

    def __init__(self) -> None:
        self.down: set[str] = set()
        self.shown: set[str] = set()

    def take(self, event: Event, view: dict[str, Any]) -> None:
        said = event_to_dict(event)
        if said["ev"] == "shoe.shuffled":
            self.down, self.shown = set(), set()
        cards = [said.get("card"), *(said.get("missing") or []), *(said.get("foreign") or [])]
        (self.shown if said.get("face") == "up" else self.down).update(card for card in cards if card)
        for seat in [*view["seats"], view.get("dealer") or {}]:
            self.shown.update(seat.get("tabled") or [])

    def told_in(self, text: str) -> set[str]:
        """Those of them that a text names, in the table's words or in people's."""
        return (self.down - self.shown) & named_in(text)


def addresses(page: Page, number: int) -> list[str]:
    """Everything that can be read, filled in for a round."""
    fill = {"number": str(number), "name": "rounds", "seat": "1"}
    api = [
        "/api/v1" + re.sub(r"\{(\w+)\}", lambda found: fill[found[1]], path)
        for path, operations in page.api.openapi()["paths"].items()
        if "get" in operations and path not in {"/stream", "/events", "/export"}
    ]
    pages = ["/", "/history", f"/history/round/{number}", f"/history/round/{number}/report", "/trends", "/metrics",
             "/healthz", "/api/v1/openapi.json", f"/api/v1/rounds/{number}/steps?most=500"]  # fmt: skip
    return [address for address in api if address != SESSION_TOKEN] + pages


async def streamed(page: Page, after: int) -> str:
    """What the streams say first, and again to who comes back."""
    said = []
    for stream in (page.hub.admit(), page.feed.listen(after)):
        async for one in stream:
            said.append(one)
            if one.startswith(("event: state", "id: ")) or len(said) > 5000:
                break
        await stream.aclose()
    while some := await page.feed.since(after):
        said += map(str, some)
        after = some[-1].seq
    return "".join(said)


def beside(page: Page, after: int) -> str:
    """What the index holds, and the record with nothing opened, since an entry."""
    index = page.bench.journal.path.with_name(page.bench.journal.path.name + ".index")
    found = []
    if index.exists():
        with sqlite3.connect(index) as database:
            for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                marker = {"rounds": "first", "rulings": "seq", "acts": "seq", "alarms": "seq"}.get(table)
                where = f" WHERE {marker} > {after}" if marker else ""
                found += database.execute(f"SELECT * FROM {table}{where}").fetchall()
        database.close()
    with JournalReader.open(page.bench.journal.path) as reader:
        entries = list(reader.entries(Span(after=after), reveal=Reveal.NOTHING))
    # a snapshot is of the table between two rounds: it knows the deck as the rounds that are over have shown it
    found += [(entry.name, entry.body) for entry in entries if entry.name != HostEntry.SNAPSHOT]
    return "\n".join(map(repr, found))


def test_a_card_is_found_in_a_text_by_both_of_its_names() -> None:
    assert named_in('{"card":"Td"} and 10♦, A♠.') == {"Td", "As"}
    assert named_in("ATd 110♦ Tds A♠2") == frozenset()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [5, 11])
def test_no_answer_names_a_card_that_lies_face_down(tmp_path: Path, seed: int) -> None:
    asyncio.run(play_and_ask(tmp_path, seed))


async def play_and_ask(folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    page = Page(folder)
    bench = page.bench
    said: list[Output] = []
    bench.keeper.on_outputs(lambda _, outputs: said.extend(outputs))
    start = bench.clock.now()

    def apply(event: Event) -> list[dict[str, Any]]:
        said.clear()
        bench.time.pass_(max(0.0, start + event.t - bench.clock.now()))
        bench.keeper.deliver(Delivery("test", lambda t: [replace(event, t=t)]))
        return [output.to_dict() for output in said]

    game = Game(rulebook=HOLDEM, floor=FLOOR, seats=(1, 2, 3, 5), decks=("blue",), rounds=ROUNDS, mistake_rate=0.5,
                button=5, seed=seed)  # fmt: skip
    browsers = {role: Browser(page, page.session(role)) for role in Role}
    secrets = Secrets()
    asked, since, number = 0, 0, 0
    for event, _ in DirectTable(game, apply, options=OPTIONS, button=game.button).play():
        if type(event).__name__ == "ShoeShuffled":
            await bench.synced()
            await check_finished(page, browsers, secrets, number)
            since = bench.journal.health.appended
        view = page.state()["table"]
        secrets.take(event, view)
        number = view["round"] or number
        if number == 0 or chance.random() > 0.04:
            continue
        await bench.synced()
        asked += 1
        for role, browser in browsers.items():
            for address in addresses(page, number):
                if not await over(page, number) or not RIGHTS[role] & {Right.SEE_CARDS, Right.EXPORT}:
                    answer = await browser.ask("get", address)
                    assert answer.status_code in ANSWERED, (role, address, answer.text)
                    assert secrets.told_in(answer.text) == set(), (role, address)
        assert secrets.told_in(await streamed(page, since)) == set()
        assert [line for line in beside(page, since).splitlines() if secrets.told_in(line)] == []
    assert asked >= 3
    page.close()


async def over(page: Page, number: int) -> bool:
    found, _ = await page.desk.of("").round(number)
    return found.last is not None


async def check_finished(page: Page, browsers: dict[Role, Browser], secrets: Secrets, number: int) -> None:
    """A round that is over: cards that it did not show are seen by nobody, whatever the role may see or export."""
    if number == 0 or not await over(page, number) or not secrets.down - secrets.shown:
        return
    for role, browser in browsers.items():
        told = secrets.told_in((await browser.ask("get", f"/api/v1/rounds/{number}/steps?most=500")).text)
        assert told == set(), role
        exported = await browser.ask("get", f"/api/v1/rounds/{number}/export")
        assert (exported.status_code == 200) == (Right.EXPORT in RIGHTS[role]), role
        assert secrets.told_in(exported.text) == set(), role

"""A record to look into: rounds played through a keeper into a journal, with mistakes and decisions."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

from devices.simulated.direct import play_rounds
from devices.simulated.people.game import Game
from feltd.simulated.games import FLOOR
from feltd.table.keeper.deliveries import Delivery
from table_fsm.events import Badge, Event
from table_fsm.outputs import Output
from tests.feltd.page_support import Page
from tests.feltd.table_support import HOLDEM, Bench

DEALER = "D77"
OPTIONS: dict[str, Any] = {"blinds": [100, 200], "commission": "one", "burn": 1, "table_min": 200}


def record(bench: Bench, *, rounds: int, mistakes: float = 0.5, seed: int = 3) -> None:
    """Rounds of Hold'em, dealt by D77, each second of the table a second of the clock."""
    game = Game(
        rulebook=HOLDEM,
        floor=FLOOR,
        seats=(1, 2, 3, 5),
        decks=("blue",),
        rounds=rounds,
        mistake_rate=mistakes,
        button=5,
        seed=seed,
    )
    said: list[Output] = []
    bench.keeper.on_outputs(lambda _, outputs: said.extend(outputs))
    start = bench.clock.now()
    bench.take(Badge, staff=DEALER, role="dealer")

    def apply(event: Event) -> list[dict[str, Any]]:
        said.clear()
        bench.time.pass_(max(0.0, start + event.t - bench.clock.now()))
        bench.keeper.deliver(Delivery("test", lambda t: [replace(event, t=t)]))
        return [output.to_dict() for output in said]

    play_rounds(game, apply, options=OPTIONS, button=game.button)


def recorded_page(folder: Path, *, rounds: int = 8, **how: Any) -> Page:
    """A page over such a record."""

    async def make() -> Page:
        page = Page(folder)
        record(page.bench, rounds=rounds, **how)
        await page.bench.synced()
        return page

    return asyncio.run(make())

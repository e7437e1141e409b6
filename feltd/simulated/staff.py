"""What the staff of a simulated table do between two dealers: open it, tidy it, seat the players, acknowledge."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from devices.simulated.errors import OrderRefused
from devices.simulated.people import motions
from devices.simulated.people.game import Game
from devices.simulated.people.staff_cards import STAFF_CARDS
from devices.simulated.things.control import Control
from devices.simulated.things.equipment import Equipment
from feltd.simulated.errors import SimulationError
from feltd.table.daemon.assembly import Daemon
from feltd.table.keeper.keeper import RESTING
from table_fsm.events import TableOpen
from table_fsm.felt import Decision, StaffRole
from table_fsm.view.shapes import TableView

_OPEN_WITHIN: Final = 30.0
_POLL: Final = 0.02


async def devices_up(daemon: Daemon) -> None:
    await _until(lambda: daemon.bridge.complete, "not every simulated device has come up")


async def open_table(equipment: Equipment, daemon: Daemon, game: Game, options: dict[str, Any]) -> None:
    """Have new packs brought in and checked, and the table opened for this game; wait until it is."""
    async with _hands(equipment) as hand:
        for deck in game.decks:
            await hand("shoe", do="change_deck", deck=deck)
            await hand("badge", **motions.badge(game.staff, game.staff_role).order)
            await hand("shoe", do="check", deck=deck)
    opening = TableOpen(t=0.0, rulebook=game.rulebook, seats=list(game.seats), options=options, button=game.button)
    daemon.open_with(opening)
    await _until(
        lambda: (book := daemon.keeper.table.rulebook) is not None and book.id == game.rulebook,
        f"the table does not open under {game.rulebook}",
    )


async def _until(true: Callable[[], bool], problem: str) -> None:
    end = time.monotonic() + _OPEN_WITHIN
    while not true():
        if time.monotonic() > end:
            raise SimulationError(f"{problem} within {_OPEN_WITHIN:g} s: see what feltd said on standard error")
        await asyncio.sleep(_POLL)


async def tidy(equipment: Equipment, daemon: Daemon) -> None:
    """End an unfinished round as a supervisor and collect every card, before a new dealer."""
    async with _hands(equipment) as hand:
        view = daemon.keeper.table.view()
        if view["open"] and (view["phase"] not in RESTING or view["pending"] or view["faults"] or not _box_safe(view)):
            await hand("shoe", do="clear")
            await hand("dropbox", do="box", present=True, locked=True)
            card = STAFF_CARDS[StaffRole.SUPERVISOR]
            await hand("badge", **motions.badge(card, StaffRole.SUPERVISOR.value).order)
            for decision in (Decision.ACKNOWLEDGE, Decision.MISDEAL, Decision.RESUME):
                await hand("keys", **motions.decide(decision, card, reason="a new dealer comes").order)
        equipment.bare.carry_out(equipment.bare.cloth, {"do": "collect"})
        for device in equipment.devices:
            if device.role == "reader":
                await hand(device.name, do="collect")


def _box_safe(view: TableView) -> bool:
    box = view["dropbox"]
    return box is None or (box["present"] and box["locked"])


async def seat_again(equipment: Equipment, daemon: Daemon, game: Game) -> None:
    """Everybody takes the seat the game has for them."""
    there = {seat["seat"]: seat["state"] for seat in daemon.keeper.table.view()["seats"]}
    async with _hands(equipment) as hand:
        for seat in {*game.seats, *there}:
            if seat not in game.seats:
                await hand("keys", do="press", body={"ev": "seat_out", "seat": seat})
            elif there.get(seat) == "away":
                await hand("keys", do="press", body={"ev": "seat_back", "seat": seat})
            elif there.get(seat, "leaving") == "leaving":
                await hand("keys", do="press", body={"ev": "seat_in", "seat": seat})


async def acknowledge(equipment: Equipment) -> None:
    """Have the supervisor acknowledge the alarms whose cause has ended."""
    card = STAFF_CARDS[StaffRole.SUPERVISOR]
    async with _hands(equipment) as hand:
        await hand("badge", **motions.badge(card, StaffRole.SUPERVISOR.value).order)
        await hand("keys", **motions.decide(Decision.ACKNOWLEDGE, card).order)


@asynccontextmanager
async def _hands(equipment: Equipment) -> AsyncIterator[Callable[..., Coroutine[Any, Any, None]]]:
    controls = {device.name: Control(device.control, name=device.name) for device in equipment.devices}

    async def hand(name: str, **order: Any) -> None:
        with suppress(OrderRefused):
            if (thing := equipment.bare.thing(name, None)) is not None:
                for body in equipment.bare.carry_out(thing, order).bodies:
                    await hand("keys", do="press", body=body)
                return
            await controls[name].answer(order)
            await controls[name].order("settle", seconds=5.0)

    try:
        yield hand
    finally:
        for control in controls.values():
            await control.close()

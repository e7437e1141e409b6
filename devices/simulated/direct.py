"""The simulated table without wires, for tests and the bench.

The dealer's motions go to the device models, the models' reports to the drivers, and the events to the caller.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from devices.drivers.base import Driver
from devices.drivers.registry import driver_for
from devices.simulated.errors import OrderRefused
from devices.simulated.people.croupier import Croupier
from devices.simulated.people.game import Game
from devices.simulated.people.motions import Motion, Reply
from devices.simulated.things.bare import BareThings, has_shoe, seen_zones
from devices.simulated.things.models import (
    BadgeModel,
    DeviceModel,
    DropboxModel,
    IndicatorsModel,
    KeysModel,
    MarkersModel,
    ReaderModel,
)
from devices.simulated.things.shoe_model import ShoeModel
from table_fsm.events import Event, TableOpen, Tick
from table_fsm.felt import Built

TICK_SECONDS = 1.0
"""Seconds between two ticks of the table while the dealer waits."""


class DirectTable:
    """One simulated table in this process.

    `apply` takes each event and returns the outputs, as dicts.
    """

    def __init__(
        self,
        game: Game,
        apply: Callable[[Event], list[dict[str, Any]]],
        *,
        options: Mapping[str, Any] | None = None,
        button: int | None = None,
        reads_down: bool = True,
    ) -> None:
        self.game = game
        self.croupier = Croupier(game)
        self.t = 0.0
        self._apply = apply
        self._options = dict(options or {})
        self._button = button
        zones = tuple(sorted(seen_zones(game.built)))
        self._bare = BareThings(game.built, game.decks, game.seed, game.pack)
        self.models: dict[str, DeviceModel] = {
            "shoe": ShoeModel(game.decks, game.seed, pack=game.pack),
            "reader": ReaderModel(zones, reads_down=reads_down, faces=game.faces),
            "markers": MarkersModel(),
            "dropbox": DropboxModel(),
            "keys": KeysModel(),
            "badge": BadgeModel(),
            "indicators": IndicatorsModel(),
        }
        if not has_shoe(game.built):
            del self.models["shoe"]
        self.drivers: dict[str, Driver[Any]] = {
            role: driver_for(role)(role, self._settings(role, zones)) for role in self.models
        }

    def _settings(self, role: str, zones: tuple[str, ...]) -> dict[str, Any]:
        if role == "shoe" and self.game.built is Built.NO_SEAT_READERS:
            return {"names": False}
        if role != "reader":
            return {}
        return {"zones": zones} if self.game.faces else {"zones": zones, "look": False, "faces": False}

    def play(self) -> Iterator[tuple[Event, list[dict[str, Any]]]]:
        """Open the table and deal until the game's rounds are over: each event with its outputs."""
        opened = self._take(
            TableOpen(
                t=self.t,
                rulebook=self.game.rulebook,
                seats=list(self.game.seats),
                options=self._options,
                button=self._button,
            )
        )
        yield opened
        self.croupier.sense.take(tuple(opened[1]))
        hands = self.croupier.motions()
        try:
            motion = next(hands)
            while True:
                happened = self._carry_out(motion)
                reply = next(happened)
                while isinstance(reply, tuple):
                    yield reply
                    reply = next(happened)
                motion = hands.send(reply)
        except StopIteration:
            return

    def _carry_out(self, motion: Motion) -> Iterator[tuple[Event, list[dict[str, Any]]] | Reply]:
        """Each event of a motion with its outputs, and at last the motion's reply."""
        outputs: list[dict[str, Any]] = []
        if motion.role is None:
            end = self.t + motion.seconds
            while self.t < end:
                self.t = round(min(end, self.t + TICK_SECONDS), 6)
                pair = self._take(Tick(t=self.t))
                outputs += pair[1]
                yield pair
            yield Reply(outputs=tuple(outputs))
            return
        self.t = round(self.t + motion.seconds, 6)
        bare = self._bare.thing(motion.role, motion.zone)
        result: dict[str, Any] = {}
        try:
            told = []
            if bare is not None:
                unseen = self._bare.carry_out(bare, motion.order)
                told, result = [("keys", body) for body in unseen.bodies], dict(unseen.reply)
            if bare is None or (motion.zone is None and motion.role == "reader"):
                carried = self.models[motion.role].order(motion.order)
                told += [(motion.role, body) for body in carried.bodies]
                result |= carried.reply
        except OrderRefused as refusal:
            yield Reply(refused=str(refusal))
            return
        for role, body in told:
            for event in self.drivers[role].events(body, self.t):
                pair = self._take(event)
                outputs += pair[1]
                yield pair
        yield Reply(result=result, outputs=tuple(outputs))

    def _take(self, event: Event) -> tuple[Event, list[dict[str, Any]]]:
        outputs = self._apply(event)
        for role, driver in self.drivers.items():
            driver.observe(event)
            for output in outputs:
                for name, args in driver.commands(output):
                    self.models[role].post(name, args)
        return event, outputs


def play_rounds(
    game: Game,
    apply: Callable[[Event], list[dict[str, Any]]],
    *,
    options: Mapping[str, Any] | None = None,
    button: int | None = None,
) -> list[Event]:
    """Play `game.rounds` rounds into `apply`; returns every event. Raises CroupierStuckError."""
    table = DirectTable(game, apply, options=options, button=button)
    return [event for event, _ in table.play()]

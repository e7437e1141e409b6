"""Who deals at the simulated table: its dealer, or somebody at the page who has sat down in the dealer's place."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from devices.simulated.people.dealer import Dealer
from devices.simulated.people.hands import Hands
from devices.simulated.people.visitor import Visitor, seen
from devices.simulated.things.equipment import Equipment
from feltd.simulated.tour import Tour
from feltd.text.errors import FeltdError
from table_fsm.events import Event
from table_fsm.outputs import Output, Refusal, Ruling

SIT_DOWN_WITHIN: Final = 30.0
"""Seconds: a dealer who is opening the table finishes that first."""


class NobodyThereError(FeltdError):
    """The place is not free yet, or no longer the visitor's."""


class Takeover:
    """The dealer's place. `turn` keeps motions apart: a place has one pair of hands."""

    def __init__(self, equipment: Equipment, decks: tuple[str, ...]) -> None:
        self.turn = asyncio.Lock()
        self._equipment = equipment
        self._decks = decks
        self.chips = any(device.chips for device in equipment.devices)
        """Whether cards are told by the numbers of their chips."""
        self.devices = tuple(device.name for device in equipment.devices)
        self._dealer: Dealer | None = None
        self._visitor: Visitor | None = None
        self._asked = False
        self._sat_down = asyncio.Event()
        self._got_up = asyncio.Event()
        self._eyes = Hands(equipment)
        self._said: list[Output] | None = None
        self.tour: Tour | None = None
        """The tour, as long as it lasts."""

    # -- the simulation's side

    async def deal(self, dealer: Dealer) -> bool:
        """Let a dealer deal until their rounds are over, or until a visitor takes over.

        Returns whether a visitor took over and has handed back since.
        """
        self._dealer = dealer
        if self._asked:
            dealer.leave()
        try:
            await dealer.run()
        finally:
            self._dealer = None
        if not self._asked:
            return False
        self._visitor = Visitor(Hands(self._equipment, patient=False), self._decks)
        await self._visitor.sit_down()
        self._sat_down.set()
        await self._got_up.wait()
        self._got_up.clear()
        return True

    def hear(self, _event: Event, outputs: Sequence[Output]) -> None:
        """Keep the table's outputs while a visitor's motion is under way, as its answer."""
        if self._said is not None:
            self._said += outputs

    async def befall(self, device: str, order: dict[str, Any]) -> None:
        """Have something happen to a device. Raises ControlError."""
        await self._eyes.controls[device].answer(order)

    # -- the visitor's side

    @property
    def visited(self) -> bool:
        """Whether a visitor deals."""
        return self._visitor is not None

    async def take_over(self) -> None:
        """Sit the visitor down in the dealer's place, after the dealer's current motion.

        Raises NobodyThereError if the dealer does not give way within `SIT_DOWN_WITHIN` seconds.
        """
        self._asked = True
        if self._dealer is not None:
            self._dealer.leave()
        try:
            await asyncio.wait_for(self._sat_down.wait(), SIT_DOWN_WITHIN)
        except TimeoutError:
            self._asked = False
            raise NobodyThereError("the simulated table is not ready for it: try again") from None

    async def hand_back(self) -> None:
        """Take the visitor from the place; the dealer ends the rest of the round and goes on."""
        async with self.turn:
            if self._visitor is None:
                return
            await self._visitor.leave()
            self._visitor, self._asked = None, False
            self._sat_down.clear()
            self._got_up.set()

    def visitor(self) -> Visitor:
        """Return the visitor.

        Raises NobodyThereError while the dealer deals.
        """
        if self._visitor is None:
            raise NobodyThereError("the simulated dealer deals: take over first")
        return self._visitor

    def listen(self) -> None:
        """A motion begins."""
        self._said = []

    def heard(self) -> tuple[list[dict[str, Any]], list[str]]:
        """Return the table's answer to the motion: its rulings, and the reasons of its refusals."""
        outputs, self._said = self._said or [], None
        rulings = [output.value.to_json() for output in outputs if isinstance(output.value, Ruling)]
        return rulings, [output.value.reason for output in outputs if isinstance(output.value, Refusal)]

    async def look(self) -> dict[str, Any]:
        """The devices as one sees them."""
        visitor = self._visitor
        hand, out = ([], []) if visitor is None else (visitor.in_hand, visitor.out)
        return {**await seen(self._eyes), "hand": hand, "out": out}

    async def close(self) -> None:
        """The simulation ends."""
        await self._eyes.close()
        if self._visitor is not None:
            await self._visitor.leave()

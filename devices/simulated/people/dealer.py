"""The simulated dealer at a table with wires: carries motions to the devices' processes.

The table's outputs come from a `DealerTable`, which the caller provides.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Protocol

from devices.simulated.chance import seeded
from devices.simulated.errors import ControlError, OrderRefused
from devices.simulated.people.croupier import Croupier
from devices.simulated.people.game import Game
from devices.simulated.people.hands import Hands
from devices.simulated.people.motions import Motion, Reply
from devices.simulated.things.equipment import Equipment

STARE_SECONDS: Final = 0.05
"""Seconds between two looks at the table while nothing is to be done, at any pace."""

WIRE_FAULTS: Final[tuple[dict[str, Any], ...]] = (
    {"do": "noise", "bytes": 200},
    {"do": "silence", "seconds": 4.0},
    {"do": "reboot", "seconds": 1.0},
    {"do": "power_loss", "seconds": 1.0},
)
"""What may befall a wire."""


class DealerTable(Protocol):
    """The table as the dealer sees it."""

    async def outputs(self) -> Sequence[dict[str, Any]]:
        """The table's outputs since the last call, in order, as dicts. Must not wait.

        After a restart of the table: its present phase, prompt and pending rulings, so that the dealer can go on.
        """
        ...


class Dealer:
    """Works the devices of one table.

    `pace`: real seconds for one simulated second; 0: no waiting.
    """

    def __init__(
        self,
        game: Game,
        equipment: Equipment,
        table: DealerTable,
        *,
        pace: float = 1.0,
        wire_fault_rate: float = 0.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`wire_fault_rate`: share of the motions before which a wire fault happens.

        Raises ValueError.
        """
        if pace < 0 or not 0 <= wire_fault_rate <= 1:
            raise ValueError("the pace is 0 or more, the rate of wire faults a share from 0 to 1")
        self.croupier = Croupier(game)
        self._table = table
        self._pace = pace
        self._wire_fault_rate = wire_fault_rate
        self._chance = seeded("wires", game.seed)
        self._sleep = sleep
        self._hands = Hands(equipment)
        self._leaves = asyncio.Event()

    async def run(self) -> None:
        """Deal until the rounds are over, `leave` is called, or cancelled.

        Raises CroupierStuckError.
        """
        hands = self.croupier.motions()
        try:
            self.croupier.sense.take(tuple(await self._table.outputs()))
            motion = next(hands)
            while (reply := await self._carry_out(motion)) is not None and not self._leaves.is_set():
                motion = hands.send(reply)
        except StopIteration:
            return
        finally:
            await self._hands.close()

    def leave(self) -> None:
        """Stop after the motion under way, in the middle of the round if need be."""
        self._leaves.set()

    async def _carry_out(self, motion: Motion) -> Reply | None:
        """The motion's reply; None if the dealer left before it touched anything."""
        await self._befall()
        if self._pace:
            await self._rest(motion.seconds * self._pace)
        elif motion.role is None:
            await self._sleep(STARE_SECONDS)
        if self._leaves.is_set():
            return None
        try:
            result = await self._hands.order(motion) if motion.role is not None else {}
        except (OrderRefused, ControlError) as refusal:
            if not self._pace:
                await self._sleep(STARE_SECONDS)
            return Reply(refused=str(refusal), outputs=tuple(await self._table.outputs()))
        return Reply(result=result, outputs=tuple(await self._table.outputs()))

    async def _rest(self, seconds: float) -> None:
        """Wait as long as a motion takes, or until the dealer is to leave."""
        resting = asyncio.ensure_future(self._sleep(seconds))
        leaving = asyncio.ensure_future(self._leaves.wait())
        try:
            await asyncio.wait({resting, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if resting.done():
                resting.result()  # raise what went wrong in it
        finally:
            resting.cancel()
            leaving.cancel()

    async def _befall(self) -> None:
        if self._chance.random() >= self._wire_fault_rate:
            return
        control = self._hands.controls[self._chance.choice(sorted(self._hands.controls))]
        await control.answer(self._chance.choice(WIRE_FAULTS))

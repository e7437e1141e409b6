"""The simulated dealer at a table with wires: carries the croupier's motions to the devices' processes.

What the table says reaches it through a `DealerTable`; whoever runs the table provides one.
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
"""Between two looks at the table while the dealer waits and nothing is to be done, at any pace."""

WIRE_FAULTS: Final[tuple[dict[str, Any], ...]] = (
    {"do": "noise", "bytes": 200},
    {"do": "silence", "seconds": 4.0},
    {"do": "reboot", "seconds": 1.0},
    {"do": "power_loss", "seconds": 1.0},
)
"""What befalls a wire now and then, where that is wanted."""


class DealerTable(Protocol):
    """The table as the dealer sees it."""

    async def outputs(self) -> Sequence[dict[str, Any]]:
        """What the table has said since the last call, in order, as dicts.

        Called again and again, so it must not wait. After a restart of the table: what it says now (`phase`, `prompt`,
        each pending `ruling`), so that the dealer can go on from there.
        """
        ...


class Dealer:
    """Works the devices of one table. `pace`: real seconds to one simulated; 0 as fast as it goes."""

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
        """`wire_fault_rate`: share of the motions before which something befalls a wire. Raises ValueError."""
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
        """Deal until the croupier's rounds are over, told to leave, or cancelled. Raises CroupierStuckError."""
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
        """Get up when the motion under way is done, wherever the round is. What is left of it is for somebody else."""
        self._leaves.set()

    async def _carry_out(self, motion: Motion) -> Reply | None:
        """What came of it; None where the dealer left before touching anything."""
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
        """The time a motion takes, unless the dealer is to leave meanwhile."""
        resting = asyncio.ensure_future(self._sleep(seconds))
        leaving = asyncio.ensure_future(self._leaves.wait())
        try:
            await asyncio.wait({resting, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if resting.done():
                resting.result()  # what went wrong in it is no secret
        finally:
            resting.cancel()
            leaving.cancel()

    async def _befall(self) -> None:
        if self._chance.random() >= self._wire_fault_rate:
            return
        control = self._hands.controls[self._chance.choice(sorted(self._hands.controls))]
        await control.answer(self._chance.choice(WIRE_FAULTS))

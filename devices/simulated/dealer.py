"""The simulated dealer at a table with wires: carries the croupier's motions to the devices' processes.

What the table says reaches it through a `DealerTable`; whoever runs the table provides one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Protocol

from devices.simulated.chance import seeded
from devices.simulated.control import Control
from devices.simulated.croupier import Croupier
from devices.simulated.equipment import Equipment
from devices.simulated.errors import ControlError, OrderRefused
from devices.simulated.game import Game
from devices.simulated.motions import Motion, Reply

SETTLE_SECONDS: Final = 10.0
"""How long one wait for the host to take what a motion reported is; then the dealer waits again."""
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
        self._controls = {device.name: Control(device.control, name=device.name) for device in equipment.devices}
        self._readers = {zone: device.name for device in equipment.devices for zone in device.zones}

    async def run(self) -> None:
        """Deal until the croupier's rounds are over, or cancelled. Raises CroupierStuckError."""
        hands = self.croupier.motions()
        try:
            self.croupier.sense.take(tuple(await self._table.outputs()))
            motion = next(hands)
            while True:
                motion = hands.send(await self._carry_out(motion))
        except StopIteration:
            return
        finally:
            for control in self._controls.values():
                await control.close()

    async def _carry_out(self, motion: Motion) -> Reply:
        await self._befall()
        if self._pace:
            await self._sleep(motion.seconds * self._pace)
        elif motion.role is None:
            await self._sleep(STARE_SECONDS)
        try:
            result = await self._order(motion) if motion.role is not None else {}
        except (OrderRefused, ControlError) as refusal:
            if not self._pace:
                await self._sleep(STARE_SECONDS)
            return Reply(refused=str(refusal), outputs=tuple(await self._table.outputs()))
        return Reply(result=result, outputs=tuple(await self._table.outputs()))

    async def _order(self, motion: Motion) -> dict[str, Any]:
        """The order to its device, or to every reader; then wait until the host has what they reported."""
        names = self._devices_of(motion)
        results = [await self._one(name, motion.order) for name in names]
        return {key: value for result in results for key, value in result.items()}

    async def _one(self, name: str, order: dict[str, Any]) -> dict[str, Any]:
        control = self._controls[name]
        result = dict((await control.answer(order)).get("reply") or {})
        while (await control.order("settle", seconds=SETTLE_SECONDS))["pending"]:
            pass  # the table has lost this device, or is starting anew: nobody deals on before it knows
        return result

    def _devices_of(self, motion: Motion) -> list[str]:
        if motion.role != "reader":
            return [str(motion.role)]
        if motion.zone is None:
            return sorted(set(self._readers.values()))
        return [self._readers[motion.zone]]

    async def _befall(self) -> None:
        if self._chance.random() >= self._wire_fault_rate:
            return
        control = self._controls[self._chance.choice(sorted(self._controls))]
        await control.answer(self._chance.choice(WIRE_FAULTS))

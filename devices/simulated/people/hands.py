"""Carry motions to the devices' processes over their control sockets."""

from typing import Any, Final

from devices.simulated.errors import OrderRefused
from devices.simulated.people.motions import Motion
from devices.simulated.things.control import Control
from devices.simulated.things.equipment import Equipment
from devices.simulated.things.models import DeviceModel

SETTLE_SECONDS: Final = 10.0
"""Seconds of one wait for the host to take what a motion reported."""


class Hands:
    """The connections to all devices of a table.

    `patient`: wait until the host has taken what a motion reported, however long; else `SETTLE_SECONDS`.
    """

    def __init__(self, equipment: Equipment, *, patient: bool = True) -> None:
        self.controls = {device.name: Control(device.control, name=device.name) for device in equipment.devices}
        self.readers = {zone: device.name for device in equipment.devices for zone in device.zones}
        self.out: set[str] = set()
        """Devices whose cable is out: what they report waits in them, and nobody waits for it."""
        self._bare = equipment.bare
        self._patient = patient

    async def order(self, motion: Motion) -> dict[str, Any]:
        """Send the order to its device, or to every reader; wait until the host has the reports.

        Raises OrderRefused, ControlError.
        """
        thing = self._bare.thing(motion.role, motion.zone)
        bare = await self._by_hand(thing, motion.order) if thing is not None else {}
        if thing is not None and (motion.zone is not None or motion.role != "reader"):
            return bare
        results = [await self._one(name, motion.order) for name in self._devices_of(motion)]
        return {key: value for result in (bare, *results) for key, value in result.items()}

    async def _by_hand(self, thing: DeviceModel, order: dict[str, Any]) -> dict[str, Any]:
        """Move cards that no device sees; the dealer keys what the table must hear of a pack in the hand."""
        done = self._bare.carry_out(thing, order)
        for body in done.bodies:
            await self._one("keys", {"do": "press", "body": body})
        return dict(done.reply)

    async def look(self, name: str) -> dict[str, Any]:
        """A device's state, and what it shows, if anything; of a shoe that is none, the pack in the hand's.

        Raises ControlError.
        """
        thing = self._bare.thing(name, None)
        if thing is not None:
            return {"state": thing.state()}
        return await self.controls[name].order("read")

    @property
    def bare_zones(self) -> dict[str, list[list[str | None]]]:
        """The cards in places without a reader, where a person sees them: name and face."""
        return dict(self._bare.zones)

    async def close(self) -> None:
        """Close all connections."""
        for control in self.controls.values():
            await control.close()

    async def _one(self, name: str, order: dict[str, Any]) -> dict[str, Any]:
        control = self.controls[name]
        result = dict((await control.answer(order)).get("reply") or {})
        if name in self.out:
            return result
        while (await control.order("settle", seconds=SETTLE_SECONDS))["pending"] and self._patient:
            pass  # the table has lost this device or is starting: wait until it is back
        return result

    def _devices_of(self, motion: Motion) -> list[str]:
        if motion.role != "reader":
            return [str(motion.role)]
        if motion.zone is None:
            return sorted(set(self.readers.values()))
        if motion.zone not in self.readers:
            raise OrderRefused(f"no reader watches {motion.zone}")
        return [self.readers[motion.zone]]

"""The devices of a simulated table: ports, keys, sockets, memories, and their processes."""

import asyncio
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol

from devices.simulated.errors import SimulatedDeviceError
from devices.simulated.things.bare import BareThings, has_shoe, seen_zones
from devices.simulated.things.device import DeviceOptions, read_key
from firmware_bridge.limits import KEY_SIZE
from table_fsm.felt import SEAT_COUNT, Built

START_SECONDS: Final = 120.0  # for nine at once on a busy machine; one that has ended is noticed at once
POLL_SECONDS: Final = 0.02

READERS: Final[dict[str, tuple[str, ...]]] = {
    "reader:seats": tuple(f"{place}:{n}" for place in ("seat", "race") for n in range(1, SEAT_COUNT + 1)),
    "reader:board": tuple(f"board:{n}" for n in range(1, 6)),
    "reader:dealer": ("dealer", "burn"),
}
"""The card readers of a simulated table, with their zones."""
SINGLE: Final = ("shoe", "markers", "dropbox", "keys", "badge", "indicators")
"""The devices of which there is one; their slots have the names of their roles."""


class Played(Protocol):
    """The facts about the game that its devices need."""

    @property
    def decks(self) -> tuple[str, ...]:
        """The colours of the decks in the shoe."""
        ...

    @property
    def seed(self) -> int:
        """Decides every shuffle."""
        ...


@dataclass(frozen=True, slots=True)
class Equipment:
    """The devices of one simulated table, all in one folder."""

    folder: Path
    devices: tuple[DeviceOptions, ...]
    bare: BareThings = field(default_factory=lambda: BareThings(Built.FULL, ("blue",), 0))
    """The cards that none of these devices sees."""

    def key(self, name: str) -> bytes:
        """A device's key. Raises SimulatedDeviceError."""
        return read_key(self.device(name).key_file)

    def device(self, name: str) -> DeviceOptions:
        """The device of a slot. Raises SimulatedDeviceError."""
        for device in self.devices:
            if device.name == name:
                return device
        raise SimulatedDeviceError(f"the simulated table has no device {name!r}: {[d.name for d in self.devices]}")

    def settings(self, name: str) -> dict[str, Any]:
        """The settings of the slot's driver."""
        device = self.device(name)
        if device.role == "shoe" and self.bare.hides_hands:
            return {"names": False}
        if device.role != "reader":
            return {}
        return {"zones": device.zones} if device.faces else {"zones": device.zones, "look": False, "faces": False}


def lay_out(
    folder: Path, game: Played, built: Built = Built.FULL, *, chips: bool = False, faces: bool = True
) -> Equipment:
    """Plan a table's devices in a folder, made if missing; existing keys are kept.

    `chips`: readers and shoe tell cards by the numbers of their chips. `faces`: the readers know which side of a card
    is up. Starts nothing.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    zones: dict[str, tuple[str, tuple[str, ...]]] = {
        name: (name, ()) for name in SINGLE if name != "shoe" or has_shoe(built)
    }
    zones |= {name: ("reader", zones) for name, zones in READERS.items() if seen_zones(built).issuperset(zones)}
    devices = tuple(
        _one(folder, game, name, role, its_zones, chips=chips, faces=faces) for name, (role, its_zones) in zones.items()
    )
    for device in devices:
        if not device.key_file.exists():
            device.key_file.touch(mode=0o600)
            device.key_file.write_text(secrets.token_bytes(KEY_SIZE).hex() + "\n")
    return Equipment(folder, devices, BareThings(built, game.decks, game.seed))


def _one(
    folder: Path, game: Played, name: str, role: str, zones: tuple[str, ...], *, chips: bool, faces: bool
) -> DeviceOptions:
    stem = name.replace(":", "-")
    return DeviceOptions(
        role=role,
        name=name,
        port_link=folder / stem,
        key_file=folder / f"{stem}.key",
        control=folder / f"{stem}.control",
        memory=folder / f"{stem}.memory",
        zones=zones,
        decks=game.decks,
        seed=game.seed,
        chips=chips and role in {"shoe", "reader"},
        faces=faces or role != "reader",
        leash=True,
    )


class DeviceProcess:
    """One device's process; it can be killed and started again."""

    def __init__(self, options: DeviceOptions) -> None:
        self.options = replace(options, leash=True)
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it and wait for its port and its control socket. Raises SimulatedDeviceError."""
        self.options.control.unlink(missing_ok=True)
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, *self.options.arguments(), stdin=asyncio.subprocess.PIPE
        )
        loop = asyncio.get_running_loop()
        until = loop.time() + START_SECONDS
        while not (self.options.control.exists() and self.options.port_link.exists()):
            if self._process.returncode is not None or loop.time() > until:
                raise SimulatedDeviceError(
                    f"device {self.options.name} did not start: see what it said on standard error"
                )
            await asyncio.sleep(POLL_SECONDS)

    async def kill(self) -> None:
        """Kill it, as a crash does."""
        if self._process is not None:
            self._process.kill()
            await self._process.wait()

    async def stop(self) -> None:
        """End it in good order."""
        if self._process is None or self._process.returncode is not None:
            return
        self._process.terminate()
        await self._process.wait()


@asynccontextmanager
async def running(equipment: Equipment) -> AsyncIterator[dict[str, DeviceProcess]]:
    """Every device in a process of its own, by slot, until the context ends.

    Raises SimulatedDeviceError.
    """
    processes = {device.name: DeviceProcess(device) for device in equipment.devices}
    try:
        await asyncio.gather(*(process.start() for process in processes.values()))
        yield processes
    finally:
        await asyncio.gather(*(process.stop() for process in processes.values()))

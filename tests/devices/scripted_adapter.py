"""An adapter that does what a test says, and the daemon's end of it."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from devices.adapters import Adapter, FaultCode, NoSettings, Place, TableSide
from devices.adapters.link import AdapterLink
from firmware_bridge.facts import DeviceIdentity
from firmware_bridge.link import LinkFault
from tests.firmware_bridge.support import run as run_scene
from tests.running import running

STATE: dict[str, Any] = {"locked": True, "faults": []}
OUT: dict[str, Any] = {"ev": "card_out", "card": None, "face": "down"}
Script = Callable[["Scripted", TableSide], None]


class Scripted(Adapter[NoSettings]):
    """Does what the test says."""

    role: ClassVar[str] = "shoe"
    script: Script
    made: ClassVar[int] = 0

    def __init__(self, place: Place, settings: NoSettings) -> None:
        super().__init__(place, settings)
        type(self).made += 1
        self.runs = 0

    def run(self, table: TableSide) -> None:
        self.runs += 1
        type(self).script(self, table)


class Heard:
    """The daemon's end."""

    def __init__(self) -> None:
        self.ups: list[tuple[DeviceIdentity, Mapping[str, Any]]] = []
        self.events: list[tuple[bytes, int, Mapping[str, Any]]] = []
        self.statuses: list[Mapping[str, Any]] = []
        self.downs: list[LinkFault] = []
        self.fail = False

    def on_up(self, _name: str, identity: DeviceIdentity, state: Mapping[str, Any]) -> None:
        self.ups.append((identity, state))

    def on_event(self, _name: str, boot_id: bytes, seq: int, body: Mapping[str, Any]) -> None:
        if self.fail:
            raise RuntimeError("the daemon's own failure")
        self.events.append((boot_id, seq, body))

    def on_status(self, _name: str, status: Mapping[str, Any]) -> None:
        self.statuses.append(status)

    def on_down(self, _name: str, fault: LinkFault) -> None:
        self.downs.append(fault)

    @property
    def codes(self) -> list[FaultCode]:
        return [fault.code for fault in self.downs]


def scene(script: Script, act: Callable[[AdapterLink, Heard], Any], **options: Any) -> type[Scripted]:
    """Run an adapter's link with this script, and the test beside it. Gives the adapter's class."""
    kind = type("Kind", (Scripted,), {"script": staticmethod(script), "made": 0})

    async def whole() -> None:
        heard = Heard()
        link = AdapterLink("shoe", "scripted", "shoe", lambda: kind(Place("shoe"), NoSettings()), heard, **options)
        async with running(link.run()):
            await act(link, heard)

    run_scene(whole(), jumping=False)
    return kind


def serve(_self: Scripted, table: TableSide) -> None:
    table.up(STATE, serial="S1", firmware="1.2")
    while True:
        table.orders(1.0)

"""The shoe's gate on a pin, for a shoe without a wire of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from pydantic import with_config

from devices.drivers.base import SETTINGS, Command, Driver, Reading
from devices.drivers.fields import Fields
from devices.drivers.shoe import gate_command
from devices.pins.facts import PinGate
from devices.pins.groups import Group, OutputFacts, Step
from table_fsm.events import Event

GATE: Final = "gate"


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings:
    """The gate has no settings."""


class GateDriver(Driver[GateSettings]):
    """The gate's driver. It reports no events."""

    role: ClassVar[str] = GATE
    settings_type = GateSettings

    def _events_read(self) -> Mapping[str, Reading]:
        return {}

    def _compare(self, read: Fields, t: float) -> list[Event]:
        return []

    def commands(self, output: Mapping[str, Any]) -> list[Command]:
        return gate_command(self, output)


class GateGroup(Group):
    """One output, on while the gate is unlocked. Locked until told otherwise."""

    role: ClassVar[str] = GATE

    def __init__(self, gate: PinGate) -> None:
        self.outputs = (OutputFacts(GATE, gate.line, gate.active, first=False, last=False),)
        self._driver = GateDriver(self.name, {})

    def driver(self) -> Driver[Any]:
        """The gate's own driver."""
        return self._driver

    def post(self, name: str, args: Mapping[str, Any]) -> Sequence[Step]:
        """`gate`: lock or unlock."""
        return [Step(0.0, GATE, args.get("locked") is False)] if name == GATE else ()

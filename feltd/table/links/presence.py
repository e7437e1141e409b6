"""What the table is told of each device being there, and when.

What a device kept while its link was down is never told before the device itself. A short loss of a link is not told:
the device keeps its events meanwhile, and feltd holds the gate shut until it is back. Both are settled before the
record: a journal has what was told, and replays to the same rulings.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from devices.drivers.cleaning import clean_text
from feltd.door import Trust
from feltd.table.config.config import DEFAULT_SHORT_LOSS
from feltd.table.keeper.deliveries import Delivery
from feltd.table.links.slots import Slot
from firmware_bridge.errors import FaultCode, LinkFault
from firmware_bridge.facts import DeviceIdentity, LinkState
from firmware_bridge.link import Link
from table_fsm.events import DeviceState, Event

REASON_MAX: Final = 200
OF_THE_LINK: Final = frozenset(
    {
        FaultCode.BAD_FRAME,
        FaultCode.CLOSED_BY_DEVICE,
        FaultCode.UNPLUGGED,
        FaultCode.PORT_MISSING,
        FaultCode.PORT_FAILED,
        FaultCode.NO_ANSWER,
    }
)
"""Faults that a link alone may have. All others are told at once: they are the device's, or have lasted (silence)."""


class Timer(Protocol):
    """A call to come."""

    def cancel(self) -> None: ...


Later = Callable[[float, Callable[[], None]], Timer]


def in_the_loop(seconds: float, callback: Callable[[], None]) -> Timer:
    """Call back after so many seconds of the running loop."""
    return asyncio.get_running_loop().call_later(seconds, callback)


@dataclass(frozen=True, slots=True)
class ShortLosses:
    """For how many `seconds` a link may be lost without the table being told; 0: every loss is told at once.

    `later`: calls back when they have passed.
    """

    seconds: float = DEFAULT_SHORT_LOSS
    later: Later = in_the_loop


DEFAULT_LOSSES: Final = ShortLosses()


@dataclass(frozen=True, slots=True)
class _Loss:
    reason: str
    timer: Timer


class Presence:
    """Devices that come, go, and are lost for a moment."""

    def __init__(
        self,
        short: ShortLosses,
        *,
        deliver: Callable[[Delivery], None],
        needed: Callable[[str], bool],
        changed: Callable[[], None],
    ) -> None:
        """`deliver`: takes deliveries for the table.

        `needed`: whether no round may be dealt without this device; `changed`: called when `holds_gate` has changed.
        """
        self._short = short
        self._deliver = deliver
        self._needed = needed
        self._changed = changed
        self._losses: dict[str, _Loss] = {}
        self._missing: set[str] = set()

    def bear(self, seconds: float) -> None:
        """From now on bear losses as short as this; one that is borne already goes on as it began."""
        self._short = ShortLosses(seconds, self._short.later)

    @property
    def holds_gate(self) -> bool:
        """Whether a device that play needs is away for a moment, or still tells what it kept."""
        return bool(self._missing)

    def session(self, slot: Slot, identity: DeviceIdentity) -> None:
        """A session has begun. A device that has restarted was gone, however short: what it did not keep is lost."""
        before, slot.session = slot.session, identity
        loss = self._losses.get(slot.config.name)
        if loss is not None and (before is None or before.boot_id != identity.boot_id):
            self.gone(slot, clean_text(f"it has restarted; {loss.reason}", REASON_MAX))

    def before_events(self, slot: Slot, t: float) -> list[Event]:
        """The events to take before one that the device kept."""
        if slot.online is True or slot.session is None:
            return []
        slot.online = True
        self._miss(slot)  # its state is not compared yet
        return [DeviceState(t=t, device=slot.config.name, online=True, reason=named(slot.session, slot.trust))]

    def came(self, slot: Slot, reason: str | None, changes: Sequence[Event], t: float) -> list[Event]:
        """The events of a device whose state has been compared. The table is not told again what it knows."""
        self._end_loss(slot.config.name)
        known, slot.online = slot.online is True, True
        online = DeviceState(t=t, device=slot.config.name, online=True, reason=reason)
        return [*changes] if known else [online, *changes]

    def unread(self, slot: Slot, fault: str, t: float) -> list[Event]:
        """The event of a device whose state cannot be read: it counts as gone."""
        self._end_loss(slot.config.name)
        slot.online = False
        reason = clean_text(f"its state cannot be read: {fault}", REASON_MAX)
        return [DeviceState(t=t, device=slot.config.name, online=False, reason=reason)]

    def settled(self, slot: Slot) -> None:
        """The table has taken what `came` gave."""
        self._find(slot)

    def lost(self, slot: Slot, fault: LinkFault, reason: str) -> None:
        """The link of a device that the table counts as there is lost: tell it now, or if the device stays away."""
        if self._short.seconds <= 0 or fault.code not in OF_THE_LINK or not isinstance(slot.link, Link):
            self.gone(slot, reason)
        elif slot.config.name not in self._losses:
            self._wait(slot, reason)
            self._miss(slot)

    def gone(self, slot: Slot, reason: str) -> None:
        """Tell the table that a device is not there."""
        name = slot.config.name
        self._end_loss(name)
        slot.online = False
        self._deliver(Delivery(name, lambda t: [DeviceState(t=t, device=name, online=False, reason=reason)]))
        self._find(slot)  # from here on it is the table that keeps the gate shut

    def forget(self) -> None:
        """End all waiting, because feltd stops."""
        for name in tuple(self._losses):
            self._end_loss(name)

    def _wait(self, slot: Slot, reason: str) -> None:
        timer = self._short.later(self._short.seconds, lambda: self._stayed_away(slot, reason))
        self._losses[slot.config.name] = _Loss(reason, timer)

    def _stayed_away(self, slot: Slot, reason: str) -> None:
        if slot.link.state is LinkState.CATCHING_UP:  # it is there, and has much to tell
            self._wait(slot, reason)
        else:
            self.gone(slot, reason)

    def _end_loss(self, name: str) -> None:
        loss = self._losses.pop(name, None)
        if loss is not None:
            loss.timer.cancel()

    def _miss(self, slot: Slot) -> None:
        held = self.holds_gate
        if self._needed(slot.config.name):
            self._missing.add(slot.config.name)
        if self.holds_gate is not held:
            self._changed()

    def _find(self, slot: Slot) -> None:
        held = self.holds_gate
        self._missing.discard(slot.config.name)
        if self.holds_gate is not held:
            self._changed()


def named(identity: DeviceIdentity, trust: Trust) -> str:
    """Who has come, for the record: serial number and firmware, and where nothing proves who it is."""
    firmware = identity.firmware and f"firmware {identity.firmware}"
    unproven = "not authenticated" if trust is Trust.NONE else ""
    parts = (identity.serial or "no serial number", firmware, unproven)
    return clean_text(", ".join(part for part in parts if part), REASON_MAX)

"""Devices that send more than is read of one: told to the staff, with a remedy.

The link holds such a device back by itself (`firmware_bridge.inflow`). This only says so.
"""

from typing import Final

from feltd.table.links.bridge import Bridge
from firmware_bridge.budget import BUDGET
from firmware_bridge.link import LinkState

HELD_BACK: Final = 0.5
"""Seconds of pauses between two beats from which on a device counts as flooding. A moment's burst is none."""


class Floods:
    """Watches the devices of one table."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._paused: dict[str, float] = {}

    def beat(self) -> None:
        """Report devices that were held back since the last beat; call it about once a second.

        A device that still sends what it kept while its link was down has reason to.
        """
        for name, slot in self._bridge.slots.items():
            paused = slot.link.counters.paused
            more = paused - self._paused.get(name, 0.0)
            self._paused[name] = paused
            if more >= HELD_BACK and slot.link.state is LinkState.UP:
                self._bridge.fault(name, flood_words(name))


def flood_words(name: str) -> str:
    """What the staff is told of a device that floods."""
    return (
        f"{name}: it sends more than is read of one device ({BUDGET.events_per_second:g} events a second, and "
        f"{BUDGET.bytes_per_second / 1024:g} KiB unless its line carries more): it is read more slowly, nothing is "
        "lost; look for a sensor or a key that chatters, restart it, update its firmware, or exchange it"
    )

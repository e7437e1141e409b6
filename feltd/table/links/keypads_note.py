"""Notes of what badge readers say of their keypads: by that word a witness needs a PIN there, or none.

A reader may say another thing each second. So the record has a word of a reader at once, and the next one a minute
later at the earliest: the newest then.
"""

from collections.abc import Iterator
from typing import Final

from devices.drivers.badge import BadgeDriver, BadgeSettings
from feltd.record.notes import KEYPADS_NOTE
from feltd.table.config.devices import takes_pin
from feltd.table.journal import Journal
from feltd.table.links.bridge import Bridge
from feltd.table.links.slots import Slot

EVERY: Final = 60.0
"""Least seconds between two notes of one reader."""

Word = dict[str, bool | None]


class KeypadsNote:
    """Writes the notes of one table. A start begins anew, for it knows no reader's word."""

    def __init__(self, bridge: Bridge, journal: Journal) -> None:
        self._bridge = bridge
        self._journal = journal
        self._told: dict[str, Word] = {}
        self._at: dict[str, float] = {}

    def beat(self, now: float) -> None:
        """Note the words that are new; call it about once a second. `now`: monotonic seconds."""
        if not self._journal.health.accepting:
            return
        new = dict(self._new(now))
        if not new:
            return
        self._journal.append_note(KEYPADS_NOTE, {"readers": new})
        self._told |= new
        self._at |= dict.fromkeys(new, now)

    def _new(self, now: float) -> Iterator[tuple[str, Word]]:
        for name, slot in self._bridge.slots.items():
            word = _word_of(slot)
            due = name not in self._at or now - self._at[name] >= EVERY
            if word is not None and due and word != self._told.get(name):
                yield name, word


def _word_of(slot: Slot) -> Word | None:
    """What a badge reader says in its status, and whether a PIN is wanted there; None for one that said nothing yet."""
    settings = slot.driver.settings
    if slot.driver.role != BadgeDriver.role or not isinstance(settings, BadgeSettings) or slot.keypad is None:
        return None
    return {"says": slot.status.keypad, "counts": takes_pin(settings, slot.adapter, slot.keypad)}

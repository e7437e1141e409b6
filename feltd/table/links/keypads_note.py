"""Notes of what badge readers say of their keypads: by that word a witness needs a PIN there, or none.

A reader may say another thing each second. So the record has a word of a reader at once, and the next one a minute
later at the earliest: the newest then. What it said meanwhile is told with it, so that no word is hidden by a second
one: a reader that takes its word back for a few seconds lets a badge witness without its PIN.
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
Noted = dict[str, bool | Word | None]


class KeypadsNote:
    """Writes the notes of one table. A start begins anew, for it knows no reader's word."""

    def __init__(self, bridge: Bridge, journal: Journal) -> None:
        self._bridge = bridge
        self._journal = journal
        self._told: dict[str, Word] = {}
        self._meanwhile: dict[str, Word] = {}
        """By reader, the newest other word that it said since its note."""
        self._at: dict[str, float] = {}

    def beat(self, now: float) -> None:
        """Note the words that are new; call it about once a second. `now`: monotonic seconds."""
        if not self._journal.health.accepting:
            return
        new = dict(self._new(now))
        if not new:
            return
        self._journal.append_note(KEYPADS_NOTE, {"readers": new})
        self._at |= dict.fromkeys(new, now)

    def _new(self, now: float) -> Iterator[tuple[str, Noted]]:
        for name, slot in self._bridge.slots.items():
            told = self._told.get(name)
            word = _word_of(slot, has_said=told is not None)
            if word is None:
                continue
            if told is not None and word != told:
                self._meanwhile[name] = word
            if name in self._at and now - self._at[name] < EVERY:
                continue
            meanwhile = self._meanwhile.pop(name, word)
            if word != told or meanwhile != word:
                self._told[name] = word
                yield name, {**word} if meanwhile == word else {**word, "meanwhile": meanwhile}


def _word_of(slot: Slot, *, has_said: bool) -> Word | None:
    """What a badge reader says in its status, and whether a PIN is wanted there; None where it has said nothing.

    `has_said`: it said something before. Then its silence is a word too, once a status without one has come since it
    came up: until then it has only restarted.
    """
    settings = slot.driver.settings
    if slot.driver.role != BadgeDriver.role or not isinstance(settings, BadgeSettings):
        return None
    told, since = slot.told, slot.since
    silent = has_said and slot.there and told is not None and since is not None and told >= since
    if slot.keypad is None and not silent:
        return None
    return {"says": slot.status.keypad, "counts": takes_pin(settings, slot.adapter, slot.keypad)}

"""The table's start anew once another version is installed: between two rounds, and no sooner."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

from feltd.installed.mark import running_package
from feltd.installed.upgrade import Upgrade, upgrade_in

_log: Final = logging.getLogger("feltd")


class Renewal:
    """Whether another version is installed than plays, and whether the table may end for it now."""

    def __init__(self, resting: Callable[[], bool]) -> None:
        """`resting`: no round is in play, and nobody tests a device or lays a pack."""
        self._resting = resting
        self._word: Path | None = None
        self.upgrade: Upgrade | None = None
        """What was found last."""

    def hear(self, word: Path) -> None:
        """Look for the word of the package's scripts at this place from now on."""
        self._word = word

    def look(self) -> bool:
        """Look once more, and say in the log what is new. Whether the table is to end now, to be started anew."""
        told = None if self._word is None else upgrade_in(self._word)
        found = told if told is not None and told.is_of(running_package()) else None
        if found is not None and found != self.upgrade:
            _log.warning("%s", found.said_of("this table"))
        self.upgrade = found
        return found is not None and self._resting()

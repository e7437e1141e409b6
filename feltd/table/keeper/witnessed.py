"""What a table makes of its sender's words about the witness: it tells people, and stops nothing.

The word is the sender's, and proves nothing: who has the uplink's user can say anything of the set, so it brings no
text, a note and a line on the display once in a run, and two sentences in two minutes at most, whatever it says how
often. What stops play must be the table's own.
"""

from collections.abc import Callable
from typing import Final

from feltd.door.witnessing import WitnessSays, WitnessWord
from feltd.record.notes import WITNESS_CONTRADICTS_NOTE
from feltd.table.journal import Journal
from feltd.table.keeper.keeper import TableKeeper

AWAY_AFTER: Final = 120.0
"""Seconds without a witness that has the record, after which people are told: twice what a witness calls silence, so
that one which is started anew is not told."""
TELL_AGAIN: Final = 600.0
"""Seconds after which a trouble that lasts is told once more: other reports would push it off the page's list."""
CLEAR_AFTER: Final = 120.0
"""Seconds after the last word of a contradiction, before which no word ends it: else two words in turn would fill the
page's list and the log, and a contradiction would be taken back by whoever speaks next."""
CONTRADICTED: Final = (
    "record: a witness keeps another history of this record: it was put back to an older state, or its card was "
    "copied. Ask the witness which entries (feltd journal verify --witness), keep both, and begin a record of its own "
    "(feltd journal set-aside)"
)
AWAY: Final = (
    "record: for two minutes no witness has said that it has this record's signed heads. What is written now could be "
    "put back unseen. The log of the table's sender (felt-sender) says why"
)
BACK: Final = "record: a witness has all of this record's signed heads again"


class Witnessed:
    """How it stands with the witness of one table. Belongs to the loop."""

    def __init__(
        self, keeper: TableKeeper, journal: Journal, tell: Callable[[str], None], show: Callable[[], None]
    ) -> None:
        """`tell`: says a sentence on the page; `show`: shows on the display that the witness has other entries."""
        self._keeper = keeper
        self._journal = journal
        self._tell = tell
        self._show = show
        self._had_at: float | None = None
        """When a witness had the record last, or, before any did, when a sender first said a word: None before that,
        since a table without a witness is none that lacks one."""
        self._told_away: float | None = None
        self._told_contradiction: float | None = None
        self._contradicted_at: float | None = None
        """When a contradiction was heard last."""
        self._shown = False
        """Whether the display has shown a contradiction in this run."""
        self._noted = False
        """Whether this run has put a contradiction on record."""

    def hear(self, word: WitnessWord) -> None:
        """Take a sender's word."""
        now = self._keeper.now
        if word.says is WitnessSays.AWAY:
            self._had_at = now if self._had_at is None else self._had_at
            return
        self._had_at = now  # a witness that contradicts is there
        if word.says is WitnessSays.CONTRADICTS:
            self._contradicted(now)
        elif self._is_told and not self._contradicted_of_late(now):
            self._told_away = self._told_contradiction = None
            self._tell(BACK)

    def beat(self) -> None:
        """Tell that no witness has the record. Call it about once a second: a sender that has ended says nothing."""
        now = self._keeper.now
        if self._had_at is not None and now - self._had_at >= AWAY_AFTER and _is_due(self._told_away, now):
            self._told_away = now
            self._tell(AWAY)

    @property
    def _is_told(self) -> bool:
        return self._told_away is not None or self._told_contradiction is not None

    def _contradicted_of_late(self, now: float) -> bool:
        return self._contradicted_at is not None and now - self._contradicted_at < CLEAR_AFTER

    def _contradicted(self, now: float) -> None:
        self._contradicted_at = now
        if not self._noted and self._journal.health.accepting:
            self._noted = True
            self._journal.append_note(WITNESS_CONTRADICTS_NOTE)
        if not _is_due(self._told_contradiction, now):
            return
        if not self._shown:
            self._shown = True
            self._show()
        self._told_contradiction = now
        self._tell(CONTRADICTED)


def _is_due(told: float | None, now: float) -> bool:
    return told is None or now - told >= TELL_AGAIN

"""Tells the staff where keys of rounds that are over are still on the disk, and where no head can be signed."""

from feltd.table.journal import Journal
from feltd.table.links.bridge import Bridge

RECORD = "record"
"""What the staff is told about."""


class OldKeys:
    """Watches whether the journal destroys what opened the rounds before, and signs its heads."""

    def __init__(self, bridge: Bridge, journal: Journal) -> None:
        self._bridge = bridge
        self._journal = journal
        self._told: str | None = None
        self._unsigned: str | None = None

    def beat(self) -> None:
        """Tell a failure once, and that it is over; call it about once a second."""
        self._beat_of_signing()
        error = self._journal.health.counters.keys_error
        if error == self._told:
            return
        self._told = error
        if error is None:
            self._bridge.tell(RECORD, "record: the keys of the rounds before are destroyed now")
            return
        self._bridge.tell(
            RECORD,
            "record: the keys of rounds that are over could not be destroyed, and who takes this computer opens those "
            f"rounds: {error}",
        )

    def _beat_of_signing(self) -> None:
        error = self._journal.signing_error
        if error == self._unsigned:
            return
        self._unsigned = error
        words = (
            "record: its heads are signed again"
            if error is None
            else f"record: its head cannot be signed, so what is written now could be written anew unseen: {error}"
        )
        self._bridge.tell(RECORD, words)

"""The errors of feltd: one tree. Each message names what is wrong, where, and what to do about it."""
# ruff: noqa: N818 - the names say the state of the thing (JournalFull, JournalLocked), as an operator would

from pathlib import Path


class FeltdError(Exception):
    """Anything that feltd refuses or cannot do."""


class JournalError(FeltdError):
    """Trouble with the journal. `what` happened, the `place` it concerns, and the `remedy`."""

    def __init__(self, what: str, place: Path | str, remedy: str) -> None:
        super().__init__(f"{place}: {what}. {remedy}")
        self.what = what
        self.place = str(place)
        self.remedy = remedy


class JournalMissing(JournalError):
    """There is no journal at the path, or no directory to make one in."""


class JournalFull(JournalError):
    """No room: the disk is full, or the journal has reached the size it may have."""


class JournalReadOnly(JournalError):
    """The file system, the file or its directory does not take writes."""


class JournalDisk(JournalError):
    """The disk, or the file system on it, answered with an input/output error."""


class JournalCorrupt(JournalError):
    """The file is damaged, is no database, or is not the one that was written last."""


class JournalForeign(JournalError):
    """A sound database, but of another application."""


class JournalVersion(JournalError):
    """A journal written by a newer feltd, in a form this one does not know."""


class JournalLocked(JournalError):
    """Another process writes this journal, or holds its lock."""


class JournalBacklog(JournalError):
    """Too many entries wait for the disk: no further event is taken until some are synced."""


class JournalClosed(JournalError):
    """The journal has been closed, or was closed with entries that never reached the disk."""


class JournalEntryInvalid(JournalError):
    """A value that no entry can hold: it was refused before it got a sequence number."""


class JournalKeyMissing(JournalError):
    """No master key where one is needed."""


class JournalKeyWrong(JournalError):
    """A master key, but not the one that wrote the end of the record, or sealed the round in progress."""


class JournalExportInvalid(JournalError):
    """A file that is no export of a journal, or one whose chain does not hold."""


class UnsealKeyError(FeltdError):
    """A key that opens sealed cards: its file is missing, unreadable, damaged, of another kind, or not the right one.

    The message names the file and the remedy, never the content.
    """

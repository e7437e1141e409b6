"""SQLite's write-ahead log, read before SQLite recovers it: does damage in it take away what was synced?

SQLite stops at the first frame that fails its checksum and drops all behind it without a word. After a power cut that
is right: the last commit was not synced, so nobody was told of it. After a bit has flipped it is not: whole commits
behind the frame were synced, and their events acknowledged. The two are told apart by what stands behind the bad frame.
A commit is written once the one before it is synced, so a commit behind the bad frame that has frames of the same
generation behind it was synced itself.

The format is SQLite's (https://www.sqlite.org/fileformat2.html#walformat): a header of 32 bytes with the page's size
and two salts, then frames of 24 bytes and a page each, with the salts and a checksum over all frames so far. Frames
with other salts are of an earlier generation: the log is written again from its beginning.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from feltd.text.errors import JournalCorrupt, JournalDisk, JournalError

_HEADER: Final = struct.Struct(">8I")
_FRAME: Final = struct.Struct(">6I")
_MAGIC: Final = 0x377F0682
"""The lowest bit says whether checksums read their words with the highest byte first."""
_PAGES: Final = frozenset(1 << power for power in range(9, 17))
_TRIES: Final = 5
"""Readings of a log that its writer begins anew meanwhile."""

Sums = tuple[int, int]


class _Header(NamedTuple):
    page: int
    salts: tuple[int, int]
    words: str
    """The words of a checksum, for struct: their order of bytes."""
    sums: Sums
    whole: bool


class _Frame(NamedTuple):
    number: int
    commits: bool
    salts: tuple[int, int]
    stored: Sums
    summed: bytes
    """What its checksum is over."""


@dataclass(frozen=True, slots=True)
class LogFault:
    """The first damaged frame of a log (from 1; 0: the log's header), and how many synced commits are behind it."""

    frame: int
    commits: int

    def __str__(self) -> str:
        what = f"frame {self.frame}" if self.frame else "the header"
        return (
            f"{what} of the write-ahead log is damaged, and {self.commits} synced "
            f"commit{'s' if self.commits > 1 else ''} behind it would be dropped"
        )


def log_file(journal: Path) -> Path:
    """SQLite's write-ahead log beside a journal."""
    return journal.with_name(f"{journal.name}-wal")


def require_whole_log(journal: Path) -> None:
    """Raise JournalCorrupt where opening the journal would drop what was synced, JournalDisk where it is unreadable."""
    fault = find_fault(journal)
    if fault is None:
        return
    raise JournalCorrupt(
        f"{log_file(journal).name}: {fault}",
        journal,
        "Keep the record and the log as they are; bring the newest copy back, or begin a new record: "
        "`feltd journal set-aside`",
    )


def find_fault(journal: Path) -> LogFault | None:
    """The damage in a journal's log that takes away what was synced; None for none, and for no log.

    Beside a writer the log is read again where it was begun anew meanwhile. Raises JournalDisk.
    """
    log = log_file(journal)
    for _ in range(_TRIES):
        try:
            with log.open("rb") as file:
                content = file.read()
                file.seek(0)
                unchanged = file.read(_HEADER.size) == content[: _HEADER.size]
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(journal, error) from error
        if unchanged:
            return fault_in(content)
    return None  # a writer is at work and begins its log anew all the time: it has the frames itself


def fault_in(content: bytes) -> LogFault | None:
    """The damage in the bytes of a log, as `find_fault`."""
    header = _header(content)
    if header is None:
        return None
    frames = list(_frames(content, header))
    if not header.whole:
        return _behind(0, frames, _own_salts(frames)) if frames else None
    sums = header.sums
    for frame in frames:
        computed = _sums(frame.summed, header.words, sums)
        if frame.salts != header.salts or computed != frame.stored:
            return _behind(frame.number, frames[frame.number :], header.salts)
        sums = computed
    return None


def _behind(bad: int, later: list[_Frame], salts: tuple[int, int]) -> LogFault | None:
    """What is lost behind a bad frame: commits that frames of the same generation follow."""
    own = [frame for frame in later if frame.salts == salts]
    commits = sum(frame.commits for frame in own[:-1])
    return LogFault(bad, commits) if commits else None


def _header(content: bytes) -> _Header | None:
    """The header; None for a log that never had one: it is shorter, or empty of all but zeros."""
    if len(content) < _HEADER.size or not any(content):
        return None
    magic, _, page, _, *salts, first, second = _HEADER.unpack_from(content)
    words = ">" if magic & 1 else "<"
    sums = _sums(content[:24], words, (0, 0))
    whole = magic & ~1 == _MAGIC and page in _PAGES and sums == (first, second)
    return _Header(page, (salts[0], salts[1]), words, sums, whole)


def _frames(content: bytes, header: _Header) -> Iterator[_Frame]:
    if header.whole:
        yield from _frames_of(content, header.page)
        return
    for page in sorted(_PAGES):
        found = list(_frames_of(content, page))
        if _first_chained(found) is not None:
            yield from found
            return


def _first_chained(frames: list[_Frame]) -> _Frame | None:
    """The first frame whose checksum follows from the frame's before: only with the right size of a page there is one.

    The first sector may be lost with the header, and the first frames with it.
    """
    for before, frame in pairwise(frames):
        own = any(frame.salts) and frame.salts == before.salts
        if own and any(_sums(frame.summed, words, before.stored) == frame.stored for words in "<>"):
            return frame
    return None


def _own_salts(frames: list[_Frame]) -> tuple[int, int]:
    """The salts of the generation that was written last: it begins with the first frame, where that is left."""
    first, chained = frames[0].salts, _first_chained(frames)
    return first if any(first) or chained is None else chained.salts


def _frames_of(content: bytes, page: int) -> Iterator[_Frame]:
    size = _FRAME.size + page
    for number, at in enumerate(range(_HEADER.size, len(content) - size + 1, size), 1):
        _, commit, salt1, salt2, first, second = _FRAME.unpack_from(content, at)
        summed = content[at : at + 8] + content[at + _FRAME.size : at + size]
        yield _Frame(number, commit != 0, (salt1, salt2), (first, second), summed)


def _sums(data: bytes, words: str, sums: Sums) -> Sums:
    """SQLite's checksum of some bytes, a multiple of eight, after `sums`."""
    first, second = sums
    for even, odd in struct.iter_unpack(f"{words}II", data):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


def _unreadable(journal: Path, error: OSError) -> JournalError:
    return JournalDisk(
        f"{log_file(journal).name} cannot be read: {error.strerror}",
        journal,
        "See that the file is the service user's; look at `dmesg`",
    )

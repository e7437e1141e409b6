"""What a witness has of one table: the heads of its record, which are only added to, and what was alarmed.

In the witness's folder, `TABLE.heads` is the file of signed heads as the table has it, so that `feltd journal verify
--witness` takes it, and `TABLE.alarms` a line of JSON for each alarm. Both are synced before anything is answered; an
alarm that the disk does not take waits for it.
"""

import json
import logging
import os
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Final

from feltd.record.signed_heads import LONGEST_LINE, FirstKey, SignedHead, read_end, size_of
from feltd.text.atomic_file import sync_folder
from feltd.text.errors import JournalError
from feltd.witness.errors import WitnessError

KEPT: Final = 100
"""Alarms of each kind of contradiction that one run of the witness writes of a table: who can call it cannot fill its
disk. Anybody can bring about the kinds but `fork`, which takes a key of the record: they take no room of a fork's."""
_AT_REST: Final = 2
"""So many times in a row is an entry signed again at rest. Of two heads alone a jump of the table's clock between them
makes a pair that was signed within the span."""
WORD_FOR: Final = 3600.0
"""Seconds behind a new head for which a caller's word is a sign of life of a table that has never signed at rest.

Any program that reaches the port can give it, and would else keep a table quiet for ever that is gone.
"""
_LOOKED_BACK: Final = 1024 * 1024
"""Bytes of a file of heads in which a start looks for some of one entry: a day's."""
_ALARMS_LOOKED_BACK: Final = 64 * 1024
"""Bytes of a file of alarms in which a start looks for the newest one of a silence."""
_log = logging.getLogger("feltd.witness")


class AlarmKind(StrEnum):
    """What a witness alarms on."""

    FORK = "fork"
    """Two heads that one key has signed: a record was copied, or put back and gone on with."""
    SHORTER = "shorter"
    """The table's record has fewer heads than the witness: it was put back."""
    FOREIGN = "foreign"
    """A line that no key of this record has signed."""
    SILENT = "silent"
    HEARD = "heard"
    """No alarm: the table that was silent is heard again."""


_OF_SILENCE: Final = frozenset({AlarmKind.SILENT, AlarmKind.HEARD})
CONTRADICTIONS: Final = frozenset({AlarmKind.FORK, AlarmKind.SHORTER, AlarmKind.FOREIGN})


class Differs(Exception):  # noqa: N818 - an answer more than a mistake
    """There is another line at this place, and which one came first cannot be said from it."""


class Contradiction(Exception):  # noqa: N818 - an answer more than a mistake
    """Two histories of one record. `str()`: in words; it is alarmed."""


class Ledger:
    """One table's files. Its methods belong to one thread at a time."""

    def __init__(
        self,
        folder: Path,
        table: str,
        first_key: bytes,
        wall: Callable[[], float],
        silent_after: float,
        *,
        heads_alone: bool | None = None,
    ) -> None:
        """Take up what is there. Raises WitnessError where it is damaged, or of another record.

        `silent_after`: seconds. `heads_alone`: that a caller says where its file ends is no sign of life; None: once
        the table has signed at rest, often enough for that.
        """
        self._heads_alone = heads_alone
        self._silent_after = silent_after
        self._rest_ms = silent_after * 500
        """Milliseconds between two heads of one entry at most: half of what counts as silence."""
        self._rests = False
        """Whether the table has signed one entry so often within that: only a table that signs at rest does."""
        self._close = 0
        """How many of the newest heads, one behind the other, came within that: of one entry, and signed again."""
        self.table = table
        self.first_key = first_key
        self.heads = folder / f"{table}.heads"
        self._alarms = folder / f"{table}.alarms"
        self._wall = wall
        self._told: defaultdict[AlarmKind, set[str]] = defaultdict(set)
        """Contradictions that were told, in words."""
        self._waiting: deque[tuple[AlarmKind, bytes]] = deque()
        """Alarms that the disk has not taken yet, each a line, the oldest first: `KEPT` of a kind at most."""
        self._refused = ""
        """Why the disk takes none, as it was logged."""
        self.heard_at: float | None = None
        """When the table was heard last, by the system's clock, as a start finds it; None where it never was."""
        self.first: FirstKey | None = None
        """None until the first head has come that its key has signed: before that anybody could name a journal."""
        self.size = self.last = 0
        self._newest: SignedHead | None = None
        self._key = first_key
        self._take_up()

    @property
    def heads_alone(self) -> bool:
        """Whether a new head is the only sign of life of this table."""
        return self._rests if self._heads_alone is None else self._heads_alone

    @property
    def word_counts(self) -> bool:
        """Whether a caller's word that there is no new head is a sign of life of this table now.

        Not where the newest head is older than `WORD_FOR`, unless a person has said that the word is enough.
        """
        if self.heads_alone or self._newest is None:
            return False
        return self._heads_alone is False or self._age <= max(WORD_FOR, self._silent_after)

    @property
    def _age(self) -> float:
        """Seconds since the newest head was signed, by its own clock and the witness's."""
        return 0.0 if self._newest is None else self._wall() - self._newest.wall_ms / 1000

    def touch(self) -> None:
        """Take note that the table was heard: `feltd witness status` tells by it when."""
        os.utime(self.heads)

    @property
    def late(self) -> float | None:
        """How old the newest head is, by its own clock and the witness's, where that is no sign of life: in seconds.

        Who holds heads back and lets one go now and then would else pass for the table that signed them long ago.
        """
        if self._newest is None or not self.heads_alone:
            return None
        return self._age if self._age > self._silent_after else None

    def has(self, first: FirstKey) -> tuple[int, int]:
        """The bytes that it has of the file that begins so, and where its last line begins."""
        return (self.size, self.last) if self.first is not None else (size_of([first]), 0)

    def newest_of_silence(self) -> tuple[float, AlarmKind] | None:
        """The newest alarm of a silence or of its end, and when it was told, by the file of alarms; None for no such.

        Of a file that cannot be read it is none: then the silence is alarmed once more.
        """
        try:
            with self._alarms.open("rb") as file:
                file.seek(max(0, self._alarms.stat().st_size - _ALARMS_LOOKED_BACK))
                lines = file.read(_ALARMS_LOOKED_BACK).split(b"\n")
            alarms = [said for line in lines if (said := _alarm_in(line)) is not None]
        except OSError:
            return None
        return next(((at, AlarmKind(kind)) for at, kind in reversed(alarms) if kind in _OF_SILENCE), None)

    def take(self, first: FirstKey, at: int, line: str, *, walked: bool = False) -> None:
        """Take the line that the table's file has at byte `at`. Raises Differs, Contradiction, OSError.

        `walked`: all lines before it have been compared, and are the same.
        """
        if self.first is not None and first != self.first:
            raise self._contradiction(AlarmKind.FOREIGN, "the file of heads begins with another line", str(first))
        size, _ = self.has(first)
        if at == size:
            self._add(first, line)
        elif at < size:
            self._compare(first, at, line, walked)

    def ends(self, first: FirstKey, size: int) -> bool:
        """The table's file ends at byte `size`: whether that is where this one does. Raises Contradiction."""
        have, _ = self.has(first)
        if size < have:
            words = f"the table's file of heads ends at byte {size}, and the witness's at byte {have}: it was put back"
            raise self._contradiction(AlarmKind.SHORTER, words, "")
        return size == have

    @property
    def takes_any_word(self) -> bool:
        """Whether a person has said that any caller's word is a sign of life."""
        return self._heads_alone is False

    def tell(self, kind: AlarmKind, words: str, line: str = "") -> None:
        """Write an alarm, and log it. One that the disk does not take is written by a later `write_out`."""
        if kind in CONTRADICTIONS:
            told = self._told[kind]
            if words in told or len(told) >= KEPT:
                return
            told.add(words)
        text = json.dumps({"at": self._wall(), "kind": kind.value, "words": words, "line": line})
        _log.log(logging.INFO if kind is AlarmKind.HEARD else logging.ERROR, "%s: %s: %s", self.table, kind, words)
        if Counter(waiting for waiting, _ in self._waiting)[kind] < KEPT:
            self._waiting.append((kind, f"{text}\n".encode()))
        self.write_out()

    @property
    def unwritten(self) -> bool:
        """Whether an alarm waits for the disk."""
        return bool(self._waiting)

    def write_out(self) -> None:
        """Write the alarms that wait. Call it again where `unwritten`: why the disk takes none is logged once."""
        try:
            while self._waiting:
                new = not self._alarms.exists()
                torn = not new and _is_torn(self._alarms)  # the line would be a part of that one, and read by nobody
                _append(self._alarms, b"\n" * torn + self._waiting[0][1])
                if new:
                    sync_folder(self._alarms.parent)
                self._waiting.popleft()
        except OSError as fault:
            if self._refused != str(fault):
                _log.error("%s cannot be written: %s; its alarms wait for it", self._alarms, fault)
            self._refused = str(fault)
            return
        self._refused = ""

    # ---- inside

    def _take_up(self) -> None:
        try:
            end = read_end(self.heads)
        except JournalError as fault:
            raise WitnessError(
                fault.what, str(self.heads), "Keep the file as evidence, and bring the newest copy of it back"
            ) from None
        if end is None:
            return
        if end.first.key != self.first_key:
            raise WitnessError(
                f"it is of another record than the first key that is given for {self.table}",
                str(self.heads),
                "Give the right key; where the table has begun a new record, move this file away first, and keep it",
            )
        self.first, self.size, self._key = end.first, end.size, end.key
        self.last = 0 if end.last is None else end.size - size_of([end.last])
        self._newest = end.last
        self._look_for_rest(end.size)
        there = self.heads.stat()
        self.heard_at = there.st_mtime
        if there.st_size > end.size:
            _log.warning("%s: a line that a power cut tore is cut off", self.heads)
            os.truncate(self.heads, end.size)
            os.utime(self.heads, (there.st_mtime,) * 2)  # the next start would take the cut for a sign of life

    def _look_for_rest(self, size: int) -> None:
        """Take from the newest heads that are kept whether the table signs at rest."""
        with self.heads.open("rb") as file:
            file.seek(max(0, size - _LOOKED_BACK))
            lines = file.read(_LOOKED_BACK).decode("ascii", "replace").split("\n")
        heads = [head for line in lines if (head := _parsed(line)) is not None]
        for head, again in pairwise(heads):
            self._look_at_pair(head, again)

    def _look_at_pair(self, head: SignedHead | None, again: SignedHead) -> None:
        """`again` comes right behind `head`."""
        close = head is not None and head.seq == again.seq and 0 < again.wall_ms - head.wall_ms <= self._rest_ms
        self._close = self._close + 1 if close else 0
        self._rests |= self._close >= _AT_REST

    def _add(self, first: FirstKey, line: str) -> None:
        head = _signed(line, self._key, first)
        if head is None or (self._newest is not None and head.seq < self._newest.seq):
            raise self._contradiction(AlarmKind.FOREIGN, "a new head is not signed by the key that was named", line)
        size, _ = self.has(first)
        if self.first is None:
            _append(self.heads, f"{first}\n{head}\n".encode())
            sync_folder(self.heads.parent)
        else:
            _append(self.heads, f"{head}\n".encode())
        self.first, self.last, self.size = first, size, size + size_of([head])
        self._look_at_pair(self._newest, head)
        self._key, self._newest = head.next_key, head
        if self.late is not None:
            os.utime(self.heads, (head.wall_ms / 1000,) * 2)  # as in `touch`

    def _compare(self, first: FirstKey, at: int, line: str, walked: bool) -> None:
        if self.first is None:
            if at or line != str(first):
                raise Differs
            return
        begin = max(0, at - LONGEST_LINE)
        with self.heads.open("rb") as file:
            file.seek(begin)
            content = file.read(2 * LONGEST_LINE)
        before, behind = content[: at - begin], content[at - begin :].partition(b"\n")[0].decode("ascii")
        if behind == line and (at == 0 or before.endswith(b"\n")):
            return
        if at == 0 or not before.endswith(b"\n"):
            raise Differs
        named = before.rstrip(b"\n").rpartition(b"\n")[2].decode("ascii").split(" ")[3]  # of every line the same field
        head = _signed(line, bytes.fromhex(named), first)
        if head is None and not walked:
            raise Differs
        if head is None:
            raise self._contradiction(AlarmKind.FOREIGN, f"the line at byte {at} is not as it was signed", line)
        words = f"two heads are signed with one key: {_of(behind)} here, and one of entry {head.seq} at the table"
        raise self._contradiction(AlarmKind.FORK, words, line)

    def _contradiction(self, kind: AlarmKind, words: str, line: str) -> Contradiction:
        self.tell(kind, words, line)
        return Contradiction(words)


def _signed(line: str, key: bytes, first: FirstKey) -> SignedHead | None:
    head = _parsed(line)
    return head if head is not None and head.is_by(key, first.journal_id) else None


def _parsed(line: str) -> SignedHead | None:
    try:
        return SignedHead.parse(line)
    except ValueError:
        return None


def _alarm_in(line: bytes) -> tuple[float, str] | None:
    """When an alarm was told, and of which kind; None for a line that is none, as the first one of a piece."""
    try:
        said = json.loads(line)
        return float(said["at"]), str(said["kind"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _is_torn(file: Path) -> bool:
    """Whether a power cut left a last line without its end. Raises OSError."""
    with file.open("rb") as opened:
        size = opened.seek(0, os.SEEK_END)
        opened.seek(max(0, size - 1))
        return opened.read(1) not in (b"", b"\n")


def _of(line: str) -> str:
    return f"one of entry {line.partition(' ')[0]}"


def _append(file: Path, content: bytes) -> None:
    """Write at the file's end, and sync it. A write that failed half-way is taken back."""
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o640)
    try:
        size = os.fstat(descriptor).st_size
        try:
            if os.write(descriptor, content) != len(content):
                raise OSError(28, "No space left on device")
            os.fdatasync(descriptor)
        except OSError:
            os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)

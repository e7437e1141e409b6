"""The record of a table in another process, read over its socket. Blocks, so it is for threads."""

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypeVar

from feltd.door.asking.connecting import greeting, welcome_of
from feltd.door.commands import TableAwayError
from feltd.door.place import address_of
from feltd.door.wire import calls
from feltd.door.wire.calls import Call, ExportLines, Nothing
from feltd.door.wire.codec import from_json, parse, to_json
from feltd.door.wire.errors import WireError
from feltd.door.wire.lines import Lines
from feltd.door.wire.messages import MOST_TO_PAGE, Ask, Fault, Purpose, Refused, Reply, line_of, message_of
from feltd.door.wire.refusals import error_of
from feltd.record import Entry, Reveal, Span
from feltd.record.rows import StoredRows
from feltd.record.signed_heads import HeadLines

PATIENCE: Final = 60.0
"""Seconds for one answer: a disk in trouble takes its time."""
CHUNK: Final = 500
_READ: Final = 256 * 1024
_ANSWER: Final = frozenset({Reply, Fault, Refused})
_R = TypeVar("_R")


class SocketRecord:
    """The record as the table's reader hands it out. One thread at a time; close it, or use it as a context manager."""

    def __init__(self, place: Path) -> None:
        """`place`: the table's socket. Raises TableAwayError, JournalError."""
        self._lines = Lines(MOST_TO_PAGE)
        self._read: list[bytes] = []
        self._asked = 0
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.settimeout(PATIENCE)
            with address_of(place) as address:
                self._talking(lambda: self._socket.connect(address))
            self._send(greeting(Purpose.RECORD))
            welcome = welcome_of(self._line())
            if isinstance(welcome, Refused):
                raise TableAwayError(welcome.why)
        except OSError as fault:
            self._socket.close()
            raise TableAwayError(f"the record cannot be reached: {fault.strerror or fault}") from None
        except BaseException:
            self._socket.close()
            raise
        self.name = welcome.name
        self.journal_id = bytes.fromhex(welcome.journal)

    def last_entry(self) -> int:
        """The number of the last entry on the disk."""
        return self._ask(calls.LAST_ENTRY, Nothing())

    def entries(
        self, span: Span | None = None, *, reveal: Reveal = Reveal.FINISHED, newest_first: bool = False
    ) -> Iterator[Entry]:
        """Entries in the order of their numbers, some hundred at a time."""
        span, more = span or Span(), True
        while more:
            some = self._ask(calls.ENTRIES, calls.SomeEntries(span, reveal, newest_first, CHUNK))
            yield from some.entries
            more = some.more and bool(some.entries)
            if more:
                span = _behind(span, some.entries[-1].seq, newest_first=newest_first)

    def export(self, first: int, last: int) -> Iterator[str]:
        """The lines of an export of these entries with its proof, both included."""
        return self._lines_of(lambda: self._ask(calls.EXPORT, calls.Range(first, last)))

    def export_round(self, number: int) -> Iterator[str]:
        """The lines of an export of a round with its proof."""
        return self._lines_of(lambda: self._ask(calls.EXPORT_ROUND, calls.ByNumber(number)))

    def stored(self, after: int, most: int = CHUNK) -> StoredRows:
        """The entries behind entry `after` as they are stored, at most `most`; what is sealed stays sealed."""
        return self._ask(calls.STORED, calls.Behind(after, most))

    def heads(self, at: int, most: int) -> HeadLines:
        """The lines of the signed heads from byte `at` of their file on. Raises FeltdError where the table is older."""
        return self._ask(calls.HEADS, calls.HeadsFrom(at, most))

    def _lines_of(self, begin: Callable[[], ExportLines]) -> Iterator[str]:
        some = begin()
        yield from some.lines
        while not some.over:
            some = self._ask(calls.MORE_LINES, Nothing())
            yield from some.lines

    def span_between(self, since: float | None, until: float | None) -> tuple[int, int] | None:
        """The first and the last entry within a time (wall seconds); None where nothing was written."""
        return self._ask(calls.SPAN_BETWEEN, calls.Between(since, until))

    def close(self) -> None:
        """Let the connection go."""
        self._socket.close()

    def __enter__(self) -> "SocketRecord":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- the connection

    def _ask(self, call: Call[Any, _R], what: Any) -> _R:
        self._asked += 1
        self._send(line_of(Ask(self._asked, call.name, parse(to_json(what)))))
        answer: Reply | Fault | Refused = message_of(self._line(), _ANSWER)
        if isinstance(answer, Refused):
            raise TableAwayError(answer.why)
        if answer.id != self._asked:
            self.close()
            raise WireError(f"the answer to question {answer.id} came to question {self._asked}")
        if isinstance(answer, Fault):
            raise error_of(answer)
        value: _R = from_json(call.gives, answer.value, call.name)
        return value

    def _send(self, line: bytes) -> None:
        self._talking(lambda: self._socket.sendall(line))

    def _line(self) -> bytes:
        while not self._read:
            data = self._talking(lambda: self._socket.recv(_READ))
            if not data:
                raise TableAwayError("the record's reader has ended: ask again")
            self._read = self._lines.feed(data)
        return self._read.pop(0)

    @staticmethod
    def _talking(act: Callable[[], _R]) -> _R:
        try:
            return act()
        except TimeoutError:
            raise TableAwayError(f"the record's reader has not answered for {PATIENCE:.0f} s") from None
        except OSError as fault:
            raise TableAwayError(f"the record cannot be reached: {fault.strerror or fault}") from None


def _behind(span: Span, seq: int, *, newest_first: bool) -> Span:
    """The rest of a span, behind an entry."""
    after, until = (span.after, seq - 1) if newest_first else (seq, span.until)
    return Span(after, until, span.wall_from, span.wall_to, span.round, span.kind, span.name, span.device)

"""Events in, outputs out: a table fed from JSON Lines, as `feltd replay` does it.

Empty lines and lines that begin with `#` are skipped. An event whose name no table knows is answered with the `error`
output; a line that is no event at all ends the replay with ReplayError, after the outputs of all lines before it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Protocol

from pydantic_core import to_json

from feltd.text.errors import FeltdError
from table_fsm.errors import EventSyntaxError, UnknownEventError
from table_fsm.events import Event, parse_known, parse_with_unknown
from table_fsm.outputs import Kind, Output, Refusal

_CHUNK: Final = 1 << 16  # bytes asked of the system at once
_BLOCK: Final = 100  # lines: of several hundred, the first are no longer in the caches when they are applied
_LONGEST_LINE: Final = 1 << 20  # bytes; no event comes near it


class ReplayError(FeltdError):
    """A line that is no event. `file`, `line` (from 1) and `reason` say which and why."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        super().__init__(f"{file}:{line}: {reason}")
        self.file = file
        self.line = line
        self.reason = reason


class Player(Protocol):
    """The calls of a replay to a table."""

    def apply(self, event: Event) -> list[Output]: ...


def replay(
    blocks: Iterable[Sequence[bytes]],
    table: Player,
    write: Callable[[bytes], object],
    *,
    file: str,
    warn: Callable[[str], None],
    only: Kind | None = None,
) -> None:
    """Feed each line's event to `table` and write its outputs, one JSON line each.

    The outputs of a block are written before the next block is asked for. `only`: outputs of that kind. `file` names
    the source in messages; `warn` is called once for each field of each event that nothing reads. Raises ReplayError
    at the first line that is no event.
    """
    replaying = _Replaying(table, write, file, warn, only)
    for block in blocks:
        # Read at once, applied after that: each of the two evicts the other's programs from the processor's caches.
        events = parse_known(block)
        if events is None:
            replaying.take_one_by_one(block)
        else:
            replaying.take(events)
        replaying.before += len(block)


class _Replaying:
    """A replay under way. `before`: the lines of the blocks that have been taken."""

    def __init__(
        self, table: Player, write: Callable[[bytes], object], file: str, warn: Callable[[str], None], only: Kind | None
    ) -> None:
        self._apply = table.apply
        self._write = write
        self._file = file
        self._warn = warn
        self._only = only
        self._warned: set[tuple[str, str]] = set()
        self.before = 0

    def take(self, events: Sequence[Event]) -> None:
        """Apply events, and write all their outputs, also where one of them cannot be applied."""
        apply = self._apply
        outputs: list[Output] = []
        try:
            for event in events:
                outputs += apply(event)
        finally:
            self._tell(outputs)

    def take_one_by_one(self, block: Sequence[bytes]) -> None:
        """Take lines of which one is to be skipped, warned of, answered or refused."""
        for number, line in enumerate(block, self.before + 1):
            if line[:1] != b"{" and is_skipped(line):
                continue
            try:
                event, unread = parse_with_unknown(line)
            except UnknownEventError as unknown:
                self._tell([unknown_event(unknown)])
                continue
            except EventSyntaxError as fault:
                raise ReplayError(self._file, number, str(fault)) from None
            self._warn_of(event, unread, number)
            self.take((event,))

    def _warn_of(self, event: Event, unread: Sequence[str], number: int) -> None:
        for name in unread:
            if (event.ev, name) not in self._warned:
                self._warned.add((event.ev, name))
                self._warn(f'{self._file}:{number}: {event.ev}: nothing reads the field "{name}"')

    def _tell(self, outputs: Sequence[Output]) -> None:
        only = self._only
        told = b"".join([to_line(output) for output in outputs if only is None or output.kind is only])
        if told:
            self._write(told)


def is_skipped(line: bytes) -> bool:
    """Whether a line is empty or a comment."""
    return line.strip()[:1] in (b"", b"#")


def unknown_event(unknown: UnknownEventError) -> Output:
    """The output for an event with an unknown name."""
    return Output(unknown.t, Refusal(unknown.ev, str(unknown)))


def to_line(output: Output) -> bytes:
    """An output as one line of JSON, with its line end."""
    return to_json(output.to_dict()) + b"\n"


class Source(Protocol):
    """The source of lines.

    It returns what is there, at most `size` bytes, and nothing only at the end.
    """

    def read(self, size: int, /) -> bytes: ...


def blocks_of(source: Source, before_waiting: Callable[[], None]) -> Iterator[Sequence[bytes]]:
    """The lines of an unbuffered source, without their ends, some at once.

    `before_waiting` is called before each read that may wait, and what was read before is in blocks before that: a
    writer that is answered line by line gets each answer before the next question, and a file is read at full speed.
    """
    rest = b""
    while True:
        before_waiting()
        chunk = source.read(_CHUNK)
        if not chunk:
            break
        *whole, rest = (rest + chunk).split(b"\n")
        for first in range(0, len(whole), _BLOCK):
            yield whole[first : first + _BLOCK]
        if len(rest) > _LONGEST_LINE:
            yield [rest]  # no event: its reader refuses it
            return
    if rest:
        yield [rest]

"""Events in, outputs out: a table fed from JSON Lines, as `feltd replay` does it.

Empty lines and lines that begin with `#` are skipped. An event whose name no table knows is answered with the `error`
output; a line that is no event at all ends the replay with ReplayError, after the outputs of all lines before it.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol

from pydantic_core import to_json

from feltd.text.errors import FeltdError
from table_fsm.errors import EventSyntaxError, UnknownEventError
from table_fsm.events import Event, parse_with_unknown
from table_fsm.outputs import Kind, Output, Refusal

_CHUNK: Final = 1 << 16  # bytes asked of the system at once
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
    lines: Iterable[bytes],
    table: Player,
    write: Callable[[bytes], object],
    *,
    file: str,
    warn: Callable[[str], None],
    only: Kind | None = None,
) -> None:
    """Feed each line's event to `table` and write its outputs, one JSON line each.

    `only`: outputs of that kind. `file` names the source in messages; `warn` is called once for each field of each
    event that nothing reads. Raises ReplayError at the first line that is no event.
    """
    apply = table.apply
    warned: set[tuple[str, str]] = set()
    for number, line in enumerate(lines, 1):
        if line[:1] != b"{" and is_skipped(line):
            continue
        try:
            event, unread = parse_with_unknown(line)
        except UnknownEventError as unknown:
            if only in (None, Kind.ERROR):
                write(to_line(unknown_event(unknown)))
            continue
        except EventSyntaxError as fault:
            raise ReplayError(file, number, str(fault)) from None
        for name in unread:
            if (event.ev, name) not in warned:
                warned.add((event.ev, name))
                warn(f'{file}:{number}: {event.ev}: nothing reads the field "{name}"')
        for output in apply(event):
            if only is None or output.kind is only:
                write(to_line(output))


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


def lines_of(source: Source, before_waiting: Callable[[], None]) -> Iterator[bytes]:
    """The lines of an unbuffered source, without their ends.

    `before_waiting` is called before each read that may wait: a writer that is answered line by line gets each answer
    before the next question, and a file is read at full speed.
    """
    rest = b""
    while True:
        before_waiting()
        chunk = source.read(_CHUNK)
        if not chunk:
            break
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
        if len(rest) > _LONGEST_LINE:
            yield rest  # no event: its reader refuses it
            return
    if rest:
        yield rest

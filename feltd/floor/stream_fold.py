"""What is folded from a stream: its first event, what stands behind the last one, and why nobody can go on with it.

The first event of a stream is floord's own: title, book with its whole text, who made it, and when. So it goes on under
the text that it began with, whatever a later feltd ships. All other events are `floor_fsm`'s.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

from pydantic import TypeAdapter

from feltd.custody.errors import CustodyError
from feltd.door.wire.codec import from_json, parse, to_json
from feltd.door.wire.errors import WireError
from feltd.floor.streams import StreamEnd, StreamEvent, proven, start_of
from floor_fsm.core.output import Output
from floor_fsm.errors import FloorFsmError


@dataclass(frozen=True, slots=True)
class Made:
    """The first event of a stream. `law`: the book's TOML; `wall`: when it was made, seconds since 1970."""

    ev: str
    title: str
    book: str
    law: str
    wall: float
    who: str
    role: str
    place: str
    why: str

    def to_line(self) -> str:
        """The event as it is kept."""
        return to_json(self).decode()

    @classmethod
    def from_line(cls, line: str, ev: str) -> "Made":
        """The event of a kept line. `ev`: its name there. Raises WireError."""
        made: Made = from_json(cls, parse(line.encode()), ev)
        return made


class Line(Protocol):
    """An event as a desk lists it. `who`: None where a table told it."""

    @property
    def seq(self) -> int: ...
    @property
    def ev(self) -> str: ...
    @property
    def who(self) -> str | None: ...


_L = TypeVar("_L", bound=Line)


class StreamFold(ABC, Generic[_L]):
    """A stream as it stands behind its last event. Belongs to one loop."""

    def __init__(self, stream: str) -> None:
        self.id: Final = stream
        self.end = StreamEnd(stream, 0, start_of(stream))
        self.made: Made | None = None
        self.lines: deque[_L] = deque()
        """Its last events, for desks."""
        self.wrong: str | None = None
        """Why this program cannot go on with it, in words."""

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return self.end.seq

    @property
    def is_there(self) -> bool:
        """Whether it has an event, or one that cannot be read."""
        return bool(self.seq) or self.wrong is not None

    def take(self, events: Iterable[StreamEvent]) -> None:
        """Take the next events. An event that does not follow, or that is not taken, ends the fold: `wrong` says so."""
        for event in events:
            if self.wrong is not None:
                return
            try:
                self.end = proven(self.id, self.end, [event])
                self._take(event)
            except CustodyError as fault:
                self.wrong = str(fault)
            except (FloorFsmError, WireError) as fault:
                self.wrong = (
                    f"event {event.seq} is not taken: {fault}. Another feltd has kept it: bring floord to its version"
                )

    def second(self, wall: float) -> float:
        """The second of the stream's clock, which never runs back; to a hundredth."""
        last = self._last_second()
        return 0.0 if self.made is None or last is None else max(last, round(wall - self.made.wall, 2))

    @abstractmethod
    def _take(self, event: StreamEvent) -> None:
        """Take an event that follows. Raises FloorFsmError, WireError."""

    @abstractmethod
    def _last_second(self) -> float | None:
        """The second of the last event; None before there is one."""


def output_as_json(output: Output) -> dict[str, Any]:
    """An output as JSON has it, with its `kind`."""
    kind = type(output)
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return {"kind": output.kind, **_ADAPTERS[kind].dump_python(output, mode="json")}


_ADAPTERS: Final[dict[type[Any], TypeAdapter[Any]]] = {}
"""One for each type of an output: to make one takes as long as to dump a thousand times."""

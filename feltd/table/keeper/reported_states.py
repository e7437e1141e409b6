"""What devices have reported as a state and still holds: kept beside each snapshot, so that after a restart a device's
full state can be compared with what the table was told before the snapshot too.

No card is among it: cards lie on the table within a round only, and a round is replayed whole.
"""

from collections.abc import Iterable
from typing import Any

from pydantic_core import to_json

from table_fsm.events import (
    DropboxState,
    Event,
    MarkerPlaced,
    ShoeCleared,
    ShoeFault,
    TableOpen,
    TestMode,
    event_to_dict,
    parse_event,
)


class ReportedStates:
    """The last word of every state that a device reports, as the events that said it."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._last: dict[str, Event] = {}
        for event in events:
            self.observe(event)

    def observe(self, event: Event) -> None:
        """Take note of an event that the table has taken."""
        match event:
            case TableOpen():
                self._last = {key: said for key, said in self._last.items() if isinstance(said, ShoeFault | TestMode)}
                self._last["open"] = event
            case MarkerPlaced():
                self._put(f"marker {event.marker}", event)
            case DropboxState():
                self._put("dropbox", event)
            case TestMode():
                self._put("test", event)
            case ShoeFault():
                self._put(f"fault {event.kind} {event.deck}", event)
            case ShoeCleared():
                self._last.pop(f"fault {event.kind} {event.deck}", None)
            case _:
                pass

    def _put(self, key: str, event: Event) -> None:
        self._last.pop(key, None)
        self._last[key] = event

    @property
    def opening(self) -> TableOpen | None:
        """The `table.open` in force."""
        said = self._last.get("open")
        return said if isinstance(said, TableOpen) else None

    @property
    def testing(self) -> bool:
        """Whether devices are being tested."""
        said = self._last.get("test")
        return isinstance(said, TestMode) and said.on

    @property
    def drop_box(self) -> DropboxState | None:
        """The drop box as last reported; None where nothing was reported of one."""
        said = self._last.get("dropbox")
        return said if isinstance(said, DropboxState) else None

    def to_data(self) -> list[dict[str, Any]]:
        """JSON-ready, in the order in which it was said."""
        return [event_to_dict(event) for event in self._last.values()]

    def events(self) -> list[Event]:
        """In the order in which it was said."""
        return list(self._last.values())

    @classmethod
    def from_data(cls, data: list[dict[str, Any]]) -> "ReportedStates":
        """What `to_data` gave. Raises TableError for what is no event."""
        return cls(parse_event(to_json(said)) for said in data)

"""States that devices have reported and that still hold, kept beside each snapshot.

After a restart a device's full state can so be compared with reports from before the snapshot. There is no card among
them: cards lie on the table within a round only, and a round is replayed whole.
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
    """The latest report of every state that devices report, as events."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._last: dict[str, Event] = {}
        for event in events:
            self.observe(event)

    def observe(self, event: Event) -> None:
        """Note an event that the table has taken."""
        match event:
            case TableOpen():
                self._last = {
                    key: report for key, report in self._last.items() if isinstance(report, ShoeFault | TestMode)
                }
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
        report = self._last.get("open")
        return report if isinstance(report, TableOpen) else None

    @property
    def testing(self) -> bool:
        """Whether devices are being tested."""
        report = self._last.get("test")
        return isinstance(report, TestMode) and report.on

    @property
    def drop_box(self) -> DropboxState | None:
        """The drop box as last reported; None where nothing was reported of one."""
        report = self._last.get("dropbox")
        return report if isinstance(report, DropboxState) else None

    def to_data(self) -> list[dict[str, Any]]:
        """The reports as JSON-ready data, oldest first."""
        return [event_to_dict(event) for event in self._last.values()]

    def events(self) -> list[Event]:
        """The reports, oldest first."""
        return list(self._last.values())

    @classmethod
    def from_data(cls, data: list[dict[str, Any]]) -> "ReportedStates":
        """Rebuild the reports from the result of `to_data`.

        Raises TableError for data that is no event.
        """
        return cls(parse_event(to_json(report)) for report in data)

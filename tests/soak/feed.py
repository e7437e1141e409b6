"""What a table says, for the dealer, and how far its record is: each entry is read once."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from feltd.record import EntryKind, HostEntry, JournalReader, Span
from feltd.record.notes import START_NOTE
from tests.running import eventually

STEPS_IN_A_START: Final = 3
"""Steps of a dealer before the first one that waits for devices: the table says where it stands meanwhile."""

_ABOUT: Final = {"commission": "pot", "showdown": "pot", "clock": "banks"}
"""By kind, the field without which an output is about another matter."""


class Standing:
    """Where a table stands, as the outputs that a dealer who takes over needs: of each kind the last, and each ruling
    that waits. A dealer who heard all of the record would know no more, and take seconds to hear it."""

    def __init__(self) -> None:
        self._last: dict[object, dict[str, Any]] = {}
        self._pending: dict[int, dict[str, Any]] = {}

    def take(self, kind: str, output: dict[str, Any]) -> None:
        """Note one more output of the table."""
        said = output[kind]
        if kind == "ruling":
            if said.get("supersedes") is not None:
                self._pending.pop(said["supersedes"], None)
            if said.get("pending"):
                self._pending[said["id"]] = output
        about = _ABOUT.get(kind)
        key = (kind, None if about is None else said.get(about))
        self._last.pop(key, None)
        self._last[key] = output

    def told(self) -> list[dict[str, Any]]:
        """The outputs, the oldest first."""
        last = self._last.get(("ruling", None))
        waiting = [one for one in self._pending.values() if one is not last]
        return [*waiting, *self._last.values()]


class TableFeed:
    """Reads a table's record as it grows. `events`: of devices, so far; `online`: the devices whose link is up."""

    def __init__(self, journal: Path, devices: int) -> None:
        """`journal`: need not be there yet. `devices`: how many the table has."""
        self._path = journal
        self._devices = devices
        self._reader: JournalReader | None = None
        self._seq = 0
        self._steps = 0
        self._standing = Standing()
        self._said: list[dict[str, Any]] = []
        self.events = 0
        self.online: set[str] = set()

    def look(self) -> "TableFeed":
        """Take what has come since the last look; gives itself."""
        if self._reader is None:
            if not self._path.exists():
                return self
            self._reader = JournalReader.open(self._path)
        for entry in self._reader.entries(Span(after=self._seq)):
            self._seq = entry.seq
            self.events += entry.source is not None
            if entry.kind == EntryKind.OUTPUT:
                output = dict(entry.body)
                self._standing.take(entry.name, output)
                self._said.append(output)
            elif entry.name == HostEntry.NOTE and entry.body["note"] == START_NOTE:
                self.online.clear()
            elif entry.name == "device.state":
                (self.online.add if entry.body["online"] else self.online.discard)(entry.body["device"])
        return self

    def takes_over(self) -> None:
        """A new dealer begins: the next outputs are where the table stands."""
        self.look()
        self._said = self._standing.told()

    async def outputs(self) -> Sequence[dict[str, Any]]:
        """What was said since the last call. Waits while a device's link is down: a dealer who hears nothing new for
        some steps gives up."""
        self._steps += 1
        self.look()
        if self._steps > STEPS_IN_A_START and len(self.online) < self._devices:
            await eventually(lambda: len(self.look().online) == self._devices)
        said, self._said = self._said, []
        return said

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()

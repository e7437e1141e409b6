"""What a table remembers of the floor beside its record: how far the floor's numbers have come, and its wishes.

It is on the disk before anything is done, so that a start, or a clock that was put back, lets nothing old in again.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any, Final

from feltd.door import CommandRefused, Person
from feltd.text.atomic_file import replace_atomically

LONGEST: Final = 64 * 1024
"""Bytes of the file."""
_REMEDY: Final = "see what changed it; with the table stopped, delete it: what is old is then known by the clock alone"


@dataclass(frozen=True, slots=True)
class WishNote:
    """What a table's record is to say of a wish: who wished it, why, and in `details` what, by which command."""

    person: Person
    why: str
    details: Mapping[str, str | int]

    @property
    def command(self) -> str:
        """The id of the command that brought it."""
        return str(self.details["command"])


@dataclass(frozen=True, slots=True)
class Noting:
    """How far a record has come with wishes of a kind. `noted`: the number of the last that it has, 0 for none.

    `taking`: of one that it may have too, somewhere `behind` this entry; 0 for none. `note`: what the record is to say
    of that one, with who and why; None until it is to be remembered.
    """

    journal: str
    noted: int = 0
    taking: int = 0
    behind: int = 0
    note: WishNote | None = None


@dataclass(frozen=True, slots=True)
class Remembered:
    """What the file says. `made`: of the latest signed command, microseconds of the floor's clock.

    `wishes`: what the floor wished last and this table took, by kind (`feltd.table.keeper.wishes`); `noting`: by the
    name of their note, how far the record has come with them.
    """

    made: int = 0
    wishes: Mapping[str, Any] = field(default_factory=dict)
    noting: Mapping[str, Noting] = field(default_factory=dict)


class FloorMemory:
    """One table's file. Calls block while the disk does."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known: Remembered | None = None
        self._changing = Lock()
        """Two threads at once would each write the other's news away."""

    def read(self) -> Remembered:
        """What is remembered. Raises CommandRefused where the file cannot be used."""
        if self._known is None:
            self._known = self._read()
        return self._known

    def wishes_known(self) -> dict[str, int] | None:
        """The numbers of the wishes that are remembered, by kind; None where the file cannot be used."""
        try:
            wishes = self.read().wishes
        except CommandRefused:
            return None
        numbers = {kind: kept.get("number") for kind, kept in wishes.items() if isinstance(kept, dict)}
        return {kind: number for kind, number in numbers.items() if type(number) is int}

    def keep_made(self, made: int) -> None:
        """A command of this number comes, and no earlier one after its end. Raises CommandRefused."""
        with self._changing:
            if made > self.read().made:
                self._keep(replace(self.read(), made=made))

    def keep_wish(self, kind: str, wish: Mapping[str, Any]) -> None:
        """This wish holds from now on. Raises CommandRefused."""
        with self._changing:
            self._keep(replace(self.read(), wishes={**self.read().wishes, kind: dict(wish)}))

    def keep_noting(self, note: str, noting: Noting) -> None:
        """The record has come so far with wishes of a kind. Raises CommandRefused."""
        with self._changing:
            self._keep(replace(self.read(), noting={**self.read().noting, note: noting}))

    def _keep(self, known: Remembered) -> None:
        noting = {note: asdict(one) for note, one in known.noting.items()}
        kept = {"made": known.made, "noting": noting, "wishes": dict(known.wishes)}
        text = json.dumps(kept, separators=(",", ":"))
        try:
            replace_atomically(self._file, text.encode(), os.stat(self._file.parent))
        except OSError as fault:
            raise CommandRefused(f"{self._file}: cannot be written: {fault.strerror}") from None
        self._known = known

    def _read(self) -> Remembered:
        try:
            data = self._file.read_bytes()[: LONGEST + 1]
        except FileNotFoundError:
            return Remembered()
        except OSError as fault:
            raise CommandRefused(f"{self._file}: cannot be read: {fault.strerror}") from None
        try:
            known = json.loads(data)
            made, wishes = known["made"], known["wishes"]
            noting = {note: _noting_of(one) for note, one in known.get("noting", {}).items()}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            made, wishes, noting = None, None, {}
        if type(made) is not int or made < 0 or not isinstance(wishes, dict):
            raise CommandRefused(f"{self._file}: is not what this table wrote there: {_REMEDY}")
        return Remembered(made, wishes, noting)


def _noting_of(kept: dict[str, Any]) -> Noting:
    """Raises ValueError, KeyError, TypeError, AttributeError for what this table did not write."""
    told = kept.get("note")
    if told is None:
        return Noting(**kept)
    person, details = Person(**told["person"]), told["details"]
    if not all(isinstance(words, str) for words in (*told["person"].values(), told["why"], details["command"])):
        raise TypeError
    if not all(isinstance(value, str | int) for value in details.values()):
        raise TypeError
    return Noting(**{**kept, "note": WishNote(person, told["why"], details)})


def memory_file_of(journal: Path) -> Path:
    """The file beside a journal."""
    return journal.with_name("floor.json")

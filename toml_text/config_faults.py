"""What is wrong with a table's configuration, said so that it can be put right: file, line, key."""

from collections.abc import Mapping
from dataclasses import dataclass

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault. `line` counts from 1; None where no line is at fault. `key` is dotted, without list positions.

    `file` is empty where `text` names its own place.
    """

    file: str
    line: int | None
    key: str
    text: str

    def __str__(self) -> str:
        if not self.file:
            return self.text
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.key}: {self.text}" if self.key else f"{place}: {self.text}"


class Places:
    """Turns key paths of one file into problems with their line."""

    def __init__(self, file: str, lines: Mapping[Path, int]) -> None:
        self._file = file
        self._lines = lines

    def problem(self, path: Path, text: str) -> Problem:
        """A fault at `path`; a key that is not there has the line of the table it should be in."""
        key = ".".join(part for part in path if isinstance(part, str))
        return Problem(self._file, self._line(path), key, text)

    def _line(self, path: Path) -> int | None:
        for end in range(len(path), 0, -1):
            if path[:end] in self._lines:
                return self._lines[path[:end]]
        return None

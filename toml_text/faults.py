"""What is wrong with a TOML file, so that its editor can correct it: file, line, key and words."""

from collections.abc import Mapping
from dataclasses import dataclass

from toml_text.lines import KeyPath, line_of


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. `path`: the key's path from the file's root; list positions in it count from 0."""

    path: KeyPath
    what: str

    def below(self, *path: str | int) -> "Fault":
        """The same fault, with `path` in front of its own."""
        return Fault((*path, *self.path), self.what)

    def __str__(self) -> str:
        key = key_of(self.path)
        return f"{key}: {self.what}" if key else self.what


def key_of(path: KeyPath) -> str:
    """A key path as a person writes it: dotted, without list positions."""
    return ".".join(part for part in path if isinstance(part, str))


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault with its place.

    `line` counts from 1; None where no line is at fault. `key` is as `key_of` gives it. `file` is empty where `text`
    names its own place.
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

    def __init__(self, file: str, lines: Mapping[KeyPath, int]) -> None:
        """`lines`: as `toml_text.lines.locate` gives them."""
        self._file = file
        self._lines = lines

    def problem(self, path: KeyPath, text: str) -> Problem:
        """A fault at `path`; a missing key has the line of the table it belongs in."""
        return Problem(self._file, line_of(self._lines, path), key_of(path), text)

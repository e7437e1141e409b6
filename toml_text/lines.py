"""The line of each key of a TOML text: Python's own reader gives values without lines, and a fault needs its line.

`locate` maps every key path to its line, counted from 1. A path is the keys from the root on; the elements of arrays,
and the tables of an array of tables, are counted from 0: `("device", 1, "port")` is the `port` of the second
`[[device]]`. Intermediate tables are in the map too, at the line that first names them.
"""

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, TypeAlias

KeyPath: TypeAlias = tuple[str | int, ...]

_SPACE: Final = re.compile(r"[ \t]*")
_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_BASIC_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LITERAL_STRING: Final = re.compile(r"'[^'\n]*'")
_LONG_BASIC: Final = re.compile(r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})', re.DOTALL)
_LONG_LITERAL: Final = re.compile(r"'''.*?'''(?:'{0,2})", re.DOTALL)
_PLAIN_VALUE: Final = re.compile(r"[^\s,\]}#][^,\]}#\n]*")
_VALUES: Final = (_LONG_BASIC, _LONG_LITERAL, _BASIC_STRING, _LITERAL_STRING, _PLAIN_VALUE)
_KEYS: Final = (_BARE_KEY, _BASIC_STRING, _LITERAL_STRING)


def locate(text: str) -> dict[KeyPath, int]:
    """Return the line of every key path of a TOML text.

    For a text that is not TOML: of the keys before the fault.
    """
    scanner = _Scanner(text)
    with suppress(_NotTomlError, RecursionError):  # tomllib names the fault, and where; it has no more depth than this
        scanner.document()
    return scanner.lines


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int | None:
    """The line of `path`, or of the nearest table above it that has one; None where none has.

    >>> line_of({("page",): 3}, ("page", "port"))
    3
    """
    above = (path[:end] for end in range(len(path), 0, -1))
    return next((lines[part] for part in above if part in lines), None)


class _NotTomlError(Exception):
    """The scanner met text that is not TOML."""


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[KeyPath, int] = {}
        self._tables: dict[KeyPath, int] = {}  # arrays of tables: how many so far
        self._counted_at = 0
        self._line = 1

    def document(self) -> None:
        table: KeyPath = ()
        while True:
            self._skip(_BLANK)
            if self.at >= len(self.text):
                return
            if self.text.startswith("[[", self.at):
                table = self._array_table()
            elif self.text[self.at] == "[":
                table = self._table()
            else:
                self._key_value(table)
            self._end_of_line()

    def _table(self) -> KeyPath:
        line = self._here()
        self._expect("[")
        path = self._walk((), self._dotted_key(), line)
        self._expect("]")
        return path

    def _array_table(self) -> KeyPath:
        line = self._here()
        self._expect("[[")
        *parents, last = self._dotted_key()
        self._expect("]]")
        path = (*self._walk((), parents, line), last)
        self.lines.setdefault(path, line)
        number = self._tables.get(path, 0)
        self._tables[path] = number + 1
        self.lines[(*path, number)] = line
        return (*path, number)

    def _walk(self, path: KeyPath, keys: list[str], line: int) -> KeyPath:
        """The path that `keys` lead to from `path`: in each array of tables on the way, its last table."""
        for key in keys:
            path = (*path, key)
            self.lines.setdefault(path, line)
            if path in self._tables:
                path = (*path, self._tables[path] - 1)
        return path

    def _key_value(self, table: KeyPath) -> None:
        line = self._here()
        path = self._walk(table, self._dotted_key(), line)
        self._expect("=")
        self._skip(_SPACE)
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        opening = self.text[self.at : self.at + 1]
        if opening == "[":
            self._array(path)
        elif opening == "{":
            self._inline_table(path)
        else:
            self._take(_VALUES)

    def _array(self, path: KeyPath) -> None:
        self._expect("[")
        number = 0
        while True:
            self._skip(_BLANK)
            if self._accept("]"):
                return
            element = (*path, number)
            self.lines[element] = self._here()
            self._value(element)
            number += 1
            self._skip(_BLANK)
            if not self._accept(","):
                self._expect("]")
                return

    def _inline_table(self, path: KeyPath) -> None:
        self._expect("{")
        while True:
            self._skip(_BLANK)
            if self._accept("}"):
                return
            self._key_value(path)
            self._skip(_BLANK)
            if not self._accept(","):
                self._expect("}")
                return

    def _dotted_key(self) -> list[str]:
        keys = []
        while True:
            self._skip(_SPACE)
            keys.append(_plain(self._take(_KEYS)))
            self._skip(_SPACE)
            if not self._accept("."):
                return keys

    def _end_of_line(self) -> None:
        self._skip(_SPACE)
        if self.text[self.at : self.at + 1] not in ("", "#", "\r", "\n"):
            raise _NotTomlError

    def _here(self) -> int:
        self._line += self.text.count("\n", self._counted_at, self.at)
        self._counted_at = self.at
        return self._line

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        if match:
            self.at = match.end()

    def _take(self, patterns: tuple[re.Pattern[str], ...]) -> str:
        for pattern in patterns:
            match = pattern.match(self.text, self.at)
            if match:
                self.at = match.end()
                return match[0]
        raise _NotTomlError

    def _accept(self, token: str) -> bool:
        if not self.text.startswith(token, self.at):
            return False
        self.at += len(token)
        return True

    def _expect(self, token: str) -> None:
        if not self._accept(token):
            raise _NotTomlError


def _plain(key: str) -> str:
    """A key without quotes, its escapes resolved."""
    if key[0] not in "\"'":
        return key
    try:
        return next(iter(tomllib.loads(f"{key} = 0")))
    except tomllib.TOMLDecodeError:
        raise _NotTomlError from None

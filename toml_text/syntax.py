"""Reading a TOML text; what Python's reader cannot read, as a line and plain words."""

import re
import tomllib
from typing import Any, Final

_PLACE: Final = re.compile(
    r"(?P<what>.*) \((?:at line (?P<line>\d+), column (?P<column>\d+)|at end of document)\)", re.DOTALL
)


class TomlSyntaxError(ValueError):
    """A text that is not TOML.

    `line` counts from 1; `str()` gives the fault without it: `not TOML: …`.
    """

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"not TOML: {problem}")
        self.line = line


def read_toml(text: str) -> dict[str, Any]:
    """The document that `text` is. Raises TomlSyntaxError, and nothing else, for any text."""
    try:
        text.encode()
        return tomllib.loads(text)
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise TomlSyntaxError(line, "a character that UTF-8 has not; save the file as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise TomlSyntaxError(*_place(str(error), text)) from None
    except RecursionError:
        raise TomlSyntaxError(1, "lists or tables are nested too deep") from None
    except ValueError as error:  # a number or a date that Python itself refuses
        raise TomlSyntaxError(1, f"a value cannot be read: {error}") from None


def _place(message: str, text: str) -> tuple[int, str]:
    """The line that the reader's message names, and the message without it."""
    named = _PLACE.fullmatch(message)
    if named is None:
        return 1, message
    if named["line"] is None:
        return max(1, text.rstrip().count("\n") + 1), f"{named['what']} at the end of the file"
    return int(named["line"]), f"{named['what']} at column {named['column']}"

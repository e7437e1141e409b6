"""What Python's reader finds wrong with a TOML text, as a line and plain words."""

import re
from typing import Final

_FAULT: Final = re.compile(
    r"(?P<what>.*) \((?:at line (?P<line>\d+), column (?P<column>\d+)|at end of document)\)", re.DOTALL
)


def syntax_fault(message: str, text: str) -> tuple[int, str]:
    """The line of a fault, counted from 1, and what it is. `message`: what the reader says of `text`."""
    found = _FAULT.fullmatch(message)
    if found is None:
        return 1, message
    if found["line"] is None:
        return max(1, text.rstrip().count("\n") + 1), f"{found['what']} at the end of the file"
    return int(found["line"]), f"{found['what']} at column {found['column']}"

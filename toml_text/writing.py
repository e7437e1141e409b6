"""TOML's text of a document: a line for each key, so that a fault of a key has a line of its own."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from typing import Any, Final

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def write_toml(document: Mapping[str, Any]) -> str:
    """Return the TOML text that `read_toml` reads as `document`.

    Tables of the root, and lists of nothing but tables there, have headings; what lies deeper is written in one line.
    Raises TypeError for a value that TOML does not have.

    >>> print(write_toml({"table": {"name": "A", "seats": [1, 2]}, "device": [{"name": "shoe"}]}), end="")
    [table]
    name = "A"
    seats = [1, 2]
    <BLANKLINE>
    [[device]]
    name = "shoe"
    """
    plain = {key: value for key, value in document.items() if not _has_headings(value)}
    parts = ["".join(_lines(plain))] if plain else []
    for key, value in document.items():
        if isinstance(value, Mapping):
            parts.append(f"[{_key(key)}]\n" + "".join(_lines(value)))
        elif _has_headings(value):
            parts += [f"[[{_key(key)}]]\n" + "".join(_lines(one)) for one in value]
    return "\n".join(parts)


def _has_headings(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)
    )


def _lines(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        yield f"{_key(key)} = {_value(value)}\n"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case int() | float():
            return repr(value)
        case datetime() | date() | time():
            return value.isoformat()
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case Mapping():
            return f"{{ {', '.join(f'{_key(key)} = {_value(one)}' for key, one in value.items())} }}" if value else "{}"
    raise TypeError(f"{type(value).__name__}: TOML has no such value")


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # JSON lets DEL stand, TOML does not

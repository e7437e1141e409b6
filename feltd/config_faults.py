"""What is wrong with a table's configuration, said so that it can be put right: file, line, key, what is allowed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from feltd.suggestions import did_you_mean

Path = tuple[str | int, ...]

_LIMITS: Final = {
    "greater_than": ("more than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than_equal": ("at most", "le"),
}
_LENGTHS: Final = {"too_short": ("at least", "min_length"), "too_long": ("at most", "max_length")}
_WANTED: Final = {
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "string_type": "must be a text in quotes",
    "is_instance_of": "must be a text in quotes",  # strict paths
    "dataclass_exact_type": "must be a text in quotes",  # strict key files
    "bool_type": "must be true or false",
    "list_type": "must be a list: [ … ]",
    "tuple_type": "must be a list: [ … ]",
    "dict_type": "must be a table of keys and values",
    "dataclass_type": "must be a table of keys and values",
    "int_parsing": "must be a whole number",
    "float_parsing": "must be a number",
    "bool_parsing": "must be true or false",
    "model_type": "must be a table of keys and values",
}


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


def explain(kind: type[Any], errors: Iterable[ErrorDetails]) -> Iterator[tuple[Path, str]]:
    """Pydantic's findings on a document of `kind` (a model or a dataclass), in the words of who edits the file."""
    for error in errors:
        yield error["loc"], _in_words(kind, error)


def _in_words(kind_of: type[Any], error: ErrorDetails) -> str:
    kind, given, context = error["type"], error["input"], error.get("ctx", {})
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return _unread(kind_of, error["loc"])
    if kind == "missing":
        return f"is missing: give {_described(kind_of, error['loc'])}"
    if kind in ("literal_error", "enum"):
        allowed = context["expected"]
        names = [part.strip("'") for part in allowed.replace(" or ", ", ").split(", ")]
        return f"{_shown(given)} is not allowed; allowed: {', '.join(names)}{did_you_mean(str(given), names)}"
    if kind in _WANTED:
        return f"{_WANTED[kind]}, not {_shown(given)}"
    if kind == "value_error":
        return str(context["error"])
    if kind in _LIMITS:
        words, limit = _LIMITS[kind]
        return f"{_shown(given)} is not allowed: must be {words} {context[limit]}"
    if kind in _LENGTHS:
        words, limit = _LENGTHS[kind]
        return f"must have {words} {context[limit]} {'entry' if context[limit] == 1 else 'entries'}"
    if kind == "string_pattern_mismatch":
        return f"{_shown(given)} is not allowed: must match {context['pattern']}"
    if kind == "string_too_short":
        return "must not be empty"
    return f"{_shown(given)} is not allowed: {error['msg'].lower()}"


def _unread(kind: type[Any], path: Path) -> str:
    known = list(_keys(_kind_at(kind, path[:-1])))
    word = str(path[-1])
    return f'nobody reads "{word}"{did_you_mean(word, known)} (keys here: {", ".join(known)})'


def _described(kind: type[Any], path: Path) -> str:
    return _keys(_kind_at(kind, path[:-1]))[str(path[-1])].description or "a value"


def _keys(kind: type[Any]) -> dict[str, FieldInfo]:
    """The fields of a model, or of a dataclass, by the key they have in the file."""
    if issubclass(kind, BaseModel):
        return {field.alias or name: field for name, field in kind.model_fields.items()}
    return {field.name: FieldInfo(annotation=Any) for field in fields(kind)}


def _kind_at(kind: type[Any], path: Path) -> type[Any]:
    """What reads the table at `path`."""
    for part in path:
        if isinstance(part, str):
            kind = next(_models_in(_keys(kind)[part].annotation))
    return kind


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        return
    for inner in get_args(annotation):
        yield from _models_in(inner)


def _shown(value: Any) -> str:
    """A value as the file has it, cut short."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        text = f'"{value}"'
    elif isinstance(value, list):
        text = "a list"
    elif isinstance(value, dict):
        text = "a table"
    else:
        text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"

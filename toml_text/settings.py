"""What pydantic finds wrong with settings, in the words of whoever edits the table's file."""

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, Final, get_args, get_type_hints

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from toml_text.suggestions import did_you_mean

Path = tuple[str | int, ...]

_LIMITS: Final = {
    "greater_than": ("more than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
    "multiple_of": ("a multiple of", "multiple_of"),
}
_LENGTHS: Final = {"too_short": ("at least", "min_length"), "too_long": ("at most", "max_length")}
_CHARACTERS: Final = {"string_too_short": ("at least", "min_length"), "string_too_long": ("at most", "max_length")}
_WANTED: Final = {
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "string_type": "must be a text in quotes",
    "is_instance_of": "must be a text in quotes",  # strict paths
    "dataclass_exact_type": "must be a text in quotes",  # strict key files
    "bool_type": "must be true or false",
    "list_type": "must be a list: [ … ]",
    "tuple_type": "must be a list: [ … ]",
    "set_type": "must be a list: [ … ]",
    "frozen_set_type": "must be a list: [ … ]",
    "dict_type": "must be a table of keys and values",
    "dataclass_type": "must be a table of keys and values",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "bool_parsing": "must be true or false",
    "model_type": "must be a table of keys and values",
}


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
        return (
            "must not be empty"
            if context["min_length"] == 1
            else f"must have at least {context['min_length']} characters"
        )
    if kind == "string_too_long":
        return f"must have at most {context['max_length']} characters"
    return f"{_shown(given)} is not allowed: {error['msg'].lower()}"


def _unread(kind: type[Any], path: Path) -> str:
    known, word = list(_keys_at(kind, path[:-1])), str(path[-1])
    there = f"keys here: {', '.join(known)}" if known else "there are no keys here"
    return f'nobody reads "{word}"{did_you_mean(word, known)} ({there})'


def _described(kind: type[Any], path: Path) -> str:
    field = _keys_at(kind, path[:-1]).get(str(path[-1]))
    return (field.description if field is not None else None) or "a value"


def _keys_at(kind: type[Any], path: Path) -> dict[str, FieldInfo]:
    """The keys of what reads the table at `path`; none where that cannot be told."""
    for part in path:
        if isinstance(part, str):
            field = _keys(kind).get(part)
            inner = next(_readers_in(field.annotation), None) if field is not None else None
            if inner is None:
                return {}
            kind = inner
    return _keys(kind)


def _keys(kind: type[Any]) -> dict[str, FieldInfo]:
    """The fields of a model, or of a dataclass, by the key they have in the file."""
    if issubclass(kind, BaseModel):
        return {field.alias or name: field for name, field in kind.model_fields.items()}
    try:
        hints = get_type_hints(kind, include_extras=True)
    except (NameError, TypeError):  # names that only its author knows: its keys are known all the same
        hints = {}
    return {field.name: FieldInfo(annotation=hints.get(field.name, Any)) for field in fields(kind)}


def _readers_in(annotation: Any) -> Iterator[type[Any]]:
    """The models and dataclasses that an annotation names."""
    if isinstance(annotation, type) and (issubclass(annotation, BaseModel) or is_dataclass(annotation)):
        yield annotation
        return
    for inner in get_args(annotation):
        yield from _readers_in(inner)


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

"""Faults that pydantic finds in a TOML document, in words for the file's editor.

The words come from the schema, not from pydantic's messages: what is allowed at a key is read from its annotation, so
that a fault names every limit at once.
"""

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticUndefined

from toml_text.faults import Fault
from toml_text.lines import KeyPath
from toml_text.words import did_you_mean, not_allowed, value_in_words, values_in_words

_UNKNOWN_KEY: Final = ("extra_forbidden", "unexpected_keyword_argument")
_KEY_OF_A_DICT: Final = "[key]"
"""Pydantic's last part of a path whose key, not value, is at fault."""
_LISTS: Final = (list, tuple, set, frozenset)
_TEXT: Final = "a text in quotes"
_PLAIN: Final = {bool: "true, false", int: "a whole number", float: "a number", str: _TEXT, Path: _TEXT}
_ANY: Final = "a value"
_LIMITS: Final = (
    ("ge", "at least {}"),
    ("gt", "above {}"),
    ("le", "at most {}"),
    ("lt", "below {}"),
    ("multiple_of", "a multiple of {}"),
    ("pattern", "of the form {}"),
)
_LENGTHS: Final = (("min_length", "at least"), ("max_length", "at most"))


def schema_faults(kind: type[Any], content: object, error: ValidationError) -> list[Fault]:
    """Return the faults for which `content` cannot be read as `kind`, one for each place.

    `kind`: a pydantic model or a dataclass.
    """
    texts: dict[KeyPath, str] = {}
    for detail in error.errors(include_url=False):
        path, value = _place(content, detail)
        texts.setdefault(path, _in_words(kind, path, value, detail))
    return [Fault(path, text) for path, text in texts.items()]


def _place(content: object, detail: ErrorDetails) -> tuple[KeyPath, object]:
    """The path as the file has it, and the value there: pydantic's path also names the branches of unions."""
    path: KeyPath = ()
    value = content
    for part in detail["loc"]:
        inside = part in value if isinstance(value, dict) else isinstance(value, list) and isinstance(part, int)
        if not inside:
            break
        path, value = (*path, part), value[part]  # type: ignore[index]  # a dict or a list, seen just now
    if detail["type"] == "missing":
        return (*path, detail["loc"][-1]), None
    return path, value


def _in_words(kind: type[Any], path: KeyPath, value: object, detail: ErrorDetails) -> str:
    if detail["type"] in _UNKNOWN_KEY:
        known = list(_keys_at(kind, path[:-1]))
        return f"unknown key; allowed: {values_in_words(known)}{did_you_mean(str(path[-1]), known)}"
    annotation = _annotation_at(kind, path)
    if detail["type"] == "missing":
        field = _keys_at(kind, path[:-1]).get(str(path[-1]))
        described = field.description if field is not None else None
        return f"is missing: give {described}" if described else f"is missing; allowed: {_words(annotation)}"
    if detail["type"] == "value_error":
        return str(detail["ctx"]["error"])
    if detail["type"] == "finite_number":
        return f"{value_in_words(value)} is not allowed; allowed: finite numbers"
    if detail["loc"][-1:] == (_KEY_OF_A_DICT,):
        annotation, value = _keys_of_dict(_annotation_at(kind, path[:-1])), path[-1]
    names = _closed_set(annotation)
    if names:
        return not_allowed(value, names)
    allowed = _words(annotation)
    if allowed == _ANY:  # the schema does not tell: pydantic's own words are better than none
        return f"{value_in_words(value)} is not allowed: {detail['msg'].lower()}"
    return f"{value_in_words(value)} is not allowed; allowed: {allowed}"


# -- the schema at a path


def _annotation_at(kind: type[Any], path: KeyPath) -> Any:
    """The type, with its limits, that the schema gives to the value at `path`; Any where it gives none."""
    annotation: Any = kind
    for part in path:
        annotation = _step(annotation, part)
    return annotation


def _step(annotation: Any, part: str | int) -> Any:
    if _is_section(annotation):
        field = _keys(annotation).get(str(part))
        return Any if field is None else _with_limits(field)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is dict:
        return arguments[1]
    if origin in _LISTS:
        return arguments[0]
    inner = (_step(argument, part) for argument in arguments if get_args(argument) or _is_section(argument))
    return next((found for found in inner if found is not Any), Any)


def _keys_at(kind: type[Any], path: KeyPath) -> dict[str, FieldInfo]:
    """The keys of the table at `path`; none where the schema does not tell."""
    section = next(_sections_in(_annotation_at(kind, path)), None)
    return {} if section is None else _keys(section)


def _keys(section: type[Any]) -> dict[str, FieldInfo]:
    """The fields of a model or a dataclass, by their keys in the file."""
    if issubclass(section, BaseModel):
        return {field.alias or name: field for name, field in section.model_fields.items()}
    try:
        hints = get_type_hints(section, include_extras=True)
    except (NameError, TypeError):  # an adapter's class may name types that only its module knows
        hints = {}
    return {field.name: FieldInfo.from_annotation(hints.get(field.name, Any)) for field in fields(section)}


def _with_limits(field: FieldInfo) -> Any:
    return Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation


def _is_section(annotation: Any) -> bool:
    return isinstance(annotation, type) and (issubclass(annotation, BaseModel) or is_dataclass(annotation))


def _sections_in(annotation: Any) -> Iterator[type[Any]]:
    """The models and dataclasses that an annotation names."""
    if _is_section(annotation):
        yield annotation
    for inner in get_args(annotation):
        yield from _sections_in(inner)


def _keys_of_dict(annotation: Any) -> Any:
    """The type of a dict's keys."""
    bare = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    return next(iter(get_args(bare)), Any)


# -- a type in words


def _closed_set(annotation: Any) -> list[str]:
    """Every value, if the type is a closed set of names; otherwise nothing."""
    if get_origin(annotation) is Literal:
        return [str(value) for value in get_args(annotation)]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [str(member.value) for member in annotation]
    if get_origin(annotation) is Annotated:
        return _closed_set(get_args(annotation)[0])
    if get_origin(annotation) not in (Union, UnionType):
        return []
    parts = [_closed_set(argument) for argument in get_args(annotation) if argument is not NoneType]
    return [name for part in parts for name in part] if all(parts) else []


def _words(annotation: Any) -> str:
    names = _closed_set(annotation)
    if names:
        return values_in_words(names)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return ", ".join([_words(_as_written(arguments)), *_limits(arguments[0], arguments[1:])])
    if origin in _LISTS:
        return f"a list [ … ] of ({_words(arguments[0])})"
    if origin is dict:
        return "a table of keys and values"
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(_words(argument) for argument in arguments if argument is not NoneType))
    if _is_section(annotation):
        return f"a table with the keys {values_in_words(_keys(annotation))}"
    return _PLAIN.get(annotation, _ANY)


def _as_written(arguments: tuple[Any, ...]) -> Any:
    """The type that the file has: a validator in front may turn it into another (`json_schema_input_type`)."""
    written = (getattr(part, "json_schema_input_type", PydanticUndefined) for part in arguments[1:])
    return next((kind for kind in written if kind is not PydanticUndefined), arguments[0])


def _limits(kind: Any, metadata: Iterable[Any]) -> Iterator[str]:
    for limit in metadata:
        if isinstance(limit, FieldInfo):
            yield from _limits(kind, limit.metadata)
            continue
        for name, words in _LIMITS:
            if getattr(limit, name, None) is not None:
                yield words.format(getattr(limit, name))
        for name, words in _LENGTHS:
            length = getattr(limit, name, None)
            if length is not None:
                yield _length(words, length, "character" if _is_text(kind) else "entry")


def _is_text(kind: Any) -> bool:
    return kind is str or (get_origin(kind) in (Union, UnionType) and str in get_args(kind))


def _length(words: str, length: int, of: str) -> str:
    """
    >>> _length("at least", 1, "entry"), _length("at most", 40, "character"), _length("at least", 1, "character")
    ('at least 1 entry', 'at most 40 characters', 'not empty')
    """
    if (words, length, of) == ("at least", 1, "character"):
        return "not empty"
    plural = {"character": "characters", "entry": "entries"}[of]
    return f"{words} {length} {of if length == 1 else plural}"

"""What is wrong with a rulebook, said so that it can be put right: key, what, what is allowed, what may be meant."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from toml_text.lines import Path

_LONGEST_SHOWN: Final = 60
_LIMITS: Final = (("ge", "at least {}"), ("gt", "above {}"), ("le", "at most {}"), ("lt", "below {}"))
_LENGTHS: Final = (("min_length", "at least {} characters"), ("max_length", "at most {} characters"))
_PLAIN: Final = {bool: "true, false", int: "a whole number", float: "a number", str: "a text"}


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. `path`: the key's path from the book's root; the list positions in it count from 0."""

    path: Path
    what: str

    def below(self, *path: str | int) -> "Fault":
        """The same fault, seen from further up."""
        return Fault((*path, *self.path), self.what)


def key_of(path: Path) -> str:
    """A key path as a person writes it: dotted, without list positions."""
    return ".".join(part for part in path if isinstance(part, str))


def shown(value: object) -> str:
    """A value as its file has it, cut short."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        text = f'"{value}"'
    elif isinstance(value, dict):
        text = "a table"
    elif isinstance(value, list | tuple):
        text = f"[{', '.join(map(shown, value))}]"
    else:
        text = str(value)
    text = "".join(letter if letter.isprintable() else "�" for letter in text)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


def listed(values: Iterable[object]) -> str:
    """Values in a row: `52, 48, 44`; `nothing` where there are none."""
    return ", ".join(map(str, values)) or "nothing"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean "flop"?` where a known word is near, else nothing."""
    near = get_close_matches(word[:_LONGEST_SHOWN], list(known), n=1)
    return f'; did you mean "{near[0]}"?' if near else ""


def not_allowed(value: object, allowed: Sequence[str]) -> str:
    """A value outside a closed set: what is allowed, and what may have been meant."""
    meant = did_you_mean(value, allowed) if isinstance(value, str) else ""
    return f"{shown(value)} is not allowed; allowed: {listed(allowed)}{meant}"


def schema_faults(model: type[BaseModel], content: object, error: ValidationError) -> list[Fault]:
    """Pydantic's findings on `content`, read as `model`: one fault a place, in the words of who edits the file."""
    found: dict[Path, str] = {}
    for detail in error.errors(include_url=False):
        path, value = _place(content, detail)
        found.setdefault(path, _in_words(model, path, value, detail))
    return [Fault(path, what) for path, what in found.items()]


def _place(content: object, detail: ErrorDetails) -> tuple[Path, object]:
    """The path as the file has it: pydantic's own also names the branches of its unions."""
    path: Path = ()
    value = content
    for part in detail["loc"]:
        inside = part in value if isinstance(value, dict) else isinstance(value, list) and isinstance(part, int)
        if not inside:
            break
        path, value = (*path, part), value[part]  # type: ignore[index]  # a dict or a list, seen just now
    if detail["type"] == "missing":
        return (*path, detail["loc"][-1]), None
    return path, value


def _in_words(model: type[BaseModel], path: Path, value: object, detail: ErrorDetails) -> str:
    if detail["type"] == "extra_forbidden":
        section = next(iter(_models_in(_annotation_at(model, path[:-1]))), model)
        known = list(section.model_fields)
        return f"unknown key; allowed: {listed(known)}{did_you_mean(str(path[-1]), known)}"
    annotation = _annotation_at(model, path)
    if detail["type"] == "missing":
        return f"is missing; allowed: {_words(annotation)}"
    if detail["type"] == "value_error":
        return f"{shown(value)} is not allowed: {detail['ctx']['error']}"
    names = _closed_set(annotation)
    return not_allowed(value, names) if names else f"{shown(value)} is not allowed; allowed: {_words(annotation)}"


def _annotation_at(model: type[BaseModel], path: Path) -> Any:
    """The type, with its limits, that the schema gives to the value at `path`."""
    annotation: Any = model
    for part in path:
        annotation = _step(annotation, part)
    return annotation


def _step(annotation: Any, part: str | int) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        field = annotation.model_fields.get(str(part))
        if field is None:
            return Any
        return Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
    arguments = get_args(annotation)
    if get_origin(annotation) is dict:
        return arguments[1]
    if get_origin(annotation) is tuple:
        return arguments[0]
    inner = (_step(argument, part) for argument in arguments if get_args(argument))
    return next(inner, Any)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation


def _closed_set(annotation: Any) -> list[str]:
    """Every value, if the type is a closed set of names; else nothing."""
    if get_origin(annotation) is Literal:
        return [str(value) for value in get_args(annotation)]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [str(member.value) for member in annotation]
    if get_origin(annotation) not in (Union, UnionType):
        return []
    parts = [_closed_set(argument) for argument in get_args(annotation) if argument is not NoneType]
    return [name for part in parts for name in part] if all(parts) else []


def _words(annotation: Any) -> str:
    """A type in words."""
    names = _closed_set(annotation)
    if names:
        return listed(names)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return ", ".join([_words(arguments[0]), *_limits(arguments[1:])])
    if origin is tuple:
        return f"a list [ … ] of ({_words(arguments[0])})"
    if origin is dict:
        return "a table of keys and values"
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(_words(argument) for argument in arguments if argument is not NoneType))
    for section in _models_in(annotation):
        return f"a table with the keys {listed(section.model_fields)}"
    return _PLAIN.get(annotation, "a value")


def _limits(metadata: Iterable[Any]) -> Iterator[str]:
    for limit in metadata:
        for name, words in (*_LIMITS, *_LENGTHS):
            if getattr(limit, name, None) is not None:
                yield words.format(getattr(limit, name))
        if getattr(limit, "pattern", None) is not None:
            yield f"of the form {limit.pattern}"

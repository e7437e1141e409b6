"""Values of the door as JSON, and back, checked against their types.

Dataclasses are objects by field, members of a StrEnum their text, bytes hexadecimal, tuples arrays. A mapping whose
type names no fields of its own here (a TypedDict, or `Any`) is passed on as the JSON that it is.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from feltd.door.bounds import Bound
from feltd.door.commands import OutOfBounds
from feltd.door.wire.errors import WireError

Decode = Callable[[Any, str, bool], Any]
"""(JSON value, its place in words, whether unknown fields are refused) → the value. Raises WireError."""


# -- writing


def to_json(value: Any) -> bytes:
    """Write a value as JSON in ASCII, without a line end.

    Raises WireError where the value is no data.
    """
    try:
        return _ENCODER.encode(value).encode("ascii")
    except (TypeError, ValueError, RecursionError) as fault:
        raise WireError(f"this value cannot be sent ({fault})", type(value).__name__, "report it as a fault") from None


def _plain(value: Any) -> Any:
    """One step from an object to JSON data; the encoder does the rest."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: getattr(value, name) for name in _names(type(value))}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"{type(value).__name__} is no data")


_ENCODER: Final = json.JSONEncoder(check_circular=False, allow_nan=False, separators=(",", ":"), default=_plain)


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


# -- reading


def parse(line: bytes) -> Any:
    """JSON data of one line. Raises WireError."""
    try:
        return json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError) as fault:
        raise WireError(f"no JSON ({fault})") from None


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def from_json(kind: Any, data: Any, where: str = "", *, strict: bool = False) -> Any:
    """Return the value of type `kind` that JSON data means.

    `strict`: fields that the type does not have are refused, and what is beyond the bounds that the type gives
    (`Annotated`); otherwise such fields are passed over, so that a newer sender is understood. Raises WireError, and
    OutOfBounds.
    """
    return _decoder(kind)(data, where or getattr(kind, "__name__", str(kind)), strict)


@cache
def _decoder(kind: Any) -> Decode:
    simple = _SIMPLE.get(kind)
    if simple is not None:
        return simple
    origin = get_origin(kind)
    if origin is Annotated:
        inside, *bounds = get_args(kind)
        return _bounded(_decoder(inside), tuple(bounds))
    if origin in (Union, UnionType):
        return _one_of(get_args(kind))
    if origin is tuple:
        return _tuple(get_args(kind))
    if origin is Literal:
        return _word({text: text for text in get_args(kind)})
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(*map(_decoder, get_args(kind)))
    if is_typeddict(kind) or _is_newer_typeddict(kind):
        return _mapping(_text, _anything)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _word({member.value: member for member in kind})
    if is_dataclass(kind) and isinstance(kind, type):
        return _object(kind)
    raise TypeError(f"{kind} cannot pass the door")


def _is_newer_typeddict(kind: Any) -> bool:
    """Whether this is a TypedDict of typing_extensions, which `typing` does not know before Python 3.12."""
    return isinstance(kind, type) and issubclass(kind, dict) and hasattr(kind, "__total__")


def _anything(data: Any, where: str, strict: bool) -> Any:
    return data


def _text(data: Any, where: str, strict: bool) -> str:
    if not isinstance(data, str):
        raise WireError("must be a text", where)
    if not data.isascii():
        try:
            data.encode()
        except UnicodeEncodeError:  # half of a surrogate pair: nothing could write it down
            raise WireError("must be a text that UTF-8 can hold", where) from None
    return data


def _whole(data: Any, where: str, strict: bool) -> int:
    if not isinstance(data, int) or isinstance(data, bool):
        raise WireError("must be a whole number", where)
    return data


def _number(data: Any, where: str, strict: bool) -> float:
    if not isinstance(data, int | float) or isinstance(data, bool):
        raise WireError("must be a number", where)
    try:
        number = float(data)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise WireError("must be a number of ordinary size", where)
    return number


def _truth(data: Any, where: str, strict: bool) -> bool:
    if not isinstance(data, bool):
        raise WireError("must be true or false", where)
    return data


def _octets(data: Any, where: str, strict: bool) -> bytes:
    try:
        return bytes.fromhex(_text(data, where, strict))
    except ValueError:
        raise WireError("must be hexadecimal", where) from None


def _nothing(data: Any, where: str, strict: bool) -> None:
    if data is not None:
        raise WireError("must be null", where)


_SIMPLE: Final[Mapping[Any, Decode]] = {
    Any: _anything, str: _text, int: _whole, float: _number, bool: _truth, bytes: _octets, NoneType: _nothing,
    None: _nothing,
}  # fmt: skip


def _one_of(kinds: tuple[Any, ...]) -> Decode:
    """One kind or null; mappings whose fields are not looked at are one kind, and so are scalars."""
    others = {kind for kind in kinds if kind is not NoneType}
    if len(others) > 1 and others <= _SCALARS:
        decode = _scalar(tuple(kind for kind in kinds if kind in others))
    elif all(_free(kind) for kind in others):
        decode = _mapping(_text, _anything)
    elif len(others) == 1:
        decode = _decoder(others.pop())
    else:
        raise TypeError(f"{kinds}: JSON would not tell one from the other")
    may_be_null = NoneType in kinds

    def decoded(data: Any, where: str, strict: bool) -> Any:
        return None if data is None and may_be_null else decode(data, where, strict)

    return decoded


_SCALARS: Final = frozenset({str, int, bool})


def _scalar(kinds: tuple[Any, ...]) -> Decode:
    def decoded(data: Any, where: str, strict: bool) -> Any:
        kind: Any = type(data)
        if kind not in kinds:
            raise WireError(f"must be one of {', '.join(one.__name__ for one in kinds)}", where)
        return _decoder(kind)(data, where, strict)

    return decoded


def _free(kind: Any) -> bool:
    return is_typeddict(kind) or _is_newer_typeddict(kind)


def _tuple(kinds: tuple[Any, ...]) -> Decode:
    any_length = len(kinds) == 2 and kinds[1] is Ellipsis
    decoders = [_decoder(kind) for kind in kinds if kind is not Ellipsis]

    def decoded(data: Any, where: str, strict: bool) -> tuple[Any, ...]:
        if not isinstance(data, list):
            raise WireError("must be a list", where)
        if any_length:
            return tuple(decoders[0](item, f"{where}[{n}]", strict) for n, item in enumerate(data))
        if len(data) != len(decoders):
            raise WireError(f"must be a list of {len(decoders)}", where)
        return tuple(decode(data[n], f"{where}[{n}]", strict) for n, decode in enumerate(decoders))

    return decoded


def _mapping(key: Decode, item: Decode) -> Decode:
    def decoded(data: Any, where: str, strict: bool) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise WireError("must be an object", where)
        if item is _anything:
            return data
        return {
            key(name, f"{where}: a name", strict): item(value, f"{where}.{name}", strict)
            for name, value in data.items()
        }

    return decoded


def _bounded(decode: Decode, bounds: tuple[Bound, ...]) -> Decode:
    def decoded(data: Any, where: str, strict: bool) -> Any:
        value = decode(data, where, strict)
        if strict:
            for bound in bounds:
                if (why := bound.refusal(value)) is not None:
                    raise OutOfBounds(f"{where}: {why}")
        return value

    return decoded


def _word(members: Mapping[Any, Any]) -> Decode:
    def decoded(data: Any, where: str, strict: bool) -> Any:
        if not isinstance(data, str) or data not in members:
            raise WireError(f"must be one of {', '.join(map(str, members))}", where)
        return members[data]

    return decoded


def _object(kind: type) -> Decode:
    hints = get_type_hints(kind, include_extras=True)
    parts = {field.name: _decoder(hints[field.name]) for field in fields(kind)}
    needed = {field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING}

    def decoded(data: Any, where: str, strict: bool) -> Any:
        if not isinstance(data, dict):
            raise WireError("must be an object", where)
        missing = needed - data.keys()
        if missing:
            raise WireError(f"lacks {', '.join(sorted(missing))}", where)
        if strict and (unknown := data.keys() - parts.keys()):
            raise WireError(f"has {len(unknown)} fields that nobody here knows", where)
        return kind(
            **{name: parts[name](value, f"{where}.{name}", strict) for name, value in data.items() if name in parts}
        )

    return decoded

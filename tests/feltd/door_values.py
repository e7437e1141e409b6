"""Values of the types that pass the door, within their bounds and just beyond one of them."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from feltd.door.bounds import Bound, Each, Fields, Number, OneOf, Text
from feltd.record import Span

EXAMPLES: Final = int(os.environ.get("FELTD_DOOR_EXAMPLES", "10"))
"""How many random values of each call and message are tried: others each time. More for somebody who changes the door:
`FELTD_DOOR_EXAMPLES=200 python -m pytest tests/feltd/test_door_wire.py tests/feltd/test_door_bounds.py`."""
LARGEST = 2**63 - 1
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
numbers = st.floats(allow_nan=False, allow_infinity=False)
wholes = st.integers(-LARGEST, LARGEST)
anything = st.recursive(
    st.none() | st.booleans() | wholes | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
SIMPLE: dict[Any, st.SearchStrategy[Any]] = {
    str: texts, int: wholes, float: numbers, bool: st.booleans(), bytes: st.binary(max_size=8), NoneType: st.none(),
    None: st.none(), Any: anything,
}  # fmt: skip


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a type that passes the door, within their bounds."""
    if kind in SIMPLE:
        return SIMPLE[kind]
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _within(inside[0], inside[1])
    if origin in (Union, UnionType):
        return st.one_of(*map(values, inside))
    if origin is tuple and inside[1:] == (...,):
        return st.lists(values(inside[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(values, inside))
    if origin is Literal:
        return st.sampled_from(inside)
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind, include_extras=True)
        return st.builds(kind, **{field.name: values(hints[field.name]) for field in fields(kind)})
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(list(kind))
    name, item = (values(inside[0]), values(inside[1])) if inside else (texts, anything)
    return st.dictionaries(name, item, max_size=2)  # a mapping, or a TypedDict, whose fields nobody here looks at


def _within(kind: Any, bound: Bound) -> st.SearchStrategy[Any]:
    match bound:
        case Text(most, least):
            letters = st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"])
            return st.text(letters, min_size=least, max_size=most)
        case Number(least, most) if kind is int:
            return st.integers(int(least), int(most))
        case Number(least, most):
            return st.floats(least, most)
    return values(kind).filter(lambda value: bound.refusal(value) is None)


class Place:
    """A field in what is asked, with the bound that it has; None for none. `path`: from the outermost object."""

    def __init__(self, path: tuple[str, ...], kind: Any, bound: Bound | None) -> None:
        self.path = path
        self.kind = kind
        self.bound = bound

    def __repr__(self) -> str:
        return ".".join(self.path)


def places(kind: Any, path: tuple[str, ...] = (), bound: Bound | None = None) -> Iterator[Place]:
    """Each place in a type where a text, a number, or any number of things may come."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Annotated:
        yield from places(inside[0], path, inside[1])
    elif origin in (Union, UnionType):
        for one in inside:
            yield from places(one, path)
    elif origin is tuple and inside[1:] == (...,):
        yield Place(path, kind, bound)
        yield from places(inside[0], (*path, "[]"))
    elif origin is not None and issubclass(origin, Mapping):
        yield Place(path, kind, bound)
        if inside[1] is not Any:
            yield from places(inside[0], (*path, "{name}"))
            yield from places(inside[1], (*path, "{}"))
    elif isinstance(bound, Fields):
        yield from _of_fields(kind, path, bound)
    elif is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind, include_extras=True)
        for field in fields(kind):
            yield from places(hints[field.name], (*path, field.name))
    elif kind not in (bool, NoneType) and not (isinstance(kind, type) and issubclass(kind, Enum)):
        assert kind in SIMPLE, f"{path}: an object whose fields nobody looks at"
        yield Place(path, kind, bound)


def _of_fields(kind: Any, path: tuple[str, ...], bound: Fields) -> Iterator[Place]:
    assert kind is Span
    known = dict(bound.bounds)
    for place in places(kind):
        yield Place((*path, *place.path), place.kind, known.get(place.path[0]))


def beyond(bound: Bound) -> list[Any]:
    """Values, as JSON has them, that are just beyond a bound."""
    match bound:
        case Text(most, least):
            return ["x" * (most + 1), "a\x1b[2J"[: most + 1], *(["x" * (least - 1)] if least else [])]
        case Number(least, most):
            return [least - 1 if least > -(2**52) else least * 2, most + 1 if most < 2**52 else most * 2]
        case OneOf():
            return ["nothing of the kind"]
        case Each(item, most, name):
            few = beyond(item)[-1:]
            many = [1] * (most + 1)
            if name is None:
                return [few, many]
            return [{"1": few[0]}, {"nobody": 0}, dict(enumerate(many))]
    raise AssertionError(f"{bound}: say what is beyond it")

"""Make dataclasses without writing and compiling a program for each of their methods."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any, Final

_Method = Callable[..., Any]
_shown: Final[set[tuple[int, int]]] = set()
"""The objects that are being shown, each with the thread that shows it: what holds itself ends in "..." there."""


def _shows(fields: "Sequence[dataclasses.Field[Any]]", _globals: object) -> _Method:
    names = tuple(field.name for field in fields)

    def __repr__(self: object) -> str:  # noqa: N807 - its name is what Python gives the class
        key = id(self), get_ident()
        if key in _shown:
            return "..."
        _shown.add(key)
        try:
            told = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
            return f"{self.__class__.__qualname__}({told})"
        finally:
            _shown.discard(key)

    return __repr__


def _refuses(cls: type[Any], fields: "Sequence[dataclasses.Field[Any]]", _globals: object) -> tuple[_Method, _Method]:
    names = tuple(field.name for field in fields)

    def __setattr__(self: object, name: str, value: object) -> None:  # noqa: N807
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: object, name: str) -> None:  # noqa: N807
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return __setattr__, __delattr__


_OURS: Final[dict[str, tuple[tuple[str, ...], _Method]]] = {
    "_repr_fn": (("fields", "globals"), _shows),
    "_frozen_get_del_attr": (("cls", "fields", "globals"), _refuses),
}
"""By the name of Python's own maker of a method: what it takes, and what makes the same method here."""


_ANY: Final = "_create_fn"
"""The name of what compiles each method that Python writes as a text, and what it takes."""
_ANY_TAKES: Final = ("name", "args", "body")


def _when_called(compiled: _Method) -> _Method:
    """What takes the place of `compiled`, and compiles a method when it is called for the first time."""

    def make(name: str, args: object, body: object, **more: object) -> _Method:
        method: _Method | None = None

        def waiting(self: object, /, *given: Any, **named: Any) -> Any:
            nonlocal method
            if method is None:
                method = compiled(name, args, body, **more)
                method.__qualname__ = waiting.__qualname__
                for cls in type(self).__mro__:
                    if vars(cls).get(name) is waiting:
                        setattr(cls, name, method)
            return method(self, *given, **named)

        waiting.__name__ = name
        return waiting

    return make


@contextmanager
def quick_dataclasses(*, when_called: bool = False) -> Iterator[None]:
    """Within the block, give dataclasses the methods that show them and that refuse to change them as closures.

    Python writes each of these methods as a text, and compiles it: for a table's four hundred dataclasses a thousand
    texts, a tenth of what loading takes, and the memory of as many programs. The methods do the same. Those that are
    asked often (`__init__`, `__eq__`, `__hash__`) stay Python's. A Python whose makers take something else makes all.

    `when_called`: Python compiles those too when they are called for the first time, and not before. Of a program that
    ends soon most are never called. A table compiles them as it starts: an event must not wait for that.
    """
    theirs = vars(dataclasses)
    before = {name: theirs.get(name) for name in _OURS}
    if any(_takes(before[name]) != takes for name, (takes, _) in _OURS.items()):
        yield
        return
    theirs.update({name: maker for name, (_, maker) in _OURS.items()})
    if when_called and _takes(theirs.get(_ANY)) == _ANY_TAKES:
        before[_ANY] = theirs[_ANY]
        theirs[_ANY] = _when_called(theirs[_ANY])
    try:
        yield
    finally:
        theirs.update(before)


def _takes(maker: Any) -> tuple[str, ...]:
    code = getattr(maker, "__code__", None)
    return () if code is None else tuple(code.co_varnames[: code.co_argcount])

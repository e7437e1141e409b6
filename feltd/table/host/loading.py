"""How the table's process, and a replay, load what they need: quickly, and nothing that they never use."""

import gc
import sys
import typing
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from feltd.table.host.quick_dataclasses import quick_dataclasses

_PLUGINS: Final = "pydantic.plugin._loader"


@contextmanager
def uncollected(*, for_good: bool = False, for_a_command: bool = False) -> Iterator[None]:
    """Leave cycles uncollected within the block, for what loads and stays: modules, rulebooks.

    The collector finds next to nothing then, and takes a twentieth of a start. `for_good`: it looks once at the end of
    the block, and never again at what stays. Else it does so twice more in a start, and now and then in play.
    `for_a_command`: it never looks at what stays. Else the interpreter looks through all of it as it ends, which takes
    a fifth of a short command. Both are for a process that is this program's own: what becomes a cycle of these later
    is not freed.
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if for_good:
            gc.collect()  # half a mebibyte: the classes that dataclasses with slots take the place of
        if for_good or for_a_command:
            gc.freeze()
        if before:
            gc.enable()


@contextmanager
def loading_for_a_command() -> Iterator[None]:
    """Within the block, load what a command needs that does one thing and ends: loading is most of its time.

    No cycle is collected, methods of dataclasses are compiled when they are called, and pydantic loads without plugins
    and fields of schemas. It is for a process that is this program's own.
    """
    with uncollected(for_a_command=True), quick_dataclasses(when_called=True):
        load_without_plugins()
        load_without_fields_of_schemas()
        yield


def load_for_a_table() -> None:
    """Load what is loaded otherwise in a table's process. Call it before the modules of the table itself."""
    load_without_openssl()
    load_without_archives()
    load_without_plugins()
    load_without_fields_of_schemas()


def load_without_openssl() -> None:
    """Load asyncio and hashlib without OpenSSL, which takes four mebibytes.

    The table opens no network connection, and Python digests by itself: 1 µs more for an entry of 300 bytes. Both go
    without where OpenSSL's modules cannot be imported. An adapter that imports `ssl` afterwards has it. What is loaded
    already stays as it is.
    """
    _load_without("asyncio", "ssl")
    _load_without("hashlib", "_hashlib")
    _load_without("hmac", "_hashlib")


def load_without_archives() -> None:
    """Load shutil without what packs archives: 0.3 MiB, for what a table never does. An adapter that imports `lzma`
    afterwards has it; it packs none of those by shutil. What is loaded already stays as it is."""
    _load_without("shutil", "bz2", "lzma")


def load_without_plugins() -> None:
    """Have pydantic look for no plugins of its own: a table has none, and its process runs no code that it did not ask.

    To look for them, pydantic asks each installed package, and loads what reads e-mails and archives: 1.2 MiB. In the
    place of the module that looks stands one that finds none. A pydantic that looks elsewhere costs that memory again.
    """
    finder = ModuleType(_PLUGINS)
    finder.get_plugins = tuple  # type: ignore[attr-defined]  # gives ()
    sys.modules.setdefault(_PLUGINS, finder)


class _Words(dict[str, Any]):
    """What stands in the place of TypedDict: a class of its own for each kind of mapping, without its fields."""

    __slots__ = ()

    def __init_subclass__(cls, *, total: bool = True) -> None:
        cls.__annotations__ = {}

    def __new__(cls, *given: Any, **named: Any) -> Any:
        return dict(*given, **named)


def load_without_fields_of_schemas() -> None:
    """Load pydantic's core without the types of its schemas' fields: 0.3 MiB, and seven milliseconds of a start.

    pydantic describes each kind of schema by a TypedDict, which keeps the type of each field as a small program.
    Type checkers alone read them. What is loaded already stays as it is. TypedDict is Python's own again afterwards.
    """
    if "pydantic_core" in sys.modules:
        return
    homes = (typing, import_module("typing_extensions"))
    before = [home.TypedDict for home in homes]
    try:
        for home in homes:
            home.TypedDict = _Words  # type: ignore[attr-defined]
        import_module("pydantic_core")
    finally:
        for home, own in zip(homes, before, strict=True):
            home.TypedDict = own  # type: ignore[attr-defined]


def _load_without(name: str, *missing: str) -> None:
    if name in sys.modules or any(one in sys.modules for one in missing):
        return
    for one in missing:
        sys.modules[one] = None  # type: ignore[assignment]  # what `import` takes for a module that is not there
    try:
        import_module(name)
    finally:
        for one in missing:
            del sys.modules[one]

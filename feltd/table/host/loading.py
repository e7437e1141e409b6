"""How the table's process, and a replay, load what they need: quickly, and nothing that they never use."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Final

_PLUGINS: Final = "pydantic.plugin._loader"


@contextmanager
def uncollected() -> Iterator[None]:
    """Leave cycles uncollected within the block, for what loads and stays: modules, rulebooks.

    The collector finds next to nothing then, and takes a twentieth of a start.
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def load_without_openssl() -> None:
    """Load asyncio and hashlib without OpenSSL, which takes four mebibytes.

    The table opens no network connection, and Python digests by itself: 1 µs more for an entry of 300 bytes. Both go
    without where OpenSSL's modules cannot be imported. An adapter that imports `ssl` afterwards has it. What is loaded
    already stays as it is.
    """
    _load_without("asyncio", missing="ssl")
    _load_without("hashlib", missing="_hashlib")
    _load_without("hmac", missing="_hashlib")


def load_without_plugins() -> None:
    """Have pydantic look for no plugins of its own: a table has none, and its process runs no code that it did not ask.

    To look for them, pydantic asks each installed package, and loads what reads e-mails and archives: 1.2 MiB. In the
    place of the module that looks stands one that finds none. A pydantic that looks elsewhere costs that memory again.
    """
    finder = ModuleType(_PLUGINS)
    finder.get_plugins = tuple  # type: ignore[attr-defined]  # gives ()
    sys.modules.setdefault(_PLUGINS, finder)


def _load_without(name: str, missing: str) -> None:
    if missing in sys.modules or name in sys.modules:
        return
    sys.modules[missing] = None  # type: ignore[assignment]  # what `import` takes for a module that is not there
    try:
        import_module(name)
    finally:
        del sys.modules[missing]

"""How the table's process loads what it needs: quickly, and nothing that it never uses."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_TLS: Final = "ssl"


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


def load_asyncio_without_tls() -> None:
    """Load asyncio without OpenSSL: the table opens no network connection, and OpenSSL takes a mebibyte.

    asyncio goes without where `ssl` cannot be imported. An adapter that imports `ssl` afterwards has it. Does nothing
    where either is loaded.
    """
    if _TLS in sys.modules or "asyncio" in sys.modules:
        return
    sys.modules[_TLS] = None  # type: ignore[assignment]  # what `import` takes for a module that is not there
    try:
        import asyncio  # noqa: F401 - for its place among the modules
    finally:
        del sys.modules[_TLS]

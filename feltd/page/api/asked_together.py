"""One answer for all who ask for the same at the same time."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Generic, TypeVar

_K = TypeVar("_K")
_T = TypeVar("_T")


class AskedTogether(Generic[_K, _T]):
    """What is made once for all that a person asks of it at the same time.

    A page of trends asks for all its pictures at once: more than the questions that one person may have open.
    """

    def __init__(self) -> None:
        self._making: dict[_K, asyncio.Task[_T]] = {}

    async def answer(self, key: _K, make: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        """Return what `make` returns, or what it will return to somebody else of this key. Raises what it raises."""
        making = self._making.get(key)
        if making is None:
            making = self._making[key] = asyncio.get_running_loop().create_task(make(), name="asked together")
            making.add_done_callback(partial(self._made, key))
        return await asyncio.shield(making)

    def _made(self, key: _K, task: "asyncio.Task[_T]") -> None:
        del self._making[key]
        if not task.cancelled():
            task.exception()  # where all who asked have gone, the loop would tell of it as nobody's

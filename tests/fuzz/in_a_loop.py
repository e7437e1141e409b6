"""Inputs judged within an event loop that is theirs."""

import asyncio
import logging
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Any

from tests.fuzz.target import Judge

Scene = Callable[[bytes], Coroutine[Any, Any, None]]


class _Faults(logging.Handler):
    """What is logged as an error, by any part."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(self.format(record))


@contextmanager
def judged_in_a_loop(opened: Callable[[Path], AbstractAsyncContextManager[Scene]]) -> Iterator[Judge]:
    """Judge inputs by a scene in a loop of its own; what the loop or a log calls an error is a finding."""
    faults, log = _Faults(), logging.getLogger()
    with tempfile.TemporaryDirectory(prefix="feltd-fuzz-") as folder, asyncio.Runner() as runner:
        loop = runner.get_loop()
        loop.set_exception_handler(lambda _, context: faults.said.append(str(context)))
        place = opened(Path(folder))
        scene = runner.run(place.__aenter__())
        log.addHandler(faults)

        def judge(data: bytes) -> None:
            faults.said.clear()
            runner.run(scene(data))
            assert not faults.said, faults.said

        try:
            yield judge
        finally:
            log.removeHandler(faults)
            runner.run(place.__aexit__(None, None, None))

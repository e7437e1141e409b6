"""What coverage need not see again."""

import sys
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Final

_SEEN: Final[set[Hashable]] = set()


@contextmanager
def traced_once(what: Hashable) -> Iterator[None]:
    """What is done within is traced the first time in this process, and not again: it goes where it went.

    For what each test of a kind makes anew. A page's routes take longer to make than most questions to answer, and
    three times as long under coverage.
    """
    tracer = sys.gettrace()
    if what in _SEEN:
        sys.settrace(None)
    try:
        yield
        _SEEN.add(what)  # what has failed is traced again
    finally:
        sys.settrace(tracer)

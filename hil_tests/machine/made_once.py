"""What takes minutes to get is got once, by whoever wants it first: all others wait for it."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def made_once(place: Path) -> Iterator[None]:
    """Be the only process that makes what lies at a place, or beside a name of it, for as long as the block runs.

    Without it a suite would make once more what `hil_tests.prepare` is making at that moment.
    """
    place.parent.mkdir(exist_ok=True)
    with place.with_name(f"{place.name}-in-use").open("w") as mark:
        fcntl.flock(mark, fcntl.LOCK_EX)
        yield

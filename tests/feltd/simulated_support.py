"""A simulated table as a person starts it, in a process of its own, with its page."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.feltd.table_support import HOLDEM

PACE = "20"


@contextmanager
def simulated_table(folder: Path, *, book: str = HOLDEM, more: tuple[str, ...] = ()) -> Iterator[str]:
    """Its address, without a slash at the end. The dealer makes no mistakes of their own."""
    words = ("--port", "0", "--pace", PACE, "--mistakes", "0", "--seed", "3", "--book", book, "--folder", str(folder))
    command = [sys.executable, "-m", "feltd.cli", "simulate", *words, *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = re.search(r"http://[^/\s]+", process.stdout.readline())
            assert address is not None
            yield address[0]
        finally:
            process.terminate()
            process.communicate()

"""The files of an upgrade, written again and again as dpkg writes them: `python -m tests.bench.upgrader FOLDER`.

The files are those of the libraries that this Python has, `MOST` bytes of them at most. Each is written beside its
name, all are synced, and each then takes its name. A line when the first are written, and a JSON line at the end of the
input: how many files and bytes there were.
"""

import json
import os
import sys
import sysconfig
from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path
from threading import Event, Thread
from typing import Final

MOST: Final = 100 << 20
"""Some more than what the package puts on a board."""
TOGETHER: Final = 200
"""Files that are synced and renamed together."""


def files(root: Path, most: int) -> list[Path]:
    """The files of a folder in the order of their names, as many as come to at most so many bytes."""
    found, size = [], 0
    for file in sorted(root.rglob("*")):
        if not file.is_file():
            continue
        size += file.stat().st_size
        if size > most:
            break
        found.append(file)
    return found


def write_together(sources: list[Path], folder: Path, first: int) -> int:
    """Write these as files numbered from `first` on; return how many bytes they have."""
    new = [folder / f"{first + number}.new" for number in range(len(sources))]
    size = 0
    for source, target in zip(sources, new, strict=True):
        data = source.read_bytes()
        target.write_bytes(data)
        size += len(data)
    for target in new:
        place = os.open(target, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)
        target.rename(target.with_suffix(""))
    return size


def _parts(sources: list[Path]) -> Iterator[tuple[int, list[Path]]]:
    for first in range(0, len(sources), TOGETHER):
        yield first, sources[first : first + TOGETHER]


def _wait_for_the_end(over: Event) -> None:
    sys.stdin.read()
    over.set()


def _run(folder: Path) -> None:
    sources = files(Path(sysconfig.get_path("purelib")), MOST)
    over = Event()
    Thread(target=_wait_for_the_end, args=(over,), daemon=True).start()
    number = size = 0
    for first, part in chain.from_iterable(_parts(sources) for _ in count()):
        size += write_together(part, folder, first)
        number += len(part)
        if number == len(part):
            sys.stdout.write("begun\n")
            sys.stdout.flush()
        if over.is_set():
            break
    sys.stdout.write(json.dumps({"files": number, "bytes": size}) + "\n")


if __name__ == "__main__":
    _run(Path(sys.argv[1]))

"""The process that already runs a table, and what it holds, for a check beside it."""

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

from feltd.installed.kept import mark_kept
from feltd.installed.upgrade import Upgrade, upgrade_in

_LISTENING: Final = "0A"
_PROGRAMS: Final = ("feltd", "feltd.cli")


_TABLE: Final = ("table", "run")
_PAGE: Final = ("page", "run")
_TOLD: Final = "--upgraded"


def at_work(file: Path, processes: Path = Path("/proc")) -> int | None:
    """Return the process that runs the table of this file (`feltd table FILE`, `feltd run FILE`); None for none.

    Or the process that stands in its place. `processes`: the system's folder, or a test's own.
    """
    return next(_doing(_TABLE, file, processes), None)


def upgrade_at(process: int, processes: Path = Path("/proc")) -> Upgrade | None:
    """What the package's scripts have told the table of this process, where another version is installed.

    None where it does not play by the files that they name: an earlier start has left their word behind.
    """
    try:
        words = (processes / str(process) / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:
        return None
    told = [Path(after) for word, after in pairwise(words) if word == _TOLD]
    upgrade = upgrade_in(told[0]) if told else None
    return upgrade if upgrade is not None and upgrade.is_of(mark_kept(told[0].with_suffix(""))) else None


def pages_of(file: Path, processes: Path = Path("/proc")) -> list[int]:
    """The processes that may serve the page of this file."""
    return list(_doing(_PAGE, file, processes))


def _doing(commands: tuple[str, ...], file: Path, processes: Path) -> Iterator[int]:
    for process in processes.glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        except OSError:
            continue  # it has just ended
        if any(_runs(command, words, file) for command in commands):
            yield int(process.name)


def _runs(word: str, words: list[str], file: Path) -> bool:
    if word not in words:
        return False
    command = words.index(word)
    if not any(Path(word).name in _PROGRAMS for word in words[:command]):
        return False
    return any(_is_same(word, file) for word in words[command + 1 :] if word.startswith("/"))


def _is_same(word: str, file: Path) -> bool:
    try:
        return os.path.samefile(word, file)
    except OSError:
        return False


def listens(pid: int, port: int) -> bool:
    """Whether a process listens on a TCP port; of another user's, which cannot be looked into, whether anybody does."""
    sockets = set(_listeners(port))
    try:
        return any(os.readlink(descriptor) in sockets for descriptor in Path(f"/proc/{pid}/fd").iterdir())
    except PermissionError:
        return bool(sockets)
    except OSError:
        return False


def _listeners(port: int) -> Iterator[str]:
    """Sockets that listen on a port, as descriptors name them.

    Lines read `0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 996 0 48211 …`.
    """
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(table).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for words in (line.split() for line in lines):
            if words[3] == _LISTENING and int(words[1].rpartition(":")[2], 16) == port:
                yield f"socket:[{words[9]}]"

"""What of `requirements.lock` a table needs: the lock has the tools of development, too, and there is only one of it.

The names come from what is installed beside us, which is what the lock says; versions and hashes from the lock itself.
"""

import re
from collections.abc import Iterable, Iterator
from importlib.metadata import requires
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

EXTRAS: Final = ("osdp", "floor")
"""What the package has beside what feltd cannot do without."""
_PIN: Final = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?==(\S+)")


class NotLockedError(Exception):
    """Something is needed that the lock does not have."""


def needed_names(project: str, extras: Iterable[str] = ()) -> set[str]:
    """The distributions that `project` needs on this machine, not itself. Raises PackageNotFoundError."""
    found: set[str] = set()
    wanted = [(project, frozenset(extras))]
    seen: set[tuple[str, frozenset[str]]] = set()
    while wanted:
        step = wanted.pop()
        if step in seen:
            continue
        seen.add(step)
        for requirement in requirements_of(*step):
            name = canonicalize_name(requirement.name)
            found.add(name)
            wanted.append((name, frozenset(requirement.extras)))
    return found


def requirements_of(name: str, extras: Iterable[str]) -> Iterator[Requirement]:
    """What a distribution needs on this machine, with these extras of it. Raises PackageNotFoundError."""
    for line in requires(name) or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement


def locked(lock: Path, names: set[str]) -> dict[str, str]:
    """The lines of a lock for these distributions, with their hashes, by name. Raises NotLockedError."""
    blocks: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lock.read_text(encoding="utf-8").splitlines():
        pin = _PIN.match(line)
        if pin:
            current = blocks.setdefault(canonicalize_name(pin[1]), [])
        if line.strip() and not line.lstrip().startswith("#"):
            current.append(line)
    missing = names - blocks.keys()
    if missing:
        raise NotLockedError(f"{lock.name} does not have {', '.join(sorted(missing))}: make lock")
    return {name: "\n".join(blocks[name]) for name in sorted(names)}


def pins(blocks: Iterable[str]) -> list[str]:
    """`NAME==VERSION` of each."""
    found = (_PIN.match(block) for block in blocks)
    return [pin[0] for pin in found if pin]

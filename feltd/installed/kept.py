"""Tables that play on through an upgrade by the files that they were started from (`debian/kept.sh`)."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from feltd.installed.compare import Comparison, compare
from feltd.installed.manifest import PLACE, PREFIX, Manifest, ManifestError, read_bytes
from feltd.installed.mark import PackageMark, mark_of

LINKS: Final = Path("/run/feltd-kept")
"""A link for each such table, named as its unit, to the package's folder that lies over `/opt/feltd` in its view."""


@dataclass(frozen=True, slots=True)
class KeptTable:
    """`unit`: the table's, without its ending. `comparison`: of the files that it plays by with their own manifest."""

    unit: str
    version: str
    mark: PackageMark
    comparison: Comparison


def kept_tables(links: Path) -> Iterator[KeptTable]:
    """Each such table, by the name of its unit. Raises ManifestError."""
    for link in sorted(links.glob("felt-table*")):
        if link.is_symlink():
            yield _kept(link.name, Path(os.readlink(link)))


def mark_kept(link: Path) -> PackageMark | None:
    """The mark of the package that a table's link leads to; None where there is none."""
    try:
        prefix = link.readlink()
        return mark_of(sha256(read_bytes(prefix / PLACE)).digest(), prefix)
    except (OSError, ManifestError):
        return None


def _kept(unit: str, prefix: Path) -> KeptTable:
    place = prefix / PLACE
    content = read_bytes(place)
    manifest = Manifest.decode(content, place)
    root = prefix.parents[len(Path(PREFIX).parts) - 1]
    folder = f"/{PREFIX}"
    files = tuple(file for file in manifest.files if file.path.startswith(f"{folder}/"))
    own = replace(manifest, files=files, folders=(folder,))
    return KeptTable(unit, manifest.version, mark_of(sha256(content).digest(), prefix), compare(own, root))

"""The trees that are measured: a checkout's directory, or a revision unpacked from git."""

import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

PRODUCT: Final = ("toml_text", "firmware_bridge", "devices", "table_fsm", "floor_fsm", "feltd")
"""The packages of the product, from the ground up; a tree need not have all of them."""
_INNER: Final = ("play", "core", "poker", "view")
"""Folders of `table_fsm` that are measured by themselves."""


class HouseError(Exception):
    """There is nothing to measure."""


@dataclass(frozen=True, slots=True)
class Tree:
    """One tree, by its root directory."""

    root: Path

    def has(self, package: str) -> bool:
        """Whether there is such a package."""
        return (self.folder(package) / "__init__.py").is_file()

    def folder(self, package: str) -> Path:
        """Where a package lies, or would lie."""
        return self.root.joinpath(*package.split("."))

    @property
    def product(self) -> list[str]:
        """The product's packages that are there. Raises HouseError where none is."""
        there = [name for name in PRODUCT if self.has(name)]
        if not there:
            raise HouseError(f"{self.root}: none of {', '.join(PRODUCT)} is there; name the root of a checkout")
        return there

    @property
    def measured(self) -> list[str]:
        """The packages to report on: the product's, some folders of `table_fsm`, each of `feltd`."""
        inner = {
            "table_fsm": [f"table_fsm.{name}" for name in _INNER],
            "feltd": [f"feltd.{folder.parent.name}" for folder in sorted(self.root.glob("feltd/*/__init__.py"))],
        }
        return [name for top in self.product for name in (top, *inner.get(top, ())) if self.has(name)]

    def files(self, package: str) -> list[Path]:
        """The Python files of a package and of all packages in it, sorted."""
        return sorted(self.folder(package).rglob("*.py"))


@contextmanager
def of_revision(repository: Path, revision: str) -> Iterator[Tree]:
    """The tree of a git revision, in a directory that is deleted afterwards. Raises HouseError."""
    command = ["git", "-C", str(repository), "archive", "--format=tar", revision]
    packed = subprocess.run(command, capture_output=True, check=False)
    if packed.returncode:
        raise HouseError(f"{revision}: {packed.stderr.decode().strip()}")
    with tempfile.TemporaryDirectory(prefix="house-") as folder:
        with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
            archive.extractall(folder, filter="data")
        yield Tree(Path(folder))

"""Programs of earlier releases, as they were: taken from their revisions. The libraries are today's.

A test may be given the package of the release before instead, as it was built, with its own libraries: `PACKAGE`.
"""

import io
import os
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]


PACKAGE: Final = "FELTD_PACKAGE_BEFORE"
"""The environment's word for the release before as a package: its file (feltd_…_amd64.deb)."""


class NotHereError(Exception):
    """A release whose revision this clone has not."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release, and the last revision that it was."""

    version: str
    revision: str

    def __str__(self) -> str:
        return self.version

    def take_out(self, into: Path) -> Path:
        """Write its whole tree to a folder. Raises NotHereError."""
        packed = subprocess.run(["git", "-C", str(ROOT), "archive", self.revision], capture_output=True, check=False)
        if packed.returncode != 0:
            raise NotHereError(
                f"this clone has not the revision of {self.version} ({self.revision[:7]}): git fetch --unshallow "
                "brings it"
            )
        into.mkdir(parents=True, exist_ok=True)
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as files:
            files.extractall(into, filter="data")
        assert f'version = "{self.version}"' in (into / "pyproject.toml").read_text(encoding="utf-8")
        return into


BEFORE: Final = Release("0.15.0", "f2c19359ba964f74439eb405128a5508e47469ac")
EARLIER: Final = Release("0.14.0", "71853d3b60b6474dd8f145351802548ae18a3100")


def unpacked(package: Path, into: Path) -> Path:
    """Take the files out of the package of the release before; gives its interpreter, which finds its libraries."""
    subprocess.run(["dpkg-deb", "-x", str(package), str(into)], check=True, stdin=subprocess.DEVNULL)
    python = into / "opt" / "feltd" / "bin" / "python3"
    told = subprocess.run([python, "-I", "-m", "feltd.cli", "--version"], check=True, capture_output=True, text=True)
    assert BEFORE.version in told.stdout.split(), f"{package} is of {told.stdout.strip()}, wanted is {BEFORE.version}"
    return python


def environment_of(tree: Path) -> dict[str, str]:
    """The environment of a process that runs the program of a tree."""
    return {**os.environ, "PYTHONPATH": str(tree)}


def run_by(tree: Path, script: Path, *words: str) -> None:
    """Run a script to its end with the modules of a tree. Raises CalledProcessError, with what it said."""
    command = [sys.executable, "-P", str(script), *words]
    subprocess.run(command, env=environment_of(tree), cwd=tree, check=True, stdin=subprocess.DEVNULL)

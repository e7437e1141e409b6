"""The trees that are compared: folders with `table_fsm` and `config`, taken from a revision or from the work tree; and
the program that plays them, copied too, so that an edit during the run changes nothing."""

import io
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Final

REPOSITORY: Final = Path(__file__).resolve().parents[2]
PARTS: Final = ("table_fsm", "config")
PROGRAM: Final = ("tests/identity", "tests/drills")


class TreeError(Exception):
    """A tree that cannot be had."""


def tree_of_revision(revision: str, folder: Path, root: Path = REPOSITORY) -> Path:
    """What a revision of the git repository at `root` has, written to `folder`. Raises TreeError."""
    command = ["git", "archive", "--format=tar", revision, *PARTS]
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    if done.returncode:
        raise TreeError(f"{revision}: {done.stderr.decode().strip()}")
    folder.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def tree_of_work(folder: Path, root: Path = REPOSITORY) -> Path:
    """What lies in the work tree now, copied to `folder`. Raises TreeError where `root` is no such tree."""
    for part in PARTS:
        if not (root / part).is_dir():
            raise TreeError(f"{root}: there is no folder {part} in it")
        _copy(root / part, folder / part)
    return folder


def program_of_work(folder: Path) -> Path:
    """The player, its streams, the drills and the recorded journals, copied to `folder` for both trees."""
    for part in PROGRAM:
        _copy(REPOSITORY / part, folder / part)
    shutil.copy(REPOSITORY / "tests" / "__init__.py", folder / "tests")
    return folder


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))

"""The trees that are compared: folders with `table_fsm` and `config`, taken from a revision or from the work tree."""

import io
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Final

REPOSITORY: Final = Path(__file__).resolve().parents[2]
PARTS: Final = ("table_fsm", "config")


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
    """What lies in the work tree now, copied to `folder`, so that an edit during the run changes nothing.

    Raises TreeError where `root` is no such tree.
    """
    for part in PARTS:
        if not (root / part).is_dir():
            raise TreeError(f"{root}: there is no folder {part} in it")
        shutil.copytree(root / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    return folder

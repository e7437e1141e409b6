"""The trees that are compared: folders with `table_fsm`, what it imports, and `config`, of a revision or of the work
tree; and the program that plays them, copied too, so that an edit during the run changes nothing."""

import io
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Final

REPOSITORY: Final = Path(__file__).resolve().parents[2]
PARTS: Final = ("table_fsm", "config")
IMPORTED: Final = "toml_text"
"""What `table_fsm` imports, in revisions that have it. Left out, an old tree would import the work tree's."""
PROGRAM: Final = ("tests/identity", "tests/drills")


class TreeError(Exception):
    """A tree that cannot be had."""


def tree_of_revision(revision: str, folder: Path, root: Path = REPOSITORY) -> Path:
    """What a revision of the git repository at `root` has, written to `folder`. Raises TreeError."""
    asked = ["git", "cat-file", "-e", f"{revision}:{IMPORTED}"]
    known = subprocess.run(asked, cwd=root, capture_output=True, check=False)
    parts = PARTS if known.returncode else (*PARTS, IMPORTED)
    command = ["git", "archive", "--format=tar", revision, *parts]
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
    if (root / IMPORTED).is_dir():
        _copy(root / IMPORTED, folder / IMPORTED)
    return folder


def program_of_work(folder: Path) -> Path:
    """The player, its streams, the drills and the recorded journals, copied to `folder` for both trees."""
    for part in PROGRAM:
        _copy(REPOSITORY / part, folder / part)
    shutil.copy(REPOSITORY / "tests" / "__init__.py", folder / "tests")
    return folder


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))

"""`python -m tests.identity --against REV`: whether the work tree answers as the revision does. Status 1 if not."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.identity import openings, recorded
from tests.identity.compare import Pair, PlayError
from tests.identity.kept import Kept
from tests.identity.player import Task
from tests.identity.report import lines_of
from tests.identity.trees import REPOSITORY, TreeError, program_of_work, tree_of_revision, tree_of_work


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and tell. Gives the exit status: 0 all the same, 1 a difference, 2 a tree that cannot be played."""
    asked = _parser().parse_args(arguments)
    with TemporaryDirectory(prefix="identity-") as name:
        folder = Path(name)
        try:
            old = tree_of_revision(asked.against, folder / "old")
            new = tree_of_work(folder / "new", asked.tree)
            kept = Kept(asked.keep.resolve()) if asked.keep else None
            return _compare(Pair(old, new, program_of_work(folder / "program"), folder, kept), asked)
        except (TreeError, PlayError) as fault:
            print(fault, file=sys.stderr)
            return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.identity", description=__doc__)
    parser.add_argument("--against", default="HEAD^", metavar="REV", help="the revision to compare with")
    parser.add_argument("--events", type=int, default=200_000, help="random events a book")
    parser.add_argument("--books", help="only these, with commas: books by id, drills, recorded; default all")
    parser.add_argument("--jobs", type=int, default=2, help="plays at once")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other random streams")
    parser.add_argument("--tree", type=Path, default=REPOSITORY, help="the work tree; default this one")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the answers there, and play no tree twice")
    return parser


def _compare(pair: Pair, asked: argparse.Namespace) -> int:
    known = openings.read_books(pair.old / "config")
    tasks = _tasks(pair, list(known), asked)
    names = asked.books.split(",") if asked.books else list(tasks)
    if strangers := [name for name in names if name not in tasks]:
        raise TreeError(f"{asked.against} has no {', '.join(strangers)}; there are {', '.join(tasks)}")
    differ = 0
    for compared in pair.compare({name: tasks[name] for name in names}, asked.jobs):
        book: dict[str, Any] | None = known.get(compared.name)
        print("\n".join(lines_of(compared, book["rows"] if book else None)), flush=True)
        differ += compared.difference is not None
    print(f"{differ} of {len(names)} streams differ" if differ else "no output differs")
    return 1 if differ else 0


def _tasks(pair: Pair, books: list[str], asked: argparse.Namespace) -> dict[str, Task]:
    """The streams by name: drills and recorded journals, then each book's."""
    drills, config = str(pair.program / "tests" / "drills"), str(pair.old / "config")
    tasks = {
        "drills": Task("", "drills", config, drills),
        "recorded": Task("", "recorded", config, str(pair.program / "tests" / "identity" / recorded.FOLDER.name)),
    }
    for book in books:
        tasks[book] = Task("", "random", config, drills, book, asked.events, asked.seed)
    return tasks


if __name__ == "__main__":
    sys.exit(main())

"""`python -m tests.house`: rooms, arrows, floors and rings, or the five walks."""

import argparse
import sys
from pathlib import Path

from tests.house import report
from tests.house.trees import HouseError, Tree, of_revision
from tests.house.walks import walks_of

_HERE = Path(__file__).parents[2]


def main() -> None:
    """Measure and print what the command line asks for. Exits with 2 if there is nothing to measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.house", description=__doc__)
    parser.add_argument("--tree", type=Path, default=_HERE, help="the root of the checkout to measure; this one")
    parser.add_argument("--against", metavar="REV", help="a git revision to print beside it, before → after")
    parser.add_argument("--walks", action="store_true", help="the five walks instead: plays a table, for some seconds")
    parser.add_argument("--verbose", action="store_true", help="with --walks: the files that were counted")
    given = parser.parse_args()
    try:
        sys.stdout.write(measured(given.tree.resolve(), given.against, walks=given.walks, verbose=given.verbose))
    except HouseError as fault:
        parser.exit(2, f"{fault}\n")


def measured(root: Path, against: str | None, *, walks: bool = False, verbose: bool = False) -> str:
    """The text for one tree, or for one beside a revision of its repository. Raises HouseError."""
    tree = Tree(root)
    if against is None:
        return _text(tree, None, walks=walks, verbose=verbose)
    with of_revision(root, against) as before:
        return _text(tree, before, walks=walks, verbose=verbose)


def _text(tree: Tree, before: Tree | None, *, walks: bool, verbose: bool) -> str:
    if walks:
        old = None if before is None else walks_of(before)
        return report.walks(walks_of(tree), old, verbose=verbose)
    return report.house(report.measure(tree), None if before is None else report.measure(before))


if __name__ == "__main__":
    main()

"""Write what the table rules at every moment of every book, or say what has changed.

    python -m tests.moments.record                      write all books anew
    python -m tests.moments.record tas-2018-holdem      one book
    python -m tests.moments.record --show onyx-cash     what has changed; write nothing
    python -m tests.moments.record --only pairs         the pairs alone; `faults`: the single faults alone
    python -m tests.moments.record --count              how many cells and classes the files have; play nothing
    python -m tests.moments.record --since REV          how many cells were kept otherwise in a revision; play nothing

Each book has a file `<book>.txt` in `faults` and one in `pairs`, beside this one: for each fault a line for each
cell, and a line for each reason why the fault cannot happen, with the moments that it holds for.
"""

import argparse
import re
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from feltd.books.moments import pairs
from feltd.books.moments.matrix import matrix
from feltd.books.moments.printed import cell_lines
from tests.table_fsm.streams import books

KEPT = Path(__file__).parent
CANNOT = "cannot happen, because "
KINDS = ("faults", "pairs")


def kept_file(book: str, kind: str = KINDS[0]) -> Path:
    """The file of a book's matrix."""
    return KEPT / kind / f"{book}.txt"


def cells_of(lines: Iterable[str]) -> dict[tuple[str, str], str]:
    """Every cell of a kept matrix, by fault and moment."""
    cells: dict[tuple[str, str], str] = {}
    fault = ""
    for line in lines:
        if line.startswith("["):
            fault = line[1 : line.index("]")]
        elif line.startswith(CANNOT):
            reason, _, moments = line.rpartition(": ")
            cells.update({(fault, moment): reason for moment in moments.split()})
        elif " -> " in line:
            moment, _, answer = line.partition(" -> ")
            cells[fault, moment] = answer
    return cells


def changes(before: Iterable[str], after: Iterable[str]) -> Iterator[str]:
    """A few lines for each cell that is not as it was."""
    old, new = cells_of(before), cells_of(after)
    for cell in [*old, *(cell for cell in new if cell not in old)]:
        was, is_now = old.get(cell, "no such cell"), new.get(cell, "no such cell")
        if was != is_now:
            yield f"{cell[0]} @ {cell[1]}\n    was: {was}\n    is:  {is_now}"


def now(book: str, kind: str = KINDS[0]) -> Iterator[str]:
    """The lines of a book's matrix as the table rules today."""
    rules = books()[book]
    if kind == KINDS[0]:
        yield from cell_lines(matrix(rules, books()))
        return
    yield from cell_lines(matrix(rules, books(), tuple(pairs.on_one_card()), pairs.among))
    yield from cell_lines(matrix(rules, books(), tuple(pairs.in_a_row()), pairs.among_few))


COUNTED = re.compile(r"([\d,]+) cells; in ([\d,]+) the fault can happen, in ([\d,]+) classes")


def counted(book: str, kind: str) -> tuple[int, int, int]:
    """What the kept file of a book has: cells, cells in which the fault can happen, and classes."""
    heads = COUNTED.findall(kept_file(book, kind).read_text(encoding="utf-8"))
    cells, ruled, classes = (
        sum(int(number.replace(",", "")) for number in column) for column in zip(*heads, strict=True)
    )
    return cells, ruled, classes


def count(chosen: Iterable[str], kinds: Iterable[str]) -> Iterator[str]:
    """A line for each kind: what the kept files of these books have together."""
    chosen = list(chosen)
    for kind in kinds:
        cells, ruled, classes = map(sum, zip(*(counted(book, kind) for book in chosen), strict=True))
        said = f"{cells:,} cells; in {ruled:,} the fault can happen, in {classes:,} classes"
        yield f"{kind}, {len(chosen)} books: {said}."


def kept_at(revision: str, book: str, kind: str) -> list[str]:
    """The lines of a book's file in a revision. Raises CalledProcessError where there is none."""
    path = f"{revision}:./{kind}/{book}.txt"
    shown = subprocess.run(["git", "show", path], cwd=KEPT, capture_output=True, text=True, check=True)
    return shown.stdout.splitlines()


def since(revision: str, chosen: Iterable[str], kinds: Iterable[str]) -> Iterator[str]:
    """A line for each kind: of the cells that were kept in the revision and can happen, those with another answer."""
    chosen = list(chosen)
    for kind in kinds:
        compared = unlike = 0
        for book in chosen:
            before = cells_of(kept_at(revision, book, kind))
            for cell, answer in cells_of(kept_file(book, kind).read_text(encoding="utf-8").splitlines()).items():
                was = before.get(cell, CANNOT)
                happens = cell in before and not (was.startswith(CANNOT) and answer.startswith(CANNOT))
                compared += happens
                unlike += happens and was != answer
        yield f"{kind}, {len(chosen)} books: {unlike:,} of {compared:,} cells have another answer than in {revision}."


def main() -> int:
    """Write the files, or show what has changed: then the status is 1."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("book", nargs="*", default=sorted(books()))
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--show", action="store_true", help="write nothing")
    parser.add_argument("--count", action="store_true", help="count the cells and classes of the files; play nothing")
    parser.add_argument("--since", metavar="REV", help="count the cells with another answer than in a revision")
    asked = parser.parse_args()
    kinds = [asked.only] if asked.only else KINDS
    if asked.count:
        print("\n".join(count(asked.book, kinds)))
        return 0
    if asked.since:
        print("\n".join(since(asked.since, asked.book, kinds)))
        return 0
    changed = 0
    for kind in kinds:
        for book in asked.book:
            changed += record(book, kind, show=asked.show)
    return int(asked.show and changed > 0)


def record(book: str, kind: str, *, show: bool) -> int:
    """Write a book's file, or print what has changed; returns how many cells have."""
    begun = time.monotonic()
    lines = list(now(book, kind))
    file = kept_file(book, kind)
    before = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    found = list(changes(before, lines))
    counts = "; ".join(line[2:] for line in lines if line.startswith("# "))
    print(f"{kind}: {counts} {len(found):,} changed; {time.monotonic() - begun:.0f} s", flush=True)
    if show:
        print("\n".join(found))
    else:
        file.parent.mkdir(exist_ok=True)
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(found)


if __name__ == "__main__":
    raise SystemExit(main())

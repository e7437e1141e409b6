"""Five walks through the project, as far as a program can measure them.

1. A hole card is exposed during the deal: what runs, from the bytes to the page.
2. to 5. A new irregularity, variant, device role, decision: how many files name one that there is, or ask for it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.house.naming import Places, Product, Spread, product_of, spread
from tests.house.trees import HouseError, Tree

IRREGULARITY: Final = "hole_exposed"
ROLE: Final = "markers"
DECISION: Final = "check_deck"
"""It is an outcome's name too."""
DECISIONS: Final = ("acknowledge", "confirm", "overrule", "misdeal", "void", "play_on", "resume", "check_deck")
MOST: Final = 6
"""A file that names so many of the decisions spells the closed set."""
_EXPOSURE: Final = Path(__file__).with_name("exposure.py")


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a walk: what it is, its value, and the files it was counted in."""

    walk: int
    what: str
    value: str
    files: tuple[str, ...] = ()


def walks_of(tree: Tree, *, played: bool = True) -> list[Figure]:
    """All figures of a tree.

    `played`: the first walk too, for which a daemon and its devices are started. Raises HouseError where it cannot be.
    """
    return [*(exposure(tree) if played else ()), *edits(product_of(tree))]


def exposure(tree: Tree, *, only_bare: bool = False) -> list[Figure]:
    """Walk 1, played by a process that imports this tree. Raises HouseError."""
    command = [sys.executable, "-P", str(_EXPOSURE), str(tree.root), *(["--bare"] if only_bare else [])]
    environment = {**os.environ, "PYTHONPATH": str(tree.root)}
    played = subprocess.run(command, cwd=tree.root, env=environment, capture_output=True, text=True, check=False)
    if played.returncode:
        raise HouseError(f"{tree.root}: the exposed hole card could not be played:\n{played.stderr}")
    measured: dict[str, dict[str, Any]] = json.loads(played.stdout.splitlines()[-1])
    titles = {
        "bare": "the event alone, played to a bare table",
        "pass": "the pass of the daemon's loop that reads the device's bytes and rules, simulated devices on wires",
        "to_page": "from there until a browser's stream has the ruling, with what the loop does besides",
    }
    return [figure for part, title in titles.items() if part in measured for figure in _executed(title, measured[part])]


def _executed(title: str, part: dict[str, Any]) -> list[Figure]:
    files = tuple(part["files"])
    of_table = sum(file.startswith("table_fsm/") for file in files)
    return [
        Figure(1, f"{title}: product files executed", str(len(files)), files),
        Figure(1, "– of them table_fsm's", str(of_table)),
        Figure(1, "– moves between files", str(part["moves"])),
        Figure(1, "– calls", str(part["calls"])),
        Figure(1, "– calls of core", str(part["of_core"])),
    ]


def edits(product: Product) -> list[Figure]:
    """Walks 2 to 5."""
    banked, phase = product.comparing("banked"), product.comparing("phase")
    draw = product.asking("street", "draw") + product.asking("streets", "draw")
    asked = banked + phase + draw
    return [
        _named(2, f"files that name the irregularity {IRREGULARITY}", product.naming(IRREGULARITY)),
        *_spread(2, "irregularity", spread(product, product.members("Irregularity"))),
        *_asked("comparisons of `banked`", banked),
        *_asked("comparisons of `phase`", phase),
        *_asked("uses of `street.draw`", draw),
        _named(3, "files with any of these", asked),
        Figure(3, "– of them table_fsm's", str(len(_of_table(asked)))),
        _named(4, f"files that name the role {ROLE}", product.naming(ROLE)),
        _named(5, f"files that name the decision {DECISION}", product.naming(DECISION)),
        _named(5, f"files that name {MOST} of the {len(DECISIONS)} decisions", product.spelling(DECISIONS, MOST)),
    ]


def _named(walk: int, what: str, places: Places) -> Figure:
    return Figure(walk, what, str(len(places)), _listed(places))


def _asked(what: str, places: Places) -> list[Figure]:
    mine = _of_table(places)
    return [
        Figure(3, what, f"{places.total()} in {len(places)} files", _listed(places)),
        Figure(3, "– of them table_fsm's", f"{mine.total()} in {len(mine)} files"),
    ]


def _of_table(places: Places) -> Places:
    return Places({file: count for file, count in places.items() if file.startswith("table_fsm/")})


def _spread(walk: int, what: str, widths: Spread | None) -> list[Figure]:
    if widths is None:
        return []
    return [
        Figure(walk, f"– median over every {what} ({widths.members})", f"{widths.median:g}"),
        Figure(walk, f"– the most ({widths.most_of})", str(widths.most)),
    ]


def _listed(places: Places) -> tuple[str, ...]:
    return tuple(f"{file}: {count}" for file, count in sorted(places.items()))


def paired(before: Sequence[Figure], after: Sequence[Figure]) -> list[tuple[Figure | None, Figure]]:
    """Each figure with the same one of another tree, by its place among those of its name."""
    waiting: dict[tuple[int, str, int], Figure] = _numbered(before)
    return [(waiting.get(key), figure) for key, figure in _numbered(after).items()]


def _numbered(figures: Sequence[Figure]) -> dict[tuple[int, str, int], Figure]:
    """Figures by walk, name and occurrence: a line such as `– calls` is there several times."""
    seen: dict[tuple[int, str, int], Figure] = {}
    for figure in figures:
        occurrence = sum(key[:2] == (figure.walk, figure.what) for key in seen)
        seen[figure.walk, figure.what, occurrence] = figure
    return seen

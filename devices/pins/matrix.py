"""A matrix of keys: rows that are pulled low one at a time, columns that are read.

At rest every row is pulled low and an edge of a column starts the scan, so nothing is done while no key is pressed. A
row that is not pulled low is released, never driven high: two keys of one column cannot short two outputs.
"""

from collections.abc import Callable
from itertools import combinations

from devices.pins.groups import MatrixFacts
from devices.pins.lines import DrainLine, InputLine, LineChip

Cell = tuple[int, int]
"""Row and column, from 0."""


def without_ghosts(closed: frozenset[Cell], before: frozenset[Cell]) -> frozenset[Cell]:
    """The cells to believe of a matrix without diodes.

    If two rows share two columns, one key of the four may only seem pressed: those rows stay as they were.
    """
    columns: dict[int, set[int]] = {}
    for row, column in closed:
        columns.setdefault(row, set()).add(column)
    doubtful = {
        row for one, other in combinations(columns, 2) if len(columns[one] & columns[other]) > 1 for row in (one, other)
    }
    believed = {cell for cell in closed if cell[0] not in doubtful}
    return frozenset(believed | {cell for cell in before if cell[0] in doubtful})


class Scanner:
    """The taken lines of one matrix.

    `wake`: called on a thread of the library with an edge's time.
    """

    def __init__(self, facts: MatrixFacts, wake: Callable[[float], None]) -> None:
        self.closed: frozenset[Cell] = frozenset()
        """The keys pressed at the last scan."""
        self.resting = False
        self._facts = facts
        self._wake = wake
        self._rows: list[DrainLine] = []
        self._columns: list[InputLine] = []

    def take(self, chip: LineChip) -> None:
        """Take the lines, and scan for the first time. Raises PinError; call `close` then."""
        for line in self._facts.rows:
            self._rows.append(chip.drain(line))
        for line in self._facts.columns:
            self._columns.append(chip.input(line, "up"))
            self._columns[-1].listen(self._heard)
        self.scan()

    def scan(self) -> None:
        """Scan one row after the other."""
        self.resting = False
        contacts = set()
        for number, row in enumerate(self._rows):
            for other in self._rows:
                if other is not row:
                    other.pull_low(False)
            row.pull_low(True)
            contacts |= {(number, column) for column, line in enumerate(self._columns) if not line.high}
        closed = frozenset(contacts)
        self.closed = closed if self._facts.diodes else without_ghosts(closed, self.closed)

    def rest(self) -> bool:
        """Wait for an edge. Returns whether a key was pressed just before: scan at once then."""
        for row in self._rows:
            row.pull_low(True)
        self.resting = True
        return any(not line.high for line in self._columns)

    def close(self) -> None:
        """Release all lines."""
        for column in self._columns:
            column.close()
        for row in self._rows:
            row.close()
        self._columns.clear()
        self._rows.clear()

    def _heard(self, t: float, _high: bool) -> None:
        """On the library's thread. Ignores edges that the scan itself causes."""
        if self.resting:
            self._wake(t)

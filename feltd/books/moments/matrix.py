"""The matrix of a book: every fault at every moment, and the classes of cells that one row decides."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from feltd.books.moments.all_moments import all_moments
from feltd.books.moments.cell import Cell, Stage, impossible
from feltd.books.moments.fault import Fault
from feltd.books.moments.faults.all_faults import FAULTS
from feltd.books.moments.moment import AnyMoment
from feltd.books.moments.setting import Setting
from table_fsm.rulebook import Rulebook

Books = Mapping[str, Rulebook]
Choose = Callable[[Fault, AnyMoment], bool]
"""Whether a cell is played; those that are not are left out."""
Watch = Callable[[Cell, Stage], None]
"""Told of each cell as it has been played, and where."""


def _all(fault: Fault, moment: AnyMoment) -> bool:
    return True


def _to_nobody(cell: Cell, stage: Stage) -> None:
    """Where nobody looks on."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """All cells of a book, by fault in the order of the irregularities, by moment in the order of a round."""

    book: str
    moments: tuple[AnyMoment, ...]
    faults: tuple[Fault, ...]
    cells: tuple[Cell, ...]

    def of(self, fault: Fault) -> Iterator[Cell]:
        """The cells of a fault."""
        return (cell for cell in self.cells if cell.fault == fault.key)

    @property
    def ruled(self) -> list[Cell]:
        """Cells in which the fault can happen."""
        return [cell for cell in self.cells if cell.cannot is None]

    @property
    def classes(self) -> dict[tuple[str, str, str], list[Cell]]:
        """Cells that can happen, by irregularity, class of moments and answer: one answer decides all of a class."""
        classes: dict[tuple[str, str, str], list[Cell]] = {}
        for cell in self.ruled:
            classes.setdefault((cell.irregularity, cell.when.value, cell.shown), []).append(cell)
        return classes


def matrix(
    book: Rulebook,
    books: Books,
    faults: tuple[Fault, ...] = FAULTS,
    among: Callable[[str], bool] = lambda name: True,
    watch: Watch = _to_nobody,
    chosen_cells: Choose = _all,
    usual: Setting | None = None,
) -> Matrix:
    """Let each fault happen at each moment of the book, or at those among them whose names are chosen.

    `usual`: the table where a fault needs no other; else the book's own.
    """
    usual = usual or Setting(book)
    settings = {fault.key: _setting(fault, usual) for fault in faults}

    def chosen(setting: Setting) -> list[AnyMoment]:
        return [moment for moment in all_moments(setting, books) if among(moment.name)]

    moments: dict[str, list[AnyMoment]] = {usual.key: chosen(usual)}
    cells: dict[str, list[Cell]] = {fault.key: [] for fault in faults}
    for setting in {s.key: s for s in settings.values() if isinstance(s, Setting)}.values():
        if setting.key not in moments:
            moments[setting.key] = chosen(setting)
        here = [fault for fault in faults if settings[fault.key] == setting]
        for moment in moments[setting.key]:
            stage = Stage(moment, books)
            for fault in here:
                if not chosen_cells(fault, moment):
                    continue
                cell = stage.run(fault)
                watch(cell, stage)
                cells[fault.key].append(cell)
    for fault in faults:
        reason = settings[fault.key]
        if isinstance(reason, str):
            cells[fault.key] = [impossible(fault, moment, reason) for moment in moments[usual.key]]
    ordered = tuple(cell for fault in faults for cell in cells[fault.key])
    return Matrix(book.id, tuple(moments[usual.key]), faults, ordered)


def _setting(fault: Fault, usual: Setting) -> Setting | str:
    """The setting of a fault, or why the book has none."""
    setting = usual
    if fault.options is not None:
        options = fault.options(usual.book)
        if isinstance(options, str):
            return options
        setting = setting.with_options(options)
    if fault.seats is not None:
        most = usual.book.seats.most
        setting = replace(setting, seats=tuple(seat for seat in fault.seats if seat <= most))
    return setting

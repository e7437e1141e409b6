"""The matrix of a book: every fault at every moment, and the classes of cells that one row decides."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from feltd.books.moments.all_moments import all_moments
from feltd.books.moments.cell import Cell, run
from feltd.books.moments.fault import Fault
from feltd.books.moments.faults.all_faults import FAULTS
from feltd.books.moments.moment import AnyMoment
from feltd.books.moments.setting import Setting
from table_fsm.rulebook import Rulebook

Books = Mapping[str, Rulebook]


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


def matrix(book: Rulebook, books: Books, faults: tuple[Fault, ...] = FAULTS) -> Matrix:
    """Let each fault happen at each moment of the book."""
    usual = Setting(book)
    moments: dict[str, list[AnyMoment]] = {usual.key: all_moments(usual, books)}
    cells: list[Cell] = []
    for fault in faults:
        setting = _setting(fault, usual)
        if isinstance(setting, str):
            cells += [
                Cell(fault.key, fault.irregularity.value, moment.name, moment.when, cannot=setting)
                for moment in moments[usual.key]
            ]
            continue
        if setting.key not in moments:
            moments[setting.key] = all_moments(setting, books)
        cells += [run(fault, moment, books) for moment in moments[setting.key]]
    return Matrix(book.id, tuple(moments[usual.key]), faults, tuple(cells))


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

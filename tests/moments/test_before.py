"""An earlier program is given the streams of the matrix: what it answers otherwise is counted by how."""

from collections.abc import Iterator

import pytest

from feltd.books.moments.all_moments import all_moments
from feltd.books.moments.faults.all_faults import BY_KEY
from feltd.books.moments.matrix import matrix
from feltd.books.moments.setting import Setting
from tests.identity.trees import tree_of_work
from tests.moments.before import KINDS, Answers, Count, Earlier, Unlike, compared, count, drawn, program_at
from tests.table_fsm.streams import HOLDEM, books

MISDEAL = (9, "19.5", ("misdeal",))
MOVED = (9, "19.1(d)", ("reconstruct",))
REFUSED = (9, None, ())
LATER = (12, "19.15", ("fold_hand",))
EARLIER = (3, "9.2", ("warn",))


@pytest.mark.parametrize(
    ("was", "is_now", "unlike"),
    [
        (None, [MISDEAL], Unlike.UNKNOWN),
        ([EARLIER, MISDEAL], [MISDEAL], Unlike.NOT_THERE),
        ([MISDEAL], [EARLIER, MISDEAL], Unlike.NOT_THERE),
        ([EARLIER, MISDEAL], [EARLIER, MISDEAL], Unlike.ALIKE),
        ([], [MISDEAL], Unlike.SILENT),
        ([REFUSED], [MISDEAL], Unlike.REFUSED),
        ([], [REFUSED], Unlike.NO_RULING),
        ([MOVED], [], Unlike.FALSE_ALARM),
        ([MOVED, MISDEAL], [MISDEAL], Unlike.OTHER_OUTCOME),
        ([MOVED], [MISDEAL, LATER], Unlike.OTHER_OUTCOME),
        ([(9, "F deal", ("misdeal",))], [MISDEAL], Unlike.OTHER_CLAUSE),
        ([MISDEAL], [MISDEAL, LATER], Unlike.LATER),
    ],
)
def test_answers_to_one_stream_are_compared_where_they_first_differ(
    was: Answers | None, is_now: Answers, unlike: Unlike
) -> None:
    assert compared(was, is_now, begun=8) is unlike


@pytest.fixture(scope="module")
def this_program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Earlier]:
    """Today's program in the earlier one's place."""
    with program_at(tree_of_work(tmp_path_factory.mktemp("work") / "tree")) as program:
        yield program


def test_a_program_answers_the_streams_of_the_matrix_as_it_does_itself(this_program: Earlier) -> None:
    """Every ruling and refusal of every cell, and not one of them otherwise."""
    counted = Count(this_program, show=True)
    faults = tuple(BY_KEY[key] for key in sorted(BY_KEY) if key.startswith("hole_exposed"))
    matrix(books()[HOLDEM], books(), faults, lambda name: name in {"deal.1", "deal.2"}, counted.note)
    assert set(counted.cells) == {Unlike.ALIKE}
    cells, classes = counted.cells.total(), len(counted.classes)
    assert cells > 5
    assert next(counted.lines()) == f"{cells} cells in {classes} classes; 0 in 0 classes answered otherwise"


def test_one_cell_of_so_many_is_drawn_the_same_each_time() -> None:
    moments = [moment for moment in all_moments(Setting(books()[HOLDEM]), books()) if "deal." in moment.name]
    cells = [(fault, moment) for fault in BY_KEY.values() for moment in moments]
    chosen = [cell for cell in cells if drawn(10, HOLDEM)(*cell)]
    assert len(cells) / 15 < len(chosen) < len(cells) / 7
    assert [cell for cell in cells if drawn(10, HOLDEM)(*cell)] == chosen
    assert all(drawn(1, HOLDEM)(*cell) for cell in cells)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_cells_that_are_drawn_are_counted(kind: str, this_program: Earlier) -> None:
    counted = count("act-2001-manila", kind, this_program, every=400)
    assert set(counted.cells) == {Unlike.ALIKE}


def test_an_event_that_the_program_does_not_know_is_not_compared(this_program: Earlier) -> None:
    assert this_program.answers([{"t": 0.0, "ev": "card.eaten"}]) is None
    assert this_program.answers([{"t": 0.0, "ev": "hand.end"}]) == [(0, None, ())]

"""Keys in a matrix: each found by its row and column, nothing done while none is pressed, no ghost believed."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.pins.gpiozero_lines import ZeroDrain
from devices.pins.keys import KeysGroup
from devices.pins.lines import DrainLine
from devices.pins.matrix import Cell, without_ghosts
from devices.pins.on_mock import MockChip
from tests.devices.pins.support import pins, running
from tests.firmware_bridge.support import run

ROWS, COLUMNS = (5, 6), (10, 11, 12)
NAMES = [["deal_start", "betting_closed", "hand_end"], ["floor_called", "run_twice", "button_draw"]]


class Wiring(MockChip):
    """A matrix: what is pressed joins a row to a column; with no diodes current goes round any corner."""

    def __init__(self, diodes: bool = False) -> None:
        super().__init__()
        self.diodes = diodes
        self.pressed: set[Cell] = set()
        self.moves = 0
        self._low: set[int] = set()

    def drain(self, line: int) -> DrainLine:
        return _Row(self, line, ZeroDrain(self.pin(line)))

    def set(self, *pressed: Cell) -> None:
        self.pressed = set(pressed)
        self.settle()

    def pull(self, line: int, low: bool) -> None:
        self.moves += 1
        (self._low.add if low else self._low.discard)(ROWS.index(line))
        self.settle()

    def settle(self) -> None:
        rows, columns = set(self._low), set[int]()
        while True:
            reached = {column for row, column in self.pressed if row in rows}
            back = set() if self.diodes else {row for row, column in self.pressed if column in reached}
            if reached <= columns and back <= rows:
                break
            columns |= reached
            rows |= back
        for number, line in enumerate(COLUMNS):
            (self.pin(line).drive_low if number in columns else self.pin(line).drive_high)()


class _Row:
    def __init__(self, wiring: Wiring, line: int, real: ZeroDrain) -> None:
        self._wiring, self._line, self._real = wiring, line, real

    def pull_low(self, low: bool) -> None:
        self._real.pull_low(low)
        self._wiring.pull(self._line, low)

    def close(self) -> None:
        self._real.close()


def keys(**more: Any) -> KeysGroup:
    cells = [
        {"name": name, "row": row, "column": column}
        for row, names in enumerate(NAMES, start=1)
        for column, name in enumerate(names, start=1)
    ]
    matrix = {"rows": list(ROWS), "columns": list(COLUMNS), **more}
    return KeysGroup(pins(key=cells, matrix=matrix))


@pytest.mark.parametrize("cell", [(row, column) for row in range(2) for column in range(3)])
def test_every_key_is_found_by_its_row_and_column(cell: Cell) -> None:
    wiring = Wiring()

    async def scene() -> None:
        async with running(keys(), wiring) as wired:
            wiring.set(cell)
            await wired.notes.until(lambda: wired.notes.events)
            assert [body for _, body, _ in wired.notes.events] == [{"ev": NAMES[cell[0]][cell[1]]}]

    run(scene())


def test_a_key_held_while_another_is_pressed_and_each_again_after_it_was_let_go() -> None:
    wiring = Wiring()

    async def scene() -> None:
        async with running(keys(), wiring) as wired:
            for pressed, count in (([(0, 0)], 1), ([(0, 0), (1, 0)], 2), ([(1, 0)], 2), ([], 2), ([(0, 0)], 3)):
                wiring.set(*pressed)
                await wired.notes.until(lambda: len(wired.notes.events) == count)  # noqa: B023 - done within the turn
                await asyncio.sleep(0.03)
            names = [body["ev"] for _, body, _ in wired.notes.events]
            assert names == ["deal_start", "floor_called", "deal_start"]

    run(scene())


def test_nothing_is_done_while_nothing_is_pressed() -> None:
    wiring = Wiring()

    async def scene() -> None:
        async with running(keys(), wiring) as wired:
            wiring.set((0, 1))
            await wired.notes.until(lambda: wired.notes.events)
            wiring.set()
            await asyncio.sleep(0.05)
            moves = wiring.moves
            await asyncio.sleep(0.05)
            assert wiring.moves == moves

    run(scene())


@pytest.mark.parametrize(("diodes", "expected"), [(False, 3), (True, 4)])
def test_the_fourth_key_of_a_rectangle_is_believed_only_where_there_are_diodes(diodes: bool, expected: int) -> None:
    """Without diodes three keys already look like four: the third is not believed before it is alone with one."""
    wiring = Wiring(diodes)

    async def scene() -> None:
        async with running(keys(diodes=diodes), wiring) as wired:
            presses: list[Cell] = []
            for cell, count in (((0, 0), 1), ((0, 1), 2), ((1, 0), expected - 1), ((1, 1), expected)):
                presses.append(cell)
                wiring.set(*presses)
                if diodes:
                    await wired.notes.until(lambda: len(wired.notes.events) == count)  # noqa: B023
                else:
                    await asyncio.sleep(0.03)
            if not diodes:
                assert len(wired.notes.events) == 2
                wiring.set((1, 1))
                await wired.notes.until(lambda: len(wired.notes.events) == 3)
            assert len(wired.notes.events) == expected

    run(scene())


def test_a_rectangle_leaves_its_rows_as_they_were() -> None:
    rectangle = frozenset({(0, 0), (0, 1), (1, 0), (1, 1)})
    assert without_ghosts(rectangle, frozenset({(0, 0)})) == {(0, 0)}
    assert without_ghosts(rectangle | {(2, 5)}, frozenset()) == {(2, 5)}


_CELLS = st.frozensets(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=2)


@given(_CELLS, _CELLS)
def test_two_keys_never_make_a_ghost(pressed: frozenset[Cell], before: frozenset[Cell]) -> None:
    assert without_ghosts(pressed, before) == pressed

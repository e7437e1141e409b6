"""Each field of a round's state has one writer: its class's own methods, or one module."""

import ast
from pathlib import Path
from typing import Final

import pytest

import table_fsm
from tests.house.writers import Program, program_of

_PACKAGE: Final = Path(table_fsm.__file__).parent
_PARTS: Final = "table_fsm"
_GIVEN_ONCE: Final = {
    ("DealError", "open_card"),
    ("DealError", "own_look"),
    ("EarlyAction", "before"),
    ("EarlyAction", "paid"),
    ("EarlyAction", "saw"),
    ("HeldCard", "boxed"),
    ("HeldCard", "doubted"),
    ("HeldCard", "left"),
    ("HeldCard", "number"),
    ("LiftedCard", "number"),
    ("LiftedCard", "one_of"),
    ("LiftedCard", "up"),
    ("MouthCard", "doubted"),
    ("MouthCard", "number"),
}
"""Fields with a default that are given when the object is made, and never written."""

_MADE_UP: Final = """
from dataclasses import dataclass, field
class Box:
    cents: int = 0
    def lay(self, cents: int) -> None:
        self.cents = cents
class Board:
    burns: int = 0
    early: list[int] = field(default_factory=list)
class Round:
    board: Board
    second: Board | None = None
    boxes: dict[int, Box] = field(default_factory=dict)
    paid: dict[int, list[int]] = field(default_factory=dict)
class Core:
    def __init__(self) -> None:
        self.round = Round()
def box_of(core: Core, seat: int) -> Box:
    return core.round.boxes[seat]
def dealing(core: Core) -> Board | None:
    return core.round.second
def boards(core: Core) -> list[Board]:
    return [core.round.board]
"""
_KEPT: Final = "class F:\n    def __init__(self, core: Core): self.c = core\n    def f(self): "


@pytest.fixture(scope="module")
def program() -> Program:
    return program_of(_PACKAGE)


@pytest.fixture(scope="module")
def parts(program: Program) -> set[str]:
    """The classes that a round is made of: those of `core`, and its betting, cards and draw."""
    return program.parts_of("Round", _PARTS)


def test_the_parts_of_a_round_are_found(parts: set[str]) -> None:
    assert {"Round", "BoardState", "BoardError", "Deals", "DealError", "BettingBox", "ClockState"} <= parts
    assert {"Betting", "Player", "OutOfTurn", "EarlyAction", "ActionTally", "Deal", "DrawOrder", "CardTracker"} <= parts
    assert not {"Core", "Standing"} & parts


def test_each_field_of_a_round_has_one_writer(program: Program, parts: set[str]) -> None:
    several = {written: who for written, who in program.writers(parts).items() if len(who) > 1}
    assert several == {}


def test_no_field_is_written_through_something_of_unknown_type(program: Program, parts: set[str]) -> None:
    assert program.unclear(parts) == []


def test_each_field_with_a_default_is_written(program: Program, parts: set[str]) -> None:
    """A field that nobody writes is of no use, or its writes are not followed."""
    tree = [node for module in program.modules.values() for node in ast.walk(module) if isinstance(node, ast.ClassDef)]
    has_default = {
        (node.name, line.target.id)
        for node in tree
        if node.name in parts and not any("frozen=True" in ast.unparse(made) for made in node.decorator_list)
        for line in node.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and line.value is not None
        if not (isinstance(line.annotation, ast.Name) and line.annotation.id in program.classes)
    }
    assert has_default - program.writers(parts).keys() == _GIVEN_ONCE


# -- the check itself, on planted writers


def made_up(*planted: str) -> Program:
    """A program with a small round, and a module for each planted text."""
    modules = {"core": ast.parse(_MADE_UP)}
    head = "from core import Core, Board, Box, boards, box_of, dealing\nimport core as rooms\n"
    return Program(modules | {f"planted{i}": ast.parse(head + text) for i, text in enumerate(planted)})


def written_by_planted(text: str) -> set[str]:
    found = made_up(text).writers({"Round", "Board", "Box"})
    return {f"{class_}.{name}" for (class_, name), who in found.items() if "planted0" in who}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("def f(core: Core): core.round.board.burns = 1", "Board.burns"),
        ("def f(core: Core): core.round.board.burns += 1", "Board.burns"),
        ("def f(core: Core): core.round.board = Board()", "Round.board"),
        ("def f(core: Core):\n    board = core.round.board\n    board.burns -= 1", "Board.burns"),
        ("def f(core: Core):\n    round_, board = core.round, core.round.board\n    board.burns = 2", "Board.burns"),
        ("def f(core: Core):\n    a = core.round\n    b = a.board\n    x, b.burns = b.burns, 0", "Board.burns"),
        ("def f(board: Board): board.burns = 1", "Board.burns"),
        ("def f(board: 'Board | None'): board.burns = 1", "Board.burns"),
        ("def f(core: Core): dealing(core).burns = 1", "Board.burns"),
        ("def f(core: Core):\n    if (second := dealing(core)) is not None:\n        second.burns = 1", "Board.burns"),
        ("def f(core: Core): core.round.board.early.append(1)", "Board.early"),
        ("def f(core: Core):\n    early = core.round.board.early\n    early.remove(1)", "Board.early"),
        ("def f(core: Core):\n    early = core.round.board.early\n    early += [1]", "Board.early"),
        ("def f(core: Core): core.round.board.early[0] = 1", "Board.early"),
        ("def f(core: Core): del core.round.board.early[0]", "Board.early"),
        ("def f(core: Core): core.round.boxes[1].cents = 5", "Box.cents"),
        ("def f(core: Core): core.round.boxes.get(1).cents = 5", "Box.cents"),
        ("def f(core: Core): box_of(core, 1).cents = 5", "Box.cents"),
        ("def f(core: Core):\n    for box in core.round.boxes.values(): box.cents = 5", "Box.cents"),
        ("def f(core: Core):\n    for seat, box in core.round.boxes.items(): box.cents = 5", "Box.cents"),
        ("def f(core: Core):\n    for box in list(core.round.boxes.values()): box.cents = 5", "Box.cents"),
        ("def f(core: Core): return [core.round.paid[seat].pop() for seat in (1, 2)]", "Round.paid"),
        ("def f(core: Core): return [board.early.pop() for board in boards(core)]", "Board.early"),
        ("def f(core: Core): core.round.paid.setdefault(1, []).append(5)", "Round.paid"),
        ("def f(core: Core): core.round.paid[1].append(5)", "Round.paid"),
        ("def f(core: Core): setattr(core.round.board, 'burns', 1)", "Board.*"),
        (_KEPT + "self.c.round.board.burns = 1", "Board.burns"),
        ("def f(core: Core):\n    early = list(core.round.board.early)\n    early.append(1)", ""),
        ("def f(core: Core): return [box.cents for box in core.round.boxes.values()]", ""),
        ("def f(core: Core): box_of(core, 1).lay(5)", ""),
    ],
)
def test_a_planted_write_is_seen_and_a_read_is_none(text: str, written: str) -> None:
    assert written_by_planted(text) == ({written} if written else set())


def test_a_second_writer_is_named_beside_the_first() -> None:
    first = "def f(core: Core): core.round.board.burns = 1"
    second = "def g(core: Core):\n    board = core.round.board\n    board.burns = 0"
    assert made_up(first, second).writers({"Board"}) == {("Board", "burns"): {"planted0", "planted1"}}


def test_a_class_is_a_writer_of_its_own_fields() -> None:
    beside = "def f(box: Box): box.cents = 1"
    assert made_up(beside).writers({"Box"}) == {("Box", "cents"): {"Box", "planted0"}}


def test_a_second_writer_planted_in_the_game_is_seen(program: Program, parts: set[str]) -> None:
    text = "from table_fsm.core.core import Core\ndef f(core: Core): core.round.board.burns = 0"
    planted = Program({**program.modules, "table_fsm.play.planted": ast.parse(text)})
    several = {written: who for written, who in planted.writers(parts).items() if len(who) > 1}
    assert several == {("BoardState", "burns"): {"BoardState", "table_fsm.play.planted"}}


def test_a_write_through_an_unknown_thing_is_reported() -> None:
    text = "def f(thing):\n    thing.burns = 1\n    thing.early.append(2)\n    thing.other = 3"
    assert made_up(text).unclear({"Board"}) == ["planted0:4: burns", "planted0:5: early"]

"""What must hold of wishes, by the tables' records and what the floor has kept."""

import json
from collections.abc import Sequence
from typing import Final

from feltd.floor.wishes import Stage, Step, StepKind, Wish, WishKind, governing, same_person, stage_of
from tests.floor.simulation import BrokenInvariantError
from tests.floor.wished_tables import Noted, Table

FLIES: Final = 7.0
"""Seconds for which an order may still be on its way when a wish is stopped: until it is too late, and a look more."""


def judged_wishes(kept: Sequence[tuple[Wish, Sequence[Step]]], tables: Sequence[Table]) -> None:
    """Hold what is said of wishes, by the tables' records. Raises BrokenInvariantError."""
    known = {wish.number: (wish, list(steps)) for wish, steps in kept}
    holds = governing(kept)
    for table in tables:
        noted = table.wishes()
        for one in noted:
            _judge_note(one, table.name, *known[one.number])
        number = holds.get((WishKind.SETTINGS, table.name), 0)
        if number and not _is_due(table.name, *known[number]):
            continue  # it waits for the first table, for which another wish holds
        if number != (noted[-1].number if noted else 0):
            raise BrokenInvariantError("a table does not hold the last wish that is approved for it")
        for one in {one.number: one for one in noted}.values():
            wish, steps = known[one.number]
            now = one.number == number and stage_of(wish, steps) is not Stage.STOPPED
            _judge_steps(table, wish, [step for step in steps if step.table == table.name], now=now)


def _is_due(table: str, wish: Wish, steps: Sequence[Step]) -> bool:
    return stage_of(wish, steps) is not Stage.CANARY or table == wish.canary


def _judge_note(noted: Noted, table: str, wish: Wish, steps: Sequence[Step]) -> None:
    """Hold of a wish in a table's record: with who and why, approved, in its turn, and once."""
    if noted.number == noted.before:
        raise BrokenInvariantError("a wish was given twice")
    if noted.values != wish.settings[table].values:
        raise BrokenInvariantError("a table took what nobody wished of it")
    said = {step.kind: step for step in reversed(steps) if not step.table}
    approved = said.get(StepKind.APPROVED)
    if approved is None or approved.at > noted.wall or same_person(approved.account, wish.account):
        raise BrokenInvariantError("a table took a wish that no second person had approved")
    if noted.who != wish.account or noted.why != f"wish {wish.number}, approved by {approved.account}: {wish.why}":
        raise BrokenInvariantError("a wish is on record without who and why")
    released, stopped = said.get(StepKind.RELEASED), said.get(StepKind.STOPPED)
    if wish.canary not in ("", table) and (released is None or released.at > noted.wall):
        raise BrokenInvariantError("a table took a wish before the first one had held it")
    if stopped is not None and noted.wall > stopped.at + FLIES:
        raise BrokenInvariantError("a table took a wish that was stopped")


def _judge_steps(table: Table, wish: Wish, steps: Sequence[Step], *, now: bool) -> None:
    """Hold of a wish that a table took. `now`: it is the last one."""
    taken = [step for step in steps if step.kind is StepKind.TAKEN]
    if not taken:
        raise BrokenInvariantError("a table took a wish, and the floor does not know it")
    had = next((json.loads(step.words)["values"] for step in taken if step.words), None)
    if had != table.memory.had[wish.number]:
        raise BrokenInvariantError("what a table had before a wish is not what `back` brings")
    if now and StepKind.HELD not in {step.kind for step in steps}:
        raise BrokenInvariantError("a table holds a wish, and the floor does not say so")


def judged_canary(kept: Sequence[tuple[Wish, Sequence[Step]]], tables: Sequence[Table]) -> None:
    """Hold that a wish went on to the others after its first table had held it for its time."""
    by_name = {table.name: table for table in tables}
    for wish, steps in kept:
        released = next((step for step in steps if step.kind is StepKind.RELEASED), None)
        if released is None or not wish.canary:  # the way back has no first table
            continue
        walls = [one.wall for one in by_name[wish.canary].wishes() if one.number == wish.number]
        if not walls or released.at - walls[0] < wish.hold:
            raise BrokenInvariantError("a wish was let go to the others before the first table had held it long enough")

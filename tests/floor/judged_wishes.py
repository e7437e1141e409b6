"""What must hold of wishes, by the tables' records and what the floor has kept."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from feltd.floor.wishes import (
    Governs,
    Stage,
    Step,
    StepKind,
    Wish,
    WishKind,
    first_of,
    governing,
    same_person,
    stage_of,
)
from tests.floor.simulation import BrokenInvariantError
from tests.floor.wished_books import said
from tests.floor.wished_tables import KINDS, Noted, Table

FLIES: Final = 7.0
"""Seconds for which an order may still be on its way when a wish is stopped: until it is too late, and a look more."""


@dataclass(frozen=True, slots=True)
class History:
    """The wishes that the database had, and what was said to them. `until`: it was put back to a backup."""

    kept: Sequence[tuple[Wish, Sequence[Step]]]
    until: float | None = None

    def known(self, number: int) -> tuple[Wish, Sequence[Step]] | None:
        """A wish by its number."""
        return next(((wish, steps) for wish, steps in self.kept if wish.number == number), None)

    def at(self, moment: float) -> list[tuple[Wish, list[Step]]]:
        """What there was at a moment."""
        return [(wish, [step for step in steps if step.at <= moment]) for wish, steps in self.kept if wish.at <= moment]


def judged_wishes(histories: Sequence[History], tables: Sequence[Table]) -> None:
    """Hold what is said of wishes, by the tables' records. Raises BrokenInvariantError.

    `histories`: what the database has, then what it had before it was put back, each time.
    """
    _judge_numbers(histories)
    now, put_back = histories[0], max((one.until or 0.0 for one in histories), default=0.0)
    holds = governing(now.kept)
    for table in tables:
        noted = table.wishes()
        for one in noted:
            _judge_note(one, table.name, histories, tables)
        last = {one.kind: one for one in noted}
        for kind in KINDS.values():
            if (last[kind].number if kind in last else 0) < holds.get((kind, table.name), 0):
                raise BrokenInvariantError("a table does not hold the last wish that is approved for it")
        if WishKind.BOOK in last and table.plays != last[WishKind.BOOK].values:
            raise BrokenInvariantError("a table plays another book than the last one that it took")
        for one in {one.number: one for one in noted}.values():
            known = now.known(one.number)
            if known is None or (one.wall < put_back and one is not last[one.kind]):
                continue  # the backup does not have it, or the table's record says more than the floor can ask for
            wish, steps = known
            if StepKind.APPROVED not in {step.kind for step in steps}:
                continue  # the backup has it, and not yet that somebody approved it
            its = [step for step in steps if step.table == table.name]
            _judge_steps(table, wish, its, now=one is last[one.kind] and stage_of(wish, steps) is not Stage.STOPPED)


def _judge_numbers(histories: Sequence[History]) -> None:
    """Hold that a number is of one wish, also where the database was put back."""
    known: dict[int, Wish] = {}
    for history in histories:
        for wish, _ in history.kept:
            if known.setdefault(wish.number, wish) != wish:
                raise BrokenInvariantError("two wishes have one number")


def _judge_note(noted: Noted, table: str, histories: Sequence[History], tables: Sequence[Table]) -> None:
    """Hold of a wish in a table's record: with who and why, approved, in its turn, and once."""
    if noted.number == noted.before:
        raise BrokenInvariantError("a wish was given twice")
    if noted.number < noted.before:
        raise BrokenInvariantError("a wish was given that a later one had replaced")
    wrong = [_wrong_in(history, noted, table, tables) for history in histories]
    if all(wrong):
        raise BrokenInvariantError(str(wrong[0]))


def _wrong_in(history: History, noted: Noted, table: str, tables: Sequence[Table]) -> str | None:
    """What is wrong with a wish in a table's record, if this is what the floor had then; None where all is well."""
    known = history.known(noted.number)
    if known is None or known[0].kind is not noted.kind or noted.values != _wanted(known[0], table):
        return "a table took what nobody wished of it"
    wish, steps = known
    said = {step.kind: step for step in reversed(steps) if not step.table}
    approved = said.get(StepKind.APPROVED)
    if approved is None or approved.at > noted.wall or same_person(approved.account, wish.account):
        return "a table took a wish that no second person had approved"
    if noted.who != wish.account or noted.why != f"wish {wish.number}, approved by {approved.account}: {wish.why}":
        return "a wish is on record without who and why"
    released, stopped = said.get(StepKind.RELEASED), said.get(StepKind.STOPPED)
    waits = wish.canary and (released is None or released.at > noted.wall)
    if waits and table not in _first(wish, noted.wall, history, tables):
        return "a table took a wish before the first one had held it"
    if stopped is not None and noted.wall > stopped.at + FLIES:
        return "a table took a wish that was stopped"
    return None


def _wanted(wish: Wish, table: str) -> dict[str, Any]:
    """What a wish wants of a table, as a note says it."""
    return dict(wish.settings[table].values) if wish.settings else said(wish.plays[table])


def _first(wish: Wish, moment: float, history: History, tables: Sequence[Table]) -> set[str]:
    """The tables that were the first of a wish, at a moment and for as long before as an order may be on its way."""
    return set(_firsts(wish, moment, history, tables))


def _firsts(wish: Wish, moment: float, history: History, tables: Sequence[Table]) -> Iterator[str]:
    changes = {step.at for _, steps in history.kept for step in steps}
    changes |= {one.wall for table in tables for one in table.wishes()}
    for then in sorted(one for one in changes | {moment, moment - FLIES} if moment - FLIES <= one <= moment):
        on_record = {
            (one.kind, table.name): one.number for table in tables for one in table.wishes() if one.wall <= then
        }
        yield first_of(wish, governing(history.at(then), partial(_taken, on_record)))


def _taken(on_record: Governs, kind: WishKind, table: str) -> int:
    return on_record.get((kind, table), 0)


def _judge_steps(table: Table, wish: Wish, steps: Sequence[Step], *, now: bool) -> None:
    """Hold of a wish that a table took. `now`: it is the last one."""
    taken = [step for step in steps if step.kind is StepKind.TAKEN]
    if not taken:
        raise BrokenInvariantError("a table took a wish, and the floor does not know it")
    words: dict[str, Any] = next((json.loads(step.words) for step in taken if step.words), {})
    had = words.get("values") if wish.settings else words
    if had != table.memory.had[wish.number]:
        raise BrokenInvariantError("what a table had before a wish is not what `back` brings")
    if now and StepKind.HELD not in {step.kind for step in steps}:
        raise BrokenInvariantError("a table holds a wish, and the floor does not say so")


def judged_canary(histories: Sequence[History], tables: Sequence[Table]) -> None:
    """Hold that a wish went on to the others after its first table had held it for its time."""
    by_name = {table.name: table for table in tables}
    for history in histories:
        for wish, steps in history.kept:
            released = next((step for step in steps if step.kind is StepKind.RELEASED), None)
            if released is None or not wish.canary:  # the way back has no first table
                continue
            walls = [
                one.wall
                for name in _first(wish, released.at, history, tables)
                for one in by_name[name].wishes()
                if one.number == wish.number
            ]
            if not walls or released.at - min(walls) < wish.hold:
                raise BrokenInvariantError(
                    "a wish was let go to the others before the first table had held it long enough"
                )

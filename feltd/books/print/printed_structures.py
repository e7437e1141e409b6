"""Blind structures in print: conditions of entry, and the schedule of levels and breaks."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from feltd.books.print.document import Block, Grid, Items, Text, grid
from feltd.text.amounts import amount_in_words
from table_fsm.rulebook.denomination import denomination_of
from table_fsm.rulebook.model import AmountRules
from table_fsm.structures.structure import Breaks, Level, ReEntry, Structure

_RE_ENTRY = {ReEntry.NONE: "no re-entry", ReEntry.SINGLE: "one re-entry", ReEntry.UNLIMITED: "any number of re-entries"}


_Write: TypeAlias = Callable[[int], str]
"""Writes an amount of a structure as people do."""


def structure_blocks(structures: Sequence[Structure], rules: AmountRules) -> Iterator[Block]:
    """The blocks of each structure: its name, its conditions, its levels.

    `rules`: the book's, for the currency. Structures with one schedule share its table.
    """
    printed: dict[Grid, str] = {}
    for structure in structures:
        write = _writer(structure, rules)
        yield Text(f"**{structure.title}** (`{structure.id}`, clause {structure.levels[0].clause})")
        yield Items(tuple(f"{line}." for line in _conditions(structure, write)))
        table = _schedule(structure, write)
        if table in printed:
            yield Text(f"The schedule is that of {printed[table]}.")
            continue
        printed[table] = structure.title
        yield table


def _conditions(structure: Structure, write: _Write) -> Iterator[str]:
    seats = structure.seats
    table = f", at most {seats.per_table} a table" if seats.per_table else ""
    yield f"{seats.least_players} to {seats.most_players} players{table} (clause {seats.clause})"
    stack = write(structure.starting_stack) if structure.starting_stack else "as announced"
    closes = (
        f"; entry closes at the start of level {structure.entry_closes_level}" if structure.entry_closes_level else ""
    )
    yield f"Starting stack: {stack}; {_RE_ENTRY[structure.re_entry]}{closes}"
    if structure.rebuys:
        rebuys = structure.rebuys
        top_up = "; a top-up at its end" if rebuys.top_up else ""
        below = write(rebuys.stake_below)
        yield f"Rebuys to the end of level {rebuys.last_level} with less than {below}{top_up} (clause {rebuys.clause})"
    if structure.action_clock:
        clock = structure.action_clock
        banks = f"{clock.time_banks} time banks of {clock.time_bank_seconds} seconds"
        yield f"{clock.seconds} seconds to act, {banks} (clause {clock.clause})"
    if structure.breaks is Breaks.DIRECTOR:
        yield "Breaks when the director says"
    if structure.doubling_minutes:
        yield f"After the last level blinds and antes double every {structure.doubling_minutes} minutes"


def _schedule(structure: Structure, write: _Write) -> Grid:
    columns: dict[str, Callable[[Level], str]] = {
        "Level": lambda level: str(level.number),
        "Minutes": lambda level: f"{level.seconds / 60:g}",
        "Blinds": lambda level: " / ".join(write(blind) for blind in level.blinds),
        "Ante": lambda level: _ante(level, write),
        "After it": lambda level: _after(level, write),
    }
    kept = {name: say for name, say in columns.items() if any(map(say, structure.levels))}
    return grid(list(kept), [[say(level) for say in kept.values()] for level in structure.levels])


def _ante(level: Level, write: _Write) -> str:
    if level.ante is None:
        return ""
    return write(level.ante) + (" from the big blind" if level.big_blind_ante else "")


def _after(level: Level, write: _Write) -> str:
    race = f"race off the {write(level.race_off)}" if level.race_off else ""
    pause = f"break of {level.break_after / 60:g} minutes" if level.break_after else ""
    return ", ".join(part for part in (race, pause) if part)


def _writer(structure: Structure, rules: AmountRules) -> _Write:
    counted = denomination_of(rules, tournament=True, structure=structure)
    return lambda amount: amount_in_words(amount, counted)

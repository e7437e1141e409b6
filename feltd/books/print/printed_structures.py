"""Blind structures in print: conditions of entry, and the schedule of levels and breaks."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from feltd.books.print.document import Block, Grid, Items, Text, grid, of_the_source
from feltd.books.print.phrases import RE_ENTRY, named
from feltd.text.amounts import amount_in_words
from feltd.text.catalogue import say
from table_fsm.rulebook.denomination import denomination_of
from table_fsm.rulebook.model import AmountRules
from table_fsm.structures.structure import Breaks, Level, Structure

_Write: TypeAlias = Callable[[int], str]
"""Writes an amount of a structure as people do."""


def structure_blocks(structures: Sequence[Structure], rules: AmountRules) -> Iterator[Block]:
    """The blocks of each structure: its name, its conditions, its levels.

    `rules`: the book's, for the currency. Structures with one schedule share its table.
    """
    printed: dict[Grid, str] = {}
    for structure in structures:
        write = _writer(structure, rules)
        clause = say("clause {rule}", rule=structure.levels[0].clause)
        yield Text(f"{of_the_source(f'**{structure.title}**')} (`{structure.id}`, {clause})")
        yield Items(tuple(f"{line}." for line in _conditions(structure, write)))
        table = _schedule(structure, write)
        if table in printed:
            yield Text(say("The schedule is that of {structure}.", structure=of_the_source(printed[table])))
            continue
        printed[table] = structure.title
        yield table


def _conditions(structure: Structure, write: _Write) -> Iterator[str]:
    seats = structure.seats
    table = say(", at most {most} a table", most=seats.per_table) if seats.per_table else ""
    yield say(
        "{least} to {most} players{table} (clause {clause})",
        least=seats.least_players,
        most=seats.most_players,
        table=table,
        clause=seats.clause,
    )
    stack = write(structure.starting_stack) if structure.starting_stack else say("as announced")
    last = structure.entry_closes_level
    closes = say("; entry closes at the start of level {level}", level=last) if last else ""
    yield say("Starting stack: {stack}", stack=stack) + f"; {named(RE_ENTRY, structure.re_entry.value)}{closes}"
    if structure.rebuys:
        rebuys = structure.rebuys
        yield say(
            "Rebuys to the end of level {level} with less than {below}{top_up} (clause {clause})",
            level=rebuys.last_level,
            below=write(rebuys.stake_below),
            top_up=say("; a top-up at its end") if rebuys.top_up else "",
            clause=rebuys.clause,
        )
    if structure.action_clock:
        clock = structure.action_clock
        yield say(
            "{seconds} seconds to act, {banks} time banks of {each} seconds (clause {clause})",
            seconds=clock.seconds,
            banks=clock.time_banks,
            each=clock.time_bank_seconds,
            clause=clock.clause,
        )
    if structure.breaks is Breaks.DIRECTOR:
        yield say("Breaks when the director says")
    if structure.doubling_minutes:
        yield say(
            "After the last level blinds and antes double every {minutes} minutes", minutes=structure.doubling_minutes
        )


def _schedule(structure: Structure, write: _Write) -> Grid:
    columns: dict[str, Callable[[Level], str]] = {
        say("Level"): lambda level: str(level.number),
        say("Minutes"): lambda level: f"{level.seconds / 60:g}",
        say("Blinds"): lambda level: " / ".join(write(blind) for blind in level.blinds),
        say("Ante"): lambda level: _ante(level, write),
        say("After it"): lambda level: _after(level, write),
    }
    kept = {name: told for name, told in columns.items() if any(map(told, structure.levels))}
    return grid(list(kept), [[told(level) for told in kept.values()] for level in structure.levels])


def _ante(level: Level, write: _Write) -> str:
    if level.ante is None:
        return ""
    ante = write(level.ante)
    return say("{ante} from the big blind", ante=ante) if level.big_blind_ante else ante


def _after(level: Level, write: _Write) -> str:
    race = say("race off the {chip}", chip=write(level.race_off)) if level.race_off else ""
    pause = say("break of {minutes} minutes", minutes=f"{level.break_after / 60:g}") if level.break_after else ""
    return ", ".join(part for part in (race, pause) if part)


def _writer(structure: Structure, rules: AmountRules) -> _Write:
    counted = denomination_of(rules, tournament=True, structure=structure)
    return lambda amount: amount_in_words(amount, counted)

"""Stakes in force: the table's own, else those of the level of the deal."""

from collections.abc import Mapping
from typing import Any

from table_fsm.core.core import Core
from table_fsm.play.tournament import clock
from table_fsm.rulebook.model import Book
from table_fsm.structures.antes import AnteDue, BigBlindAnteRules, ante_due
from table_fsm.structures.levels import level_numbered
from table_fsm.structures.structure import Level


def of_deal(core: Core) -> Level | None:
    """Blinds and ante of the current or next deal, as a level; number 0: the table's own.

    None where only the dealer knows them.
    """
    if core.own_stakes is not None:
        return core.own_stakes
    structure = core.structure
    if structure is None:
        return None
    number = clock.level_of_deal(core)
    return None if number is None else level_numbered(structure, number)


def of_table(book: Book, options: Mapping[str, Any]) -> Level | None:
    """The stakes named in the options of the table; None where there are none.

    They hold until the table closes.
    """
    blinds, ante = options.get("blinds") or (), options.get("ante")
    if not blinds and not isinstance(ante, int):
        return None
    return Level(
        number=0,
        blinds=tuple(blinds),
        ante=ante if isinstance(ante, int) else None,
        big_blind_ante=book.tournament.ante_from == "big_blind" and len(blinds) > 1,
        seconds=0.0,
        race_off=None,
        break_after=None,
        clause="",
    )


def by_big_blind(core: Core) -> bool:
    """Whether the big blind posts the ante for all."""
    level = of_deal(core)
    return level is not None and level.big_blind_ante


def big_blind_ante(core: Core, players: int) -> AnteDue | None:
    """The big blind's ante for all in a deal to `players` players; None where there is none."""
    level = of_deal(core)
    if level is None or not level.big_blind_ante:
        return None
    rules = core.book.tournament
    return ante_due(
        level,
        BigBlindAnteRules(rules.ante_before_blind, rules.ante_small_blind_from, rules.ante_heads_up),
        players=players,
        final_table=core.options.final_table is True,
        six_max=core.options.six_max is True,
    )

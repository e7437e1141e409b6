"""The status band of the pit: the level of its gravest table, how many tables have it, and why."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from feltd.door.pit.state import PitTable
from feltd.page.api.band import Band, Level
from feltd.text.alarms import Condition, row_of, row_text
from feltd.text.catalogue import say, trouble, word
from feltd.text.words import alarm_in_words, begin_sentence, phase_in_words, words_of
from table_fsm.felt import AlarmKind
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Authority

NAMED_MOST: Final = 3
"""Tables that the band names; it counts the others."""


def band_of_table(table: PitTable) -> Band:
    """The band of one table, of what its record says. Its words name the first cause.

    Which devices its rulebook needs the record does not say: a table whose gate is shut while a device is offline is
    told as stopped.
    """
    if stopped := next(_stops(table), None):
        return Band(Level.STOPPED, stopped)
    if due := next(_due(table), None):
        return Band(Level.DECIDE, due)
    if table.locked and table.phase not in {None, "closed"}:
        return Band(Level.STOPPED, word(Condition.GATE_LOCKED))
    return Band(Level.NORMAL, "" if table.phase is None else phase_in_words(table.phase, table.street))


def band_of_pit(tables: Iterable[tuple[str, Band]], wrong: Sequence[str]) -> Band:
    """The band of all tables that somebody sees, each with its name. `wrong`: what is wrong with the floor itself."""
    by_level: dict[Level, list[tuple[str, Band]]] = {level: [] for level in Level}
    for name, band in tables:
        by_level[band.level].append((name, band))
    stopped, decide = by_level[Level.STOPPED], by_level[Level.DECIDE]
    total = sum(map(len, by_level.values()))
    own = [say("The floor: {trouble}", trouble=trouble(words)) for words in wrong]
    if stopped:
        words = say("{count} of {total} tables stopped", count=len(stopped), total=total)
        others = say("{count} wait for a person", count=len(decide)) if decide else ""
        return Band(Level.STOPPED, "; ".join(filter(None, (f"{words}: {_named(stopped)}", others, *own))))
    if decide:
        words = say("{count} of {total} tables wait for a person", count=len(decide), total=total)
        return Band(Level.DECIDE, "; ".join((f"{words}: {_named(decide)}", *own)))
    if own:
        return Band(Level.DECIDE, "; ".join(own))
    return Band(Level.NORMAL, _normal(total))


def _normal(total: int) -> str:
    if total > 1:
        return say("Nothing waits at {total} tables", total=total)
    return say("Nothing waits at the one table") if total else say("No table yet")


def _named(tables: Sequence[tuple[str, Band]]) -> str:
    named = ", ".join(f"{name} ({band.words})" for name, band in tables[:NAMED_MOST])
    left = len(tables) - NAMED_MOST
    return say("{tables} and {count} more", tables=named, count=left) if left > 0 else named


def _stops(table: PitTable) -> Iterator[str]:
    if table.put_back is not None:
        yield word(Condition.RECORD_PUT_BACK)
    if not table.locked or table.phase in {None, "closed"}:
        return
    if table.testing:
        yield word(Condition.TEST_MODE)
    for alarm in table.alarms:
        if row_of(alarm.kind).stops and not (alarm.over and alarm.acknowledged):  # as `causes` has it at the table
            yield alarm_in_words(alarm.about)
    if table.box is not None:
        yield word(Condition.BOX_MISSING if table.box == "missing" else Condition.BOX_NOT_LOCKED)
    offline = [alarm for alarm in table.alarms if not alarm.over and alarm.kind == AlarmKind.DEVICE_OFFLINE]
    if len(offline) > 1:
        yield row_text(row_of(AlarmKind.DEVICE_OFFLINE).many).format(len(offline)).partition(":")[0]
    for alarm in offline:
        yield alarm_in_words({"kind": alarm.kind, "device": alarm.device})


def _due(table: PitTable) -> Iterator[str]:
    for ruling in table.waiting:
        who = begin_sentence(words_of(Authority, ruling.authority))
        yield say("{who} decides: {what}", who=who, what=words_of(Irregularity, ruling.irregularity))
    open_ = [alarm for alarm in table.alarms if not alarm.acknowledged]
    alarms = len(open_) + table.more_alarms
    alarms += len(table.wrong) + sum(one.state == "open" for one in table.custody)
    if alarms == 1 and open_:
        yield say("{what}, not acknowledged", what=alarm_in_words(open_[0].about))
    elif alarms == 1:
        yield say("1 alarm not acknowledged")
    elif alarms:
        yield say("{alarms} alarms not acknowledged", alarms=alarms)
    if not table.connected:
        yield say("no connection")

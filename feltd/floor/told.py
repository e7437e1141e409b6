"""What the floor has, in lines for a person."""

from collections.abc import Sequence

from feltd.floor.custody import clock_is_off
from feltd.floor.engine import Alarm, JournalStatus


def status_lines(journals: Sequence[JournalStatus], now: float) -> list[str]:
    """A line for each journal. `now`: seconds since 1970."""
    if not journals:
        return ["no table has called in yet"]
    return [_line(journal, now) for journal in journals]


def alarm_lines(alarms: Sequence[Alarm]) -> list[str]:
    """A line for each alarm, oldest first."""
    return [
        f"ALARM {alarm.kind.value}: table {alarm.table}, journal {alarm.journal.hex()}: {alarm.text}"
        + (f" (told {alarm.times} times)" if alarm.times > 1 else "")
        for alarm in alarms
    ]


def _line(journal: JournalStatus, now: float) -> str:
    parts = [f"table {journal.table}, journal {journal.journal.hex()}: entry {journal.stand.seq}"]
    if journal.lag is not None and journal.seen is not None:
        parts.append(f"{journal.lag} behind its table, heard {max(0.0, now - journal.seen):.0f} s ago")
    else:
        parts.append("its table has said nothing yet")
    if journal.offset is not None:
        off = "OFF" if clock_is_off(journal.offset, journal.within) else "fine"
        parts.append(f"clock {off} ({-journal.offset:+.2f} s, give or take {journal.within or 0.0:.2f})")
    if journal.signed is not None:
        parts.append(f"signed up to entry {journal.signed.seq}")
    if journal.stand.forked:
        parts.append(f"FORKED, {journal.forks} batches of the other history kept")
    return "; ".join(parts)

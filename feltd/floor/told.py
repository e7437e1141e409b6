"""What the floor has, in lines for a person."""

from collections.abc import Sequence
from datetime import datetime

from feltd.floor.custody import clock_is_off
from feltd.floor.engine import Alarm, JournalStatus
from feltd.floor.facts import OWN
from feltd.floor.servers import Found, Promoted, Servers
from feltd.floor.standing import AlarmState, Proof, Standing


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


def standing_lines(standing: Sequence[Standing]) -> list[str]:
    """A line for each alarm with its number and its last answer, oldest first."""
    return [f"{line}; {_answered(one)}" for one in standing for line in alarm_lines([one.alarm])]


def proof_line(proof: Proof) -> str:
    """When everything was last proved, and what came out."""
    faults = f"{proof.faults} WITH FAULTS" if proof.faults else "all as they were taken in"
    return f"proved {_moment(proof.ended)}: {proof.journals} journals, {proof.entries} entries, {faults}"


def server_lines(servers: Servers, promotions: Sequence[Promoted]) -> list[str]:
    """A line for each server and each promotion; none for a server that has always been alone."""
    if len(servers.found) + len(servers.away) < 2 and not promotions and not any(one.standbys for one in servers.found):
        return []
    return [
        *(_server(one) for one in servers.found),
        *(f"server {words}" for words in servers.away),
        *servers.trouble,
        *(
            f"promotion of {_moment(one.at)}: {one.server}, timeline {one.timeline}, by {one.who}: {one.why}"
            for one in promotions
        ),
    ]


def _server(found: Found) -> str:
    if found.standby:
        return f"server {found.place}: standby"
    behind = [
        f"standby {one.name} " + (f"{one.behind} bytes behind" if one.connected else "AWAY")
        + (", synchronous" if one.synchronous else "")
        for one in found.standbys
    ]  # fmt: skip
    return "; ".join([f"server {found.place}: primary, timeline {found.history.timeline}", *behind])


def _answered(one: Standing) -> str:
    said = f"number {one.number}, since {_moment(one.since)}"
    if one.state is AlarmState.OPEN:
        return f"{said}, open" + (" again" if one.who else "")
    return f"{said}, {one.state.value} by {one.who}: {one.why}"


def _moment(wall: float) -> str:
    """Date and time in this machine's zone, with its offset: a table, or whoever reads this, may be in another one."""
    return datetime.fromtimestamp(wall).astimezone().isoformat(" ", "minutes")


def _line(journal: JournalStatus, now: float) -> str:
    if journal.table == OWN:
        return f"the floor's own record, journal {journal.journal.hex()}: entry {journal.stand.seq}"
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

"""One table of the pit as browsers have it: facts with their words, and what waits there.

The words are in the language that is spoken; the keys are the same in each. What waits has the same fields whatever it
is, so that the pages make lines of it as they do of one table's alarms.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from feltd.door.pit.state import PitAlarm, PitCustody, PitPutBack, PitRuling, PitShelved, PitTable
from feltd.page.pit.band import band_of_table
from feltd.page.pit.remedies import of_floor, of_link, of_more, passing, remedy
from feltd.text.alarm_rulings import Raised, Waits, rulings_by_alarm
from feltd.text.alarms import ALARMS, Condition, Priority, row_of, row_text
from feltd.text.catalogue import ruling_text, say, trouble, word
from feltd.text.words import alarm_in_words, begin_sentence, phase_in_words, rule_in_words, words_of
from feltd.text.zone import zone_name
from table_fsm.felt import SHELVABLE
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Authority, Outcome


def table_as_json(table: PitTable) -> dict[str, Any]:
    """A tile, and `items`: alarms with the rulings that wait, and what is wrong with the table's custody.

    `page`: the address of the table's own page; `zone`: its time zone; each None where it says none, and the zone where
    it is this page's.
    """
    return {
        "name": table.name,
        "page": table.page or None,
        "zone": table.zone if table.zone and table.zone != zone_name() else None,
        "band": asdict(band_of_table(table)),
        "connected": table.connected,
        "floord": table.floord,
        "heard": table.heard,
        "lag": table.lag,
        "forked": table.forked,
        "phase": None if table.phase is None else phase_in_words(table.phase, table.street),
        "stopped": table.phase in {"halted", "misdeal", "void"} or table.put_back is not None,
        "testing": table.testing,
        "broadcast": table.broadcast,
        "level": table.level,
        "round": table.round,
        "round_since": table.round_since,
        "devices": len(table.devices),
        "offline": [device.name for device in table.devices if not device.online],
        "shelved": [_shelved(one) for one in table.shelved],
        "unread": table.unread,
        "items": [*_items(table)],
    }


def _shelved(one: PitShelved) -> dict[str, Any]:
    """`ends`: the decision that ends the shelving; None where it is not known what was shelved."""
    ends = {"decision": "unshelve", "alarm": one.kind, "device": one.of_device, "seat": one.of_seat}
    text = alarm_in_words(one.about)
    return {"text": text, "by": one.by, "until": one.until, "ends": ends if one.ends else None}


def floor_item(words: str) -> dict[str, Any]:
    """What is wrong with the floor itself, as an item."""
    return {
        **_EMPTY, "key": f"floor {words}", "kind": "floor", "cause": f"floor {words}", "text": trouble(words),
        "action": of_floor(),
    }  # fmt: skip


def _items(table: PitTable) -> Iterator[dict[str, Any]]:
    raised = [Raised(alarm.kind, alarm.seat, alarm.over) for alarm in table.alarms]
    waiting = [Waits(ruling.id, ruling.irregularity, ruling.seat) for ruling in table.waiting]
    joined = rulings_by_alarm(raised, waiting)
    for alarm, numbers in zip(table.alarms, joined, strict=True):
        yield _alarm(table.name, alarm, [ruling for ruling in table.waiting if ruling.id in numbers])
    if table.more_alarms:
        yield _more(table.more_alarms)
    told = {number for numbers in joined for number in numbers}
    yield from (_alone(ruling) for ruling in table.waiting if ruling.id not in told)
    if table.put_back is not None:
        yield _put_back(table.name, table.put_back)
    for words in table.wrong:
        text = trouble(words)
        kind = words.partition(":")[0]
        yield {
            **_EMPTY, "key": f"custody {words}", "kind": "custody", "cause": kind, "text": text,
            "action": passing(kind),
        }  # fmt: skip
    for one in table.custody:
        yield _custody(one)
    if not table.connected:
        words = say("no connection to the floor: the table plays on, and what is shown here is as it was")
        name = say("No connection to the floor")
        yield {
            **_EMPTY, "key": "link", "kind": "link", "cause": "link", "priority": Priority.MEDIUM,
            "since": table.heard, "text": words, "name": name, "many": name, "action": of_link(),
        }  # fmt: skip


_EMPTY: Final[dict[str, Any]] = {
    "since": None, "action": None, "alarm": None, "device": None, "deck": None, "seat": None, "t": None,
    "rulings": [], "note": "", "bare": True,
    "acknowledged": False, "escalated": False, "over": False, "custody": None, "many": "", "name": "",
    "priority": Priority.HIGH,
}  # fmt: skip


def _action(table: str, alarm: PitAlarm, *, waits: bool) -> str:
    """What to do, and where: a decision's buttons are beside it, and what it needs else is at the table's own page."""
    row = row_of(alarm.kind)
    if row is ALARMS[Condition.RULING_WAITS]:
        if waits:
            return say("Decide here: the buttons say what they do.")
        return say("No ruling on it waits here: look at the rulings on {table}'s own page.", table=table)
    if alarm.device is None:
        return row_text(row.action)
    where = say("{table}'s own page has its devices.", table=table)
    return f"{row_text(row.action)} {where}"


def _alarm(table: str, alarm: PitAlarm, rulings: Sequence[PitRuling]) -> dict[str, Any]:
    row = row_of(alarm.kind)
    return {
        **_EMPTY,
        "key": f"alarm {alarm.kind} {alarm.deck} {alarm.device} {alarm.seat} {alarm.since}",
        "kind": "alarm",
        "cause": alarm.kind,
        "priority": row.priority,
        "since": alarm.since,
        "text": alarm_in_words(alarm.about),
        "name": alarm_in_words({"kind": alarm.kind}),
        "many": row_text(row.many),
        "action": _action(table, alarm, waits=bool(rulings)),
        "alarm": alarm.kind,
        "may_shelve": alarm.kind in SHELVABLE,
        "device": alarm.device,
        "deck": alarm.deck,
        "seat": alarm.seat,
        "t": alarm.t,
        "bare": False,
        "rulings": [_ruling(ruling) for ruling in rulings],
        "acknowledged": alarm.acknowledged,
        "escalated": alarm.escalated,
        "over": alarm.over,
    }


def _more(count: int) -> dict[str, Any]:
    """That more alarms stand than the pit shows of one table."""
    name = say("More alarms than are shown here")
    text = say("this table has {count} more alarms than are shown here", count=count)
    return {
        **_EMPTY, "key": "more", "kind": "more", "cause": "more", "text": text, "name": name, "many": name,
        "action": of_more(),
    }  # fmt: skip


def _alone(ruling: PitRuling) -> dict[str, Any]:
    """A ruling that waits and has no alarm."""
    row = row_of(Condition.RULING_WAITS)
    seat = "" if ruling.seat is None else say(", seat {seat}", seat=ruling.seat)
    what = words_of(Irregularity, ruling.irregularity)
    return {
        **_EMPTY,
        "key": f"ruling {ruling.id}",
        "kind": "ruling",
        "cause": ruling.irregularity,
        "priority": row.priority,
        "since": ruling.since,
        "text": f"{what}{seat}",
        "name": what,
        "rulings": [_ruling(ruling)],
    }


def _put_back(table: str, told: PitPutBack) -> dict[str, Any]:
    """The record was put back, and play is stopped. A technician ends it at the table alone, so it has no button."""
    row = row_of(Condition.RECORD_PUT_BACK)
    name = word(Condition.RECORD_PUT_BACK)
    where = say("{table}'s own page has its devices.", table=table)
    return {
        **_EMPTY,
        "key": "put back",
        "kind": "put_back",
        "cause": Condition.RECORD_PUT_BACK.value,
        "priority": row.priority,
        "since": told.since,
        "text": name,
        "name": name,
        "action": f"{row_text(row.action)} {where}",
        "note": say("by the memory of: {devices}", devices=", ".join(told.devices)),
    }  # fmt: skip


def _custody(one: PitCustody) -> dict[str, Any]:
    seen = one.state != "open"
    who = say("acknowledged by {who}: {why}", who=one.who, why=one.why) if seen else ""
    again = say("told {times} times", times=one.times) if one.times > 1 else ""
    return {
        **_EMPTY,
        "key": f"custody {one.number}",
        "kind": "custody",
        "cause": one.kind,
        "action": remedy(one.kind) or None,
        "since": one.since,
        "text": trouble(f"{one.kind}: {one.words}"),
        "note": ", ".join(filter(None, (who, again))),
        "acknowledged": seen,
        "bare": False,
        "custody": {"number": one.number, "times": one.times},
    }


def _ruling(ruling: PitRuling) -> dict[str, Any]:
    return {
        "id": ruling.id,
        "rule": ruling.rule,
        "text": ruling.text,
        "rulebook": ruling.rulebook,
        "clause": rule_in_words(ruling.rule),
        "due": f"{begin_sentence(words_of(Outcome, ruling.outcome))}: {_text(ruling.text)}",
        "waits": say("waits for the {authority}", authority=words_of(Authority, ruling.authority)),
        "what": words_of(Irregularity, ruling.irregularity),
    }


def _text(approved: str) -> str:
    """A ruling's text in the language that is spoken, with the approved text behind it."""
    said = ruling_text(approved)
    return approved if said is None else f"{said} [{approved}]"

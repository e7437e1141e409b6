"""One table of the pit as browsers have it: facts with their words, and what waits there, gravest first.

The words are in the language that is spoken; the keys are the same in each.
"""

from collections.abc import Iterator
from typing import Any, Final

from feltd.door.pit.state import PitAlarm, PitCustody, PitRuling, PitTable
from feltd.text.alarms import Condition, Priority, row_of, row_text
from feltd.text.catalogue import ruling_text, say, trouble
from feltd.text.words import alarm_in_words, begin_sentence, phase_in_words, rule_in_words, words_of
from table_fsm.rulebook.irregularities import Authority, Irregularity, Outcome

GRAVITY: Final = {priority.value: number for number, priority in enumerate(Priority)}
_SEEN: Final = len(GRAVITY)
"""What somebody has acknowledged comes after all that nobody has."""


def table_as_json(table: PitTable) -> dict[str, Any]:
    """A tile, and `items`: alarms, rulings that wait, and what is wrong with the table's custody."""
    return {
        "name": table.name,
        "connected": table.connected,
        "heard": table.heard,
        "lag": table.lag,
        "forked": table.forked,
        "phase": None if table.phase is None else phase_in_words(table.phase, table.street),
        "stopped": table.phase in {"halted", "misdeal", "void"},
        "level": table.level,
        "round": table.round,
        "round_since": table.round_since,
        "devices": len(table.devices),
        "offline": [device.name for device in table.devices if not device.online],
        "items": [*_items(table)],
    }


def floor_item(words: str) -> dict[str, Any]:
    """What is wrong with the floor itself, as an item."""
    return {**_EMPTY, "key": f"floor {words}", "kind": "floor", "gravity": 0, "text": trouble(words)}


def _items(table: PitTable) -> Iterator[dict[str, Any]]:
    for alarm in table.alarms:
        yield _alarm(alarm)
    for ruling in table.waiting:
        yield _ruling(ruling)
    for words in table.wrong:
        yield {**_EMPTY, "key": f"custody {words}", "kind": "custody", "gravity": 0, "text": trouble(words)}
    for one in table.custody:
        yield _custody(one)
    if not table.connected:
        words = say("no connection to the floor: the table plays on, and what is shown here is as it was")
        yield {**_EMPTY, "key": "link", "kind": "link", "gravity": 1, "since": table.heard, "text": words}


_EMPTY: Final[dict[str, Any]] = {
    "since": None, "clause": None, "action": None, "alarm": None, "device": None, "ruling": None, "state": "",
    "acknowledged": False, "custody": None,
}  # fmt: skip


def _alarm(alarm: PitAlarm) -> dict[str, Any]:
    row = row_of(alarm.kind)
    told = {"kind": alarm.kind, "deck": alarm.deck, "device": alarm.device, "seat": alarm.seat}
    states = (
        (say("cleared"), alarm.over),
        (say("escalated"), alarm.escalated),
        (say("acknowledged"), alarm.acknowledged),
    )
    return {
        **_EMPTY,
        "key": f"alarm {alarm.kind} {alarm.deck} {alarm.device} {alarm.seat} {alarm.since}",
        "kind": "alarm",
        "gravity": GRAVITY[row.priority.value] + (_SEEN if alarm.acknowledged else 0),
        "since": alarm.since,
        "text": alarm_in_words(told),
        "action": row_text(row.action),
        "alarm": alarm.kind,
        "device": alarm.device,
        "state": ", ".join(words for words, holds in states if holds),
        "acknowledged": alarm.acknowledged,
    }


def _custody(one: PitCustody) -> dict[str, Any]:
    seen = one.state != "open"
    again = say("told {times} times", times=one.times) if one.times > 1 else ""
    return {
        **_EMPTY,
        "key": f"custody {one.number}",
        "kind": "custody",
        "gravity": _SEEN if seen else 0,
        "since": one.since,
        "text": trouble(f"{one.kind}: {one.words}"),
        "action": say("acknowledged by {who}: {why}", who=one.who, why=one.why) if seen else None,
        "state": ", ".join(filter(None, (say("acknowledged") if seen else "", again))),
        "acknowledged": seen,
        "custody": {"number": one.number, "times": one.times},
    }


def _ruling(ruling: PitRuling) -> dict[str, Any]:
    seat = "" if ruling.seat is None else say(", seat {seat}", seat=ruling.seat)
    return {
        **_EMPTY,
        "key": f"ruling {ruling.id}",
        "kind": "ruling",
        "gravity": GRAVITY[row_of(Condition.RULING_WAITS).priority.value],
        "since": ruling.since,
        "text": f"{words_of(Irregularity, ruling.irregularity)}{seat}",
        "clause": rule_in_words(ruling.rule),
        "action": f"{begin_sentence(words_of(Outcome, ruling.outcome))}: {_text(ruling.text)}",
        "ruling": {"id": ruling.id, "rule": ruling.rule, "text": ruling.text, "rulebook": ruling.rulebook},
        "state": say("waits for the {authority}", authority=words_of(Authority, ruling.authority)),
    }


def _text(approved: str) -> str:
    """A ruling's text in the language that is spoken, with the approved text behind it."""
    said = ruling_text(approved)
    return approved if said is None else f"{said} [{approved}]"

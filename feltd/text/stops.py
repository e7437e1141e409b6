"""Why no card may be dealt, and what to do about it: one list for the band, the prompt and the dealer's display.

While play is stopped an order to deal contradicts the gate. So the prompt is the first cause and its remedy instead.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from feltd.text.alarms import Condition, row_of, row_text
from feltd.text.catalogue import refusal, say, word
from feltd.text.words import alarm_in_words
from table_fsm.felt import AlarmKind
from table_fsm.view.shapes import TableView

STOPS_TOLD: Final = (
    Condition.RECORD_STOPPED,
    Condition.RECORD_PUT_BACK,
    Condition.BOX_MISSING,
    Condition.BOX_NOT_LOCKED,
    Condition.GATE_LOCKED,
)
"""Stops that are no alarm of the table: the band tells them. Its other stops are alarms, and test mode."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause for which no card may be dealt, in words, and what to do: a sentence or some."""

    words: str
    action: str


@dataclass(frozen=True, slots=True)
class Beside:
    """What the table's view does not say.

    `stopped`: why the record cannot be kept, None while it can. `testing`: devices are being tested. `needed_away`:
    a device without which no round starts is offline. `put_back`: the record was put back to an older state, which
    nobody has accepted.
    """

    stopped: str | None
    testing: bool
    needed_away: bool
    put_back: bool = False


def causes(view: TableView, beside: Beside, *, but_acknowledged: bool = False) -> Iterator[Cause]:
    """The causes for which no card may be dealt, the first to be dealt with first.

    `but_acknowledged`: without faults of the shoe that are cleared: they end once a person has acknowledged them.
    """
    if beside.stopped is not None:
        stopped = refusal(beside.stopped)
        yield Cause(f"{word(Condition.RECORD_STOPPED)}: {stopped}", _action(Condition.RECORD_STOPPED))
    if beside.put_back:
        yield Cause(word(Condition.RECORD_PUT_BACK), _action(Condition.RECORD_PUT_BACK))
    if not view["open"] or view["gate"] != "locked":
        return
    if beside.testing:
        yield Cause(word(Condition.TEST_MODE), _action(Condition.TEST_MODE))
    for fault in view["faults"]:
        if but_acknowledged and not fault["present"]:
            continue
        words = alarm_in_words({"kind": fault["kind"], "device": "shoe", "deck": fault["deck"]})
        cleared = say("The fault is cleared: acknowledge its alarm.")
        yield Cause(words, _action(fault["kind"]) if fault["present"] else cleared)
    box = view["dropbox"]
    if box is not None and not (box["present"] and box["locked"]):
        state = Condition.BOX_NOT_LOCKED if box["present"] else Condition.BOX_MISSING
        yield Cause(word(state), _action(state))
    if beside.needed_away:
        yield from _offline(view)


def order_in_words(view: TableView, beside: Beside) -> str:
    """Return the first cause and its remedy, which the dealer is told in the prompt's place; empty where play goes on.

    The record's own error is left out: it is for the technician, and the band has it.
    """
    if beside.stopped is not None:
        return f"{word(Condition.RECORD_STOPPED)}. {_action(Condition.RECORD_STOPPED)}"
    first = next(causes(view, beside), None)
    return "" if first is None else f"{first.words}. {first.action}"


def _offline(view: TableView) -> Iterator[Cause]:
    """One cause for all devices that are away: several have mostly lost the same hub."""
    offline = [one for one in view["alarms"] if one["kind"] == AlarmKind.DEVICE_OFFLINE and not one["over"]]
    action = _action(AlarmKind.DEVICE_OFFLINE)
    if len(offline) > 1:
        yield Cause(row_text(row_of(AlarmKind.DEVICE_OFFLINE).many).format(len(offline)), action)
    else:
        yield from (Cause(alarm_in_words(one), action) for one in offline)


def _action(kind: str) -> str:
    return row_text(row_of(kind).action)

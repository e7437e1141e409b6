"""What the page asks, handed to the table behind the door."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from feltd.door.commands import CommandRefused, Person
from feltd.door.serving.budget import Giver
from feltd.door.table_door import TableDoor
from feltd.door.wire import calls
from table_fsm.errors import TableError
from table_fsm.events import parse_event

Handle = Callable[[Any, Any], Awaitable[Any]]
"""(a door that has the call, the values asked) → the answer. Raises FeltdError."""


async def _act(door: TableDoor, asked: calls.ByHand) -> Any:
    try:
        event = parse_event(json.dumps(asked.event))
    except TableError as fault:
        raise CommandRefused(f"this is no event of the table: {fault}") from None
    return await door.act(asked.person, asked.why, event)


async def _begin_test(door: TableDoor, asked: calls.NewTest) -> Any:
    return await door.begin_test(asked.person, asked.device, asked.kind, lamp=asked.lamp, expect=asked.expect)


LOOKING: Final[Mapping[str, Handle]] = {
    calls.STATE.name: lambda door, _: door.state(),
    calls.COUNTERS.name: lambda door, _: door.counters(),
    calls.DEVICES.name: lambda door, _: door.devices(),
    calls.SIGNATURE.name: lambda door, asked: door.signature(asked.number),
    calls.STAFF.name: lambda door, _: door.staff(),
    calls.PACKS.name: lambda door, _: door.packs(),
}
"""Questions: their answers cost the table time, and change nothing."""
DOING: Final[Mapping[str, Handle]] = {
    calls.ACT.name: _act,
    calls.DECIDE.name: lambda door, asked: door.decide(asked.person, asked.decision),
    calls.ASK_FOR_BADGE.name: lambda door, asked: door.ask_for_badge(asked.person, asked.decision),
    calls.WITHDRAW.name: lambda door, asked: door.withdraw(asked.person, asked.number),
    calls.BEGIN_TEST.name: _begin_test,
    calls.END_TEST.name: lambda door, asked: door.end_test(asked.person, asked.device),
    calls.NEW_KEY.name: lambda door, asked: door.new_key(asked.person, asked.device, asked.given),
    calls.KEY_BACK.name: lambda door, asked: door.key_back(asked.person, asked.device),
    calls.ACCEPT.name: lambda door, asked: door.accept(asked.person, asked.device),
    calls.ASK_STEP.name: lambda door, asked: door.ask_step(asked.person, asked.kind, asked.about, asked.reason),
    calls.APPROVE_STEP.name: lambda door, asked: door.approve_step(asked.person, asked.number),
    calls.TELL_STEP.name: lambda door, asked: door.tell_step(asked.second, asked.number, asked.fault),
    calls.END_STEP.name: lambda door, asked: door.end_step(asked.person, asked.number),
    calls.TAKE_STEP.name: lambda door, asked: door.take_step(asked.user, asked.kind, asked.about),
    calls.KEEP_STAFF.name: lambda door, asked: door.keep_staff(asked.person, asked.why, asked.members),
    calls.BROADCAST.name: lambda door, asked: door.broadcast(asked.person, on=asked.on),
    calls.SHOW_FINGERPRINT.name: lambda door, asked: door.show_fingerprint(asked.fingerprint),
    calls.BEGIN_PACK.name: lambda door, asked: door.begin_pack(asked.person, asked.wanted),
    calls.STEP_PACK.name: lambda door, asked: door.step_pack(asked.person, asked.step),
    calls.SWAP_CARDS.name: lambda door, asked: door.swap_cards(asked.person, asked.name, asked.card, asked.other),
    calls.PUT_PACK.name: lambda door, asked: door.put_pack(asked.person, asked.name, asked.state),
    calls.TELL_ACCESS.name: lambda door, asked: door.tell_access(asked.page, asked.facts),
    calls.NOTE_EXPORT.name: lambda door, asked: door.note_export(asked.person, asked.export),
}
"""Commands: each is an event or an entry, and takes until the disk has it."""
OWN_BUDGET: Final = frozenset({calls.TELL_ACCESS.name, calls.NOTE_EXPORT.name, calls.KEEP_STAFF.name})
"""Commands for whose entries the table keeps a budget of their own: floods of them take nothing from the others."""


def giver_of(call: str, values: object) -> Giver:
    """Who gives a command; the name of the call, as no account is called, where its values name nobody.

    The page itself has a fingerprint shown, and a page of before 0.12.0 names nobody who ends a test.
    """
    for name in ("person", "second", "user"):
        if isinstance(person := getattr(values, name, None), Person):
            return Giver(person.owner, programs=person.account != person.owner)
    return Giver(f" {call}")


OBEYING: Final[Mapping[str, Handle]] = {
    calls.OBEY.name: lambda door, asked: door.obey(asked),
    calls.OBEY_TOURNAMENT.name: lambda door, asked: door.obey_tournament(asked),
    calls.TAKE_RECEIPT.name: lambda door, asked: door.take_receipt(asked),
    calls.OBEY_SIGNED.name: lambda door, asked: door.obey_signed(asked),
    calls.SHOW_CODE.name: lambda door, asked: door.show_code(asked),
    calls.HEAR_WITNESS.name: lambda door, asked: door.hear_witness(asked),
}
"""What an uplink may ask, and nothing beside it."""

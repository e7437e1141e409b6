"""The uplink's end of a command: a connection of its own, one question, and the answer."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from feltd.door.asking.connecting import greeting, welcome_of
from feltd.door.commands import CommandRefused, TableAwayError
from feltd.door.obeying import FloorCommand, FloorReceipt, Obeyed, ShownCode, SignedCommand, TournamentCommand
from feltd.door.place import address_of
from feltd.door.wire import calls
from feltd.door.wire.calls import Call
from feltd.door.wire.codec import from_json, parse, to_json
from feltd.door.wire.errors import WireError
from feltd.door.wire.messages import MOST_TO_PAGE, Ask, Fault, Purpose, Refused, Reply, line_of, message_of
from feltd.door.wire.refusals import error_of
from feltd.door.witnessing import WitnessWord

ANSWER_WITHIN: Final = 15.0
"""Seconds."""
_AnyCommand: TypeAlias = FloorCommand | TournamentCommand | SignedCommand
_CALLS: Final[Mapping[type[_AnyCommand], Call[Any, Obeyed]]] = {
    FloorCommand: calls.OBEY,
    TournamentCommand: calls.OBEY_TOURNAMENT,
    SignedCommand: calls.OBEY_SIGNED,
}
_ANSWER: Final = frozenset({Reply, Fault, Refused})


async def obeyed(place: Path, command: _AnyCommand) -> Obeyed:
    """Have the table at this socket obey; return its answer.

    Raises TableAwayError where it is not known whether it did, CommandRefused where it was not asked, and what the
    table refuses with.
    """
    done: Obeyed = await _answered(place, _CALLS[type(command)], command)
    return done


async def receipt_taken(place: Path, receipt: FloorReceipt) -> bool:
    """Hand a receipt of the floor to the table at this socket; whether it was entered. Raises as `obeyed`."""
    taken: bool = await _answered(place, calls.TAKE_RECEIPT, receipt)
    return taken


async def code_shown(place: Path, code: ShownCode) -> bool:
    """Have the table at this socket show a code; whether it has a display for it. Raises as `obeyed`."""
    taken: bool = await _answered(place, calls.SHOW_CODE, code)
    return taken


async def witness_told(place: Path, word: WitnessWord) -> None:
    """Tell the table at this socket how it stands with its witness. Raises as `obeyed`."""
    await _answered(place, calls.HEAR_WITNESS, word)


async def _answered(place: Path, call: Call[Any, Any], asked: object) -> Any:
    try:
        async with asyncio.timeout(ANSWER_WITHIN):
            return await _asked(place, call, asked)
    except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, WireError) as fault:
        words = str(fault) or type(fault).__name__
        raise TableAwayError(f"the table has not answered the command ({words})") from None


async def _asked(place: Path, call: Call[Any, Any], asked: object) -> Any:
    try:
        with address_of(place) as address:
            reader, writer = await asyncio.open_unix_connection(address, limit=MOST_TO_PAGE)
    except OSError as fault:
        raise CommandRefused(f"the table does not run: {fault.strerror or fault}") from None
    try:
        writer.write(greeting(Purpose.COMMANDS))
        welcome = welcome_of((await reader.readuntil(b"\n"))[:-1])
        if isinstance(welcome, Refused):
            raise CommandRefused(welcome.why)
        writer.write(line_of(Ask(1, call.name, parse(to_json(asked)))))
        answer: Reply | Fault | Refused = message_of((await reader.readuntil(b"\n"))[:-1], _ANSWER)
        if isinstance(answer, Refused):
            raise TableAwayError(answer.why)
        if isinstance(answer, Fault):
            raise error_of(answer)
        return from_json(call.gives, answer.value, call.name)
    finally:
        writer.close()

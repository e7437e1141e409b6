"""A command of the floor handed to the table, and the table's answer."""

from pathlib import Path

from feltd.custody.messages import TEXT_MOST, Answer, Command, Result
from feltd.door import CommandRefused, NotOnDiskError, PlayStopped
from feltd.door.asking.obeying import obeyed
from feltd.door.obeying import SignedCommand
from feltd.door.signed_orders import command_of
from feltd.door.wire.errors import WireError
from feltd.door.wishing import WishCommand
from feltd.text.errors import FeltdError


async def obey(table: Path, command: Command, offset: float | None) -> Answer:
    """Have the table obey; return what to tell the floor.

    `offset`: seconds by which the floor's clock is ahead of this machine's.
    """
    if offset is None:
        return _answer(command, Result.REFUSED, 0, "the uplink has just begun and has not yet compared the clocks")
    try:
        if command.signature:  # the table itself looks at it: this process is not trusted with what is signed
            done = await obeyed(
                table,
                SignedCommand(command.id, command.order, command.until, command.made, command.signature, offset),
            )
        else:
            unsigned = command_of(command.id, command.order, command.until - offset)
            if isinstance(unsigned, WishCommand):
                raise CommandRefused("a wish must be signed: floor.toml names the floor's `signing_key`")
            done = await obeyed(table, unsigned)
    except (CommandRefused, PlayStopped, WireError) as refusal:
        return _answer(command, Result.REFUSED, 0, str(refusal))
    except NotOnDiskError as fault:
        return _answer(command, Result.NOT_KNOWN, 0, f"it was done, and the table's disk failed then: {fault}")
    except FeltdError as fault:
        return _answer(command, Result.NOT_KNOWN, 0, str(fault))
    if done.refusal is not None:
        return _answer(command, Result.REFUSED, done.entry, done.refusal)
    return _answer(command, Result.DONE, done.entry, "")


def _answer(command: Command, result: Result, entry: int, words: str) -> Answer:
    printable = "".join(letter if letter.isprintable() else " " for letter in words)
    return Answer(command.id, result.value, entry, printable[:TEXT_MOST])

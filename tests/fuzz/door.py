"""Questions at the table's door, over its socket."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from feltd.door.wire.messages import Ask, line_of
from tests.feltd.door_support import apart, hello, knocking
from tests.fuzz.in_a_loop import Scene, judged_in_a_loop
from tests.fuzz.target import Target
from tests.running import eventually, turns

_PERSON = {"signature": "S7", "account": "anna", "role": "supervisor", "address": "127.0.0.1"}


@asynccontextmanager
async def _door(folder: Path) -> AsyncIterator[Scene]:
    async with apart(folder) as at:
        loop = asyncio.get_running_loop()

        async def scene(data: bytes) -> None:
            with knocking(at.place) as knock:
                with suppress(OSError):  # let go before all of it was said
                    await loop.sock_sendall(knock, data)
                await turns(30)
            await eventually(lambda: not at.reception._visits)
            with knocking(at.place) as knock:
                await loop.sock_sendall(knock, hello())
                assert (await loop.sock_recv(knock, 65536)).startswith(b'{"welcome"')
            await eventually(lambda: not at.reception._visits)

        yield scene


def _questions() -> Sequence[bytes]:
    asks = [
        Ask(1, "state", {}),
        Ask(2, "withdraw", {"number": 1, "person": _PERSON}),
        Ask(3, "signature", {"number": 9}),
        Ask(4, "act", {"person": _PERSON, "why": None, "event": {"ev": "seat.in", "seat": 1}}),
        Ask(5, "staff", {"members": []}),
    ]
    return [hello(), *(hello() + line_of(ask) for ask in asks), hello() + b"".join(map(line_of, asks))]


DOOR = Target(
    "door", lambda: judged_in_a_loop(_door), _questions, (b'{"ask":', b'"id":', b"null", b"\\ud800", b'{"hello":')
)
